"""A knowledge base at a desk: a base is a space, and the wall holds around it as around any other.

Who is elsewhere brings bytes, never a path of this machine; what reads them has less of everything
than whoever sits before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bethink.access.caller import Scope
from bethink.access.outside import answer_from_outside, not_by_path
from bethink.access.wall import Record, Records, Wall, verb
from bethink.errors import InvalidInput, NotFound, SettingsError, unknown_space

if TYPE_CHECKING:
    from bethink.knowledge import KnowledgeBase
    from bethink.knowledge.documents.blocks import Limits
    from bethink.knowledge.documents.report import Outcome
    from bethink.knowledge.faq_entry import Faq

_MOST_SECONDS = 30.0  # for the search of one request
_MODEL_SECONDS = 45.0  # for the language model; a request is not kept for longer than a minute
_PAGE = 1_000


class Knowledge(Wall):
    # Documents

    @verb(Scope.WRITE, audited="add_document")
    def add_document(self, base: str, data: bytes, *, name: str) -> Record:
        """Take one in under a name; sent again, it is replaced where it has changed. What cannot
        be read is an error: there is only this one."""
        return self._taken(self._base(base).add_one(data, name=name, limits=_limits()))

    @verb(Scope.WRITE, audited="replace_document")
    def replace_document(self, base: str, document: str, data: bytes, *, name: str = "") -> Record:
        held = self._base(base)
        one = held.document_id(document)
        return self._taken(held.replace_document(one, data, name=name, limits=_limits()))

    @verb(Scope.WRITE, audited="enable_document")
    def enable_document(self, base: str, document: str) -> Record:
        held = self._base(base)
        (one,) = held.enable_documents(held.document_id(document))
        return {"id": one.id, "enabled": one.enabled}

    @verb(Scope.WRITE, audited="disable_document")
    def disable_document(self, base: str, document: str) -> Record:
        held = self._base(base)
        (one,) = held.disable_documents(held.document_id(document))
        return {"id": one.id, "enabled": one.enabled}

    @verb(Scope.WRITE, audited="remove_document")
    def remove_document(self, base: str, document: str) -> Record:
        held = self._base(base)
        one = held.document_id(document)
        left: list[str] = []
        return {"id": one, "memories": held.remove_documents(one, notes=left), "notes": left}

    @verb(Scope.READ)
    def documents(self, base: str, *, cursor: str | None = None, limit: int = 100) -> Record:
        held = self._base(base)
        seal = f"documents/{held.space}"
        page, following = held.document_page(cursor=self._opened(cursor, seal), limit=limit)
        return {
            "documents": [one.as_record() for one in page],
            "cursor": self._sealed(following, seal),
        }

    @verb(Scope.READ)
    def document(self, base: str, document: str, *, after: int = 0, limit: int = 100) -> Record:
        """A document with some of its sections; `next` is what to ask for as `after`."""
        if after < 0:
            raise InvalidInput(f"after: expected 0 or more, got {after}")
        if not 0 <= limit <= _PAGE:
            raise InvalidInput(f"limit: expected 0 to {_PAGE:,}, got {limit}")
        held = self._base(base)
        one = held.document(held.document_id(document))
        parts = held.document_parts(one.id, after=after, limit=limit)
        end = after + limit
        return {
            **one.as_record(),
            "parts": [part._asdict() for part in parts],
            "next": end if end < one.sections else None,
        }

    # Frequent questions

    @verb(Scope.WRITE, audited="add_faq")
    def add_faq(self, base: str, told: Mapping[str, Any]) -> Record:
        """Add an entry, or change the one that has this id, or this question."""
        report = self._base(base).add_faqs([told])
        if report.failed:
            raise InvalidInput(report.failed[0].why)
        action = next(name for name in ("added", "updated", "unchanged") if getattr(report, name))
        return {"id": report.ids[0], "action": action, "notes": self._notes(report.notes)}

    @verb(Scope.WRITE, audited="import_faq")
    def import_faq(
        self,
        base: str,
        data: bytes,
        *,
        name: str = "",
        format: str = "auto",  # noqa: A002  (as people call it)
        separator: str = "##",
        dry_run: bool = False,
    ) -> Record:
        report = self._base(base).import_faq(
            data, name=name, format=format, separator=separator, dry_run=dry_run
        )
        return {**report.as_data(), "notes": self._notes(report.notes)}

    @verb(Scope.WRITE, audited="enable_faq")
    def enable_faq(self, base: str, entry: str) -> Record:
        (one,) = self._base(base).enable_faq(entry)
        return {"id": one, "enabled": True}

    @verb(Scope.WRITE, audited="disable_faq")
    def disable_faq(self, base: str, entry: str) -> Record:
        (one,) = self._base(base).disable_faq(entry)
        return {"id": one, "enabled": False}

    @verb(Scope.WRITE, audited="remove_faq")
    def remove_faq(self, base: str, entry: str) -> Record:
        left: list[str] = []
        (one,) = self._base(base).remove_faq(entry, notes=left)
        return {"id": one, "removed": True, "notes": left}

    @verb(Scope.READ)
    def faqs(
        self,
        base: str,
        *,
        tag: str | None = None,
        cursor: str | None = None,
        limit: int = 100,
    ) -> Record:
        held = self._base(base)
        seal = f"faq/{held.space}"
        opened = self._opened(cursor, seal)
        page, following = held.faq_page(tag=tag, cursor=opened, limit=limit)
        return {
            "entries": [_entry(one) for one in page],
            "cursor": self._sealed(following, seal),
        }

    @verb(Scope.READ)
    def faq(self, base: str, entry: str) -> Record:
        held = self._base(base)
        found = held.faq(entry)
        if found is None:
            raise NotFound(f"{held.space!r} has no entry {entry!r}; 'bethink faq list' shows them")
        return _entry(found)

    # Asking

    @verb(Scope.READ)
    def knowledge_bases(self) -> Records:
        """The spaces that hold documents or frequent questions."""
        from bethink.knowledge.spaces_with_knowledge import knowledge_bases

        found = knowledge_bases(self._engine, sees=self.caller.may_see)
        return [one._asdict() for one in found]

    @verb(Scope.READ)
    def has_knowledge(self) -> bool:
        from bethink.knowledge.spaces_with_knowledge import has_knowledge

        return has_knowledge(self._engine, sees=self.caller.may_see)

    @verb(Scope.READ)
    def knowledge_means(self) -> Record:
        """What is read and searched here beside the bases."""
        from bethink.knowledge.documents.kinds import formats_here
        from bethink.knowledge.web.providers import provider_of

        try:
            web = provider_of(self._engine.settings) is not None
        except SettingsError:
            web = False
        return {"formats": list(formats_here()), "web": web}

    @verb(Scope.READ, beside=True, but_with="web")
    def search_knowledge(
        self,
        base: str,
        asked: str | Mapping[str, Any],
        *,
        history: Sequence[Mapping[str, Any]] = (),
        web: bool = False,
        deadline: float | None = None,
        explain: bool = False,
    ) -> Record:
        """`asked` are search parameters, or the question alone."""
        held, told = self._asked_of(base, asked)
        found = held.search(
            told,
            history=history,
            web=self._web(held, web),
            deadline=_bounded(deadline),
            touch=not explain,  # who wants it explained is looking, not using
        )
        return answer_from_outside(found.as_data(explain=explain))

    @verb(Scope.READ)
    def ask_knowledge(
        self,
        base: str,
        asked: str | Mapping[str, Any],
        *,
        history: Sequence[Mapping[str, Any]] = (),
        web: bool = False,
        deadline: float | None = None,
        seconds: float | None = None,
        explain: bool = False,
    ) -> Record:
        held, told = self._asked_of(base, asked)
        answer = held.ask(
            told,
            history=history,
            web=self._web(held, web),
            deadline=_bounded(deadline),
            seconds=_bounded(_MODEL_SECONDS if seconds is None else seconds, _MODEL_SECONDS),
            touch=not explain,
        ).as_data(explain=explain)
        return {**answer, "passages": answer_from_outside(answer["passages"])}

    # What is the caller's

    def _base(self, base: str) -> KnowledgeBase:
        from bethink.knowledge import KnowledgeBase

        if not isinstance(base, str):
            raise InvalidInput("which knowledge base? give its name")
        return KnowledgeBase(self._engine, self._space(base))

    def _asked_of(
        self, base: str, asked: str | Mapping[str, Any]
    ) -> tuple[KnowledgeBase, Mapping[str, Any]]:
        """The base and what it is asked; others that are to be asked are the caller's too."""
        from bethink.knowledge.params import SearchParams

        held = self._base(base)
        told = SearchParams.of(asked)
        if told.knowledge_bases:
            self._spaces(told.knowledge_bases)
        asked_for = told.as_data()
        if told.where is not None:
            asked_for["where"] = not_by_path(asked_for["where"])
        return held, asked_for

    def _web(self, base: KnowledgeBase, wanted: bool) -> bool | None:
        """Only where whoever runs this has set a search. A question must not make a new space."""
        if not wanted:
            return None
        from bethink.knowledge.web.providers import provider_of

        try:
            provider = provider_of(self._engine.settings)
        except SettingsError:  # what is set is not the caller's to know
            raise InvalidInput(
                "web: the search of the web is not set up rightly here; leave it out"
            ) from None
        if provider is None:
            raise InvalidInput("web: no search of the web is set up here; leave it out")
        if not self._engine_has(base.space):
            raise unknown_space(base.space, ())
        return True

    def _taken(self, outcome: Outcome) -> Record:
        return {
            "id": outcome.id,
            "address": outcome.address,
            "fate": outcome.fate,
            "sections": outcome.sections,
            "notes": self._notes(outcome.notes),
        }

    def _notes(self, notes: Sequence[str]) -> list[str]:
        """They may quote what was known before, so they are for those who may read."""
        return list(notes) if Scope.READ in self.caller.scopes else []


def _entry(faq: Faq) -> Record:
    return {**faq.as_data(), "memory_id": faq.id, "source": faq.source}


def _limits() -> Limits:
    """A server reads for many: no file may keep it busy for long, or take all memory."""
    from bethink.knowledge.documents.blocks import Limits

    return Limits(
        bytes=100_000_000,
        unpacked=300_000_000,
        seconds=90.0,
        memory=2_000_000_000,
        pages=5_000,
        rows=100_000,
        chars=10_000_000,
    )


def _bounded(seconds: Any, most: float = _MOST_SECONDS) -> Any:
    """As much time as is asked for, and no more than a request is given."""
    return min(seconds, most) if isinstance(seconds, int | float) else seconds
