"""Where a passage is from: the document, the heading, the page, the place in the text.

A citation is what people and models are shown beside a passage, and what a later turn of the
conversation refers to. Titles and headings are somebody's text: each is one line, and cut where it
is long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bethink.checks import shown
from bethink.errors import InvalidInput
from bethink.knowledge.documents.places import of_part
from bethink.knowledge.shared import FAQ, WEB
from bethink.recall.budget import NEIGHBOUR
from bethink.recall.document_parts import DOCUMENT, document_of
from bethink.text.visible import clip
from bethink.vocabulary import Extent, Hit, Memory

# How a passage can have come here; what else a channel is called comes behind.
MATCH_TYPES = ("exact", "meaning", "words", "faq", "entity", "history", "web", NEIGHBOUR)
_BETWEEN = " › "  # headings, as in a section's path
_TITLE, _HEADING, _ADDRESS = 80, 120, 120  # columns of the printed form


@dataclass(frozen=True, slots=True)
class Citation:
    number: int  # from 1, as the passages are numbered
    memory_id: str
    document: str  # the id of its document; empty where it is no part of one
    title: str
    heading: str  # the path of headings within the document
    address: str  # where the document is from: a path, an address on the web, a name
    page: int | None  # where it begins and ends, counted in `unit`
    page_end: int | None
    start: int  # characters of the memory's text that are shown
    end: int
    match_types: tuple[str, ...]
    beside: tuple[Extent, ...] = ()  # what is shown of the sections before and after
    space: str = ""
    kind: str = ""
    verified: bool = True
    unit: str = "page"  # or slide, row, chapter
    fetched_at: str = ""  # a page of the web says so since then; it may have changed

    def __str__(self) -> str:
        return self.line()

    def line(self, language: str = "en") -> str:
        """One line for people: `[1] Handbook › Leave, p. 12 (handbook.pdf)`."""
        if language not in _PAGES:
            known = " or ".join(_PAGES)
            raise InvalidInput(f"language: expected {known}, got {shown(language)}")
        title, address = clip(self.title, _TITLE), clip(self.address, _ADDRESS)
        if language == "zh" and self.document:
            title = f"《{title}》"
        place = clip(self.heading, _HEADING)
        told = f"[{self.number}] {title}" + (f"{_BETWEEN}{place}" if place else "")
        told += _pages(self, language)
        if address and address != clip(self.title, _ADDRESS):
            told += f"（{address}）" if language == "zh" else f" ({address})"
        if self.fetched_at:
            told += (" 读取于 " if language == "zh" else " as of ") + self.fetched_at[:16]
        return told

    def as_data(self) -> dict[str, Any]:
        """JSON-ready; what is not known is null."""
        return {
            "number": self.number,
            "memory_id": self.memory_id,
            "document": self.document or None,
            "title": self.title,
            "heading": self.heading,
            "address": self.address,
            "page": self.page,
            "page_end": self.page_end,
            "unit": self.unit,
            "start": self.start,
            "end": self.end,
            "match_types": list(self.match_types),
            "beside": [one._asdict() for one in self.beside],
            "space": self.space,
            "kind": self.kind,
            "verified": self.verified,
            "fetched_at": self.fetched_at or None,
        }

    to_dict = as_data


def cited(hits: Sequence[Hit]) -> tuple[Citation, ...]:
    return tuple(citation_of(number, hit) for number, hit in enumerate(hits, start=1))


def citation_of(number: int, hit: Hit) -> Citation:
    memory = hit.memory
    own = next((one for one in hit.shown if one.memory_id == memory.id), None)
    start, end = (own.start, own.end) if own else (hit.passage.start, hit.passage.end)
    page, page_end = _pages_of(memory, start, end)
    title = _title(hit)
    return Citation(
        number=number,
        memory_id=memory.id,
        document=document_of(memory) or "",
        title=title,
        heading="" if memory.kind == DOCUMENT else _heading(memory.section, title),
        address=memory.source,
        page=page,
        page_end=page_end,
        start=start,
        end=end,
        match_types=match_types(hit),
        beside=tuple(one for one in hit.shown if one.memory_id != memory.id),
        space=memory.space,
        kind=memory.kind,
        verified=memory.verified,
        unit=_unit(memory.metadata),
        fetched_at=_fetched_at(memory),
    )


def match_types(hit: Hit) -> tuple[str, ...]:
    """Every way in which this came here, the most telling first."""
    found = set(hit.channels)
    if NEIGHBOUR in hit.parts:
        found.add(NEIGHBOUR)
    if hit.memory.kind == FAQ:
        found.add(FAQ)
    known = [name for name in MATCH_TYPES if name in found]
    return (*known, *sorted(found.difference(MATCH_TYPES)))


def _title(hit: Hit) -> str:
    """The document's, or what else people would call it."""
    memory: Memory = hit.memory
    told = memory.metadata.get("title")
    if isinstance(told, str) and told.strip():
        return " ".join(told.split())
    return memory.source or clip(hit.text, _TITLE)


def _heading(section: str, title: str) -> str:
    """The path without the title, which stands before it anyway."""
    path = [part.strip() for part in section.split(_BETWEEN.strip()) if part.strip()]
    if path and path[0].casefold() == title.casefold():
        path = path[1:]
    return _BETWEEN.join(" ".join(part.split()) for part in path)


def _pages_of(memory: Memory, start: int, end: int) -> tuple[int | None, int | None]:
    """The pages of these characters; of the whole section where it does not say more."""
    if memory.metadata.get("chars") == len(memory.text):
        found = of_part(memory.metadata.get("places"), start, end)
        if found is not None:
            return found
    return _page(memory.metadata, "page"), _page(memory.metadata, "page_end")


def _page(metadata: Mapping[str, Any], name: str) -> int | None:
    value = metadata.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _fetched_at(memory: Memory) -> str:
    told = memory.metadata.get("fetched_at") if memory.kind == WEB else None
    return told if isinstance(told, str) else ""


def _unit(metadata: Mapping[str, Any]) -> str:
    told = metadata.get("unit")
    return told if isinstance(told, str) and told in _PAGES["en"] else "page"


# One of them, and several.
_PAGES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "en": {
        "page": (", p. {0}", ", pp. {0}–{1}"),
        "slide": (", slide {0}", ", slides {0}–{1}"),
        "row": (", row {0}", ", rows {0}–{1}"),
        "chapter": (", chapter {0}", ", chapters {0}–{1}"),
    },
    "zh": {
        "page": ("，第 {0} 页", "，第 {0}–{1} 页"),
        "slide": ("，第 {0} 张幻灯片", "，第 {0}–{1} 张幻灯片"),
        "row": ("，第 {0} 行", "，第 {0}–{1} 行"),
        "chapter": ("，第 {0} 章", "，第 {0}–{1} 章"),
    },
}


def _pages(citation: Citation, language: str) -> str:
    first, last = citation.page, citation.page_end
    if first is None:
        return ""
    several = last is not None and last > first
    return _PAGES[language][citation.unit][several].format(first, last)
