"""Markdown text to the pieces that are remembered.

Lists (preferences, tasks, a journal, …): each top-level item with what is indented below it, and
each paragraph, is a piece. Notes (everything else): each section under a heading is a piece.
docs/reference/notebook.md is this page for people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, tzinfo
from functools import cache
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

from bethink.errors import NotebookFileRefused
from bethink.notebook import markdown
from bethink.notebook.forms import Form
from bethink.notebook.front_matter import Scalar, front_matter
from bethink.notebook.layout import HISTORY, Reading, day_of, is_journal, kind_of, reading_of
from bethink.notebook.lines import split_lines
from bethink.notebook.markdown import Block, Heading
from bethink.notebook.meta_list import (
    META_TITLES,
    NO_META,
    Meta,
    field_of,
    item_field,
    meta_fields,
    read_meta,
    read_moment,
)
from bethink.remember.ingress import MAX_TEXT_CHARS
from bethink.vocabulary import Json

_MAX_SECTION_CHARS = 512
_MAX_NAME_CHARS = 64  # of a person or thing at the head of an item
# A folder of somebody else may not say what the user wants: routes hand these out as the user's.
_NOT_FROM_OTHERS = frozenset({"instruction", "preference"})
_BETWEEN = " > "  # the titles of a section's path


class Piece(NamedTuple):
    text: str  # without list marker; a section begins with its title
    kind: str
    section: str  # titles of the headings above, "UI > Theme"
    start: int  # lines of the file, from 0: [start, end)
    end: int
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    metadata: Mapping[str, Json] = MappingProxyType({})


class About(NamedTuple):
    """What INDEX.md says of a note."""

    title: str = ""
    when_to_load: str = ""


class _File(NamedTuple):
    lines: list[str]
    within: bytearray
    kind: str
    forbidden: frozenset[str]  # kinds that the file may not give itself
    day: date | None  # of a journal
    history: bool
    zone: tzinfo
    meta: Meta  # of the whole file
    parts: list[_Part]
    title: str
    titled: bool  # the first heading is the only one of level 1: the file's title
    max_chars: int


class _Part(NamedTuple):
    """Lines that belong together under one heading, with what is said of them."""

    start: int  # with the heading
    body: int
    end: int
    path: tuple[str, ...]
    title: str
    level: int
    meta: Meta


def parse(
    text: str,
    path: PurePosixPath,
    *,
    book_form: Form,
    zone: tzinfo,
    about: About | None = None,
    max_chars: int = MAX_TEXT_CHARS,
) -> list[Piece]:
    """The pieces of a file, in order. Any text is read; only front matter that would blow up, and
    a merge that is not finished, are refused (`NotebookFileRefused`)."""
    lines = split_lines(text.removeprefix("\ufeff"))
    reading = reading_of(path, book_form)
    if reading == Reading.INDEX:
        return []
    front = front_matter(lines, path)
    meta = read_meta(front.fields, zone) if front.fields else NO_META
    own = kind_of(path, book_form)
    day = day_of(path) if is_journal(path, book_form) else None
    if day is not None and meta.occurred_at is None:
        meta = meta._replace(occurred_at=_at(day, time(), zone))
    within = markdown.stands_in(lines)
    if markdown.in_conflict(lines, within):
        raise NotebookFileRefused(
            path, "a merge is not finished in it (<<<<<<<, =======, >>>>>>>); resolve it first"
        )
    heads = markdown.headings(lines, within, front.lines)
    titled = bool(heads) and heads[0].level == 1 and sum(head.level == 1 for head in heads) == 1
    file = _File(
        lines,
        within,
        own,
        _NOT_FROM_OTHERS if book_form == Form.FOLDER else frozenset(),
        day,
        path == HISTORY,
        zone,
        meta,
        _parts(lines, heads, front.lines, zone),
        heads[0].title if titled else "",
        titled,
        max_chars,
    )
    pieces = _lists(file) if reading == Reading.LISTS else _notes(file, about)
    return [shorter for piece in pieces for shorter in _cut(piece, file)]


def _at(day: date, moment: time, zone: tzinfo) -> datetime:
    return datetime.combine(day, moment, zone).astimezone(UTC)


# Parts of a file, and what lists under "Meta" say of them


def _parts(lines: list[str], heads: list[Heading], first: int, zone: tzinfo) -> list[_Part]:
    parts: list[_Part] = []
    below: list[int] = []  # for each part: the heading it stands under, -1 for none
    said: dict[int, Meta] = {}  # by the heading under which the list stands
    if not heads or heads[0].line > first:
        end = heads[0].line if heads else len(lines)
        parts.append(_Part(first, first, end, (), "", 0, NO_META))
        below.append(-1)
    for at, head in enumerate(heads):
        end = heads[at + 1].line if at + 1 < len(heads) else len(lines)
        part = _Part(head.line, head.after, end, head.path, head.title, head.level, NO_META)
        if head.title.strip(" *_:：").lower() in META_TITLES:
            fields, taken = meta_fields(lines[head.after : end])
            if fields:
                said[head.parent] = read_meta(fields, zone).over(said.get(head.parent, NO_META))
                rest = head.after + taken
                part = part._replace(start=rest, body=rest, title="", path=head.path[:-1])
        parts.append(part)
        below.append(at)
    if not said:
        return parts
    return [
        part._replace(meta=_said(said, heads, at)) for part, at in zip(parts, below, strict=True)
    ]


def _said(said: Mapping[int, Meta], heads: list[Heading], at: int) -> Meta:
    """What holds under this heading: said of it, of those above it, of the whole file."""
    meta = said.get(at, NO_META)
    while at >= 0:
        at = heads[at].parent
        if at in said:
            meta = meta.over(said[at])
    return meta


def _section(path: tuple[str, ...]) -> str:
    return _BETWEEN.join(filter(None, path))[:_MAX_SECTION_CHARS]


# Notes


def _notes(file: _File, about: About | None) -> list[Piece]:
    pieces: list[Piece] = []
    heads: list[str] = []  # titles without a text of their own: they head what follows
    started = -1
    of_file = _said_of_note(file, about)
    for at, part in enumerate(file.parts):
        body = _trimmed(file.lines, part.body, part.end)
        if part.title:
            heads.append(part.title)
            started = part.start if started < 0 else started
        following = file.parts[at + 1] if at + 1 < len(file.parts) else None
        if body is None and following is not None and following.level > part.level:
            continue
        start = started if started >= 0 else (body[0] if body else part.start)
        end = body[1] if body else part.body
        text = "\n".join(heads)
        if body:
            text += ("\n" if heads else "") + "\n".join(file.lines[body[0] : body[1]])
        heads, started = [], -1
        if not text.strip():
            continue
        meta = part.meta.over(of_file)
        if not pieces:
            text = _with_heading(text, meta.others)
        pieces.append(_piece(text, part.path, start, end, meta, file))
    return pieces


def _said_of_note(file: _File, about: About | None) -> Meta:
    said: dict[str, Json] = {}
    if file.title:
        said["title"] = file.title
    said.update(file.meta.others)
    if about is not None:
        said.update({key: value for key, value in about._asdict().items() if value})
    return file.meta._replace(others=said)


def _with_heading(text: str, others: Mapping[str, Json]) -> str:
    """Title and "when to load" are searched with the note: they are its first lines."""
    when, title = others.get("when_to_load"), others.get("title")
    lead = [] if not isinstance(when, str) or when in text else [when]
    if isinstance(title, str) and not text.startswith(title):
        lead.insert(0, title)
    return "\n".join([*lead, text])


def _trimmed(lines: list[str], start: int, end: int) -> tuple[int, int] | None:
    """Without blank lines at either end; None if there is nothing else."""
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return (start, end) if start < end else None


# Lists


def _lists(file: _File) -> list[Piece]:
    pieces: list[Piece] = []
    for part in file.parts:
        path = part.path[1:] if file.titled and part.path else part.path
        meta = part.meta.over(file.meta)
        if file.day is not None and part.title:
            moment, _ = _time_first(part.title)
            if moment is not None:  # "## 14:30 Review" holds for what stands below
                meta = meta._replace(occurred_at=_at(file.day, moment, file.zone))
        for block in markdown.blocks(file.lines, file.within, part.body, part.end):
            piece = _item(block, path, meta, file)
            if piece.text.strip():
                pieces.append(piece)
    return pieces


def _item(block: Block, path: tuple[str, ...], meta: Meta, file: _File) -> Piece:
    own = markdown.item_text(file.lines, block)
    text, fields = _own_fields(own, file.zone)
    said: dict[str, Json] = {}
    if block.marker is not None and text[:1] == "[" and text[1:3] in (" ]", "x]", "X]"):
        said["done"] = text[1] != " "
        text = text[3:].lstrip()
    if file.day is not None:
        moment, rest = _time_first(text)
        if moment is not None:
            meta, text = meta._replace(occurred_at=_at(file.day, moment, file.zone)), rest
    if fields and not text.strip():  # said of nothing: it is the text
        text, fields = "\n".join(own[1:]), {}
    meta = read_meta(fields, file.zone).over(meta) if fields else meta
    if said:
        meta = meta._replace(others={**meta.others, **said})
    piece = _piece(text.strip(), path, block.start, block.end, meta, file)
    if file.history:
        return _as_it_was(piece, fields)
    if piece.kind == "entity":
        return piece._replace(entities=_names(piece))
    return piece


def _own_fields(lines: list[str], zone: tzinfo) -> tuple[str, dict[str, Scalar]]:
    """Items below an item that are fields of ours (`- until: 2026-05-01`) are said of it."""
    fields: dict[str, Scalar] = {}
    kept: list[str] = lines[:1]
    for line in lines[1:]:
        told = item_field(line)
        field = field_of(told[0]) if told else ""
        if told and told[1] and _holds(field, told[1], zone):
            fields[field] = Scalar(told[1], False)
        else:
            kept.append(line)
    return "\n".join(kept).strip(), fields


def _holds(field: str, value: str, zone: tzinfo) -> bool:
    if field in ("valid_from", "valid_to", "occurred_at"):  # "until: Friday" is text
        return read_moment(value, zone) is not None
    return field in ("tags", "entities", "was_in", "replaced_by")


def _as_it_was(piece: Piece, fields: Mapping[str, Scalar]) -> Piece:
    """A superseded line has the kind and section that it had."""
    was_in = fields.get("was_in")
    if was_in is None:
        return piece
    file, _, section = was_in.text.partition("§")
    return piece._replace(
        kind=kind_of(PurePosixPath(file.strip())), section=section.strip()[:_MAX_SECTION_CHARS]
    )


def _names(piece: Piece) -> tuple[str, ...]:
    """Whom an entry is about: what stands before its first colon or dash."""
    first = piece.text[: 2 * _MAX_NAME_CHARS].split("\n", 1)[0]
    found = re.split(r"\s*[:：]\s|：|\s+[-–—]+\s+|——", first, maxsplit=1)
    name = found[0].strip(" *_`") if len(found) > 1 else ""
    if not name or len(name) > _MAX_NAME_CHARS or name in piece.entities:
        return piece.entities
    return (name, *piece.entities)


@cache
def _time_pattern() -> re.Pattern[str]:
    return re.compile(
        r"[*_`\[(（【]{0,3}(?P<half>上午|下午|晚上|凌晨|中午)?\s?"
        r"(?P<hour>[01]?[0-9]|2[0-3])[:：](?P<minute>[0-5][0-9])(?:[:：](?P<second>[0-5][0-9]))?"
        r"(?:\s?(?P<pm>[AaPp][Mm])\b)?[*_`\])）】]{0,3}(?:\s{0,3}[-–—:：|]\s{0,3}|\s+|(?=[^\x00-\x7f])|$)"
    )


def _time_first(text: str) -> tuple[time | None, str]:
    """The time of day at the head of an entry, and the rest."""
    found = _time_pattern().match(text)
    if found is None:
        return None, text
    hour = int(found["hour"])
    late = found["half"] in ("下午", "晚上") or (found["pm"] or "").lower() == "pm"
    if hour < 12 and late:
        hour += 12
    elif hour == 12 and (found["half"] == "凌晨" or (found["pm"] or "").lower() == "am"):
        hour = 0
    return time(hour, int(found["minute"]), int(found["second"] or 0)), text[found.end() :]


# Both


def _piece(
    text: str, path: tuple[str, ...], start: int, end: int, meta: Meta, file: _File
) -> Piece:
    since = meta.valid_from
    if since is not None and meta.valid_to is not None and since >= meta.valid_to:
        since = None  # one of the two is wrong; that it no longer holds is the one that matters
    return Piece(
        text,
        file.kind if not meta.kind or meta.kind.lower() in file.forbidden else meta.kind,
        _section(path),
        start,
        end,
        meta.tags,
        meta.entities,
        meta.occurred_at,
        since,
        meta.valid_to,
        dict(meta.others),
    )


def _cut(piece: Piece, file: _File) -> list[Piece]:
    """A memory holds only so much: a longer piece becomes several, cut at line ends."""
    most = file.max_chars
    if len(piece.text) <= most:
        return [piece]
    cut: list[Piece] = []
    held: list[str] = []
    size, first = 0, piece.start
    own = piece.text.split("\n")
    offset = max(0, piece.end - piece.start - len(own))
    for at, line in enumerate(own):
        here = min(piece.start + offset + at, piece.end - 1)
        if held and size + len(line) + 1 > most:
            cut.append(piece._replace(text="\n".join(held), start=first, end=max(here, first + 1)))
            held, size, first = [], 0, here
        rest = line
        while len(rest) > most:  # one line that is too long by itself
            cut.append(piece._replace(text=rest[:most], start=here, end=here + 1))
            rest = rest[most:]
        held.append(rest)
        size += len(rest) + 1
    cut.append(piece._replace(text="\n".join(held), start=first, end=piece.end))
    return [part for part in cut if part.text.strip()]
