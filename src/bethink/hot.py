"""The cache of answers to repeated questions, in this process or on Redis. The setting `hot` says
where; without it nothing is cached."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bethink.addresses import without_password
from bethink.errors import MissingExtra, SettingsError
from bethink.stores.protocol import KeepsGenerations, Store

if TYPE_CHECKING:
    from bethink.clock import Clock
    from bethink.recall.answered_before import AnsweredBefore
    from bethink.settings import Settings
    from bethink.stores.redis.hot import HotOnRedis
    from bethink.vocabulary import Check

NONE, IN_PROCESS = "none", "memory"
_SCHEMES = ("redis", "rediss", "unix")


def check_hot(value: str) -> str:
    """The value as it is, or SettingsError."""
    if value in ("", NONE, IN_PROCESS) or _is_redis(value):
        return value
    raise SettingsError(
        f"hot: {without_password(value)!r} is neither {NONE!r}, {IN_PROCESS!r} nor an address like "
        "redis://HOST:6379/0 (the number of a database, or nothing, at its end), rediss://… or "
        "unix:///PATH"
    )


def _is_redis(address: str) -> bool:
    """What ends in no number, Redis' library takes for the first database."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(address)
        _ = parts.port  # ValueError, unless it is one
    except ValueError:
        return False
    if address.partition("://")[0] not in _SCHEMES:
        return False
    database = parts.path.strip("/")
    return parts.scheme == "unix" or not database or (database.isascii() and database.isdecimal())


def without_place(line: str) -> str:
    """What `Hot.line` says, for whoever need not know where Redis is."""
    return re.sub(rf" at ({'|'.join(_SCHEMES)}):.*?(?=, )", "", line)


class HotNumbers(NamedTuple):
    """Since it was opened."""

    kept: int = 0  # questions that were answered as a moment ago
    asked: int = 0  # that could have been, and were not kept
    away: int = 0  # 1: Redis is left alone now

    def and_(self, other: HotNumbers) -> HotNumbers:
        return HotNumbers(*(one + two for one, two in zip(self, other, strict=True)))


@dataclass(frozen=True, slots=True)
class Hot:
    answers: AnsweredBefore | None = None
    redis: HotOnRedis | None = None

    def forget_answers(self) -> None:
        if self.answers is not None:
            self.answers.forget()

    def line(self) -> str:
        if self.redis is not None:
            return self.redis.line()
        return "" if self.answers is None else "answers of this process, for a minute"

    def numbers(self) -> HotNumbers:
        away = self.redis is not None and bool(self.redis.link.why)
        if self.answers is None:
            return HotNumbers(away=int(away))
        return HotNumbers(self.answers.hits, self.answers.misses, int(away))

    def shortcomings(self) -> list[str]:
        return [] if self.redis is None else self.redis.shortcomings()

    def owed(self) -> list[str]:
        return [] if self.redis is None else self.redis.owed()

    def checks(self) -> list[Check]:
        return [] if self.redis is None else [self.redis.check()]

    def close(self) -> None:
        if self.redis is not None:
            self.redis.close()


def opened_hot(
    named: str, store: Store, settings: Settings, clock: Clock, models: Sequence[object]
) -> Hot:
    """`models`: whatever answers depend on. What is no name (an object, a function) the program
    brought itself, and answers that depend on it are for this process alone."""
    if named in ("", NONE):
        return Hot()
    from bethink.recall.answered_before import AnsweredBefore
    from bethink.stores.shelves import InProcess, Shelf

    on_redis: HotOnRedis | None = None
    shelf: Shelf = InProcess()
    if named != IN_PROCESS:
        try:
            from bethink.stores.redis.hot import HotOnRedis
        except ModuleNotFoundError as e:
            if (e.name or "").partition(".")[0] != "redis":
                raise
            raise MissingExtra("a cache on Redis", "redis") from None
        on_redis = HotOnRedis(named, store)
        shelf = on_redis.answers
    answers = None
    if isinstance(store, KeepsGenerations) and not settings.routes:  # a file that may change
        makers = _makers(settings, models)
        answers = AnsweredBefore(store, shelf, clock, settings.zone, makers)
    return Hot(answers, on_redis)


def _makers(settings: Settings, models: Sequence[object]) -> str:
    from importlib.metadata import version

    names = [one if isinstance(one, str) else os.urandom(8).hex() for one in models]
    places = (settings.endpoint, settings.llm_endpoint, settings.reranker_endpoint)
    return repr((version("bethink"), names, places, str(settings.zone)))
