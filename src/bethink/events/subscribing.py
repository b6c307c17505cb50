"""Events handed to a function or a queue, each subscription by a thread of its own.

A slow one lags behind alone; if the log lets go of what it has not got yet, it gets a `gap`. One
that raises is told of once (`logging`, name "bethink.events") and goes on with the next event:
what it missed is in the log still.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from bethink.errors import BethinkError
from bethink.events.following import Follower
from bethink.vocabulary import Event

_LOOK_UP_SECONDS = 0.1  # how often whoever waits for room in a queue looks whether to go on


class Subscription:
    """Ends with `close()` or with the engine. A call that is under way then is not interrupted."""

    def __init__(self, follower: Follower, hand_over: Callable[[Event], object]) -> None:
        self._follower = follower
        self._hand_over = hand_over
        self.failures = 0  # how often it raised
        self._thread = threading.Thread(target=self._work, name="bethink-subscription", daemon=True)
        self._thread.start()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._follower.close()

    def wait(self, seconds: float) -> None:
        """Until all is handed over and the end has come, but no longer than this."""
        if self._thread is not threading.current_thread():
            self._thread.join(seconds)

    def _work(self) -> None:
        try:
            for event in self._follower:
                try:
                    self._hand_over(event)
                except Exception as e:
                    self.failures += 1
                    if self.failures == 1:
                        _tell(
                            f"a subscriber ({self._hand_over!r}) raised at event {event.id} "
                            f"({event.kind}): {type(e).__name__}: {e}. It goes on with the next "
                            "event and will not be told of again; mend it, and read what it missed "
                            f"with engine.events.since({event.id - 1})",
                            e,
                        )
        except BethinkError as e:  # the log cannot be read any more
            self._follower.close()
            _tell(f"a subscription has ended, since events cannot be read: {e}", e)


def into(target: queue.Queue[Event], follower: Follower) -> Subscription:
    """A full queue is waited for; nothing is dropped."""

    def put(event: Event) -> None:
        while not follower.closed:
            try:
                target.put(event, timeout=_LOOK_UP_SECONDS)
                return
            except queue.Full:
                continue

    return Subscription(follower, put)


def _tell(what: str, error: Exception) -> None:
    import logging

    logging.getLogger("bethink.events").warning(what, exc_info=error)
