"""What a page says, as text: its title and its blocks, without what stands around them.

The parser tells of tags as they come (no tree is built), so the time is linear in the page whatever
it holds; parsers that build a tree take minutes for a megabyte of `<div>` (docs/decisions/0018).
Nothing is run. What a visitor would not see is left out: scripts, hidden elements, comments.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

from bethink.errors import MissingExtra, WebError
from bethink.knowledge.web.charset import decoded
from bethink.knowledge.web.fetching import HTML, Fetched

MOST_CHARACTERS = 60_000  # of text: some 130 passages
_TITLE_CHARACTERS = 200
_MOST_EVENTS = 100_000  # tags and texts: half a second; long encyclopaedia pages have fewer
_CHUNK = 16_384  # bytes: some hundredths of a second, whatever they hold

_UNSEEN = frozenset(
    "script style noscript template svg math iframe object select textarea button datalist audio "
    "video canvas map dialog".split()
)
_AROUND = frozenset("nav footer aside menu".split())
_AROUND_ROLES = frozenset(
    "navigation banner contentinfo complementary search dialog alertdialog menu menubar".split()
)
# Words of a class or id that pages in either language give to what stands around their text.
_AROUND_WORDS = frozenset(
    "nav navbar navigation menu sidebar sidenav footer breadcrumb breadcrumbs crumbs cookie "
    "cookies consent advert advertisement ads share sharing social related recommend recommended "
    "pagination pager toolbar copyright".split()
)
_WITHIN = frozenset("main article".split())
_PARTED = frozenset(
    "p div section article main header footer nav aside ul ol dl li dt dd table tr h1 h2 h3 h4 h5 "
    "h6 blockquote pre figure figcaption form fieldset address details summary hr body tbody thead "
    "tfoot caption center".split()
)
_HIDING = re.compile(r"display\s{0,4}:\s{0,4}none|visibility\s{0,4}:\s{0,4}hidden", re.I)
_WORDS = re.compile(r"[a-z]+")
_BLANKS = re.compile(r"[^\S\n]+")
# Characters that nobody sees, but for line feeds and tabs.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_MOSTLY = 0.5


class Page(NamedTuple):
    title: str
    text: str


def read(fetched: Fetched, *, end: float = inf) -> Page:
    """The text of a page; `WebError` where there is none, or not by `end` on the clock
    `time.monotonic`: nobody waits for it then, and it would take the time of what is waited for."""
    if b"\0" in fetched.content[:1_000] and not fetched.content.startswith(
        (b"\xff\xfe", b"\xfe\xff")
    ):
        raise WebError("it holds no text, whatever it says that it is")
    text = decoded(fetched.content, fetched.charset)
    page = read_html(text, end=end) if fetched.type in HTML else Page("", tidy(text))
    if not page.text:
        raise WebError("there is no text on the page")
    return page


def read_html(text: str, *, end: float = inf) -> Page:
    if not text.strip():
        return Page("", "")
    etree = _etree()
    blocks = _Blocks()
    parser = etree.HTMLParser(target=blocks, recover=True, no_network=True, encoding="utf-8")
    # as bytes: of text that begins with an XML declaration it would refuse the declaration
    content = _CONTROLS.sub(" ", text).encode("utf-8")
    try:
        for start in range(0, len(content), _CHUNK):
            if time.monotonic() >= end:
                raise WebError("it was not read in time")
            parser.feed(content[start : start + _CHUNK])
            if blocks.full:
                break
        parser.close()
    except etree.LxmlError as e:
        raise WebError(f"the page cannot be read: {e}") from None
    return Page(one_line(blocks.title), tidy("\n\n".join(blocks.chosen())))


def tidy(text: str) -> str:
    """Without controls, runs of blanks and empty lines, and no longer than is read."""
    text = _BLANKS.sub(" ", _CONTROLS.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n")))
    text = re.sub(r" ?\n ?", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()[:MOST_CHARACTERS]


def one_line(title: str) -> str:
    return " ".join(_CONTROLS.sub(" ", title[: 10 * _TITLE_CHARACTERS]).split())[:_TITLE_CHARACTERS]


@dataclass(slots=True)
class _Block:
    pieces: list[str] = field(default_factory=list)
    links: int = 0  # characters of it that are in links
    around: bool = False
    within: bool = False

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip()


class _Open(NamedTuple):
    tag: str
    unseen: bool
    around: bool
    within: bool
    link: bool


_OUTSIDE = _Open("", False, False, False, False)


class _Blocks:
    """Hears of tags and text in order, and makes blocks of it."""

    def __init__(self) -> None:
        self.title = ""
        self._blocks: list[_Block] = []
        self._block = _Block()
        self._open: list[_Open] = []
        self._in_title = False
        self._left = _MOST_EVENTS

    @property
    def full(self) -> bool:
        return self._left <= 0

    # what the parser calls

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._left -= 1
        above = self._open[-1] if self._open else _OUTSIDE
        if tag in _PARTED:
            self._part()
        elif tag == "br":
            self._block.pieces.append("\n")
        elif tag in ("td", "th") and self._block.pieces:
            self._block.pieces.append(" | ")
        if tag == "title":
            self._in_title = not self.title
        if tag == "li":
            self._block.pieces.append("- ")
        if tag == "img" and not above.unseen and (seen := attributes.get("alt", "").strip()):
            self._take(f" {seen[:200]} ", above)
        self._open.append(
            _Open(
                tag,
                above.unseen or tag in _UNSEEN or _is_hidden(attributes),
                above.around or _is_around(tag, attributes),
                above.within or tag in _WITHIN or attributes.get("role") == "main",
                above.link or tag == "a",
            )
        )
        self._block.around, self._block.within = self._open[-1].around, self._open[-1].within

    def end(self, tag: str) -> None:
        if self._open:
            self._open.pop()
        if tag == "title":
            self._in_title = False
        if tag in _PARTED:
            self._part()
            above = self._open[-1] if self._open else _OUTSIDE
            self._block.around, self._block.within = above.around, above.within

    def data(self, text: str) -> None:
        self._left -= 1
        above = self._open[-1] if self._open else _OUTSIDE
        if self._in_title:
            self.title += text[: 10 * _TITLE_CHARACTERS]
        elif not above.unseen and above.tag != "head":
            self._take(text, above)

    def comment(self, text: str) -> None:
        pass

    def close(self) -> None:
        self._part()

    # what becomes of it

    def _take(self, text: str, above: _Open) -> None:
        text = text if above.tag == "pre" else re.sub(r"\s+", " ", text)
        self._block.pieces.append(text)
        if above.link:
            self._block.links += len(text.strip())

    def _part(self) -> None:
        if any(piece.strip(" \n-|") for piece in self._block.pieces):
            self._blocks.append(self._block)
        self._block = _Block()

    def chosen(self) -> list[str]:
        """The blocks that are the page's own, unless that leaves next to nothing: there are pages
        whose whole text stands in a `sidebar`, and pages that are a list of links."""
        texts = [(block, block.text) for block in self._blocks]
        everything = sum(len(text) for _, text in texts)
        inner = [(b, text) for b, text in texts if b.within and not b.around]
        if _length(inner) < max(200, 0.3 * everything):
            inner = [(block, text) for block, text in texts if not block.around]
        if _length(inner) < 0.2 * everything:
            inner = texts
        own = [(b, text) for b, text in inner if b.links <= _MOSTLY * len(text)]
        if _length(own) < 0.2 * _length(inner):
            own = inner
        return [text for _, text in own]


def _length(blocks: list[tuple[_Block, str]]) -> int:
    return sum(len(text) for _, text in blocks)


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _HIDING.search(attributes.get("style", "")[:1_000]) is not None
    )


def _is_around(tag: str, attributes: Mapping[str, str]) -> bool:
    if tag in _AROUND or attributes.get("role") in _AROUND_ROLES:
        return True
    if tag in ("html", "body", "main", "article"):
        return False
    names = f"{attributes.get('class', '')} {attributes.get('id', '')}"[:500].lower()
    return not _AROUND_WORDS.isdisjoint(_WORDS.findall(names))


def _etree() -> Any:
    try:
        from lxml import etree
    except ImportError:
        raise MissingExtra("reading pages of the web", "web") from None
    return etree
