"""Watching events: every watcher reads the log by id, so that those of other processes come too.

In this process a new event wakes the watchers at once. One thread for all of them asks the log
every quarter of a second whether another process has written; it is there while anybody watches.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bethink.clock import Clock
from bethink.errors import BethinkError, InvalidInput, said_to_anybody
from bethink.events.kinds import GAP
from bethink.stores.tiers import EventLog
from bethink.vocabulary import Event, Json

POLL_SECONDS = 0.25
_PAGE = 200


class Wanted(NamedTuple):
    """Which events; None: whatever it is."""

    spaces: frozenset[str] | None
    kinds: frozenset[str] | None


class Tail:
    """The end of the log, as far as this process knows it, and who waits for it to move."""

    def __init__(self, log: Callable[[], EventLog], clock: Clock) -> None:
        self.log = log
        self.clock = clock
        self.moved = threading.Condition()
        self.last = 0
        self.closed = False
        self._wakers: dict[object, Callable[[], None]] = {}
        self._watchers: set[object] = set()
        self._thread: threading.Thread | None = None
        self.fault = ""

    def join(self, watcher: object, waker: Callable[[], None] | None = None) -> None:
        """Be told (`waker`, called by any thread) when the log has moved or is closed."""
        with self.moved:
            self._watchers.add(watcher)
            if waker is not None:
                self._wakers[watcher] = waker
            if self._thread is None and not self.closed:
                self._thread = threading.Thread(
                    target=self._poll, name="bethink-events-tail", daemon=True
                )
                self._thread.start()

    def leave(self, watcher: object) -> None:
        with self.moved:
            self._watchers.discard(watcher)
            self._wakers.pop(watcher, None)
            self.moved.notify_all()

    def move(self, last: int) -> None:
        with self.moved:
            if last > self.last:
                self.last = last
                self._wake()

    def close(self) -> None:
        """Watchers get what there is, and then the end."""
        with self.moved:
            self.closed = True
            self._wake()

    def _wake(self) -> None:
        self.moved.notify_all()
        for waker in list(self._wakers.values()):
            waker()

    def _poll(self) -> None:
        while True:
            with self.moved:
                self.moved.wait_for(lambda: self.closed or not self._watchers, POLL_SECONDS)
                if self.closed or not self._watchers:
                    self._thread = None
                    return
            try:
                self.move(self.log().last())
                self.fault = ""
            except BethinkError as e:  # busy or damaged now; the next look may do better
                self.fault = f"events of other processes cannot be seen: {said_to_anybody(e)}"


class Reader:
    """Where one watcher stands, and how it goes on."""

    def __init__(self, tail: Tail, wanted: Wanted, after: int | None) -> None:
        self._tail = tail
        self._wanted = wanted
        self._reading = threading.Lock()
        self._page: deque[Event] = deque()
        tail.move(tail.log().last())
        if after is not None and after > tail.last:
            raise InvalidInput(
                f"no event has the id {after} yet; is this the store that the id came from?"
            )
        self._after = tail.last if after is None else after
        self._may_miss = after != 0  # from 0 means: all that is still there

    @property
    def behind(self) -> bool:
        """May there be something that was not taken yet?"""
        return bool(self._page) or self._tail.last > self._after

    def take(self) -> Event | None:
        """The next of what was read."""
        return self._page.popleft() if self._page else None

    def fill(self) -> None:
        """Read on, until there is something to take or nothing more to read."""
        with self._reading:
            while not self._page and self._tail.last > self._after:
                self._read()

    def end(self) -> None:
        """There will be no more."""
        self._after = self._tail.last

    def _read(self) -> None:
        log, after = self._tail.log(), self._after
        known = self._tail.last
        last = max(known, log.last())
        found = log.since(after, spaces=self._wanted.spaces, kinds=self._wanted.kinds, limit=_PAGE)
        first = log.first() or last + 1
        # The oldest give way first: whatever came after the first one found was there too.
        gone = min(first, found[0].id) if found else first
        if self._may_miss and gone > after + 1 and first > after + 1:
            lost: dict[str, Json] = {"from": after + 1, "to": gone - 1}
            self._page.append(Event(gone - 1, self._tail.clock(), GAP, (), lost))
        self._may_miss = True
        self._page.extend(found)
        if len(found) == _PAGE:
            self._after = found[-1].id
        else:  # what is not wanted is behind us too
            self._after = max(last, found[-1].id if found else 0)
            self._tail.move(self._after)


class Follower(Iterator[Event]):
    """Events as they happen, for a thread that waits for them. Close it to end the waiting."""

    def __init__(self, tail: Tail, wanted: Wanted, after: int | None) -> None:
        self._tail = tail
        self._reader = Reader(tail, wanted, after)
        self.closed = False
        tail.join(self)

    def __enter__(self) -> Follower:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __next__(self) -> Event:
        event = self.get()
        if event is None:
            raise StopIteration
        return event

    def get(self, timeout: float | None = None) -> Event | None:
        """The next event; None at the end, or after so many seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.closed:
            read_on(self._reader, self._tail)
            event = self._reader.take()
            if event is not None:
                return event
            with self._tail.moved:
                if self._tail.closed and not self._reader.behind:
                    self.closed = True
                elif not self._tail.moved.wait_for(
                    self._woken, None if end is None else max(0.0, end - time.monotonic())
                ):
                    return None
        self._tail.leave(self)
        return None

    def _woken(self) -> bool:
        return self.closed or self._tail.closed or self._reader.behind

    def close(self) -> None:
        self.closed = True
        self._tail.leave(self)


def read_on(reader: Reader, tail: Tail) -> None:
    """Read; where the engine was closed and took the store away, that is simply the end."""
    try:
        reader.fill()
    except BethinkError:
        if not tail.closed:
            raise
        reader.end()
