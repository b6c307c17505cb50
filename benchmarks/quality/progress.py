"""Progress on stderr: at once for what happens seldom, every few seconds for what happens often."""

from __future__ import annotations

import sys
import time

_EVERY = 10.0  # seconds


def say(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


class Counter:
    """Says now and then how many of something are done, and how fast."""

    def __init__(self, what: str, total: int | None = None) -> None:
        self._what = what
        self._of = "" if total is None else f" of {total:,}"
        self._done = 0
        self._began = self._said = time.monotonic()

    def add(self, count: int) -> None:
        self._done += count
        now = time.monotonic()
        if now - self._said >= _EVERY:
            self._said = now
            rate = self._done / max(now - self._began, 1e-9)
            say(f"{self._what}: {self._done:,}{self._of} ({rate:,.0f}/s)")
