"""All that the reference store holds of a memory."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.stores.in_memory.changes import InMemoryFeed
from bethink.stores.in_memory.tiers import InMemoryWorkingMemory
from bethink.stores.in_memory.truth import Truth
from bethink.stores.movable import Exchange, Kept, Whole
from bethink.stores.protocol import Embedding


class HasWhole(Truth):
    _feed: InMemoryFeed
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

    def exchange(
        self, exchanges: Sequence[Exchange], *, fingerprint: str | None = None
    ) -> list[bool]:
        with self._lock:
            held = self.whole([one.id for one in exchanges])
            done = [one.may_be_made(now) for one, now in zip(exchanges, held, strict=True)]
            made = [one for one, may in zip(exchanges, done, strict=True) if may]
            entries = [one.instead for one in made if one.instead is not None]
            for entry in entries:  # before anything goes
                self._embeddings.check(entry, fingerprint)
            self.delete([one.id for one in made])
            self.put(entries, fingerprint=fingerprint)
            return done

    def close_space(self, space: str) -> bool:
        with self._lock:
            if space not in self._spaces or self.count(spaces=[space]):
                return False
            self.delete_space(space)
            return True

    def embeddings(self) -> tuple[Embedding, ...]:
        return self._feed.embeddings()

    def working(self) -> list[Kept]:
        return [Kept(one.memory, one.expires_at) for one in self._working.held()]
