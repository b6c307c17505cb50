"""A few threads for searches that run side by side.

Python's own pool waits for its threads when the process ends, so one hung embedder would keep a
command from ever returning after its answer was printed. These threads never hold anybody up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Workers(Executor):
    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._tasks: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._started = 0
        self._closed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("these workers have been dismissed")
            self._tasks.put((future, lambda: fn(*args, **kwargs)))
            if not self._idle.acquire(blocking=False) and self._started < self._most:
                self._started += 1
                threading.Thread(target=self._work, name="bethink-worker", daemon=True).start()
        return future

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            future, run = task
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(run())
                except BaseException as e:  # whoever waits for the future gets it
                    future.set_exception(e)
            del task, future, run  # let go of the answer before waiting for more work
            self._idle.release()

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = False) -> None:
        """Take no more work. Nobody is waited for."""
        with self._lock:
            if not self._closed:
                self._closed = True
                for _ in range(self._started):
                    self._tasks.put(None)
