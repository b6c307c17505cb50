"""Pages that were read a moment ago: a follow-up question leads to the same ones.

In this process alone, few, and for minutes: nothing of the web is written to disk, and what a page
says may change.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from bethink.knowledge.web.reading import Page

MOST = 64  # pages, of at most 60,000 characters
SECONDS = 300.0


class KeptPages:
    def __init__(self, most: int = MOST, seconds: float = SECONDS) -> None:
        self._most = most
        self._seconds = seconds
        self._lock = threading.Lock()
        self._pages: OrderedDict[str, tuple[float, str, Page]] = OrderedDict()

    def get(self, url: str) -> tuple[str, Page] | None:
        """Where it was in the end, and what it says."""
        with self._lock:
            kept = self._pages.get(url)
            if kept is None:
                return None
            if time.monotonic() - kept[0] > self._seconds:
                del self._pages[url]
                return None
            return kept[1:]

    def put(self, url: str, final: str, page: Page) -> None:
        with self._lock:
            self._pages[url] = time.monotonic(), final, page
            self._pages.move_to_end(url)
            while len(self._pages) > self._most:
                self._pages.popitem(last=False)
