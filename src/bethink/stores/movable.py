"""What a store must be able to hand out so that all of it can be taken to another store, and how
that other takes it in: looking at a place and writing to it is one step, since others may write
there too.

What is told here is only what no question needs: the identity of a memory, its former forms, its
passages with their vectors. What comes to the tiers goes through them, under their own locks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple, Protocol, runtime_checkable

from bethink.stores.protocol import Embedding, Store
from bethink.stores.retrievers import HeldPassage
from bethink.vocabulary import Entry, Memory, Revision


class Whole(NamedTuple):
    """All that a store holds of one memory."""

    memory: Memory
    identity: str  # what two tellings of the same thing share
    history: tuple[Revision, ...]  # newest first
    passages: tuple[HeldPassage, ...]


class Exchange(NamedTuple):
    """What somebody saw under an id (None: nothing), and what is to be there instead."""

    id: str
    seen: Whole | None
    instead: Entry | None

    def may_be_made(self, held: Whole | None) -> bool:
        """Does the place still say what was seen? Counters, passages and vectors are made from
        what is told and may be others by now."""
        return _told(self.seen) == _told(held)


def _told(whole: Whole | None) -> tuple[Memory, str, tuple[Revision, ...]] | None:
    if whole is None:
        return None
    return replace(whole.memory, reinforcement=0, access_count=0), whole.identity, whole.history


class Kept(NamedTuple):
    """A memory that working memory holds, and how long."""

    memory: Memory
    until: datetime


@runtime_checkable
class Movable(Protocol):
    """A store that can be taken elsewhere."""

    def identity(self) -> str:
        """Of this store and this tenant, the same in every process; no other has it."""

    def whole(self, ids: Sequence[str]) -> list[Whole | None]:
        """Memories with everything that belongs to them, all of one moment, in the order asked."""

    def exchange(
        self, exchanges: Sequence[Exchange], *, fingerprint: str | None = None
    ) -> list[bool]:
        """Write each where the place still is as it was seen, all in one transaction; False where
        somebody else told, revised or forgot something there: that stays. Each id once."""

    def exchange_notes(
        self, seen: Mapping[str, str | None], told: Mapping[str, str | None]
    ) -> bool:
        """`write_notes`, if all of these still are as they were seen (None: there was none);
        otherwise nothing is written."""

    def close_space(self, space: str) -> bool:
        """Erase a space that holds no memory; False where it does by now, or is not there."""

    def embeddings(self) -> tuple[Embedding, ...]:
        """The one that answers, then the one that is being built."""

    def working(self) -> list[Kept]:
        """All that working memory holds, in every space, expired or not; the newest at the end."""


@runtime_checkable
class MovableStore(Store, Movable, Protocol):
    """A store that can be taken elsewhere, or that what is taken comes to."""
