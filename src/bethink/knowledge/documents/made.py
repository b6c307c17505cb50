"""What a file becomes: a card and its sections, as they are told to the engine."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from bethink.knowledge.documents.blocks import Reading, Unreadable
from bethink.knowledge.documents.reading import READER
from bethink.knowledge.documents.sections import Section, sections_of
from bethink.recall.document_parts import DOCUMENT, SECTION, section_id
from bethink.vocabulary import Memory

READY, UNFINISHED = "ready", "unfinished"
MOST_SECTIONS = 100_000  # their ids have five digits
_CARD_CHARS = 2_000
_TITLE_CHARS = 300

Told = dict[str, Any]


class Made(NamedTuple):
    """A document as it should be kept."""

    card: Told
    sections: list[Told]
    notes: tuple[str, ...]

    @property
    def id(self) -> str:
        return str(self.card["id"])

    @property
    def chars(self) -> int:
        return sum(len(one["text"]) for one in self.sections)


class Origin(NamedTuple):
    """Where a document comes from, and what is known of its bytes."""

    id: str
    address: str
    path: str
    format: str
    sha256: str
    bytes: int
    instead_of: str = ""  # the SHA-256 of the file at `path`, where another took its place


def made(reading: Reading, origin: Origin, *, space: str) -> Made:
    sections = list(islice(sections_of(reading.blocks), MOST_SECTIONS + 1))
    if not sections:
        raise Unreadable("it holds no text")
    notes = reading.notes
    if len(sections) > MOST_SECTIONS:
        sections = sections[:MOST_SECTIONS]
        notes = (*notes, f"read up to section {MOST_SECTIONS:,}")
    title = _encodable(_title(reading, origin.address))
    shared = {"space": space, "source": origin.address}
    about = {"format": origin.format, "file": origin.address}
    card: Told = {
        **shared,
        "id": origin.id,
        "kind": DOCUMENT,
        "text": _encodable(_outline(title, reading, sections)),
        "provenance": about,
        "metadata": {
            "document": origin.id,
            "title": title,
            "format": origin.format,
            "sha256": origin.sha256,
            "bytes": origin.bytes,
            "sections": len(sections),
            "pages": reading.places,
            "unit": reading.unit,
            "reader": READER,
            "state": READY,
            "origin": origin.path,
            **({"instead_of": origin.instead_of} if origin.instead_of else {}),
            **({"about": dict(reading.about)} if reading.about else {}),
            **({"notes": list(notes)} if notes else {}),
        },
    }
    told = [
        _section(
            one, at, origin.id, title, reading.unit, len(sections), {**shared, "provenance": about}
        )
        for at, one in enumerate(sections)
    ]
    return Made(card, told, notes)


def _section(
    section: Section, at: int, card: str, title: str, unit: str, count: int, shared: Told
) -> Told:
    metadata: Told = {"document": card, "title": title, "ordinal": at, "sections": count}
    if section.place:
        metadata |= {"page": section.place, "page_end": section.place_end, "unit": unit}
    if section.places:  # they hold for a text of this length: without secrets it may be another
        metadata |= {"places": section.places, "chars": len(section.text)}
    told: Told = {
        **shared,
        "id": section_id(card, at),
        "kind": SECTION,
        "text": _encodable(section.text),
        "section": _encodable(section.path),
        "metadata": metadata,
    }
    # what is kept may read otherwise, without secrets: so it is compared with what was told
    metadata["told"] = sha256(repr(sorted(told.items())).encode()).hexdigest()[:20]
    return told


def reads_the_same(held: Memory, told: Told) -> bool:
    return bool(held.metadata.get("told") == told["metadata"]["told"])


def unfinished(card: Mapping[str, Any], *, sections: int) -> Told:
    """The card while its sections are being written: `sections` is how many there may be."""
    metadata = {**card["metadata"], "state": UNFINISHED, "sections": sections}
    return {**card, "metadata": metadata}


def _title(reading: Reading, address: str) -> str:
    found = " ".join(reading.title.split())
    if not found and reading.unit != "row" and reading.blocks and reading.blocks[0].level == 1:
        found = " ".join(reading.blocks[0].text.split())
    return (found or PurePosixPath(address).stem or address)[:_TITLE_CHARS]


def _outline(title: str, reading: Reading, sections: list[Section]) -> str:
    """The title, what the document says it is about, and its headings, as far as they fit."""
    lines = {title: None}
    description = reading.about.get("description")
    if isinstance(description, str) and description.strip():
        lines[" ".join(description.split())[:500]] = None
    for section in sections:
        for heading in section.headings:
            lines.setdefault(heading)
    text = ""
    for line in lines:
        if len(text) + len(line) > _CARD_CHARS:
            break
        text += f"{line}\n"
    return text.strip() or title


def _encodable(text: str) -> str:
    """Half characters, which broken files hold, cannot be stored."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
