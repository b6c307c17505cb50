"""How many requests a key may make: a bucket that fills evenly and holds a minute's worth, so that
a burst is served and a flood is not. In memory: a restart fills every bucket."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from bethink.errors import TooManyRequests

PER_MINUTE = 600


class Rates:
    def __init__(
        self, *, per_minute: int = PER_MINUTE, timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._usual = per_minute
        self._timer = timer
        self._buckets: dict[str, tuple[float, float]] = {}  # what is left, and as of when
        self._lock = threading.Lock()

    def take(self, key_id: str, per_minute: int | None = None) -> None:
        """Take one, or raise TooManyRequests with the seconds until there is one again."""
        size = float(per_minute or self._usual)
        per_second = size / 60
        with self._lock:
            now = self._timer()
            left, then = self._buckets.get(key_id, (size, now))
            left = min(size, left + (now - then) * per_second)
            if left >= 1:
                self._buckets[key_id] = (left - 1, now)
                return
            self._buckets[key_id] = (left, now)
        raise TooManyRequests((1 - left) / per_second)
