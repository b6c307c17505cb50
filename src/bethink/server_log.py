"""What a server writes into its log: lines with a time, the same fault not over and over, and once
that a part is left alone and that it is back."""

from __future__ import annotations

import atexit
import logging
import threading
from weakref import WeakSet

_SECONDS = 10.0
_MOST_IDS = 1_000
_MOST_FAULTS = 100  # different ones at a time; more are said each time
_SHORT = 8  # characters of a request's number, of 32: enough to find it
_log = logging.getLogger("bethink")


def begin() -> None:
    """For a process that serves: everything of ours is said, of others their warnings."""
    logging.basicConfig(
        format="%(asctime)s %(levelname)s %(message)s", datefmt="%Y-%m-%dT%H:%M:%S%z"
    )
    _log.setLevel(logging.INFO)


class Faults:
    """Each is said at once when it is new, then every some seconds for as long as it comes, with
    how often it came and in which requests."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._guard = threading.Lock()
        self._since: dict[tuple[str, str], list[str]] = {}  # those that were said lately
        self._timer: threading.Timer | None = None

    def say(self, fault: str, *, request_id: str = "", logger: str = "bethink.server") -> None:
        with self._guard:
            again = self._since.get((logger, fault))
            if again is not None:
                again.append(request_id[:_SHORT])
                return
            if len(self._since) < _MOST_FAULTS:
                self._since[logger, fault] = []
                self._sum_up_later()
        asked = f"request {request_id}: " if request_id else ""
        logging.getLogger(logger).warning("%s%s", asked, fault)

    def sum_up(self) -> None:
        with self._guard:
            came = {what: ids for what, ids in self._since.items() if ids}
            self._since = {what: [] for what in came}
            self._timer = None
            if came:
                self._sum_up_later()
        for (logger, fault), ids in came.items():
            named = [one for one in ids if one][:_MOST_IDS]
            requests = f", in the requests {' '.join(named)}" if named else ""
            logging.getLogger(logger).warning("%s (%d times more%s)", fault, len(ids), requests)

    def _sum_up_later(self) -> None:
        if self._timer is None:
            timer = threading.Timer(self._seconds, self.sum_up)
            timer.daemon = True
            try:
                timer.start()
            except RuntimeError:  # there is no room for a thread: then each is said, as it comes
                self._since.clear()
            else:
                self._timer = timer


FAULTS = Faults()
atexit.register(FAULTS.sum_up)

_away: dict[str, WeakSet[object]] = {}  # who leaves it alone: each tenant has its own way to it
_away_guard = threading.Lock()


def left_alone(owner: object, name: str, why: str) -> None:
    with _away_guard:
        others = _away.setdefault(name, WeakSet())
        first = not others
        others.add(owner)
    if first:
        _log.info("%s is left alone, and what it did is done without it: %s", name, why)


def back(owner: object, name: str) -> None:
    """Nothing where it was not left alone, or others still leave it."""
    with _away_guard:
        others = _away.get(name, WeakSet())
        last = owner in others and len(others) == 1
        others.discard(owner)
    if last:
        _log.info("%s is back", name)
