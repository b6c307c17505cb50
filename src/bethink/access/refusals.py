"""Credentials that were refused, for the audit trail. Whoever has no key must not be able to fill
the disk: the first of a minute is noted at once, the others of that minute together."""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import suppress
from datetime import datetime, timedelta

from bethink.access.audit import Audit
from bethink.clock import Clock
from bethink.errors import StoreError, Unauthorised

_TOGETHER = timedelta(minutes=1)
_MOST_IDS = 50
_UNKNOWN = "unknown"


class Refusals:
    def __init__(self, audit: Audit, clock: Clock) -> None:
        self._audit = audit
        self._clock = clock
        self._noted: datetime | None = None
        self._waiting: Counter[str] = Counter()
        self._lock = threading.Lock()

    def note(self, key_id: str | None, *, door: str) -> None:
        """`key_id`: that of a key which is known, and was revoked, expired or sent with a wrong
        secret."""
        now = self._clock()
        with self._lock:
            name = key_id or _UNKNOWN
            if len(self._waiting) >= _MOST_IDS and name not in self._waiting:
                name = _UNKNOWN
            self._waiting[name] += 1
            if self._noted is not None and now - self._noted < _TOGETHER:
                return
            self._noted = now
        self.flush(door=door)

    def flush(self, *, door: str = "") -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, Counter()
        if waiting:
            told = [f"{name} x{times}" for name, times in waiting.items()]
            with suppress(StoreError):  # it is refused all the same; writes wait for the trail
                self._audit.note("come_in", door=door, targets=told, outcome=Unauthorised.code)
