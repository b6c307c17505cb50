"""Events are written here: at once where they must not be lost, else by a thread of their own.

Traces and node states are handed to that thread, because a question must not wait for the disk. It
writes what has gathered in 50 ms as one batch, and is gone when nothing happens. What a log refuses
(read-only, full) waits and is tried again with the next; `fault` says so, and nobody's work fails.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from bethink.clock import Clock
from bethink.errors import said_to_anybody
from bethink.events.kinds import RETRIEVAL_TRACE, TIER_CHANGE
from bethink.stores.tiers import EventLog
from bethink.vocabulary import Event, Json

Data = Mapping[str, Json]

_BATCH_SECONDS = 0.05
_IDLE_SECONDS = 2.0  # then the thread ends; the next event starts another
_AFTER_A_FAULT = 5.0  # seconds before the thread tries again
_MOST_WAITING = 1_000  # events in this process that are not written yet; then the oldest give way


class _Waiting(NamedTuple):
    at: datetime
    kind: str
    spaces: tuple[str, ...]
    make: Callable[[], Data]


class Recorder:
    """Writes events to a log in the order in which they happened in this process."""

    def __init__(
        self,
        log: Callable[[], EventLog],
        *,
        keep: int,
        clock: Clock,
        written: Callable[[int], None],
    ) -> None:
        """`written` is told the last id of every batch."""
        self._log = log
        self._keep = keep
        self._clock = clock
        self._written = written
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()  # of what waits
        self._writing = threading.Lock()  # held from taking what waits until it is written
        self._something = threading.Condition(self._lock)
        self._waiting: deque[_Waiting | Event] = deque()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._refused = ""
        self._refused_for: type[Exception] | None = None
        self._broken = ""
        self._lost = 0

    @property
    def fault(self) -> str:
        """What is wrong with keeping events, or nothing."""
        with self._lock:
            told = [self._refused, self._broken]
            if self._refused and self._waiting:
                told.append(f"{len(self._waiting)} events wait to be written")
            if self._lost:
                told.append(f"{self._lost} events were lost")
        return "; ".join(filter(None, told))

    def record(self, kind: str, data: Data, *, spaces: Sequence[str]) -> None:
        """Keep an event: on disk when this returns, unless `fault` says otherwise."""
        if not self._keep:
            return
        self._ours()
        self._add(Event(0, self._clock(), kind, tuple(spaces), data))
        self.flush()

    def later(self, kind: str, make: Callable[[], Data], *, spaces: Sequence[str]) -> None:
        """Keep an event soon; its data is made then, by another thread."""
        if not self._keep:
            return
        self._ours()
        self._add(_Waiting(self._clock(), kind, tuple(spaces), make))

    def _add(self, event: _Waiting | Event) -> None:
        with self._lock:
            if self._closed:
                self._lost += 1
                self._refused = "the engine is closed"
                return
            self._waiting.append(event)
            if len(self._waiting) > _MOST_WAITING:
                self._give_way()
            if isinstance(event, Event):  # its caller writes it
                return
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._work, name="bethink-events", daemon=True
                )
                self._thread.start()
            elif len(self._waiting) == 1:
                self._something.notify()

    def _give_way(self) -> None:
        """The oldest goes; a tier change only when there is nothing else."""
        for place, event in enumerate(self._waiting):
            if event.kind != TIER_CHANGE:
                del self._waiting[place]
                break
        else:
            self._waiting.popleft()
        self._lost += 1

    def flush(self) -> None:
        """Write all that waits."""
        self._ours()
        with self._writing:
            with self._lock:
                waiting, self._waiting = self._waiting, deque()
            events = [made for event in waiting if (made := self._made(event)) is not None]
            if not events:
                return
            try:
                kept = self._log().append(events, keep=self._keep)
            except Exception as e:  # whatever it is: an event is no reason to fail
                self._put_back(events, e)
                return
            with self._lock:
                self._refused, self._refused_for = "", None
        self._written(kept[-1].id)

    def drop(self, unwanted: Callable[[_Waiting | Event], bool]) -> int:
        """Never write these of what waits; how many there were."""
        self._ours()
        with self._writing, self._lock:
            kept = deque(event for event in self._waiting if not unwanted(event))
            gone = len(self._waiting) - len(kept)
            self._waiting = kept
        return gone

    def _made(self, event: _Waiting | Event) -> Event | None:
        try:
            if isinstance(event, Event):
                return event._replace(data=_clean(event.kind, event.data))
            data = _clean(event.kind, event.make())
            return Event(0, event.at, event.kind, event.spaces, data)
        except Exception as e:
            told = said_to_anybody(e)
            with self._lock:
                self._lost += 1
                self._broken = f"a {event.kind} could not be written down ({told})"
            return None

    def _put_back(self, events: list[Event], error: Exception) -> None:
        with self._lock:
            if type(error) is not self._refused_for:  # said once, not with every try
                self._refused_for = type(error)
                self._refused = f"events cannot be kept: {said_to_anybody(error)}"
            self._waiting.extendleft(reversed(events))
            while len(self._waiting) > _MOST_WAITING:
                self._give_way()

    def _work(self) -> None:
        while True:
            with self._something:
                if not self._waiting and not self._closed:
                    self._something.wait(_IDLE_SECONDS)
                if not self._waiting or self._closed:
                    self._thread = None
                    return
                pause = _AFTER_A_FAULT if self._refused else _BATCH_SECONDS
                self._something.wait_for(self._is_closed, pause)
            self.flush()

    def _is_closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Write all that waits; take no more."""
        self._ours()
        with self._something:
            self._closed = True
            self._something.notify_all()
        self.flush()

    def _ours(self) -> None:
        """After a fork, locks and threads are the parent's, and so is what waits."""
        if os.getpid() != self._process:
            self._begin()


def _clean(kind: str, data: Data) -> Data:
    """Names, ids and errors may hold a secret too. A trace was made without."""
    if kind == RETRIEVAL_TRACE:
        return data
    from bethink.text.redaction import redact

    return {
        name: redact(value).text if isinstance(value, str) else value
        for name, value in data.items()
    }
