"""What the searches of a question find out in passing, for the stages after them: every look at the
server is a trip."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from bethink.stores.postgres.words import Asked

Key = tuple[str, int]  # of a passage: memory id, ordinal


class Spot(NamedTuple):
    """Where a passage stands. It keeps that place for good: a revised one stands elsewhere."""

    space: int
    number: int  # in the words index
    pid: int  # among the vectors
    length: int  # in terms


SPOT = "p.space, p.number, p.pid, p.length"


@dataclass(frozen=True, slots=True)
class Learned:
    """Filled by threads side by side: by single keys, which in Python is of one piece."""

    spots: dict[Key, Spot] = field(default_factory=dict)
    asked: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Asked]] = field(default_factory=dict)
