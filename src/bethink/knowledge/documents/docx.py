"""DOCX: paragraphs by their styles, lists, and tables in their places."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bethink.errors import MissingExtra
from bethink.knowledge.documents.blocks import Block, Limits, Reading, Unreadable
from bethink.knowledge.documents.plain import heading_level
from bethink.knowledge.documents.tables import as_table

if TYPE_CHECKING:
    from lxml.etree import _Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
# What was deleted or moved away under review, and what is there once more for older programs.
_GONE = frozenset({_W + "moveFrom", _W + "del", _FALLBACK})


def read(data: bytes, limits: Limits) -> Reading:
    try:
        import docx
    except ImportError:
        raise MissingExtra("reading DOCX", "documents") from None
    from lxml.etree import XMLSyntaxError

    try:
        document = docx.Document(io.BytesIO(data))
        levels = _levels(document.styles.element)
        body = document.element.body
    except (KeyError, ValueError, XMLSyntaxError, AttributeError) as e:
        raise Unreadable(f"it is damaged, or no DOCX ({type(e).__name__}: {e})") from None
    blocks = list(_blocks(body, levels))
    if not any(block.level for block in blocks):  # nobody used styles: go by what lines say
        blocks = [_by_words(block) for block in blocks]
    about = document.core_properties
    told: dict[str, Any] = {"author": about.author} if about.author else {}
    return Reading(blocks, about.title or "", about=told)


def _by_words(block: Block) -> Block:
    level = 0 if "\n" in block.text or block.head else heading_level(block.text)
    return block._replace(level=level)


def _levels(styles: _Element) -> dict[str, int]:
    """By the id of a style, the level of heading that it stands for; also of those based on one."""
    own: dict[str, int] = {}
    based: dict[str, str] = {}
    for style in styles.iter(_W + "style"):
        name_of, ident = style.find(_W + "name"), style.get(_W + "styleId") or ""
        name = "" if name_of is None else (name_of.get(_W + "val") or "").lower()
        level = _outline_level(style.find(_W + "pPr"))
        if name.startswith("heading ") and name[8:].isdigit():
            level = int(name[8:])
        elif name == "title":
            level = 1
        if 1 <= level <= 9:
            own[ident] = min(6, level)
        base = style.find(_W + "basedOn")
        if base is not None:
            based[ident] = base.get(_W + "val") or ""
    found = dict(own)
    for ident in based:
        at, steps = ident, 0
        while at not in own and at in based and steps < 20:
            at, steps = based[at], steps + 1
        if at in own:
            found[ident] = own[at]
    return found


def _outline_level(properties: _Element | None) -> int:
    """From 1; 0: none. In the file it counts from 0, and 9 is text."""
    told = None if properties is None else properties.find(_W + "outlineLvl")
    value = "" if told is None else told.get(_W + "val") or ""
    return int(value) + 1 if value.isdigit() and int(value) < 9 else 0


def _blocks(parent: _Element, levels: dict[str, int]) -> Iterator[Block]:
    for child in _within(parent, _W + "p", _W + "tbl"):
        if child.tag == _W + "p":
            text = _text(child)
            if text:
                yield _paragraph(child, text, levels)
        else:
            rows = [
                [_cell(cell) for cell in _within(row, _W + "tc")]
                for row in _within(child, _W + "tr")
            ]
            table = as_table(rows)
            if table is not None:
                yield table


def _within(parent: _Element, *tags: str) -> Iterator[_Element]:
    """The outermost elements of these kinds, through whatever is wrapped around them: controls,
    fields, marks of a review. The parser lets nothing be nested so deep that this cannot end."""
    for child in parent:
        if child.tag in tags:
            yield child
        elif child.tag not in _GONE and not _is_contents(child):
            yield from _within(child, *tags)


def _is_contents(control: _Element) -> bool:
    """A table of contents says nothing that the headings do not say."""
    if control.tag != _W + "sdt":
        return False
    gallery = control.find(f"{_W}sdtPr/{_W}docPartObj/{_W}docPartGallery")
    return gallery is not None and gallery.get(_W + "val") == "Table of Contents"


def _paragraph(element: _Element, text: str, levels: dict[str, int]) -> Block:
    properties = element.find(_W + "pPr")
    if properties is None:
        return Block(text)
    style = properties.find(_W + "pStyle")
    ident = "" if style is None else style.get(_W + "val") or ""
    level = _outline_level(properties) or levels.get(ident, 0)
    if level:
        return Block(" ".join(text.split()), level=min(6, level))
    if properties.find(_W + "numPr") is not None or ident.startswith("List"):
        return Block(f"- {text}", close=True)
    return Block(text)


def _text(element: _Element) -> str:
    """What it says, with what was inserted under review and without what was deleted or moved away.
    A text box is there twice, for older programs once more."""
    gone = {one for old in element.iter(*_GONE) for one in old.iter()}
    parts: list[str] = []
    for node in element.iter(_W + "t", _W + "tab", _W + "br", _W + "cr", _W + "noBreakHyphen"):
        if node in gone:
            continue
        if node.tag == _W + "t":
            parts.append(node.text or "")
        else:
            parts.append({"tab": "\t", "noBreakHyphen": "-"}.get(str(node.tag)[len(_W) :], "\n"))
    return "".join(parts).strip()


def _cell(cell: _Element) -> str:
    """With the tables inside it, as text."""
    return " ".join(filter(None, (_text(one) for one in _within(cell, _W + "p"))))
