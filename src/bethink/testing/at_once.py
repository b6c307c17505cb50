"""The same work in several threads at once.

A fault in a thread is lost unless somebody carries it over, and a thread that hangs hangs the
tests. Here whatever a thread raises is raised where the threads were begun, and whoever is not done
in time is named, with the line where it stands.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

Given = TypeVar("Given")
Answer = TypeVar("Answer")

PATIENCE = 300.0  # seconds; many times what the slowest test needs, so that only a hang gets there


class Workers(Generic[Answer]):
    """Threads that are under way."""

    def __init__(self, work: Callable[[Given], Answer], given: Iterable[Given]) -> None:
        self._begin = threading.Event()
        self._faults: list[BaseException] = []
        self._answers: dict[int, Answer] = {}

        def run(number: int, one: Given) -> None:
            try:
                self._begin.wait()
                self._answers[number] = work(one)
            except BaseException as fault:  # an exit, too: nobody else would hear of it
                self._faults.append(fault)

        self._threads = [
            # daemons: one that hangs must not keep the process from ending
            threading.Thread(target=run, args=pair, name=f"worker {pair[0]}", daemon=True)
            for pair in enumerate(given)
        ]

    @property
    def busy(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def check(self) -> None:
        """Raise what one of them has raised by now: nobody need wait for what will not come."""
        if self._faults:
            raise self._faults[0]

    def begin(self) -> None:
        """All of them at the same moment, as far as there is one."""
        try:
            for thread in self._threads:
                thread.start()
        finally:
            self._begin.set()

    def wait(self, within: float) -> bool:
        """Until all are done, but no longer than that; are they?"""
        until = time.monotonic() + within
        for thread in self._threads:
            if thread.ident is not None:  # or it could not be begun, which was raised
                thread.join(max(0.0, until - time.monotonic()))
        return not self.busy

    def end(self, within: float) -> list[BaseException]:
        """Wait for them: what they raised, and who is not done."""
        self.wait(within)
        late = [thread for thread in self._threads if thread.is_alive()]
        return [*self._faults, *(_not_done(thread, within) for thread in late)]

    def answers(self) -> list[Answer]:
        """In the order of what was given."""
        return [self._answers[number] for number in range(len(self._threads))]


@contextmanager
def working(
    work: Callable[[Given], Answer],
    given: Iterable[Given],
    *,
    end: threading.Event | None = None,
    within: float = PATIENCE,
) -> Iterator[Workers[Answer]]:
    """Threads that work while the block runs, one for each of `given`.

    At the end of the block, also of one that fails, `end` is set and the threads are waited for.
    What they raised is raised then, together with what the block raised.
    """
    faults: list[BaseException] = []
    workers = Workers(work, given)
    try:
        workers.begin()
        yield workers
    except BaseException as fault:
        faults.append(fault)
    finally:
        if end is not None:
            end.set()
    theirs = workers.end(within)
    _raise([fault for fault in faults if not any(fault is one for one in theirs)] + theirs)


def run_at_once(
    work: Callable[[Given], Answer], given: Iterable[Given], *, within: float = PATIENCE
) -> list[Answer]:
    """What the work gave for each, all of them done in threads of their own."""
    with working(work, given, within=within) as workers:
        pass
    return workers.answers()


def _raise(faults: Sequence[BaseException]) -> None:
    """One as it is, so that it reads as if there were no thread; several in a group."""
    if len(faults) == 1:
        raise faults[0]
    if faults:
        raise BaseExceptionGroup(f"{len(faults)} faults", faults)


def _not_done(thread: threading.Thread, within: float) -> BaseException:
    frame = sys._current_frames().get(thread.ident or 0)
    where = "".join(traceback.format_stack(frame)) if frame else "nowhere: it has just ended"
    return TimeoutError(f"{thread.name} was not done within {within:g} s; it stands at\n{where}")
