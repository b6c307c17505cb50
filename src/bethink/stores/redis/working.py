"""A copy of working memory in Redis. The store's own holds the truth: it is written first and says
under which mark a space stands; a copy under another mark is no copy.

Each space is a list: what the copy is of, then the newest memories, newest first.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeAlias

import redis

from bethink.clock import EPOCH, from_micros, to_micros
from bethink.stores.memory_forms import VERSION, as_values, from_values
from bethink.stores.redis.keys import Keys
from bethink.stores.redis.link import Link, Unanswered
from bethink.stores.tiers import HeldRecent, MarksRecent, Recent, RecentByTruth, WorkingMemory
from bethink.vocabulary import Memory

MOST = 200  # memories of a space that are copied; who wants more asks the truth
SECONDS = 3600  # a copy that nobody renews is gone after that, whatever else happens
_KEEP = 86_400

# Only if nothing was erased since the truth was read: what is forgotten must not come back. The
# first write is one that a full Redis refuses; after any other it would let the script go on.
_FILL = """
if (redis.call('GET', KEYS[2]) or '') ~= ARGV[1] then return 0 end
redis.call('RPUSH', KEYS[3], unpack(ARGV, 3))
redis.call('EXPIRE', KEYS[3], ARGV[2])
redis.call('RENAME', KEYS[3], KEYS[1])
return 1
"""


class TruthOfRecent(WorkingMemory, MarksRecent, Protocol):
    """What the store's own working memory must do to be copied."""


_Erasures: TypeAlias = bytes | str | None  # how many there had been; None: none


class _Copy(NamedTuple):
    mark: str
    of: int  # how many the truth holds
    recent: list[Recent]


class RedisWorkingMemory:
    def __init__(self, truth: TruthOfRecent, link: Link, keys: Keys) -> None:
        self._truth = truth
        self._link = link
        self._keys = keys
        self._guard = threading.Lock()
        self._owed: set[str] = set()  # keys that must still be erased there
        link.when_it_returns(self._pay)

    # Writing: the truth, then the copy

    def add(self, memories: Sequence[Memory], *, now: datetime, keep: int, seconds: float) -> None:
        self._truth.add(memories, now=now, keep=keep, seconds=seconds)
        spaces = list(dict.fromkeys(memory.space for memory in memories))
        if spaces and not self._link.why:
            try:
                seen = self._link.ask(lambda client: client.get(self._keys.erasures))
                self._fill(self._truth.held(spaces), seen)
            except Unanswered:
                return  # its mark is no longer the truth's

    def remove(self, ids: Sequence[str]) -> list[bool]:
        there = self._truth.get(ids, now=EPOCH)  # expired or not
        done = self._truth.remove(ids)
        self._erase({memory.space for memory in there if memory is not None})
        return done

    def erase_space(self, space: str) -> int:
        gone = self._truth.erase_space(space)
        self._erase({space})
        return gone

    def _erase(self, spaces: set[str]) -> None:
        if not spaces:
            return
        names = {self._keys.hot(space) for space in spaces}
        with self._guard:
            self._owed |= names
        try:
            self._link.ask(self._pay, writes=True)
        except Unanswered:
            return  # it stays owed

    def _pay(self, client: redis.Redis) -> None:
        with self._guard:
            owed = set(self._owed)
        if owed:
            pipeline = client.pipeline(transaction=True)
            pipeline.incr(self._keys.erasures)
            pipeline.expire(self._keys.erasures, _KEEP)
            pipeline.unlink(*owed)
            pipeline.execute()
            with self._guard:
                self._owed -= owed

    @property
    def owes(self) -> bool:
        """Is something that was erased still copied there?"""
        return bool(self._owed)

    # Reading: the copy, if it is one

    def recent(self, spaces: Sequence[str], *, now: datetime, limit: int) -> list[Memory]:
        if self._link.why:
            found = self._truth.recent(spaces, now=now, limit=limit)
            return RecentByTruth(found, self._link.why)
        marks = self._truth.marks(spaces)
        if not marks:
            return []
        try:
            copies, erasures = self._copies(list(marks), limit)
        except Unanswered as e:
            return RecentByTruth(self._truth.recent(spaces, now=now, limit=limit), str(e))
        living: dict[str, list[Recent]] = {}
        for space, mark in marks.items():
            copy = copies.get(space)
            if copy is None or copy.mark != mark:
                continue
            alive = [one for one in copy.recent if one.until > now]
            if len(alive) >= limit or copy.of == len(copy.recent):
                living[space] = alive
        missing = [space for space in marks if space not in living]
        if missing:
            held = self._truth.held(missing)
            for space, (_, recent) in held.items():
                living[space] = [one for one in recent if one.until > now]
            try:
                self._fill(held, erasures)
            except Unanswered as e:
                return RecentByTruth(_newest(living, limit), str(e))
        return _newest(living, limit)

    def get(self, ids: Sequence[str], *, now: datetime) -> list[Memory | None]:
        return self._truth.get(ids, now=now)

    def copied(self, spaces: Sequence[str]) -> int:
        """How many of these spaces have a copy now."""
        names = [self._keys.hot(space) for space in spaces]
        return int(self._link.ask(lambda client: client.exists(*names))) if names else 0

    def _copies(self, spaces: Sequence[str], limit: int) -> tuple[dict[str, _Copy], _Erasures]:
        def ask(client: redis.Redis) -> list[Any]:
            pipeline = client.pipeline(transaction=False)
            pipeline.get(self._keys.erasures)
            for space in spaces:
                pipeline.lrange(self._keys.hot(space), 0, limit)
            return list(pipeline.execute())

        erasures, *lists = self._link.ask(ask)
        found = {space: _copy(items) for space, items in zip(spaces, lists, strict=True)}
        return {space: copy for space, copy in found.items() if copy is not None}, erasures

    def _fill(self, held: Mapping[str, HeldRecent], erasures: _Erasures) -> None:
        """`erasures`: how many there had been before the truth was read."""

        def fill(client: redis.Redis) -> None:
            pipeline = client.pipeline(transaction=False)
            for space, (mark, recent) in held.items():
                rows = [
                    [one.number, to_micros(one.until), as_values(one.memory)]
                    for one in recent[:MOST]
                ]
                items = [_dump(item) for item in ([VERSION, mark, len(recent)], *rows)]
                key = self._keys.hot(space)
                names = (key, self._keys.erasures, f"{key}:new")
                pipeline.eval(_FILL, 3, *names, erasures or "", SECONDS, *items)
            pipeline.execute()

        if held:
            self._link.ask(fill, writes=True)


def _copy(items: list[bytes]) -> _Copy | None:
    """None where there is none, or one that another version wrote."""
    if not items:
        return None
    try:
        version, mark, count = json.loads(items[0])
        if version != VERSION:
            return None
        rows = [json.loads(item) for item in items[1:]]
        recent = [Recent(n, from_micros(until), from_values(values)) for n, until, values in rows]
    except (ValueError, TypeError, IndexError):  # not ours, or cut short
        return None
    return _Copy(mark, count, recent)


def _newest(living: Mapping[str, list[Recent]], limit: int) -> list[Memory]:
    together = merge(*living.values(), key=lambda one: -one.number)
    return [one.memory for one in islice(together, limit)]


def _dump(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
