"""Patterns that read any text in time that grows with its length alone, by RE2.

They are compiled at first use. RE2 reads bytes; the text is handed over as UTF-8. `\\b`, `\\d` and
`\\w` are of ASCII.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Protocol


class Match(Protocol):
    def group(self, group: int = 0, /) -> bytes | None: ...
    def start(self, group: int = 0, /) -> int: ...
    def end(self, group: int = 0, /) -> int: ...
    def span(self, group: int = 0, /) -> tuple[int, int]: ...


class Pattern(Protocol):
    @property
    def groups(self) -> int: ...
    def search(self, text: bytes, pos: int | None = None, /) -> Match | None: ...
    def match(self, text: bytes, pos: int | None = None, /) -> Match | None: ...
    def fullmatch(self, text: bytes, /) -> Match | None: ...
    def finditer(self, text: bytes, /) -> Iterator[Match]: ...


@cache
def linear(pattern: str, *, bare: bool = False) -> Pattern:
    """A compiled pattern, kept; `bare` where nobody asks for its groups."""
    return compiled(pattern, bare=bare)


def compiled(pattern: str, *, bare: bool = False) -> Pattern:
    """The same, not kept: for patterns that hold what somebody told."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.never_capture = bare
    made: Pattern = re2.compile(pattern, options)
    return made


def escaped(text: str) -> str:
    """A pattern that matches this text alone."""
    import re2

    pattern: str = re2.escape(text)
    return pattern
