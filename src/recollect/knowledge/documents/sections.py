"""Blocks to sections: below one heading each, and no longer than is good to show.

A section that is longer is cut at its paragraphs, and each part has the same headings. Tables and
code are cut between lines and keep their head. Where there are no headings, length alone decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from recollect.knowledge.documents.blocks import Block

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
            gathered.open(block)
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
        self._from = self._to = 0

    def ends_at(self, level: int) -> bool:
        """Does a heading of this level end it? Not where it only goes on a title above."""
        deeper = not self._above or level > self._above[-1][0]
        return bool(self._text) and not (self._headings_alone and deeper)

    def is_full(self, piece: Block) -> bool:
        long = len(self._text) + len(piece.text) + 2 > self._most
        return long and not self._headings_alone

    def open(self, block: Block) -> None:
        while self._above and self._above[-1][0] >= block.level:
            self._above.pop()
        title = " ".join(block.text.split())[:_HEADING_CHARS]
        self._above.append((block.level, title))
        if title:
            self._add(title, block, "\n\n")

    def take(self, piece: Block) -> None:
        self._headings_alone = False
        self._add(piece.text, piece, "\n" if piece.close else "\n\n")

    def _add(self, text: str, block: Block, glue: str) -> None:
        self._text += glue + text if self._text else text
        self._from = self._from or block.place
        self._to = max(self._to, block.place, block.until)

    def told(self) -> Iterator[Section]:
        text = self._text.strip("\n")
        if text.strip():
            headings = tuple(title for _, title in self._above if title)
            yield Section(headings, text, self._from, self._to)
        self._text, self._from, self._to, self._headings_alone = "", 0, 0, True


def _pieces(block: Block, most: int) -> Iterator[Block]:
    """A block as it is; one that is too long, in parts."""
    whole = "\n".join(filter(None, (block.head, block.text, block.tail)))
    if len(whole) <= most:
        yield block._replace(text=whole)
        return
    room = max(most // 4, most - len(block.head) - len(block.tail) - 2)
    for part in cut(block.text, room, lines_only=bool(block.head)):
        yield block._replace(
            text="\n".join(filter(None, (block.head[: most // 4], part, block.tail)))
        )


def cut(text: str, most: int, *, lines_only: bool = False) -> Iterator[str]:
    """Parts of at most so many characters, cut at the best place in the second half of each."""
    start = 0
    while len(text) - start > most:
        end = start + most
        for pattern in _CUTS[1:2] if lines_only else _CUTS:
            ends = [m.end() for m in re.finditer(pattern, text[start + most // 2 : start + most])]
            if ends:
                end = start + most // 2 + ends[-1]
                break
        part = text[start:end].strip("\n")
        if part.strip():
            yield part
        start = end
    part = text[start:].strip("\n")
    if part.strip():
        yield part
