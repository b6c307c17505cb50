"""The connection to Redis, and when it is left alone.

Who asks waits for a bounded time. After one silence or a lost connection, or a few refusals in a
row, nobody waits any more: Redis is tried in the background, with pauses that grow, and asked again
when it has answered there. A question that is answered makes the pauses short again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from bethink.addresses import without_password
from bethink.breaker import Breaker
from bethink.errors import SettingsError
from bethink.stores.redis.reasons import breaks, reason_of

_T = TypeVar("_T")


class Bounds(NamedTuple):
    """Seconds. Redis answers in some tenths of a millisecond; the store itself in a few."""

    patience: float = 0.1  # for an answer
    connecting: float = 0.5
    first_pause: float = 0.5  # until it is tried again
    longest_pause: float = 15.0


class Unanswered(Exception):
    """Redis did not answer this; the reason is for people."""


class Link:
    def __init__(self, address: str, bounds: Bounds | None = None) -> None:
        self.shown = without_password(address)
        self._bounds = bounds or Bounds()
        self._client = _client(address, self.shown, self._bounds)
        self._breaker = Breaker(
            f"redis at {self.shown}",
            first_pause=self._bounds.first_pause,
            longest_pause=self._bounds.longest_pause,
        )
        self._unwritten = ""
        self._closing = threading.Event()
        self._probe: threading.Thread | None = None
        self._returned: list[Callable[[redis.Redis], None]] = []

    @property
    def why(self) -> str:
        """Why it is left alone; empty: it is not."""
        return self._breaker.why

    @property
    def last_refusal(self) -> str:
        """What went wrong last, if nothing was answered since."""
        return self._breaker.last_why

    @property
    def unwritten(self) -> str:
        """Why it kept nothing when it was last to, though it may answer: it is full, or a replica.
        Questions between would hide that."""
        return self._unwritten

    def when_it_returns(self, do: Callable[[redis.Redis], None]) -> None:
        """Called in the background, before anybody asks it again."""
        self._returned.append(do)

    def ask(self, work: Callable[[redis.Redis], _T], *, writes: bool = False) -> _T:
        """What `work` gives, or Unanswered, at once where Redis is left alone."""
        if why := self._breaker.why:
            raise Unanswered(why)
        began = time.monotonic()
        try:
            answer = work(self._client)
        except (redis.RedisError, OSError) as e:
            why = reason_of(e)
            lost = breaks(e)
            if writes and not lost:
                self._unwritten = why
            self._failed(why, at_once=lost)
            raise Unanswered(why) from e
        if writes:
            self._unwritten = ""
        if time.monotonic() - began > self._bounds.patience + self._bounds.connecting:
            self._failed("it answers too slowly", at_once=True)  # in small pieces
        elif not self._breaker.why:
            self._breaker.answered()
        return answer

    def _failed(self, why: str, *, at_once: bool) -> None:
        if self._breaker.failed(why, hung=at_once) and not self._closing.is_set():
            self._probe = threading.Thread(
                target=self._try_until_it_answers, name="bethink-redis", daemon=True
            )
            self._probe.start()

    def _try_until_it_answers(self) -> None:
        while not self._closing.wait(self._breaker.pause):
            try:
                self._client.ping()
                for do in self._returned:
                    do(self._client)
            except (redis.RedisError, OSError) as e:
                self._breaker.still_fails(reason_of(e))
                continue
            self._breaker.try_again()
            return

    def close(self) -> None:
        self._closing.set()
        probe = self._probe
        if probe is not None and probe.is_alive():
            probe.join(self._bounds.patience + self._bounds.connecting)
        self._client.close()


def _client(address: str, shown: str, bounds: Bounds) -> redis.Redis:
    if address.partition("://")[0] not in ("redis", "rediss", "unix"):
        raise SettingsError(
            f"hot: {shown!r} is no address of Redis; write redis://HOST:6379/0, rediss://… with "
            "TLS, or unix:///PATH"
        )
    over_network: dict[str, Any] = {
        "socket_connect_timeout": bounds.connecting,
        "socket_keepalive": True,
    }
    try:
        return redis.Redis.from_url(
            address,
            socket_timeout=bounds.patience,
            retry=Retry(NoBackoff(), 0),  # who asks has the store to turn to
            protocol=2,
            **({} if address.startswith("unix://") else over_network),
        )
    except ValueError as e:
        raise SettingsError(f"hot: {shown} cannot be read as an address ({e})") from None
