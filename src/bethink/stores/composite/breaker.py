"""When an engine is left alone: after it hung once, or failed a few times in a row.

While it is left alone no question waits for it. After a pause it is tried in the background; if it
answers there, questions may try it again, and the first that fails closes the door for twice as
long. Only a question that it answers makes it trusted again.
"""

from __future__ import annotations

import threading

from bethink.server_log import back, left_alone

FAILURES = 3  # in a row; one may be the question's own fault
_FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0


class Breaker:
    def __init__(self, name: str) -> None:
        self._name = name
        self._guard = threading.Lock()
        self._failures = 0
        self._why = ""
        self._open = False
        self.pause = _FIRST_PAUSE  # seconds until it is tried again

    @property
    def why(self) -> str:
        """Why it is left alone; empty: it is not."""
        return self._why if self._open else ""

    def failed(self, why: str, *, hung: bool = False) -> None:
        with self._guard:
            self._failures += 1
            self._why = why
            if not self._open and (hung or self._failures >= FAILURES):
                self._open = True
                self.pause = min(self.pause * 2, LONGEST_PAUSE)
                left_alone(self, self._name, why)

    def answered(self) -> None:
        """A question was."""
        if self._failures:
            with self._guard:
                self._failures, self._open, self.pause = 0, False, _FIRST_PAUSE
            back(self, self._name)

    def try_again(self) -> None:
        """It lives: let questions come, and the first failure shut it again."""
        with self._guard:
            if self._open:
                self._open, self._failures = False, FAILURES - 1
                back(self, self._name)
