"""All that the reference store holds of a memory."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from recollect.stores.in_memory.changes import InMemoryFeed
from recollect.stores.in_memory.tiers import InMemoryWorkingMemory
from recollect.stores.movable import Kept, Whole
from recollect.stores.protocol import Embedding
from recollect.stores.tiers import Tiers
from recollect.vocabulary import Revision


class HasWhole:
    _lock: threading.RLock
    _feed: InMemoryFeed
    _identities: dict[str, str]
    _history: dict[str, list[Revision]]
    _tiers: Tiers

    def identity(self) -> str:
        return self._feed.store

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
        held = self._tiers.working
        assert isinstance(held, InMemoryWorkingMemory)
        return [Kept(one.memory, one.expires_at) for one in list(held._recent.values())]
