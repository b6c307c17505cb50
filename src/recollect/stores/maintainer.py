"""Care for a store beside the questions, by a thread of its own, one at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Maintainer:
    def __init__(self, work: Callable[[], None], fault: str) -> None:
        """`fault` is said, with its reason, where the work fails."""
        self._work = work
        self._fault = fault
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Unless it is at work."""
        with self._guard:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._quietly, name="recollect-maintain", daemon=True
                )
                self._thread.start()

    def _quietly(self) -> None:
        try:
            self._work()
        except Exception as e:  # answers stay right without; say it once and go on
            import logging

            logging.getLogger("recollect").warning("%s: %s", self._fault, e)

    def finish(self) -> None:
        """Wait for work that is under way."""
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()
