"""A knowledge base: documents and frequent questions go in, cited passages and answers come out.

base = KnowledgeBase(engine, "handbook")
base.add("docs/")
for hit, citation in base.search("how long is the notice period?"):
    print(citation, hit.text)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.knowledge.asking import Asking
from bethink.knowledge.documents_kept import Documents
from bethink.knowledge.faqs import Faqs
from bethink.lazy_exports import hinting

# What people call the methods before they have read what they are called here.
_CALLED_HERE = {
    **dict.fromkeys(("query", "recall", "retrieve", "find"), "search(text)"),
    **dict.fromkeys(("answer", "chat"), "ask(question)"),
    **dict.fromkeys(
        ("add_document", "add_documents", "add_file", "add_files", "add_folder", "ingest", "load"),
        "add(path), or add_text(text, name=...)",
    ),
    **dict.fromkeys(("delete", "delete_document", "remove_document", "forget"), "remove(document)"),
    **dict.fromkeys(("list", "list_documents"), "documents()"),
    **dict.fromkeys(("list_faqs", "faq_entries", "questions"), "faqs()"),
    **dict.fromkeys(("sections", "parts", "chunks"), "document_parts(document)"),
    **dict.fromkeys(("update", "replace"), "replace_document(document, path)"),
    "remember": "add_text(text, name=...)",
    "name": "space",
    "close": "engine.close()",
}


class KnowledgeBase(Documents, Faqs, Asking):
    """Everything is a memory in the base's space, so that what holds for memories holds here."""

    if not TYPE_CHECKING:  # a type checker would accept any name
        __getattr__ = hinting(_CALLED_HERE)
