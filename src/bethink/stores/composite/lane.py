"""Calls into one engine, on threads of its own: whoever waits for one can give up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

from bethink.errors import StoreError

_T = TypeVar("_T")


class Lane:
    """At most `width` calls at a time; others queue, and leave the queue when nobody waits for them
    any more. The threads end with the program, however long a call hangs."""

    def __init__(self, name: str, width: int) -> None:
        self._name = name
        self._width = width
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._guard = threading.Lock()
        self._closed = False
        self._threads = 0
        self._busy = 0  # calls that run or wait

    def start(self, work: Callable[[], _T]) -> Future[_T]:
        future: Future[_T] = Future()
        with self._guard:
            if self._closed:
                raise StoreError("this store is closed; open it again to use it")
            self._busy += 1
            if self._busy > self._threads and self._threads < self._width:
                self._threads += 1
                threading.Thread(target=self._run, name=self._name, daemon=True).start()
            self._jobs.put((future, work))
        return future

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, work = job
            if not future.set_running_or_notify_cancel():
                self._done()
                continue
            try:
                result = work()
            except BaseException as e:  # whoever waits is told
                self._done()
                future.set_exception(e)
            else:
                self._done()
                future.set_result(result)
            del job, future, work  # a thread that waits keeps nothing alive

    def _done(self) -> None:
        with self._guard:
            self._busy -= 1

    def close(self) -> None:
        """The threads end as soon as they have nothing to do."""
        with self._guard:
            self._closed = True
            for _ in range(self._threads):
                self._jobs.put(None)
