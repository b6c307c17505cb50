"""Colour for people at a terminal. There is none in a pipe, with NO_COLOR or with TERM=dumb.

A line is made of pieces: text, or text with the name of a style (`Styled`). The text of a piece is
escaped (`visible`) before any colour is added, and is never read as rich's markup, so a memory
cannot colour or steer the terminal. rich is imported only if something is coloured.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TextIO, TypeAlias

from bethink.text.visible import visible

if TYPE_CHECKING:
    from rich.style import Style

# The 16 colours of every terminal, so that the user's own palette and background apply.
_STYLES = {
    "id": "dim",
    "label": "cyan",
    "match": "bold yellow",
    "good": "green",
    "attention": "yellow",
    "bad": "bold red",
    "added": "green",
    "removed": "red",
}
_FIRST_IDEOGRAPH = "\u3005"
# iteration mark, kana, ideographs with their extensions, hangul
_IDEOGRAPHS = "\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
_GOOD = frozenset({"answered", "ok", "admitted", "promoted", "created"})
_BAD = frozenset({"unavailable", "FAIL", "refused", "rejected", "removed", "REVOKED", "EXPIRED"})


class Styled(NamedTuple):
    text: str
    style: str


Piece: TypeAlias = str | Styled


def wanted(stream: TextIO) -> bool:
    """Return True if text written to this stream may be coloured. See https://no-color.org."""
    if not stream.isatty() or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("TERM", "").lower() in ("dumb", "unknown"):
        return False
    if os.name != "nt":
        return True
    from rich.console import detect_legacy_windows

    return not detect_legacy_windows()


def plain(*pieces: Piece) -> str:
    return visible("".join(one.text if isinstance(one, Styled) else one for one in pieces))


def painted(*pieces: Piece) -> str:
    """The same characters as `plain`, with colour."""
    return "".join(
        _painted(visible(one.text), one.style) if isinstance(one, Styled) else visible(one)
        for one in pieces
    )


def _painted(text: str, style: str) -> str:
    from rich.color import ColorSystem

    lines = text.split("\n")  # a style ends with its line
    made = _style(style)
    return "\n".join(made.render(line, color_system=ColorSystem.STANDARD) for line in lines)


@cache
def _style(name: str) -> Style:
    from rich.style import Style

    return Style.parse(_STYLES[name])


def identifier(text: str) -> Styled:
    return Styled(text, "id")


def state(text: str) -> Styled:
    """A status, a decision or a verdict, coloured by what it means."""
    word = text.strip()
    return Styled(text, "good" if word in _GOOD else "bad" if word in _BAD else "attention")


def diff_line(line: str) -> Piece:
    if line.startswith(("+++", "---", "@@")):
        return Styled(line, "label")
    if line.startswith("+"):
        return Styled(line, "added")
    return Styled(line, "removed") if line.startswith("-") else line


def matches(text: str, question: str) -> Iterator[Piece]:
    """Yield the text in pieces, with the words of the question marked: words that have the same
    stem, and pairs of Chinese characters, as the words index compares them."""
    from bethink.text.tokenise import telling_terms, terms

    asked = frozenset(telling_terms(question))
    marked = [False] * len(text)
    for start, stop in _words(text):
        if not asked.isdisjoint(terms(text[start:stop], ends=False)):
            marked[start:stop] = [True] * (stop - start)
    start = 0
    for stop in range(1, len(text) + 1):
        if stop == len(text) or marked[stop] != marked[start]:
            piece = text[start:stop]
            yield Styled(piece, "match") if marked[start] else piece
            start = stop


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Yield where words begin and end: of Chinese every character and every pair of neighbours."""
    for run in re.finditer(rf"[{_IDEOGRAPHS}]+|[^\W{_IDEOGRAPHS}]+", text):
        if text[run.start()] < _FIRST_IDEOGRAPH:
            yield run.span()
            continue
        for start in range(*run.span()):
            yield start, start + 1
            if start + 2 <= run.end():
                yield start, start + 2
