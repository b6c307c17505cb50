"""A knowledge base: documents and frequent questions go in, cited passages and answers come out.

base = KnowledgeBase(engine, "handbook")
base.add("docs/")
for hit, citation in base.search("how long is the notice period?"):
    print(citation, hit.text)
"""

from __future__ import annotations

from bethink.knowledge.asking import Asking
from bethink.knowledge.documents_kept import Documents
from bethink.knowledge.faqs import Faqs


class KnowledgeBase(Documents, Faqs, Asking):
    """Everything is a memory in the base's space, so that what holds for memories holds here."""
