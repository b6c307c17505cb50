"""An embedder that does not answer is waited for by those who asked it first, and by nobody after.

A question waits for its vector until its time is over. Were every question to find out for itself
that an embedder elsewhere hangs, each would take its whole time, and a thread of the server with
it. So where somebody waits and nobody was answered for some seconds, it is left alone: the next
questions are answered by words at once. Those who still wait for it will show when it is back; once
they have all failed, a question is sent to see now and then, and nobody waits for that.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from recollect.errors import EmbedderError
from recollect.vocabulary import Vector

HUNG_SECONDS = 5.0
_PAUSE = 5.0  # seconds between two that are sent to see

Embed = Callable[[], Vector]


class Waiting:
    """For one embedder. Safe between threads."""

    def __init__(self, name: str, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._timer = timer
        self._lock = threading.Lock()
        self._asked: list[float] = []  # since when each of those waits who wait now
        self._answered = timer()
        self._away_since: float | None = None
        self._see_again = 0.0

    def vector(self, embed: Embed) -> Vector:
        with self._lock:
            now = self._timer()
            since = self._unanswered_since(now)
            if since is not None:
                if not self._asked and now >= self._see_again:
                    self._asked.append(now)
                    self._look(embed, now)
                raise EmbedderError(
                    f"{self._name} has not answered for {now - since:.0f} seconds and is left "
                    "alone until it does; see 'recollect doctor'"
                )
            self._asked.append(now)
        return self._done(embed, now)

    def _unanswered_since(self, now: float) -> float | None:
        """Where it is left alone."""
        if self._away_since is not None:
            return self._away_since
        if self._asked and now - (since := max(self._asked[0], self._answered)) > HUNG_SECONDS:
            return since
        return None

    def _done(self, embed: Embed, began: float) -> Vector:
        try:
            vector = embed()
        except BaseException:
            with self._lock:
                now = self._timer()
                self._asked.remove(began)
                if now - began <= HUNG_SECONDS:
                    self._away_since = None  # what fails at once keeps nobody waiting
                elif self._away_since is None:
                    self._away_since = began
                self._see_again = now + _PAUSE
            raise
        with self._lock:
            self._asked.remove(began)
            self._answered, self._away_since = self._timer(), None
        return vector

    def _look(self, embed: Embed, began: float) -> None:
        def look() -> None:
            with suppress(Exception):  # `_done` has noted it, and nobody waits for the vector
                self._done(embed, began)

        threading.Thread(target=look, name="recollect-embedder", daemon=True).start()
