"""What every reader of a format gives: blocks in their order, and what is known of the whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bethink.errors import InvalidInput


class Unreadable(InvalidInput):
    """`why` is a sentence for the person whose file it is."""

    code = "document_unreadable"

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Limits(NamedTuple):
    """How much of a file is taken. Beyond `bytes`, `unpacked` and `seconds` it is not read at all;
    beyond the others it is read up to there, and the report says so."""

    bytes: int = 200_000_000
    unpacked: int = 1_000_000_000  # of what is packed in it
    seconds: float = 300.0
    memory: int = 4_000_000_000  # of the process that reads it
    pages: int = 20_000
    rows: int = 500_000
    chars: int = 50_000_000


class Block(NamedTuple):
    """A heading, a paragraph, a list, a row, a table, some code."""

    text: str
    level: int = 0  # 1 to 6: a heading
    place: int = 0  # the page, slide, row or chapter, from 1; 0: there are none
    head: str = ""  # a line that every part of it begins with, if it must be cut
    tail: str = ""  # and one that it ends with
    close: bool = False  # belongs to the line before: no blank line between
    # where in `text` further pages begin, and which; only of those without head and tail
    breaks: tuple[tuple[int, int], ...] = ()


class Reading(NamedTuple):
    """A file, read."""

    blocks: list[Block]
    title: str = ""
    unit: str = ""  # what `place` counts: page, slide, row, chapter
    places: int = 0  # how many of them there are
    about: Mapping[str, Any] = {}  # what the file says of itself
    notes: tuple[str, ...] = ()  # what was left out
