"""Knowledge bases: documents, frequent questions, the conversation so far, and the web."""

from recollect.knowledge.base import KnowledgeBase

__all__ = ["KnowledgeBase"]
