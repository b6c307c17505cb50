"""HTML: what a reader sees as the text. Menus, scripts, styles and what is hidden are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bethink.errors import MissingExtra
from bethink.knowledge.documents.blocks import Block, Limits, Reading, Unreadable
from bethink.knowledge.documents.decoding import decoded
from bethink.knowledge.documents.tables import as_table

if TYPE_CHECKING:
    from lxml.etree import _Element

_LEFT_OUT = frozenset(
    "script style noscript template nav footer aside iframe object embed svg canvas form button "
    "select option input textarea dialog menu head audio video map".split()
)
_ANCHORS = frozenset({"¶", "#", "§", "🔗", "∞"})
_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "complementary", "menu"})
_INLINE = frozenset(
    "a abbr b bdi bdo big cite code data dfn em font i img ins kbd label mark q rp rt ruby s samp "
    "small span strike strong sub sup time tt u var wbr".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.I)
_ENOUGH = 0.3  # of all text: less is no main part


def read(data: bytes, limits: Limits) -> Reading:
    found = _CHARSET.search(data[:4096])
    text, note = decoded(data, found[1].decode("ascii") if found else "")
    root = parsed(text)
    blocks = blocks_of(main_part(root))
    tops = [block.text for block in blocks if block.level == 1]
    # a page's title often names the site as well
    title = tops[0] if len(tops) == 1 else " ".join((root.findtext(".//title") or "").split())
    about = {
        name: content
        for meta in root.iter("meta")
        if (name := (meta.get("name") or "").lower()) in ("author", "description", "keywords")
        and (content := (meta.get("content") or "").strip()[:1000])
    }
    return Reading(blocks, title, about=about, notes=(note,) if note else ())


def parsed(text: str) -> _Element:
    try:
        from lxml import etree
    except ImportError:
        raise MissingExtra("reading HTML and EPUB", "documents") from None
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, recover=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError) as e:
        if "unknown error" in str(e):  # what libxml2 says when it gets no more memory
            raise Unreadable("it takes more memory than a file may; split it") from None
        raise Unreadable(f"it cannot be read as HTML: {e}") from None
    if root is None:
        raise Unreadable("it holds no HTML")
    return root


def main_part(root: _Element) -> _Element:
    """The element that holds what the page is about, where it says so; else all of it."""
    body = root.find(".//body")
    body = root if body is None else body
    size = _size(body)
    for found in (
        root.findall(".//main"),
        [one for one in body.iter() if one.get("role") == "main"],
        root.findall(".//article"),
    ):
        if len(found) == 1 and _size(found[0]) >= _ENOUGH * size:
            return found[0]
    return body


def _size(root: _Element) -> int:
    """Characters that a reader would see."""
    return sum(len(block.text) for block in blocks_of(root))


def blocks_of(root: _Element, place: int = 0) -> list[Block]:
    return list(_Walk(place).over(root))


class _Walk:
    """One pass over the elements, without recursion: tags may be nested as deep as they like."""

    def __init__(self, place: int) -> None:
        self._place = place
        self._words: list[str] = []
        self._level = 0
        self._item = False

    def over(self, root: _Element) -> Iterator[Block]:
        self._words.append(root.text or "")
        open_ones = [(root, iter(root))]
        while open_ones:
            element, children = open_ones[-1]
            child = next(children, None)
            if child is None:
                yield from self._leave(element)
                open_ones.pop()
                if open_ones:
                    self._words.append(element.tail or "")
                continue
            tag = child.tag if isinstance(child.tag, str) else ""
            if not tag or _left_out(child, tag):
                self._words.append(" " + (child.tail or ""))
            elif tag == "pre":
                yield from self._told()
                text = "".join(str(one) for one in child.itertext()).strip("\n")
                if text.strip():
                    yield Block(text, place=self._place, head="```", tail="```")
                self._words.append(child.tail or "")
            elif tag == "table" and _is_data(child):
                yield from self._told()
                table = as_table(list(_rows(child)), self._place)
                if table is not None:
                    yield table
                self._words.append(child.tail or "")
            else:
                yield from self._enter(child, tag)
                open_ones.append((child, iter(child)))

    def _enter(self, element: _Element, tag: str) -> Iterator[Block]:
        if tag == "br":
            self._words.append("\n")
        elif tag not in _INLINE:
            yield from self._told()
            self._level = _HEADINGS.get(tag, self._level)
            self._item = tag == "li" or (self._item and tag in ("p", "div"))
        self._words.append(element.text or "")

    def _leave(self, element: _Element) -> Iterator[Block]:
        if element.tag not in _INLINE and element.tag != "br":
            yield from self._told()
            if element.tag in _HEADINGS:
                self._level = 0
            if element.tag == "li":
                self._item = False

    def _told(self) -> Iterator[Block]:
        lines = (" ".join(line.split()) for line in "".join(self._words).split("\n"))
        self._words.clear()
        text = (" " if self._level else "\n").join(filter(None, lines))
        if not text:
            return
        if self._level:
            yield Block(text, level=self._level, place=self._place)
        elif self._item:
            yield Block(f"- {text}", place=self._place, close=True)
            self._item = False
        else:
            yield Block(text, place=self._place)


def _left_out(element: _Element, tag: str) -> bool:
    if tag in _LEFT_OUT or element.get("hidden") is not None:
        return True
    if element.get("aria-hidden") == "true" or element.get("role") in _ROLES:
        return True
    if tag == "a" and _is_anchor(element):
        return True
    if tag == "header":  # of a page it is a menu, of an article its title
        return element.find(".//h1") is None and element.find(".//h2") is None
    style = element.get("style")
    return style is not None and _HIDING.search(style) is not None


def _is_anchor(element: _Element) -> bool:
    """The sign beside a heading that links to the heading: nobody reads it as a part of it."""
    if len(element) or not (element.get("href") or "").startswith("#"):
        return False
    return (element.text or "").strip() in _ANCHORS


def _is_data(table: _Element) -> bool:
    """Not a table that only lays out the page."""
    inside = {one.tag for one in table.iterdescendants()}
    return not inside & {"table", "h1", "h2", "h3", "h4", "pre", "ul", "ol", "form"}


def _rows(table: _Element) -> Iterator[list[str]]:
    for row in table.iter("tr"):
        yield [
            " ".join("".join(str(one) for one in cell.itertext()).split())
            for cell in row
            if cell.tag in ("td", "th") and not _left_out(cell, str(cell.tag))
        ]
