"""Care for a store beside the questions, by a thread of its own, one at a time.

Whoever asks notices what is to be done, so work that fails for good (a full disk, rights that are
missing) would be begun again by every question. After a failure it rests, twice as long each time;
what failed is kept for `status` and `doctor`. Success ends that, and so does a new process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

from bethink.vocabulary import Check

_FIRST = 10.0  # seconds of rest
_LONGEST = 900.0  # a try may take minutes of a server's time until it fails


class _Rest(NamedTuple):
    """Until when, and why; `seconds` grow with every failure."""

    until: float = 0.0
    seconds: float = _FIRST
    why: str = ""


class Maintainer:
    def __init__(self, work: Callable[[bool], bool], fault: str, place: str) -> None:
        """`work` is told whether everything is to be made anew, and says whether it was done:
        not where another process is at it. `fault` is said, with its reason, where it fails; who
        reads that need not learn at which `place`."""
        self._work = work
        self._fault = fault
        self._place = place
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._rest = _Rest()

    def start(self) -> None:
        """Unless it is at work or rests."""
        with self._guard:
            if monotonic() < self._rest.until:
                return
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._quietly, name="bethink-maintain", daemon=True
                )
                self._thread.start()

    def do(self, *, anew: bool = False) -> None:
        """Here and now, however it went before."""
        done = self._work(anew)
        self._rest = _Rest() if done else self._rest._replace(until=monotonic() + _FIRST)

    def _quietly(self) -> None:
        try:
            self.do()
        except Exception as e:  # answers stay right without; say it and go on
            import logging

            seconds = self._rest.seconds
            why = f"{self._fault}: {str(e).replace(self._place, 'the store')}"
            self._rest = _Rest(monotonic() + seconds, min(2 * seconds, _LONGEST), why)
            logging.getLogger("bethink").warning("%s: %s", self._fault, e)

    def trouble(self) -> str:
        """What failed, and when it is tried again; nothing where all is well. Another process may
        have done it since, so whoever looks after the rest has it tried too."""
        rest = self._rest
        if not rest.why:
            return ""
        self.start()
        seconds = max(0.0, rest.until - monotonic())
        again = f"by the first question in {seconds:.0f} s or later" if seconds else "now"
        return f"{rest.why}. It is tried again {again}"

    def checks(self) -> list[Check]:
        trouble = self.trouble()
        if not trouble:
            return []
        fix = "do what is said there; 'bethink reindex --files' then tries it at once"
        return [Check("maintenance", False, trouble, fix)]

    def finish(self) -> None:
        """Wait for work that is under way."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()
