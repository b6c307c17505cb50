"""A knowledge base in Python, and the records that the other doors give."""

from __future__ import annotations

from typing import Any

from bethink import Engine
from bethink.errors import NotFound
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.documents.blocks import Unreadable
from bethink.knowledge.spaces_with_knowledge import knowledge_bases
from tests.scenarios.scenario import Json


class KnowledgeInPython:
    _engine: Engine

    def _base(self, base: str) -> KnowledgeBase:
        return KnowledgeBase(self._engine, base)

    def _add_document(self, base: str, name: str, text: str) -> Json:
        (outcome,) = self._base(base).add(text.encode(), name=name).outcomes
        if outcome.fate == "failed":
            raise Unreadable(outcome.why)
        return taken(outcome._asdict())

    def _replace_document(self, base: str, document: str, text: str) -> Json:
        return taken(self._base(base).replace_document(document, text.encode())._asdict())

    def _bases(self) -> Json:
        return [one._asdict() for one in knowledge_bases(self._engine)]

    def _documents(self, base: str) -> Json:
        return [one.as_record() for one in self._base(base).documents()]

    def _document(self, base: str, document: str) -> Json:
        one, parts = self._base(base).document(document), self._base(base).document_parts(document)
        return {**one.as_record(), "parts": [part._asdict() for part in parts]}

    def _enable_document(self, base: str, document: str) -> Json:
        (one,) = self._base(base).enable_documents(document)
        return {"id": one.id, "enabled": one.enabled}

    def _disable_document(self, base: str, document: str) -> Json:
        (one,) = self._base(base).disable_documents(document)
        return {"id": one.id, "enabled": one.enabled}

    def _remove_document(self, base: str, document: str) -> Json:
        one = self._base(base).document(document).id
        left: list[str] = []
        gone = self._base(base).remove_documents(one, notes=left)
        return {"id": one, "memories": gone, "notes": left}

    def _add_faq(self, base: str, question: str, answers: Any, **more: Any) -> Json:
        return {"id": self._base(base).add_faq(question, answers, **more).id}

    def _faqs(self, base: str) -> Json:
        return [_entry(one) for one in self._base(base).faqs()]

    def _faq(self, base: str, entry: str) -> Json:
        found = self._base(base).faq(entry)
        if found is None:
            raise NotFound(f"{base!r} has no entry {entry!r}; 'bethink faq list' shows them")
        return _entry(found)

    def _enable_faq(self, base: str, entry: str) -> Json:
        return {"id": self._base(base).enable_faq(entry)[0], "enabled": True}

    def _disable_faq(self, base: str, entry: str) -> Json:
        return {"id": self._base(base).disable_faq(entry)[0], "enabled": False}

    def _remove_faq(self, base: str, entry: str) -> Json:
        left: list[str] = []
        (one,) = self._base(base).remove_faq(entry, notes=left)
        return {"id": one, "removed": True, "notes": left}

    def _search_knowledge(self, base: str, question: str, limit: Any = None, **more: Any) -> Json:
        return self._base(base).search(question, match_count=limit, **more).as_data()

    def _ask(self, base: str, question: str, limit: Any = None, **more: Any) -> Json:
        return self._base(base).ask(question, match_count=limit, **more).as_data()


def taken(outcome: Json) -> Json:
    """Without why it failed: then it is an error."""
    told = {name: outcome[name] for name in ("id", "address", "fate", "sections")}
    return {**told, "notes": list(outcome.get("notes", ()))}


def _entry(faq: Any) -> Json:
    return {**faq.as_data(), "memory_id": faq.id, "source": faq.source}
