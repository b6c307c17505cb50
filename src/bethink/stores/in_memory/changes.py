"""The changes of the reference store, found by looking: what is held now, and what was then.

Nothing is written down when the store changes, so nothing can be forgotten there. Each look costs
time for all that is held, as everything does in this store.
"""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from bethink.errors import StoreBusy
from bethink.stores.in_memory.held import Held as HeldThere
from bethink.stores.protocol import Embedding
from bethink.stores.retrievers import Change, Held, HeldPassage, What
from bethink.vocabulary import Memory


class Contents(NamedTuple):
    """All that a store holds at one moment."""

    memories: Mapping[str, tuple[Memory, Sequence[HeldThere]]]
    spaces: set[str]
    embeddings: tuple[Embedding, ...]


class InMemoryFeed:
    def __init__(self, contents: Callable[[], Contents]) -> None:
        self._contents = contents
        self._lock = threading.RLock()
        self._feeding: dict[str, threading.Lock] = defaultdict(threading.Lock)
        self._followers: dict[str, int] = {}
        self._changes: dict[tuple[What, str], Change] = {}  # by number
        self._before: dict[tuple[What, str], Any] = {}
        self._last = self._dropped = 0
        self._store = os.urandom(8).hex()
        self._history = ""

    @property
    def store(self) -> str:
        return self._store

    # Who follows

    def follow(self, name: str) -> None:
        with self._lock:
            if not self._followers:
                self._before = _traits(self._contents())
                self._dropped = self._last
                self._history = os.urandom(8).hex()
            self._followers.setdefault(name, self._last)

    def unfollow(self, name: str) -> None:
        with self._lock:
            self._followers.pop(name, None)
            if self._followers:
                self._drop()
            else:
                self._changes, self._before, self._history = {}, {}, ""
                self._last += 1  # whoever comes back has missed something

    def followers(self) -> Mapping[str, int]:
        return dict(self._followers)

    # What changed

    def _look(self) -> None:
        if not self._followers:
            return
        now = _traits(self._contents())
        different = [key for key in self._before | now if self._before.get(key) != now.get(key)]
        self._before = now
        for key in different:
            if key[0] is What.SPACE and key in now:
                continue  # a new one: what is told in it has changes of its own
            if key[0] is What.VECTORS and key in now:
                continue
            self._last += 1
            self._changes.pop(key, None)
            self._changes[key] = Change(self._last, *key, time.time())

    def since(self, number: int, *, limit: int) -> list[Change]:
        with self._lock:
            self._look()
            return [change for change in self._changes.values() if change.number > number][:limit]

    def last(self) -> int:
        with self._lock:
            self._look()
            return self._last

    def dropped(self) -> int:
        return self._dropped

    def history(self, number: int) -> str:
        return self._history  # nobody puts it back to before

    def waiting(self, number: int) -> int:
        return len(self.since(number, limit=self._last))

    def passed(self, name: str, number: int) -> None:
        with self._lock:
            self._followers[name] = max(number, self._followers[name])
            self._drop()

    def _drop(self) -> None:
        self._dropped = max(self._dropped, min(self._followers.values()))
        kept = {key: c for key, c in self._changes.items() if c.number > self._dropped}
        self._changes = kept

    @contextmanager
    def alone(self, name: str, *, patience: float) -> Iterator[None]:
        lock = self._feeding[name]
        if not lock.acquire(timeout=patience):
            raise StoreBusy(f"{name} has been fed for {patience:g} s by another thread; try again")
        try:
            yield
        finally:
            lock.release()

    # What there is now

    def held(self, ids: Sequence[str]) -> list[Held | None]:
        import numpy as np

        memories = self._contents().memories
        found: list[Held | None] = []
        for memory, passages in (memories.get(i, (None, ())) for i in ids):
            copied = (
                HeldPassage(
                    h.handle,
                    h.passage,
                    {by: np.array(v, np.float32) for by, v in h.vectors.items()},
                )
                for h in passages
            )
            found.append(None if memory is None else Held(memory, tuple(copied)))
        return found

    def embeddings(self) -> tuple[Embedding, ...]:
        return self._contents().embeddings


def _traits(contents: Contents) -> dict[tuple[What, str], Any]:
    """What must differ for a change to be one. Counters are not among it."""
    traits: dict[tuple[What, str], Any] = {}
    for memory_id, (memory, held) in contents.memories.items():
        uncounted = replace(memory, reinforcement=0, access_count=0)
        indexed = [(h.handle, h.passage, dict(h.vectors)) for h in held]
        traits[What.MEMORY, memory_id] = (uncounted, indexed)
    for space in contents.spaces:
        traits[What.SPACE, space] = True
    for embedding in contents.embeddings:
        traits[What.VECTORS, embedding.fingerprint] = True
    traits[What.EMBEDDINGS, ""] = contents.embeddings
    return traits
