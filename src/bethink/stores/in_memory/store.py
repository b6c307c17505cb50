"""The reference store: plain Python, nothing clever, gone when the process ends.

It is what every other store is compared with, so it is written to be obviously right. It also
serves tests and throw-away engines (`Engine.in_memory()`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from bethink.stores.in_memory.changes import Contents, InMemoryFeed
from bethink.stores.in_memory.generations import Generations
from bethink.stores.in_memory.held import Held
from bethink.stores.in_memory.notes import Notes
from bethink.stores.in_memory.searching import Searching
from bethink.stores.in_memory.tiers import InMemoryWorkingMemory, new_tiers
from bethink.stores.in_memory.whole import HasWhole
from bethink.stores.protocol import Embedding, Unembedded
from bethink.stores.tiers import Tiers
from bethink.text.searched import searched_text
from bethink.text.tokenise import terms as terms_of
from bethink.vocabulary import Check, Vectors


class InMemoryStore(Searching, HasWhole, Notes):
    def __init__(self) -> None:
        super().__init__()
        self._working = InMemoryWorkingMemory()
        self._tiers = new_tiers(self._working)
        self._feed = InMemoryFeed(self._contents)
        self._generations = Generations(self._contents, self._working)

    # Embeddings

    def embedding(self) -> Embedding | None:
        return self._embeddings.embedding()

    def declare(self, embedding: Embedding) -> Embedding:
        with self._lock:
            return self._embeddings.declare(embedding)

    def build(self, embedding: Embedding) -> None:
        with self._lock:
            self._embeddings.build(embedding, self._held(None))

    def clear_vectors(self) -> None:
        with self._lock:
            self._embeddings.clear(self._held(None))

    def unembedded(self, fingerprint: str, *, limit: int) -> list[Unembedded]:
        waiting = self._embeddings.waiting(fingerprint, self._held(None))
        return [Unembedded(h.handle, self._text(h)) for h in waiting[:limit]]

    def _text(self, held: Held) -> str:
        return searched_text(self._memories[held.memory_id], held.passage)

    def fill(self, fingerprint: str, handles: Sequence[int], vectors: Vectors) -> int:
        with self._lock:
            return self._embeddings.fill(fingerprint, handles, vectors, self._held(None))

    def switch(self, fingerprint: str) -> bool:
        with self._lock:
            return self._embeddings.switch(fingerprint, self._held(None))

    # Care

    def rebuild_words(self) -> int:
        with self._lock:
            held = self._held(None)
            for h in held:
                h.terms = Counter(terms_of(self._text(h)))
            return len(held)

    def maintain(self, *, anew: bool = False) -> None:
        """Nothing here is derived that could fall behind."""

    def tiers(self) -> Tiers:
        return self._tiers

    def feed(self) -> InMemoryFeed:
        return self._feed

    def identity(self) -> str:
        return self._generations.identity

    def generation(self, spaces: Sequence[str]) -> str:
        self._in(spaces)
        return self._generations.generation(spaces)

    def changes_by_itself(self, spaces: Sequence[str], *, after: datetime) -> datetime | None:
        return self._generations.changes_by_itself(spaces, after)

    def _contents(self) -> Contents:
        with self._lock:
            held = {i: (m, self._passages[i]) for i, m in self._memories.items()}
            return Contents(held, set(self._spaces), self._embeddings.all())

    def check(self) -> list[Check]:
        return [Check("store", True, f"{len(self._memories)} memories, in memory only")]

    def close(self) -> None:
        """Nothing to close."""
