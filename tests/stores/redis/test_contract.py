"""Working memory with a copy in Redis passes what every working memory must, whatever becomes of
Redis meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bethink.stores.protocol import Store
from bethink.testing.redis_server import RedisServer
from bethink.testing.tier_contract import TierContract
from bethink.testing.tier_contract.working import WorkingContract
from tests.stores.redis.beside import InMemoryWithRedis, SQLiteWithRedis
from tests.stores.redis.conftest import HASTY, PATIENT


class TestSQLiteWithRedis(TierContract):
    @pytest.fixture
    def make_store(
        self, server: RedisServer, new_path: Callable[[], Path]
    ) -> Callable[[], SQLiteWithRedis]:
        return lambda: SQLiteWithRedis(new_path()).with_redis(server.address, PATIENT)

    @pytest.fixture
    def open_beside(self, server: RedisServer) -> Callable[[Store], Store]:
        def beside(store: Store) -> Store:
            assert isinstance(store, SQLiteWithRedis)
            return SQLiteWithRedis(store.path).with_redis(server.address, PATIENT)

        return beside

    @pytest.fixture
    def reopen_store(self, open_beside: Callable[[Store], Store]) -> Callable[[Store], Store]:
        def reopen(store: Store) -> Store:
            store.close()
            return open_beside(store)

        return reopen


class TestInMemoryWithRedis(WorkingContract):
    @pytest.fixture
    def make_store(self, server: RedisServer) -> Callable[[], InMemoryWithRedis]:
        return lambda: InMemoryWithRedis().with_redis(server.address, PATIENT)


class TestWithoutTheServer(WorkingContract):
    """Nobody listens there."""

    @pytest.fixture
    def make_store(self, new_path: Callable[[], Path], tmp_path: Path) -> Callable[[], Store]:
        address = f"unix://{tmp_path}/nobody.sock"
        return lambda: SQLiteWithRedis(new_path()).with_redis(address, HASTY)
