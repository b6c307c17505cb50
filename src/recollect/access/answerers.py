"""Processes beside the server that answer its questions (`answering_process.py`).

The server keeps all that must be known in one place: who comes in, how often, sessions, numbers,
writes. What it gives away are questions, which take nearly all of its time and change nothing that
cannot be asked twice: where a process ends in the middle of one, another is asked, and a new one
started.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from recollect.access.answering import (
    Alive,
    Answer,
    Asked,
    Broken,
    Numbers,
    Refused,
    Settle,
    Setup,
)
from recollect.errors import InvalidInput, SettingsError, StoreBusy, StoreError, StoreUnavailable
from recollect.hot import HotNumbers

if TYPE_CHECKING:
    from recollect.access.caller import Caller

MOST = 64
_MODULE = "recollect.access.answering_process"
_AT_ONCE = 16  # questions in one process; most of them wait, for a database or an embedder
_START_SECONDS = 60.0
_END_SECONDS = 30.0
_TRIES = 2
_PATIENCE = 10.0  # seconds for a process that is free
_LOOK_AFTER = 10.0  # seconds without an answer; then it is asked whether it is there at all
_SILENCE = 20.0  # seconds; who then has not said the least thing hangs, and is killed
_RECENT = 60.0
_PAUSES = (0.0, 1.0, 5.0, 30.0)  # before another is started, by how many ended of late
_log = logging.getLogger("recollect.server")


class Gone(Exception):  # nobody outside ever sees it
    """The process ended, and what it was asked was not answered."""


class Unheard(Gone):
    """It had ended before it could be asked."""


class Unforeseen(Exception):
    """Something went wrong there that nobody expected; the text says where."""


class _Process:
    """One, with its sockets."""

    def __init__(self, setup: bytes) -> None:
        try:
            self._start(setup)
        except OSError as e:
            raise StoreError(
                f"a process that answers questions (--workers) cannot be started ({e}); each takes "
                f"{1 + _AT_ONCE} open files of the server (ulimit -n), and memory: start fewer"
            ) from e

    def _start(self, setup: bytes) -> None:
        pairs = [socket.socketpair() for _ in range(1 + _AT_ONCE)]
        theirs = [pair[1] for pair in pairs]
        # what can be imported here can be there: an embedder may be the user's own
        path = os.pathsep.join(filter(None, sys.path))
        with _unheard_signals():
            self._process = subprocess.Popen(  # noqa: S603  (ourselves)
                # -P: the folder that we run in may hold files with the names of our modules
                [sys.executable, "-P", "-m", _MODULE, *(str(one.fileno()) for one in theirs)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[one.fileno() for one in theirs],
                env={**os.environ, "PYTHONPATH": path},
            )
        for one in theirs:
            one.close()
        self._all = [Connection(pair[0].detach()) for pair in pairs]
        self._aside = self._all[0]  # for what must not wait behind questions
        self._aside_lock = threading.Lock()
        self._silent = False
        self._leaving = False
        self.idle = self._all[1:]
        self.hot = HotNumbers()  # as it said when it was last asked
        try:
            self._aside.send_bytes(setup)
        except OSError:  # it ended at once: `ready` says so
            _log.debug("a process that answers questions took nothing", exc_info=True)

    @property
    def busy(self) -> int:
        return _AT_ONCE - len(self.idle)

    @property
    def number(self) -> int:
        return self._process.pid

    def ready(self) -> None:
        """Wait until it can answer; raises why it cannot."""
        try:
            if not self._aside.poll(_START_SECONDS):
                raise StoreError(
                    f"a process that answers questions (--workers) did not start within "
                    f"{_START_SECONDS:g} seconds; start fewer, or none"
                )
            told = self._aside.recv()
        except (EOFError, OSError) as e:
            raise StoreError(
                "a process that answers questions (--workers) ended as soon as it was started; "
                "what it said stands in the log. There may be too little memory: start fewer"
            ) from e
        if isinstance(told, Refused):
            raise told.error()
        if isinstance(told, Broken):
            raise StoreError(
                "a process that answers questions (--workers) could not start: "
                f"{told.trace.strip().splitlines()[-1]}"
            ) from Unforeseen(told.trace)

    def asked(self, connection: Connection, message: bytes) -> Any:
        """A question; what takes long is waited for, unless it hangs."""
        _send(connection, message)
        while not connection.poll(_LOOK_AFTER):
            try:
                self.asked_aside(Alive())
            except Gone:
                if self._silent or not self._leaving:  # one that was let go of hears nothing more
                    raise
        return _received(connection)

    def asked_aside(self, message: Alive | Numbers | Settle) -> Any:
        with self._aside_lock:
            if self._silent:  # what comes yet would be the answer to something else
                raise Gone
            _send(self._aside, pickle.dumps(message))
            if not self._aside.poll(_SILENCE):
                self._silent = True
                _log.warning("process %s, which answers questions, hangs; killed", self.number)
                self._process.kill()
                raise Gone
            return _received(self._aside)

    def let_go(self) -> None:
        """It finishes what it was asked, and ends. Whoever waits for an answer still gets it."""
        self._leaving = True
        for connection in self._all:
            end = socket.socket(fileno=connection.fileno())
            with suppress(OSError):  # there is no other end where it ended already
                end.shutdown(socket.SHUT_WR)
            end.detach()

    def end(self, within: float) -> None:
        try:
            self._process.wait(within)
        except subprocess.TimeoutExpired:
            _log.warning("process %s, which answers questions, did not end; killed", self.number)
            self._process.kill()
            self._process.wait()


def _send(connection: Connection, message: bytes) -> None:
    try:
        connection.send_bytes(message)
    except OSError as e:
        raise Unheard from e


def _received(connection: Connection) -> Any:
    try:
        told = connection.recv()
    except (EOFError, OSError, MemoryError) as e:  # what is left of it must be nobody's answer
        raise Gone from e
    if isinstance(told, Answer):
        return told.value
    if isinstance(told, Refused):
        raise told.error()
    assert isinstance(told, Broken)
    raise Unforeseen(told.trace)


class Answerers:
    def __init__(self, count: int, setup: Setup) -> None:
        if sys.platform == "win32":
            raise SettingsError(
                "--workers cannot be had on Windows; start several servers, each on a port of its "
                "own, behind a balancer"
            )
        if not 1 <= count <= MOST:
            raise SettingsError(f"--workers: expected 1 to {MOST}, got {count}")
        self.wanted = count
        self._setup = _packed(setup)
        self._changed = threading.Condition()
        self._closed = threading.Event()
        self._ends: list[float] = []  # when processes ended, of the last minute
        self._hot_before = HotNumbers()  # of those that ended
        self._starting: list[threading.Thread] = []
        self._there: list[_Process] = []
        started: list[_Process] = []
        try:
            for _ in range(count):  # all at the same time
                started.append(_Process(self._setup))
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
                with self._one() as (process, connection):
                    return process.asked(connection, asked)
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
        for _ in self._ask_all(Settle(tenant)):
            continue

    def _ask_all(self, message: Numbers | Settle) -> Iterator[tuple[_Process, Any]]:
        with self._changed:
            there = list(self._there)
        for process in there:
            try:
                told = process.asked_aside(message)
            except Gone:  # and what it noted with it
                self._miss(process)
            except Exception:
                _log.exception("process %s could not do what it was told", process.number)
            else:
                yield process, told

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
    def _one(self) -> Iterator[tuple[_Process, Connection]]:
        """A process and a connection to it, for one question."""
        process, connection = self._taken()
        try:
            yield process, connection
        except Gone:
            self._miss(process)
            raise
        finally:
            with self._changed:
                process.idle.append(connection)
                self._changed.notify()

    def _taken(self) -> tuple[_Process, Connection]:
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

    def _miss(self, process: _Process) -> None:
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

    def _replace(self, former: _Process, pause: float) -> None:
        former.let_go()  # it may be there still, and only a socket of it be gone
        former.end(_END_SECONDS)
        try:
            while not self._closed.wait(pause):
                process = None
                try:
                    process = _Process(self._setup)
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


@contextmanager
def _unheard_signals() -> Iterator[None]:
    """Until the process can say that they are not for it."""
    wanted = (signal.SIGINT, signal.SIGTERM)
    former = signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)
