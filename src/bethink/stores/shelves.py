"""Where answers are kept for whoever asks again; `recall/answered_before.py` says which."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import NamedTuple, Protocol


class Looked(NamedTuple):
    value: bytes | None
    erasures: str = ""  # how often anything had been erased by then; only for `keep`


class Shelf(Protocol):
    """It may lose anything at any time, and never raises."""

    def look(self, key: str) -> Looked: ...

    def keep(self, key: str, value: bytes, *, seconds: float, looked: Looked) -> None:
        """Unless anything was erased since that look: it may be in the answer."""

    def forget(self) -> None:
        """Erase every answer of this store."""


_MOST = 256
_MOST_BYTES = 16_000_000


class InProcess:
    """A shelf for one engine."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, bytes]] = OrderedDict()
        self._bytes = 0
        self._erasures = 0

    def look(self, key: str) -> Looked:
        with self._lock:
            until, value = self._kept.get(key, (0.0, b""))
            if until <= time.monotonic():
                self._drop(key)
                return Looked(None, str(self._erasures))
            self._kept.move_to_end(key)
            return Looked(value, str(self._erasures))

    def keep(self, key: str, value: bytes, *, seconds: float, looked: Looked) -> None:
        with self._lock:
            if looked.erasures != str(self._erasures):
                return
            self._drop(key)
            self._kept[key] = time.monotonic() + seconds, value
            self._bytes += len(value)
            while len(self._kept) > _MOST or self._bytes > _MOST_BYTES:
                self._drop(next(iter(self._kept)))

    def forget(self) -> None:
        with self._lock:
            self._kept.clear()
            self._bytes = 0
            self._erasures += 1

    def _drop(self, key: str) -> None:
        if key in self._kept:
            self._bytes -= len(self._kept.pop(key)[1])
