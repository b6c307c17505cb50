"""How often memories are recalled: counted at once, written with the next batch, because a question
must not wait for the disk."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable

from bethink.errors import StoreError
from bethink.stores.protocol import Store

_FLUSH_MEMORIES = 64
_FLUSH_COUNTS = 512  # the same few memories asked for again and again are written too


class Accesses:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._owed: Counter[str] = Counter()

    def count(self, ids: Iterable[str]) -> None:
        with self._lock:
            self._owed.update(ids)
            due = len(self._owed) >= _FLUSH_MEMORIES or self._owed.total() >= _FLUSH_COUNTS
        if due:
            self.flush()

    def drop(self, memory_id: str) -> None:
        with self._lock:
            self._owed.pop(memory_id, None)

    def flush(self) -> None:
        with self._lock:
            owed, self._owed = self._owed, Counter()
        if owed:
            try:
                self._store.touch(accessed=owed, reinforced={})
            except StoreError:  # a hint for ranking, not a memory: never worth an error
                return
