"""Blocks to sections: below one heading each, and no longer than is good to show.

A section that is longer is cut at its paragraphs, and each part has the same headings. Tables and
code are cut between lines and keep their head, if that is short. Where there are no headings,
length alone decides. No text is lost: a heading too long for a path stands below it in full.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bethink.knowledge.documents.blocks import Block
from bethink.knowledge.documents.places import Beginning, as_line

SECTION_CHARS = 4_000
BETWEEN = " › "
_PATH_CHARS = 500  # a memory's section takes 512
_HEADING_CHARS = 200
# Where a long paragraph may be cut, best first.
_CUTS = (
    r"\n\s*\n",
    r"\n",
    r"[。！？!?…]+[”’」』）)\"']*|\.[”’)\"']*(?=\s)",
    r"[；;，、,:：]",
    r"\s+",
)


class Section(NamedTuple):
    headings: tuple[str, ...]
    text: str
    place: int = 0  # where it begins and ends: pages, slides, rows, chapters
    place_end: int = 0
    places: str = ""  # where in the text each of them begins (`places.as_line`)

    @property
    def path(self) -> str:
        """The headings as one line. Of a path that is too long, the innermost are kept."""
        kept = list(self.headings)
        while len(kept) > 1 and len(BETWEEN.join(kept)) > _PATH_CHARS:
            kept.pop(0)
        return BETWEEN.join(kept)[:_PATH_CHARS]


def sections_of(blocks: Iterable[Block], most: int = SECTION_CHARS) -> Iterator[Section]:
    gathered = _Gathered(most)
    for block in blocks:
        if block.level:
            if gathered.ends_at(block.level):
                yield from gathered.told()
            if gathered.open(block):
                continue
        for piece in _pieces(block, most):
            if gathered.is_full(piece):
                yield from gathered.told()
            gathered.take(piece)
    yield from gathered.told()


class _Gathered:
    """The section that is being made, and the headings above it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._above: list[tuple[int, str]] = []
        self._text = ""
        self._headings_alone = True  # nothing stands below them yet
        self._beginnings: list[Beginning] = []

    def ends_at(self, level: int) -> bool:
        """Does a heading of this level end it? Not where it only goes on a title above."""
        deeper = not self._above or level > self._above[-1][0]
        return bool(self._text) and not (self._headings_alone and deeper)

    def is_full(self, piece: Block) -> bool:
        long = len(self._text) + len(piece.text) + 2 > self._most
        return long and not self._headings_alone

    def open(self, block: Block) -> bool:
        """Goes below this heading. False where its words are too many to be told in one line: then
        they are still to be taken as text."""
        while self._above and self._above[-1][0] >= block.level:
            self._above.pop()
        title = " ".join(block.text.split())
        if len(title) > _HEADING_CHARS:
            self._above.append((block.level, title[: _HEADING_CHARS - 1] + "…"))
            return False
        self._above.append((block.level, title))
        if title:
            self._add(title, block, "\n\n")
        return True

    def take(self, piece: Block) -> None:
        self._headings_alone = False
        self._add(piece.text, piece, "\n" if piece.close else "\n\n")

    def _add(self, text: str, block: Block, glue: str) -> None:
        self._text += glue if self._text else ""
        at = len(self._text)
        self._text += text
        if block.place:
            self._beginnings.append((at, block.place))
            self._beginnings += [(at + offset, place) for offset, place in block.breaks]

    def told(self) -> Iterator[Section]:
        text = self._text.strip("\n")
        if text.strip():
            headings = tuple(title for _, title in self._above if title)
            before = len(self._text) - len(self._text.lstrip("\n"))
            begin = [(max(0, at - before), place) for at, place in self._beginnings]
            first = begin[0][1] if begin else 0
            last = max((place for _, place in begin), default=0)
            yield Section(headings, text, first, last, as_line(begin))
        self._text, self._beginnings, self._headings_alone = "", [], True


def _pieces(block: Block, most: int) -> Iterator[Block]:
    """A block as it is; one that is too long, in parts. Each part has the head and the tail, but
    not where these are long: repeated, they would make much of little."""
    whole = "\n".join(filter(None, (block.head, block.text, block.tail)))
    if len(whole) <= most:
        yield block._replace(text=whole)
        return
    around = len(block.head) + len(block.tail) + 2
    head, text, tail = block.head, block.text, block.tail
    if around > most // 2:
        head, text, tail, around = "", whole, "", 0
    for at, part in _cut(text, most - around, lines_first=bool(block.head)):
        begun = [place for offset, place in block.breaks if offset <= at]
        yield block._replace(
            text="\n".join(filter(None, (head, part, tail))),
            place=begun[-1] if begun else block.place,
            breaks=tuple(
                (offset - at, place)
                for offset, place in block.breaks
                if at < offset < at + len(part)
            ),
        )


def _cut(text: str, most: int, *, lines_first: bool) -> Iterator[tuple[int, str]]:
    """Parts of at most so many characters, cut at the best place in the second half of each, and
    where in the text they begin."""
    start = 0
    while start < len(text):
        end = _end(text, start, most, lines_first) if len(text) - start > most else len(text)
        part = text[start:end]
        bare = part.strip("\n")
        if bare.strip():
            yield start + len(part) - len(part.lstrip("\n")), bare
        start = end


def _end(text: str, start: int, most: int, lines_first: bool) -> int:
    half = start + most // 2
    for pattern in _CUTS[1:] if lines_first else _CUTS:
        ends = [m.end() for m in re.finditer(pattern, text[half : start + most])]
        if ends:
            return half + ends[-1]
    return start + most
