"""Processes beside the server that answer its questions (`answering_process.py`).

The server keeps all that must be known in one place: who comes in, how often, sessions, numbers,
writes. What it gives away are questions, which take nearly all of its time and change nothing that
cannot be asked twice: where a process ends in the middle of one, another is asked, and a new one
started.
"""

from __future__ import annotations

import logging
import pickle
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bethink.access.answerer import Answerer, Gone, Unheard
from bethink.access.answering import (
    Answer,
    Aside,
    Asked,
    Numbers,
    Settle,
    Setup,
    Troubles,
)
from bethink.access.wire import Wire
from bethink.errors import InvalidInput, SettingsError, StoreBusy, StoreError, StoreUnavailable
from bethink.hot import HotNumbers

if TYPE_CHECKING:
    from bethink.access.caller import Caller

MOST = 64
_END_SECONDS = 30.0
_TRIES = 2
_PATIENCE = 10.0  # seconds for a process that is free
_RECENT = 60.0
_PAUSES = (0.0, 1.0, 5.0, 30.0)  # before another is started, by how many ended of late
_log = logging.getLogger("bethink.server")


class Answerers:
    def __init__(self, count: int, setup: Setup) -> None:
        if sys.platform == "win32":
            raise SettingsError(
                "--workers cannot be had on Windows; start several servers, each on a port of its "
                "own, behind a balancer"
            )
        if not 1 <= count <= MOST:
            raise SettingsError(f"--workers: expected 0 (none) to {MOST}, got {count}")
        self.wanted = count
        self._setup = _packed(setup)
        self._changed = threading.Condition()
        self._closed = threading.Event()
        self._ends: list[float] = []  # when processes ended, of the last minute
        self._hot_before = HotNumbers()  # of those that ended
        self._starting: list[threading.Thread] = []
        self._there: list[Answerer] = []
        started: list[Answerer] = []
        try:
            for _ in range(count):  # all at the same time
                started.append(Answerer(self._setup))
            for one in started:
                one.ready()
        except BaseException:
            for one in started:
                one.let_go()
                one.end(_END_SECONDS)
            raise
        self._there = started

    @property
    def alive(self) -> int:
        """How many can be asked, as far as is known."""
        return len(self._there)

    def ask(self, caller: Caller, verb: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the one that has least to do says. Not answered by the server itself where they
        end: a question that ended them would end it, too."""
        try:
            asked = pickle.dumps(Asked(caller, verb, args, kwargs))
        except RecursionError:
            raise InvalidInput("the question is nested too deeply; flatten it") from None
        tries = 0
        while tries < _TRIES:
            try:
                with self._one() as (process, wire):
                    return process.asked(wire, asked)
            except Unheard:  # it did not end because of this question
                continue
            except Gone:
                tries += 1
        raise StoreUnavailable(
            "the process that was to answer this ended, and so did the next one; the server's log "
            "says more. Try again, or ask for less"
        )

    def hot_numbers(self) -> HotNumbers:
        with self._changed:
            numbers = self._hot_before
        for process, told in self._ask_all(Numbers()):
            process.hot = told
            numbers = numbers.and_(told)
        return numbers

    def settle(self, tenant: str) -> None:
        """What they noted of this tenant's questions is written, so that it can be erased."""
        self._ask_all(Settle(tenant))

    def troubles(self, tenant: str) -> tuple[str, ...]:
        """What fails there, of this tenant's; as the one says it that has most to say, for what
        ails one ails them all."""
        return max((told for _, told in self._ask_all(Troubles(tenant))), key=len, default=())

    def _ask_all(self, message: Aside) -> list[tuple[Answerer, Any]]:
        """At the same time: one may have to wait."""
        from concurrent.futures import ThreadPoolExecutor

        with self._changed:
            there = list(self._there)
        if not there:
            return []
        with ThreadPoolExecutor(len(there)) as threads:
            every = threads.map(lambda process: self._asked_aside(process, message), there)
            return [(one, said.value) for one, said in zip(there, every, strict=True) if said]

    def _asked_aside(self, process: Answerer, message: Aside) -> Answer | None:
        try:
            return Answer(process.asked_aside(message))
        except Gone:  # and what it noted with it
            self._miss(process)
        except Exception:
            _log.exception("process %s could not do what it was told", process.number)
        return None

    def close(self) -> None:
        """What was asked is answered first."""
        self._closed.set()
        with self._changed:
            there, self._there = self._there, []
            starting = list(self._starting)
            self._changed.notify_all()
        for process in there:
            process.let_go()
        for process in there:
            process.end(_END_SECONDS)
        for thread in starting:
            thread.join()

    @contextmanager
    def _one(self) -> Iterator[tuple[Answerer, Wire]]:
        """A process and a wire to it, for one question."""
        process, wire = self._taken()
        try:
            yield process, wire
        except Gone:
            self._miss(process)
            raise
        finally:
            with self._changed:
                process.idle.append(wire)
                self._changed.notify()

    def _taken(self) -> tuple[Answerer, Wire]:
        """Waits while all have enough to do, and for one that is being started."""
        until = time.monotonic() + _PATIENCE
        with self._changed:
            while True:
                if free := [one for one in self._there if one.idle]:
                    process = min(free, key=lambda one: one.busy)
                    return process, process.idle.pop()
                if self._closed.is_set():
                    raise StoreError("this server is closing; try again when it is back")
                if (left := until - time.monotonic()) <= 0:
                    raise StoreBusy(
                        f"none of the {self.wanted} processes that answer questions is free; "
                        "try again, or start the server with more (--workers)"
                    )
                self._changed.wait(left)

    def _miss(self, process: Answerer) -> None:
        """Start another in its place, and do not wait for it."""
        now = time.monotonic()
        with self._changed:
            if process not in self._there:
                return
            self._there.remove(process)
            self._hot_before = self._hot_before.and_(process.hot._replace(away=0))
            self._ends = [one for one in self._ends if one > now - _RECENT]
            pause = _PAUSES[min(len(self._ends), len(_PAUSES) - 1)]
            self._ends.append(now)
            self._changed.notify_all()
            thread = threading.Thread(target=self._replace, args=(process, pause), daemon=True)
            thread.start()  # before `close` can see it
            self._starting.append(thread)
        _log.warning(
            "process %s, which answers questions, ended; another is started%s",
            process.number,
            f" in {pause:g} seconds" if pause else "",
        )

    def _replace(self, former: Answerer, pause: float) -> None:
        former.let_go()  # it may be there still, and only a socket of it be gone
        former.end(_END_SECONDS)
        try:
            while not self._closed.wait(pause):
                process = None
                try:
                    process = Answerer(self._setup)
                    process.ready()
                except Exception as e:
                    _log.warning("%s; tried again in %g seconds", e, _PAUSES[-1])
                    pause = _PAUSES[-1]
                else:
                    with self._changed:
                        if not self._closed.is_set():
                            self._there.append(process)
                            self._changed.notify_all()
                            return
                if process is not None:
                    process.let_go()
                    process.end(_END_SECONDS)
        finally:
            with self._changed:
                self._starting.remove(threading.current_thread())


def _packed(setup: Setup) -> bytes:
    try:
        return pickle.dumps(setup)
    except Exception as e:
        raise SettingsError(
            "this embedder cannot be given to the processes that answer questions (--workers), "
            f"for it cannot be pickled ({e}); name one in the settings, or start none"
        ) from e
