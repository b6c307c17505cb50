"""Generations on PostgreSQL, and Redis beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from bethink import Engine
from bethink.settings import Settings
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.protocol import Store
from bethink.testing import FakeClock
from bethink.testing.generations import run_generation_programs
from tests.servers.redis_server import RedisServer
from tests.stores.redis.test_answers import again


@pytest.fixture(scope="module")
def redis_server() -> Iterator[RedisServer]:
    with RedisServer.started() as server:
        yield server


def test_random_programs(make_store: Callable[[], Store]) -> None:
    run_generation_programs(make_store, examples=15)


def test_tenants_have_identities_of_their_own(
    open_store: Callable[[str], PostgresStore], tenant: str
) -> None:
    one, same, other = open_store(tenant), open_store(tenant), open_store(tenant + " 别人")
    assert one.identity() == same.identity() != other.identity()


def test_repeated_questions(
    open_store: Callable[[str], PostgresStore],
    tenant: str,
    redis_server: RedisServer,
    clock: FakeClock,
) -> None:
    def opened() -> Engine:
        return Engine(
            open_store(tenant),
            embedder="hashing",
            settings=Settings(),
            clock=clock,
            hot=redis_server.address,
        )

    with opened() as one, opened() as other:
        ends = clock() + timedelta(seconds=20)
        one.remember("小美喜欢深色主题 dark theme", id="m", valid_to=ends)
        assert not again(one.recall("主题 theme"))
        assert again(other.recall("主题 theme"))
        other.revise("m", tags=["界面"])
        fresh = one.recall("主题 theme")
        assert not again(fresh)
        assert fresh.hits[0].memory.tags == ("界面",)
        other.reinforce("m")
        assert not again(one.recall("主题 theme"))
        clock.advance(seconds=20)
        assert not one.recall("主题 theme").hits
