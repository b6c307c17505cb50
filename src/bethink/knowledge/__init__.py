"""Knowledge bases: documents, frequent questions, the conversation so far, and the web."""

from bethink.knowledge.answers import Answer
from bethink.knowledge.knowledge_base import KnowledgeBase
from bethink.knowledge.turns import Turn

__all__ = ["Answer", "KnowledgeBase", "Turn"]
