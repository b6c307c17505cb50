"""What a store must be able to hand out so that all of it can be taken to another store.

What comes in goes through `Store.put` and the tiers, as everything does. What is told here is only
what no question needs: the identity of a memory, its former forms, its passages with their vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, runtime_checkable

from recollect.stores.protocol import Embedding
from recollect.stores.retrievers import HeldPassage
from recollect.vocabulary import Memory, Revision


class Whole(NamedTuple):
    """All that a store holds of one memory."""

    memory: Memory
    identity: str  # what two tellings of the same thing share
    history: tuple[Revision, ...]  # newest first
    passages: tuple[HeldPassage, ...]


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

    def embeddings(self) -> tuple[Embedding, ...]:
        """The one that answers, then the one that is being built."""

    def working(self) -> list[Kept]:
        """All that working memory holds, in every space, expired or not; the newest at the end."""
