"""`engine.events`: what happened, kept for replay; and ways to watch it happen."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from bethink.checks import check_space, shown
from bethink.clock import Clock
from bethink.errors import InvalidInput
from bethink.events.kinds import KINDS, RETRIEVAL_TRACE
from bethink.events.recording import Data, Recorder
from bethink.stores.tiers import EventLog
from bethink.vocabulary import Event, SpaceNames

if TYPE_CHECKING:
    import queue

    from bethink.events.following import Follower, Tail, Wanted
    from bethink.events.following_async import AsyncFollower
    from bethink.events.subscribing import Subscription

_MOST_AT_ONCE = 10_000
_CLOSING_SECONDS = 2.0  # for subscribers to take what is there; then nobody is waited for


class Events:
    """Written by the engine and its parts, watched by whoever likes. Safe between threads.

    An event is seen only by those who may see all of its spaces; None means all of them.
    """

    def __init__(self, log: Callable[[], EventLog], *, keep: int, clock: Clock) -> None:
        """`log` is asked for when it is first needed; `keep` 0 switches writing off."""
        self._log = log
        self._clock = clock
        self._recorder = Recorder(log, keep=keep, clock=clock, written=self._written)
        self._subscriptions: list[Subscription] = []
        self.on = keep > 0

    # Writing

    def record(self, kind: str, data: Data, *, spaces: Sequence[str]) -> None:
        """Keep an event: it is on disk when this returns. A log that cannot be written is no
        reason for the caller to fail: `fault` says so, and it is tried again with the next."""
        self._recorder.record(kind, data, spaces=spaces)

    def later(self, kind: str, make_data: Callable[[], Data], *, spaces: Sequence[str]) -> None:
        """Keep an event within a twentieth of a second, without keeping the caller waiting. If the
        process dies before that, it is lost."""
        self._recorder.later(kind, make_data, spaces=spaces)

    def flush(self) -> None:
        """Write what waits."""
        self._recorder.flush()

    @property
    def fault(self) -> str:
        """What is wrong with keeping or seeing events, or nothing."""
        told = [self._recorder.fault]
        if "_tail" in self.__dict__:
            told.append(self._tail.fault)
        return "; ".join(filter(None, told))

    def drop_questions(self) -> int:
        """Traces that the log refused are not worth keeping a word of; how many there were."""
        return self._recorder.drop(lambda event: event.kind == RETRIEVAL_TRACE)

    def erase_questions(self, ids: Collection[str]) -> int:
        """Erase the traces of questions that found one of these: they may have been asked in its
        very words. How many there were."""
        self.flush()
        return self.drop_questions() + self._log().erase_mentions(ids, kind=RETRIEVAL_TRACE)

    def erase_space(self, space: str) -> int:
        """Erase every event that names the space; how many there were."""
        waited = self._recorder.drop(lambda event: space in event.spaces)
        return waited + self._log().erase_space(space)

    def close(self) -> None:
        """Write what waits, let watchers take it, and end them."""
        self._recorder.close()
        if "_tail" not in self.__dict__:
            return
        self._tail.close()
        end = time.monotonic() + _CLOSING_SECONDS
        for subscription in self._subscriptions:
            subscription.wait(max(0.0, end - time.monotonic()))
            subscription.close()

    # Reading

    def since(
        self,
        after: int = 0,
        *,
        spaces: SpaceNames | None = None,
        kinds: str | Collection[str] | None = None,
        limit: int = 100,
    ) -> list[Event]:
        """Events after this id, oldest first. To read on, give the last one's id."""
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _MOST_AT_ONCE:
            raise InvalidInput(
                f"limit: expected a whole number from 1 to {_MOST_AT_ONCE:,}, got {shown(limit)}"
            )
        wanted = _wanted(spaces, kinds)
        checked = _checked(after)
        self.flush()
        log = self._log()
        if checked and checked > log.last():
            raise InvalidInput(
                f"no event has the id {checked} yet; is this the store that the id came from?"
            )
        return log.since(checked or 0, spaces=wanted.spaces, kinds=wanted.kinds, limit=limit)

    def follow(
        self,
        after: int | None = None,
        *,
        spaces: SpaceNames | None = None,
        kinds: str | Collection[str] | None = None,
    ) -> Follower:
        """Events as they happen, for a thread that waits; also those of other processes.

        After None: from now on; after 0: all that is kept, then on. What the log let go of before
        the follower got it is told as an event of kind `gap`, whatever kinds are asked for.
        """
        from bethink.events.following import Follower

        return Follower(self._tail, _wanted(spaces, kinds), self._position(after))

    def async_follow(
        self,
        after: int | None = None,
        *,
        spaces: SpaceNames | None = None,
        kinds: str | Collection[str] | None = None,
    ) -> AsyncFollower:
        """The same for `async for`."""
        from bethink.events.following_async import AsyncFollower

        return AsyncFollower(self._tail, _wanted(spaces, kinds), self._position(after))

    def subscribe(
        self,
        call: Callable[[Event], object],
        *,
        after: int | None = None,
        spaces: SpaceNames | None = None,
        kinds: str | Collection[str] | None = None,
    ) -> Subscription:
        """Call a function with each event, in a thread of its own."""
        from bethink.events.subscribing import Subscription

        if not callable(call):
            raise InvalidInput(f"a subscriber is a function, got {type(call).__name__}")
        return self._kept(Subscription(self.follow(after, spaces=spaces, kinds=kinds), call))

    def into(
        self,
        target: queue.Queue[Event],
        *,
        after: int | None = None,
        spaces: SpaceNames | None = None,
        kinds: str | Collection[str] | None = None,
    ) -> Subscription:
        """Put each event into a queue. A full one is waited for; nothing is dropped."""
        from bethink.events.subscribing import into

        return self._kept(into(target, self.follow(after, spaces=spaces, kinds=kinds)))

    @cached_property
    def _tail(self) -> Tail:
        from bethink.events.following import Tail

        return Tail(self._log, self._clock)

    def _kept(self, subscription: Subscription) -> Subscription:
        self._subscriptions.append(subscription)
        return subscription

    def _position(self, after: int | None) -> int | None:
        if after is None:
            self.flush()  # what happened before now is no news
        return _checked(after)

    def _written(self, last: int) -> None:
        if "_tail" in self.__dict__:
            self._tail.move(last)


def _checked(after: int | None) -> int | None:
    if after is None:
        return None
    if isinstance(after, bool) or not isinstance(after, int) or after < 0:
        raise InvalidInput(f"after: expected the id of an event, or 0, got {shown(after)}")
    return after


def _wanted(spaces: SpaceNames | None, kinds: str | Collection[str] | None) -> Wanted:
    from bethink.events.following import Wanted

    names = [spaces] if isinstance(spaces, str) else spaces
    sorts = [kinds] if isinstance(kinds, str) else kinds
    for kind in sorts or ():
        if kind not in KINDS:  # misspelt, it would look as if nothing had happened
            known = ", ".join(sorted(KINDS))
            raise InvalidInput(f"kinds: there is no kind {shown(kind)}; known: {known}")
    return Wanted(
        None if names is None else frozenset(map(check_space, names)),
        None if sorts is None else frozenset(sorts),
    )
