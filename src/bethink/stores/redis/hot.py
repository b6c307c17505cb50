"""What an engine has of Redis: the cache of answers, and whether the server works."""

from __future__ import annotations

from bethink.errors import StoreError
from bethink.stores.protocol import KeepsGenerations, Store
from bethink.stores.redis.answers import RedisAnswers
from bethink.stores.redis.keys import Keys
from bethink.stores.redis.link import Bounds, Link, Unanswered
from bethink.vocabulary import Check

_TRY = "return redis.call('SET', KEYS[1], '1', 'PX', 1000)"
_FIX = "see to Redis; until then the store answers, which is right and only slower"


class HotOnRedis:
    def __init__(self, address: str, store: Store, bounds: Bounds | None = None) -> None:
        if not isinstance(store, KeepsGenerations):
            raise StoreError(
                f"{type(store).__name__} keeps no generations, so a cached answer could be out of "
                "date unnoticed; leave out 'hot'"
            )
        self.link = Link(address, bounds)
        self._keys = Keys(store.identity())
        self.answers = RedisAnswers(self.link, self._keys)

    def line(self) -> str:
        """For people: what is there, and whether it answers."""
        try:
            return f"{self._server()}, breaker closed"
        except Unanswered as e:
            switch = "open" if self.link.why else "closed"
            return f"redis at {self.link.shown}, breaker {switch}: {e}"

    def shortcomings(self) -> list[str]:
        """Why answers are not cached at the moment, a sentence each."""
        if why := self.link.last_refusal:
            return [f"repeated questions are answered by the store: redis, {why}"]
        if why := self.link.unwritten:
            return [f"answers are not kept for whoever asks again: redis, {why}"]
        return []

    def check(self) -> Check:
        line = self.line()
        if not self.link.last_refusal:
            try:
                self.link.ask(lambda client: client.eval(_TRY, 1, self._keys.tried), writes=True)
            except Unanswered as e:
                line = f"{line}, but it keeps nothing: {e}"
        well = not self.link.last_refusal
        return Check("hot", well, line, "" if well else _FIX)

    def owed(self) -> list[str]:
        """Say so if Redis may still hold an answer with a text that was forgotten here."""
        if not self.answers.owes:
            return []
        return [
            "redis could not be reached and may still hold an answer; nothing finds it, and it is "
            "erased as soon as redis answers, or expires within a minute"
        ]

    def close(self) -> None:
        self.link.close()

    def _server(self) -> str:
        found = self.link.ask(lambda client: client.info("server"))
        assert isinstance(found, dict)
        version = found.get("valkey_version") or found.get("redis_version") or "?"
        return f"{found.get('server_name') or 'redis'} {version} at {self.link.shown}"
