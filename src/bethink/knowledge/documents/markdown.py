"""Markdown: headings, blocks of code kept whole, tables with their head, front matter."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from bethink.errors import NotebookFileRefused
from bethink.knowledge.documents.blocks import Block, Reading
from bethink.notebook.front_matter import Scalar, front_matter
from bethink.notebook.markdown import CODE, COMMENT, headings, stands_in

_ABOUT = ("title", "author", "authors", "date", "description", "tags", "keywords", "version")


def read(text: str) -> Reading:
    lines = text.split("\n")
    notes: tuple[str, ...] = ()
    fields: dict[str, Any] = {}
    first = 0
    try:
        matter = front_matter(lines, PurePosixPath("document"))
        fields, first = matter.fields, matter.lines
    except NotebookFileRefused as e:
        notes = (f"front matter: {e.why}",)
    within = stands_in(lines)
    heads = {one.line: one for one in headings(lines, within, first)}
    blocks: list[Block] = []
    at, start = first, first
    while at < len(lines):
        heading = heads.get(at)
        if heading is not None:
            _body(lines, within, start, at, blocks)
            if heading.title:
                blocks.append(Block(heading.title, level=heading.level))
            at = start = heading.after
        else:
            at += 1
    _body(lines, within, start, len(lines), blocks)
    about = {name: plain(fields[name]) for name in _ABOUT if name in fields}
    title = about.pop("title", "")
    return Reading(blocks, title if isinstance(title, str) else "", about=about, notes=notes)


def plain(value: Any) -> Any:
    if isinstance(value, Scalar):
        return value.text
    if isinstance(value, list):
        return [plain(one) for one in value[:50]]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in list(value.items())[:50]}
    return str(value)


def _body(lines: list[str], within: bytearray, start: int, end: int, blocks: list[Block]) -> None:
    """Paragraphs between two headings: cut at blank lines, never inside code."""
    at = start
    while at < end:
        if not lines[at].strip() or within[at] == COMMENT:
            at += 1
            continue
        stop = at + 1
        if within[at] == CODE:
            fence = lines[at].strip()
            mark = fence[: len(fence) - len(fence.lstrip(fence[0]))]
            while stop < end and within[stop] == CODE:
                stop += 1
                closing = lines[stop - 1].strip()
                if closing.startswith(mark) and not closing.strip(mark[0]):
                    break
            closed = lines[stop - 1].strip().startswith(mark) and stop - 1 > at
            inner = lines[at + 1 : stop - 1 if closed else stop]
            blocks.append(Block("\n".join(inner), head=lines[at], tail=mark))
        else:
            while stop < end and lines[stop].strip() and within[stop] not in (CODE, COMMENT):
                stop += 1
            blocks.append(_paragraph([line.rstrip() for line in lines[at:stop]]))
        at = stop


def _paragraph(lines: list[str]) -> Block:
    """A table keeps its head, so that every part of a long one has it."""
    if len(lines) > 2 and "|" in lines[0] and _is_rule(lines[1]):
        return Block("\n".join(lines[2:]), head="\n".join(lines[:2]))
    return Block("\n".join(lines))


def _is_rule(line: str) -> bool:
    bare = line.strip()
    return "-" in bare and "|" in bare and not bare.strip("|-: \t")
