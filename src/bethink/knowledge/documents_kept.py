"""Documents in, replaced, withheld and out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bethink.checks import check_encodable, is_id, shown
from bethink.errors import InvalidInput, NotFound
from bethink.knowledge.shared import DOCUMENT, Shared
from bethink.recall.document_parts import section_id, sections_of
from bethink.vocabulary import Memory, Progress

if TYPE_CHECKING:
    from bethink.knowledge.documents.blocks import Limits
    from bethink.knowledge.documents.report import Outcome, Report

_AT_ONCE = 1_000  # sections
Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class Document(NamedTuple):
    """A document as it is kept. `pages` counts what `unit` names: pages, slides, rows, chapters."""

    id: str
    address: str
    title: str
    format: str
    sections: int
    pages: int
    unit: str
    bytes: int
    enabled: bool
    state: str  # ready, or unfinished: add it again
    updated_at: str
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The file's name: the last part of the address."""
        return self.address.rpartition("/")[2]

    def as_record(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return {**self._asdict(), "notes": list(self.notes)}

    def to_dict(self) -> dict[str, Any]:
        """Return the same as `as_record`."""
        return self.as_record()


class Part(NamedTuple):
    """A section of a document."""

    id: str
    headings: str
    page: int
    page_end: int
    text: str


class Documents(Shared):
    """Documents in, replaced, withheld and out."""

    def add(
        self,
        what: Paths | bytes,
        *,
        name: str = "",
        formats: Iterable[str] | None = None,
        removed: bool = False,
        limits: Limits | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """Take in files, folders (with the folders in them), or bytes under a name.

        Files that have not changed are passed over, those that have are replaced. `removed=True`
        also removes the documents whose files are gone from the folders named. `formats` takes
        only some of a folder's. What cannot be read is in the report with the reason, and stops
        nothing else. Stopped in the middle, do it again: it goes on.
        """
        from bethink.knowledge.documents.adding import Adding
        from bethink.knowledge.documents.blocks import Limits

        adding = Adding(self.engine, self._shelf, limits or Limits(), progress)
        if isinstance(what, bytes):
            report = adding.named(what, name)
        elif name:
            raise InvalidInput("a name is for bytes; files have theirs")
        else:
            report = adding.paths(_paths(what), formats, removed=removed)
        self._tell_of(report.outcomes)
        return report

    def add_text(self, text: str, *, name: str) -> Outcome:
        """Take in a text, as Markdown unless its name ends otherwise: `name="VPN"`, `"faq.html"`.
        The same name again replaces it."""
        if not isinstance(text, str):
            raise InvalidInput(f"a text is needed, got {type(text).__name__}; add() takes files")
        return self.add_one(text.encode(), name=name if Path(name).suffix else f"{name}.md")

    def add_one(self, data: bytes, *, name: str, limits: Limits | None = None) -> Outcome:
        """Take in bytes under a name. What cannot be read is an error: there is only this one."""
        from bethink.knowledge.documents.adding import Adding
        from bethink.knowledge.documents.blocks import Limits

        outcome = Adding(self.engine, self._shelf, limits or Limits(), None).alone(data, name)
        self._tell_of([outcome])
        return outcome

    def replace_document(
        self,
        document: str,
        what: str | os.PathLike[str] | bytes,
        *,
        name: str = "",
        limits: Limits | None = None,
    ) -> Outcome:
        """Put another file in the place of a document: its id, its address and whether it is
        enabled stay. What cannot be read replaces nothing."""
        from bethink.knowledge.documents.adding import Adding
        from bethink.knowledge.documents.blocks import Limits

        adding = Adding(self.engine, self._shelf, limits or Limits(), None)
        card = self._card_of(document)
        if isinstance(what, bytes):
            outcome = adding.instead(card, what, name or card.source)
        else:
            outcome = adding.instead_by_file(card, _path(what))
        self._tell_of([outcome])
        return outcome

    def documents(self) -> list[Document]:
        """All documents, by their addresses."""
        withheld = self.engine.withheld.ids(self.space)
        cards = self._shelf.of_kind(DOCUMENT)
        return sorted((_shown(c, withheld) for c in cards), key=lambda one: one.address)

    def document_page(
        self, *, cursor: str | None = None, limit: int = 100
    ) -> tuple[list[Document], str | None]:
        """Some of them in the order added, and the cursor of the next page."""
        cards, following = self._shelf.page({"kind": DOCUMENT}, cursor=cursor, limit=limit)
        withheld = self.engine.withheld.ids(self.space)
        return [_shown(card, withheld) for card in cards], following

    def document_id(self, document: str) -> str:
        """Of the one with this id or address. For whoever is elsewhere: no path of this machine is
        looked at."""
        card = self._kept(document)
        if card is None:
            raise self._none(document)
        return card.id

    def document_ids(self, *documents: str) -> list[str]:
        """Of those with these ids, addresses or paths of files; all of them, or an error."""
        return [card.id for card in self._cards_of(documents)]

    def document(self, document: str) -> Document:
        """One document, by its id, its address or the path of its file."""
        return _shown(self._card_of(document), self.engine.withheld.ids(self.space))

    def document_parts(
        self, document: str, *, after: int = 0, limit: int | None = None
    ) -> list[Part]:
        """The sections of a document, in their order; those that come after so many."""
        card = self.document(document)
        end = card.sections if limit is None else min(card.sections, after + limit)
        parts: list[Part] = []
        for at in range(after, end, _AT_ONCE):
            ids = [section_id(card.id, one) for one in range(at, min(at + _AT_ONCE, end))]
            found = self.engine.store.get(ids, spaces=[self.space])
            parts += [_part(one) for one in found if one is not None]
        return parts

    def enable_documents(self, *documents: str | Iterable[str]) -> list[Document]:
        """Let questions find them again."""
        cards = self._cards_of(_each(documents))
        self.engine.withheld.remove(card.id for card in cards)
        self._changed(DOCUMENT, "enabled", len(cards))
        return self._all_shown(cards)

    def disable_documents(self, *documents: str | Iterable[str]) -> list[Document]:
        """Keep them, and let no question find them, through whatever door and preset."""
        cards = self._cards_of(_each(documents))
        self.engine.withheld.add((card.id for card in cards), space=self.space)
        self._changed(DOCUMENT, "disabled", len(cards))
        return self._all_shown(cards)

    def _all_shown(self, cards: Sequence[Memory]) -> list[Document]:
        withheld = self.engine.withheld.ids(self.space)
        return [_shown(card, withheld) for card in cards]

    def remove_documents(
        self, *documents: str | Iterable[str], notes: list[str] | None = None
    ) -> int:
        """Erase documents, by id, address or path, one by one or in a list: text, words, vectors;
        how many memories went. With a list `notes`, it is said there what is left of them for now:
        nothing, as a rule."""
        from bethink.knowledge.documents.keeping import Keeper

        cards = {card.id: card for card in self._cards_of(_each(documents))}
        gone, left = Keeper(self.engine, self.space).remove(list(cards.values()))
        if notes is not None:
            notes += left
        self._changed(DOCUMENT, "removed", len(cards))
        return gone

    remove = remove_documents

    def _tell_of(self, outcomes: Sequence[Outcome]) -> None:
        for fate in ("added", "replaced", "removed"):
            self._changed(DOCUMENT, fate, sum(one.fate == fate for one in outcomes))

    def _card_of(self, document: str) -> Memory:
        return self._cards_of([document])[0]

    def _cards_of(self, documents: Sequence[str]) -> list[Memory]:
        """By id, by address, or by the path of its file. All of them, or an error. Whoever names
        many must not have all cards looked through for each."""
        found: list[Memory] = []
        cards: list[Memory] | None = None
        by_path: dict[object, Memory] = {}
        for document in _each(documents):
            card = self._kept(document) or self._near_its_path(document)
            if card is None:
                if cards is None:
                    cards = self._shelf.of_kind(DOCUMENT)
                    by_path = {one.metadata.get("origin"): one for one in cards}
                card = by_path.get(_whole(document)) or self._of_this_name(document, cards)
            if card is None:
                raise self._none(document)
            found.append(card)
        return found

    def _of_this_name(self, document: str, cards: Sequence[Memory]) -> Memory | None:
        """By the file's name, with or without its ending, if only one document has it."""
        named = [one for one in cards if document in _names_of(one.source)]
        if len(named) > 1:
            which = ", ".join(one.source for one in named[:5])
            raise InvalidInput(f"several documents are called {document!r}: {which}; name one")
        return named[0] if named else None

    def _near_its_path(self, document: str) -> Memory | None:
        """By the path of its file, whose end is the address unless the file was moved."""
        whole = _whole(document)
        parts = Path(whole).parts
        ends = ["/".join(parts[-count:]) for count in range(1, len(parts))]
        ids = [self._shelf.id(DOCUMENT, end) for end in (*ends, whole)]
        cards = self.engine.store.get(ids, spaces=[self.space])
        return next((one for one in cards if one and one.metadata.get("origin") == whole), None)

    def _kept(self, document: str) -> Memory | None:
        """By id or by address."""
        if not isinstance(document, str):
            raise InvalidInput(f"name a document by its id or address, got {shown(document)}")
        check_encodable(document, name="the name of a document")
        for one in (document, self._shelf.id(DOCUMENT, document)):
            card = self._shelf.get(one) if is_id(one) else None
            if card is not None and card.kind == DOCUMENT:
                return card
        return None

    def _none(self, document: str) -> NotFound:
        return NotFound(
            f"there is no document {document!r} in {self.space!r}; "
            "documents() or 'bethink documents list' shows what there is"
        )


def _each(documents: Iterable[Any]) -> list[str]:
    """Names of documents, which may come in lists, as paths, or as the documents themselves. Other
    values are refused where they are read."""
    names: list[str] = []
    for one in documents:
        if isinstance(one, Document):
            names.append(one.id)
        elif isinstance(one, Path):
            names.append(str(one))
        elif isinstance(one, Iterable) and not isinstance(one, str):
            names += _each(one)
        else:
            names.append(one)
    return names


def _names_of(address: str) -> tuple[str, str]:
    name = address.rpartition("/")[2]
    return name, name.rpartition(".")[0] or name


def _whole(path: str) -> str:
    return str(_path(path).resolve())


def _paths(what: object) -> list[Path]:
    if isinstance(what, str | os.PathLike):
        return [_path(what)]
    if not isinstance(what, Iterable) or isinstance(what, bytearray | memoryview):
        raise InvalidInput(f"expected files and folders, or bytes with a name, got {shown(what)}")
    return [_path(one) for one in what]


def _path(told: object) -> Path:
    if not isinstance(told, str | os.PathLike):
        raise InvalidInput(f"expected the path of a file or a folder, got {shown(told)}")
    path = Path(told)
    if "\0" in str(path):
        raise InvalidInput(f"{shown(str(path))} is no path: it holds a NUL character")
    try:
        return path.expanduser()
    except RuntimeError:  # ~somebody, who is not known here
        return path


def _shown(card: Memory, withheld: frozenset[str]) -> Document:
    told = card.metadata
    return Document(
        id=card.id,
        address=card.source,
        title=_text(told.get("title")),
        format=_text(told.get("format")),
        sections=sections_of(card),
        pages=_number(told.get("pages")),
        unit=_text(told.get("unit")),
        bytes=_number(told.get("bytes")),
        enabled=card.id not in withheld,
        state=_text(told.get("state")),
        updated_at=card.updated_at.isoformat(),
        notes=tuple(map(str, notes)) if isinstance(notes := told.get("notes"), list) else (),
    )


def _part(section: Memory) -> Part:
    told = section.metadata
    return Part(
        section.id,
        section.section,
        _number(told.get("page")),
        _number(told.get("page_end")),
        section.text,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
