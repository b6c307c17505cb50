"""Knowledge bases: documents, frequent questions, the conversation so far, and the web."""

from recollect.knowledge.answers import Answer
from recollect.knowledge.knowledge_base import KnowledgeBase
from recollect.knowledge.turns import Turn

__all__ = ["Answer", "KnowledgeBase", "Turn"]
