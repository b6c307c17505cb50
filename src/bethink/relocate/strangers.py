"""What somebody told the target of a move before that was finished. It is left alone, and named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_NAMED = 5  # of each kind; an error is no list


class _Some(NamedTuple):
    number: int
    first: tuple[str, ...]

    def __str__(self) -> str:
        more = ", …" if self.number > len(self.first) else ""
        return f"({', '.join(self.first)}{more})"


class Strangers:
    """How many there are of each kind, and the first of them."""

    def __init__(self) -> None:
        self._only_there: dict[str, _Some] = {}
        self._otherwise: dict[str, _Some] = {}

    def only_there(self, kind: str, names: Sequence[str]) -> None:
        _count(self._only_there, kind, names)

    def otherwise(self, kind: str, names: Sequence[str]) -> None:
        """In the source too, but it says something else there."""
        _count(self._otherwise, kind, names)

    @property
    def said(self) -> str:
        """Empty where there are none."""
        parts = (
            ("only there are ", self._only_there),
            ("other than in the source are ", self._otherwise),
        )
        return "; ".join(
            before + ", ".join(f"{some.number:,} {kind} {some}" for kind, some in found.items())
            for before, found in parts
            if found
        )


def _count(found: dict[str, _Some], kind: str, names: Sequence[str]) -> None:
    if names:
        before = found.get(kind, _Some(0, ()))
        first = (*before.first, *names)[:_NAMED]
        found[kind] = _Some(before.number + len(names), first)
