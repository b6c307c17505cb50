"""A shelf of answers in Redis, shared by every process that uses the store."""

from __future__ import annotations

import threading
import time

import redis

from bethink.stores.redis.keys import Keys
from bethink.stores.redis.link import Link, Unanswered
from bethink.stores.shelves import Looked

_KEEP = 86_400

_SET = """
if (redis.call('GET', KEYS[3]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[4])
redis.call('ZADD', KEYS[2], ARGV[5], KEYS[1])
redis.call('EXPIRE', KEYS[2], ARGV[6])
return 1
"""
_ERASE = """
redis.call('INCR', KEYS[2])
redis.call('EXPIRE', KEYS[2], ARGV[1])
local kept = redis.call('ZRANGE', KEYS[1], 0, -1)
for _, key in ipairs(kept) do redis.call('UNLINK', key) end
redis.call('DEL', KEYS[1])
return #kept
"""


class RedisAnswers:
    def __init__(self, link: Link, keys: Keys) -> None:
        self._link = link
        self._keys = keys
        self._guard = threading.Lock()
        self._owed = 0  # how often something was to be erased
        self._paid = 0  # which of these are done
        link.when_it_returns(self._pay)

    def look(self, key: str) -> Looked:
        names = [self._keys.answer(key), self._keys.erasures]
        try:
            value, erasures = self._link.ask(lambda client: client.mget(names))
        except Unanswered:
            return Looked(None)
        assert not isinstance(value, str) and not isinstance(erasures, str)  # never decoded
        return Looked(value, (erasures or b"").decode())

    def keep(self, key: str, value: bytes, *, seconds: float, looked: Looked) -> None:
        now = time.time()  # of this machine; it only says what may be tidied away
        names = (self._keys.answer(key), self._keys.answers, self._keys.erasures)
        bounds = (int(seconds * 1000) or 1, now, now + seconds, _KEEP)
        try:
            self._link.ask(
                lambda client: client.eval(_SET, 3, *names, looked.erasures, value, *bounds),
                writes=True,
            )
        except Unanswered:
            return

    def forget(self) -> None:
        with self._guard:
            self._owed += 1
        try:
            self._link.ask(self._pay, writes=True)
        except Unanswered:
            return  # they are found by nobody, and go by themselves within a minute

    @property
    def owes(self) -> bool:
        return self._paid < self._owed

    def _pay(self, client: redis.Redis) -> None:
        owed = self._owed  # whoever forgets from here on pays by itself
        if self._paid < owed:
            client.eval(_ERASE, 2, self._keys.answers, self._keys.erasures, _KEEP)
            with self._guard:
                self._paid = max(self._paid, owed)
