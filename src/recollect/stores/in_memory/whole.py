"""All that the reference store holds of a memory."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from recollect.stores.in_memory.changes import InMemoryFeed
from recollect.stores.in_memory.tiers import InMemoryWorkingMemory
from recollect.stores.movable import Kept, Whole
from recollect.stores.protocol import Embedding
from recollect.vocabulary import Revision


class HasWhole:
    _lock: threading.RLock
    _feed: InMemoryFeed
    _identities: dict[str, str]
    _history: dict[str, list[Revision]]
    _working: InMemoryWorkingMemory

    def whole(self, ids: Sequence[str]) -> list[Whole | None]:
        with self._lock:
            return [
                None
                if held is None
                else Whole(
                    held.memory,
                    self._identities[held.memory.id],
                    tuple(self._history.get(held.memory.id, ())),
                    held.passages,
                )
                for held in self._feed.held(ids)
            ]

    def embeddings(self) -> tuple[Embedding, ...]:
        return self._feed.embeddings()

    def working(self) -> list[Kept]:
        held = self._working.held(self._working.spaces()).values()
        every = [one for space in held for one in space.recent]
        every.sort(key=lambda one: one.number)
        return [Kept(one.memory, one.until) for one in every]
