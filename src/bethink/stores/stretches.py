"""A store that was put back from a backup gives the same numbers once more, to other changes. So it
marks stretches of its history; how it keeps the marks is each store's own (`Feed.history`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Stretch(NamedTuple):
    key: str  # under which the store keeps it
    after: int  # the number before its first change
    mark: str


def mark_of(number: int, newest_first: Iterable[Stretch]) -> str:
    """That of the newest stretch which began before this number; whatever begins later does not
    change it. Empty where there is none."""
    oldest = ""
    for stretch in newest_first:
        if stretch.after < number:
            return stretch.mark
        oldest = stretch.mark
    return oldest
