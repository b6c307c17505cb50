"""When a part elsewhere is left alone: after it hung once, or failed a few times in a row.

One breaker for all of them: embedders, language models, rerankers, Redis, retrievers. An answer of
5xx, a lost connection and a reply that cannot be used are failures alike. While a part is left
alone no question waits for it. After a pause it is tried in the background; if it answers there,
questions may try it again, and the first that fails closes the door for twice as long. Only a
question that it answers makes it trusted again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from bethink.server_log import back, left_alone

_T = TypeVar("_T")
FAILURES = 3  # in a row; one may be the question's own fault
_FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0


class Breaker:
    """Safe between threads."""

    def __init__(
        self,
        name: str,
        *,
        first_pause: float = _FIRST_PAUSE,
        longest_pause: float = LONGEST_PAUSE,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._guard = threading.Lock()
        self._failures = 0
        self._open = False
        self._first_pause, self._longest_pause = first_pause, longest_pause
        self._timer = timer
        self._look_at = 0.0
        self._looking = False
        self.last_why = ""  # what went wrong last, if nothing was answered since
        self.pause = first_pause  # seconds until it is tried again

    @property
    def why(self) -> str:
        """Why it is left alone; empty: it is not."""
        return self.last_why if self._open else ""

    def failed(self, why: str, *, hung: bool = False) -> bool:
        """Count a failure. Return True if it is left alone from now on."""
        with self._guard:
            self._failures += 1
            self.last_why = why
            if self._open or not (hung or self._failures >= FAILURES):
                return False
            self._open = True
            self.pause = min(self.pause * 2, self._longest_pause)
            self._look_at = self._timer() + self.pause
        left_alone(self, self._name, why)
        return True

    def answered(self) -> None:
        """A question was answered."""
        if self._failures:
            with self._guard:
                self._failures, self._open, self.pause = 0, False, self._first_pause
                self.last_why = ""
            back(self, self._name)

    def try_again(self) -> None:
        """It lives: let questions come, and the first failure shut it again."""
        with self._guard:
            if not self._open:
                return
            self._open, self._failures = False, FAILURES - 1
        back(self, self._name)

    def still_fails(self, why: str) -> None:
        """It was tried in vain: wait twice as long before the next time."""
        with self._guard:
            self.last_why = why
            self.pause = min(self.pause * 2, self._longest_pause)
            self._look_at = self._timer() + self.pause

    # For parts that are tried only while questions come

    def look(self, probe: Callable[[], object]) -> None:
        """Try it in the background if it is left alone and its pause is over."""
        with self._guard:
            if not self._open or self._looking or self._timer() < self._look_at:
                return
            self._looking = True

        def look() -> None:
            try:
                probe()
            except Exception as e:  # it is told to everybody who asks
                self.still_fails(str(e))
            else:
                self.try_again()
            finally:
                self._looking = False

        threading.Thread(target=look, name=f"bethink-try-{self._name}", daemon=True).start()

    def call(
        self,
        work: Callable[[], _T],
        *,
        probe: Callable[[], object],
        refusal: Callable[[str], Exception],
    ) -> _T:
        """Return what `work` does. Raise a refusal at once while the part is left alone."""
        if why := self.why:
            self.look(probe)
            raise refusal(left_alone_for(self._name, why))
        try:
            done = work()
        except Exception as e:
            self.failed(str(e) or type(e).__name__)
            raise
        self.answered()
        return done


def left_alone_for(name: str, why: str) -> str:
    """Return the reason that an answer gives for doing without a part."""
    return f"{name} is left alone until it answers again: {why}; see 'bethink doctor'"
