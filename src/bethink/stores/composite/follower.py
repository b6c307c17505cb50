"""One retriever as it follows the truth: fed after every write, later where it cannot keep up."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import CancelledError, Future, wait
from typing import NamedTuple, TypeVar

from bethink.breaker import LONGEST_PAUSE, Breaker
from bethink.errors import BethinkError, RetrieverRefused, StoreBusy
from bethink.stores.composite.lane import Lane
from bethink.stores.composite.resolving import memories, resolved
from bethink.stores.protocol import Store
from bethink.stores.retrievers import Changes, Feed, Position, Retriever, RetrieverUnfit
from bethink.text import tokenise

_T = TypeVar("_T")
_BATCH = 256  # changes at a time: a few megabytes with their vectors
_CALLS = 8  # questions that one engine is asked at a time
_DROP_EVERY = 1000  # telling the truth what may be dropped is a write: not after every change
_OTHERS_FEED = 5.0  # seconds to wait while another process feeds the same retriever


class Stopped(Exception):
    """The store is being closed."""


class Lag(NamedTuple):
    changes: int
    seconds: float


class Follower:
    def __init__(self, retriever: Retriever, truth: Store, feed: Feed) -> None:
        self.retriever = retriever
        self.name = retriever.name
        self.kind = retriever.name.partition(" ")[0]  # what it is, without where
        self.breaker = Breaker(self.name)
        self._truth = truth
        self._feed = feed
        self._asking = Lane(f"bethink-ask-{self.name}", _CALLS)
        self._feeding = Lane(f"bethink-feed-{self.name}", 1)
        self._guard = threading.RLock()
        self._position: Position | None = None
        self._queued: Future[None] | None = None
        self._repairs: set[str] = set()
        self._anew = False
        self._passed = 0
        self._stop = threading.Event()
        self._keeper: threading.Thread | None = None
        self._late = False
        self._unfed = ""  # why it could not be fed; the keeper tries again
        self.steps = 0  # how often it came a bit further
        self.repaired = 0  # copies that were told again how they are

    # How it stands

    def behind(self, last: int) -> bool:
        position = self._position
        return position is None or position.cursor is not None or position.number < last

    @property
    def unreached(self) -> bool:
        """Did it fail, rather than need its time?"""
        return bool(self.breaker.why or self._unfed)

    def missing(self) -> str:
        """Why it cannot be asked now; empty: it can."""
        position = self._position
        if position is not None and position.cursor is not None:
            why = f"it is being made anew, {position.made:,} memories so far"
            if self._unfed:  # what questions found before is out of date
                why += f" ({self._unfed})"
        elif position is None:
            why = self.breaker.why or self._unfed or "it has not answered yet"
        else:
            why = self.breaker.why
        return f"{self.name} is left out: {why}" if why else ""

    def answers_by(self, fingerprint: str) -> bool:
        """Are these the vectors that answer at this moment? Another process may have changed over
        since a question began, and an engine that let go of the former ones is right."""
        held = self._feed.embeddings()
        return bool(held) and held[0].fingerprint == fingerprint

    def lag(self) -> Lag:
        """What it has not got yet. Of one that is new, everything."""
        position = self._position
        if position is None or position.cursor is not None:
            return Lag(self._truth.count(), 0.0)
        oldest = self._feed.since(position.number, limit=1)
        if not oldest:
            return Lag(0, 0.0)
        return Lag(self._feed.waiting(position.number), max(0.0, time.time() - oldest[0].at))

    def lag_told(self) -> str:
        lag = self.lag()
        why = f" ({self._unfed})" if self._unfed else ""
        return f"{self.name} is {lag.changes:,} changes behind, for {lag.seconds:.0f} s{why}"

    # Asking

    def ask(self, work: Callable[[], _T]) -> Future[_T]:
        return self._asking.start(work)

    def failed(self, why: str, *, hung: bool = False) -> None:
        self.breaker.failed(why, hung=hung)
        if self.breaker.why:
            self._keep_trying()

    # Feeding

    def feed(self) -> Future[None]:
        """Bring it up to date; done when the future is. Asked again before that has begun, it is
        the same work."""
        with self._guard:
            if self._queued is None:
                self._queued = self._feeding.start(self._feed_now)
                self._queued.add_done_callback(self._fed)
            return self._queued

    def start_feeding(self, *, for_late: bool = False) -> Future[None] | None:
        """The same, to be waited for. None where nobody should: it is left alone, or (unless
        `for_late`) was late and is still at it."""
        if self.breaker.why or self._unfed:
            return None  # the keeper tries
        future = self.feed()
        return None if self._late and not for_late else future

    def is_late(self) -> None:
        """Somebody waited for it in vain; until it has caught up, nobody else shall."""
        self._late = True

    def repair(self, ids: Collection[str]) -> None:
        """It does not hold these as the truth does: tell it again how they are."""
        with self._guard:
            self._repairs |= set(ids)
        self.start_feeding()

    def make_anew(self) -> Future[None]:
        self._anew = True
        return self.feed()

    def _feed_now(self) -> None:
        with self._guard:
            self._queued = None  # who asks from here on may have changed something we do not see
        if self._position is None and self.name not in self._feed.followers():
            self._read_position()  # for one that never answers, or is another's, nothing is kept
        with self._feed.alone(self.name, patience=_OTHERS_FEED):
            if self.name not in self._feed.followers():  # it is new, or somebody let go of it
                self._feed.follow(self.name)
                self._anew = True  # whatever it has, it may have missed something
            position = self._whole(self._read_position())
            try:
                position = self._catch_up(position)
                self._mend()
            except RetrieverUnfit as e:
                logging.getLogger("bethink").warning("%s is made anew: %s", self.name, e)
                position = self._catch_up(self._make(self._begin()))
        self._late, self._unfed = False, ""
        self.breaker.try_again()
        if position.number - self._passed >= _DROP_EVERY:
            self.tell_passed()

    def _read_position(self) -> Position | None:
        position = self.retriever.position()
        if position is not None and position.store != self._feed.store:
            raise RetrieverRefused(
                f"{self.name} follows another store ({position.store}, not {self._feed.store}); "
                "nothing was changed there. Give this store a retriever of its own, or empty that "
                "one first"
            )
        return position

    def _whole(self, position: Position | None) -> Position:
        """A position that can be gone on from; made anew where there is none."""
        if position is not None and not self._anew and self._fits(position):
            self._position = position
            return position if position.cursor is None else self._make(position)
        return self._make(self._begin())

    def _fits(self, position: Position) -> bool:
        return (
            position.tokeniser == tokenise.VERSION
            and self._feed.dropped() <= position.number <= self._feed.last()
            and bool(position.history)
            and position.history == self._feed.history(position.number)
        )

    def _begin(self) -> Position:
        self._feed.follow(self.name)  # where an older version did, it kept no history
        number = self._feed.last()  # first: what changes while copies are made comes again
        self._position = None
        self.retriever.clear()
        begun = Position(
            self._feed.store,
            number,
            tokenise.VERSION,
            cursor="",
            history=self._feed.history(number),
        )
        self._moved(begun)
        self._anew = False
        return begun

    def _make(self, position: Position) -> Position:
        """Copy everything from where it was left."""
        while position.cursor is not None:
            self._go_on()
            page = self._truth.scan(cursor=position.cursor or None, limit=_BATCH, damaged=[])
            ids = [memory.id for memory in page.memories]
            self.retriever.apply(memories(self._feed, ids))
            position = position._replace(cursor=page.cursor, made=position.made + len(ids))
            self._moved(position)
        return position

    def _catch_up(self, position: Position) -> Position:
        while changes := self._feed.since(position.number, limit=_BATCH):
            self._go_on()
            self.retriever.apply(resolved(self._feed, changes))
            number = changes[-1].number
            position = position._replace(number=number, history=self._feed.history(number))
            self._moved(position)
        return position

    def _mend(self) -> None:
        with self._guard:
            ids, self._repairs = sorted(self._repairs), set()
        for start in range(0, len(ids), _BATCH):
            changes: Changes = memories(self._feed, ids[start : start + _BATCH])
            self.retriever.apply(changes)
            self.repaired += len(ids[start : start + _BATCH])

    def _moved(self, position: Position) -> None:
        self.retriever.set_position(position)
        self._position = position
        self.steps += 1

    def _go_on(self) -> None:
        if self._stop.is_set():
            raise Stopped

    # When it did not work

    def _fed(self, future: Future[None]) -> None:
        if future.cancelled() or self._stop.is_set():
            return
        fault = future.exception()
        if fault is None or isinstance(fault, Stopped):
            return
        if not isinstance(fault, StoreBusy):  # another process feeds it: no fault of its own
            self._unfed = told(fault, self.name)
        self._keep_trying()

    def _keep_trying(self) -> None:
        with self._guard:
            if self._keeper is None and not self._stop.is_set():
                self._keeper = threading.Thread(
                    target=self._try_until_fed, name=f"bethink-keep-{self.name}", daemon=True
                )
                self._keeper.start()

    def _try_until_fed(self) -> None:
        pause = self.breaker.pause
        while not self._stop.wait(pause):
            try:
                self.feed().result()
            except (Exception, CancelledError):  # it is in the breaker, and told to whoever asks
                pause = min(pause * 2, LONGEST_PAUSE)
                continue
            break
        with self._guard:
            self._keeper = None

    # The end

    def tell_passed(self) -> None:
        """Let the truth drop what this retriever has."""
        position = self._position
        if position is not None and position.number > self._passed:
            self._feed.passed(self.name, position.number)
            self._passed = position.number

    def stop(self, *, patience: float) -> None:
        """Let what is under way come to an end, for so long."""
        if self._stop.is_set():
            return
        self._stop.set()
        last = self._feeding.start(lambda: None)
        self._feeding.close()
        self._asking.close()
        wait([last], timeout=patience)


def told(fault: BaseException, name: str) -> str:
    """A failure in words, to stand after the name of the engine; those of other people's libraries
    with their type."""
    if not isinstance(fault, BethinkError):
        return f"{type(fault).__name__}: {fault}"
    said = str(fault).removeprefix(f"{name}: ")
    return f"it {said.removeprefix(f'{name} ')}" if said.startswith(f"{name} ") else said
