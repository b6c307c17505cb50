"""How many sessions a key may have open. The SDK bounds them for all together: without a share for
each, one key could take the room of everybody."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable

IDLE_SECONDS = 30 * 60.0  # then the SDK ends a session
MOST_EACH = 200


class Sessions:
    """On the event loop alone. What was not heard of for long enough is over."""

    def __init__(
        self, *, most: int = MOST_EACH, timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._timer = timer
        self._heard: defaultdict[str, dict[str, float]] = defaultdict(dict)

    def room(self, owner: str) -> bool:
        since = self._timer() - IDLE_SECONDS
        kept = {one: heard for one, heard in self._heard[owner].items() if heard > since}
        if kept:
            self._heard[owner] = kept
        else:
            del self._heard[owner]
        return len(kept) < self._most

    def heard(self, owner: str, session: str) -> None:
        self._heard[owner][session] = self._timer()

    def ended(self, owner: str, session: str) -> None:
        self._heard.get(owner, {}).pop(session, None)
