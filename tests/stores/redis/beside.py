"""Stores with a copy of their working memory in Redis."""

from __future__ import annotations

from bethink.stores.in_memory import InMemoryStore
from bethink.stores.redis.hot import HotOnRedis
from bethink.stores.redis.link import Bounds
from bethink.stores.sqlite.store import SQLiteStore
from bethink.stores.tiers import Tiers


class SQLiteWithRedis(SQLiteStore):
    """As an engine uses the two together."""

    hot: HotOnRedis | None = None

    def with_redis(self, address: str, bounds: Bounds) -> SQLiteWithRedis:
        self.hot = HotOnRedis(address, self, bounds)
        return self

    def tiers(self) -> Tiers:
        own = super().tiers()
        return own if self.hot is None else own._replace(working=self.hot.working)

    def close(self) -> None:
        if self.hot is not None:
            self.hot.close()
        super().close()


class InMemoryWithRedis(InMemoryStore):
    hot: HotOnRedis | None = None

    def with_redis(self, address: str, bounds: Bounds) -> InMemoryWithRedis:
        self.hot = HotOnRedis(address, self, bounds)
        return self

    def tiers(self) -> Tiers:
        own = super().tiers()
        return own if self.hot is None else own._replace(working=self.hot.working)

    def close(self) -> None:
        if self.hot is not None:
            self.hot.close()
        super().close()
