"""One process beside the server that answers its questions, with the sockets to it."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from bethink.access.answering import Alive, Answer, Aside, Broken, Refused
from bethink.access.wire import Wire
from bethink.errors import StoreError
from bethink.hot import HotNumbers

_MODULE = "bethink.access.answering_process"
_AT_ONCE = 16  # questions in one process; most of them wait, for a database or an embedder
_SOCKETS = 2 + _AT_ONCE
_START_SECONDS = 60.0
_LOOK_AFTER = 10.0  # seconds without an answer; then it is asked whether it is there at all
_SILENCE = 20.0  # seconds; who then has not said the least thing hangs, and is killed
_ALIVE = pickle.dumps(Alive())
_log = logging.getLogger("bethink.server")


class Gone(Exception):  # nobody outside ever sees it
    """The process ended, and what it was asked was not answered."""


class Unheard(Gone):
    """It had ended before it could be asked."""


class Unforeseen(Exception):
    """Something went wrong there that nobody expected; the text says where."""


class Answerer:
    def __init__(self, setup: bytes) -> None:
        try:
            self._start(setup)
        except OSError as e:
            raise StoreError(
                f"a process that answers questions (--workers) cannot be started ({e}); each takes "
                f"{_SOCKETS} open files of the server (ulimit -n), and memory: start fewer"
            ) from e

    def _start(self, setup: bytes) -> None:
        pairs: list[tuple[socket.socket, socket.socket]] = []
        try:
            pairs += (socket.socketpair() for _ in range(_SOCKETS))
            self._process = _started([theirs for _, theirs in pairs])
        except OSError:
            for ours, _ in pairs:
                ours.close()
            raise
        finally:
            for _, theirs in pairs:
                theirs.close()
        self._all = [Wire(ours) for ours, _ in pairs]
        # One for what must not wait behind questions, and one for whether it is there at all: what
        # it is told to write may wait for somebody's lock.
        self._aside, self._pulse, *self.idle = self._all
        self._aside_lock, self._pulse_lock = threading.Lock(), threading.Lock()
        self._silent = False
        self._leaving = False
        self.hot = HotNumbers()  # as it said when it was last asked
        try:
            self._aside.send(setup, after=_START_SECONDS, look=_too_late)
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
            told = pickle.loads(self._aside.receive(after=_START_SECONDS, look=_too_late))  # noqa: S301  (from ours)
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

    def asked(self, wire: Wire, message: bytes) -> Any:
        """A question; what takes long is waited for, unless it hangs."""
        try:
            wire.send(message, after=_LOOK_AFTER, look=self._look)
        except OSError as e:
            raise Unheard from e
        try:
            told = pickle.loads(wire.receive(after=_LOOK_AFTER, look=self._look))  # noqa: S301  (from ours)
        except (EOFError, OSError, MemoryError) as e:  # what is left of it must be nobody's answer
            raise Gone from e
        if isinstance(told, Answer):
            return told.value
        if isinstance(told, Refused):
            raise told.error()
        assert isinstance(told, Broken)
        raise Unforeseen(told.trace)

    def asked_aside(self, message: Aside) -> Any:
        with self._aside_lock:
            if self._silent:  # what comes yet would be the answer to something else
                raise Gone
            return self.asked(self._aside, pickle.dumps(message))

    def _look(self) -> None:
        """Is it there? One that was let go of hears nothing more, and is waited for."""
        with self._pulse_lock:
            if self._silent:
                raise Gone
            try:
                self._pulse.send(_ALIVE, after=_SILENCE, look=self._hangs)
                self._pulse.receive(after=_SILENCE, look=self._hangs)
            except (EOFError, OSError) as e:
                if not self._leaving:
                    raise Gone from e

    def _hangs(self) -> None:
        self._silent = True
        _log.warning("process %s, which answers questions, hangs; killed", self.number)
        self._process.kill()
        raise Gone

    def let_go(self) -> None:
        """It finishes what it was asked, and ends. Whoever waits for an answer still gets it."""
        self._leaving = True
        for wire in self._all:
            with suppress(OSError):  # there is no other end where it ended already
                wire.send_no_more()

    def end(self, within: float) -> None:
        try:
            self._process.wait(within)
        except subprocess.TimeoutExpired:
            _log.warning("process %s, which answers questions, did not end; killed", self.number)
            self._process.kill()
            self._process.wait()


def _started(sockets: Sequence[socket.socket]) -> subprocess.Popen[bytes]:
    # what can be imported here can be there: an embedder may be the user's own
    path = os.pathsep.join(filter(None, sys.path))
    numbers = [one.fileno() for one in sockets]
    with _unheard_signals():
        return subprocess.Popen(  # noqa: S603  (ourselves)
            # -P: the folder that we run in may hold files with the names of our modules
            [sys.executable, "-P", "-m", _MODULE, *map(str, numbers)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=numbers,
            env={**os.environ, "PYTHONPATH": path},
        )


def _too_late() -> None:
    raise StoreError(
        "a process that answers questions (--workers) did not start within "
        f"{_START_SECONDS:g} seconds; start fewer, or none"
    )


@contextmanager
def _unheard_signals() -> Iterator[None]:
    """Until the process can say that they are not for it."""
    wanted = (signal.SIGINT, signal.SIGTERM)
    former = signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)
