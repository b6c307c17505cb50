"""The copy of working memory: used while it is true, and never otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bethink.stores.redis.keys import Keys
from bethink.stores.redis.working import MOST, SECONDS
from bethink.stores.sqlite.store import SQLiteStore
from bethink.stores.tiers import RecentByTruth
from bethink.testing.entries import NOON, make_memory
from bethink.testing.redis_server import RedisServer
from bethink.testing.tier_contract.working import add, recent
from tests.stores.redis.beside import SQLiteWithRedis
from tests.stores.redis.conftest import PATIENT


@pytest.fixture
def store(server: RedisServer, new_path: Callable[[], Path]) -> Iterator[SQLiteWithRedis]:
    store = SQLiteWithRedis(new_path()).with_redis(server.address, PATIENT)
    yield store
    store.close()


def key_of(store: SQLiteWithRedis, space: str = "global") -> str:
    return Keys(store.identity()).hot(space)


def forge(server: RedisServer, store: SQLiteWithRedis, text: str) -> None:
    """Another text in the copy, under the same mark: whoever reads it reads the copy."""
    with server.client() as client:
        item = client.lindex(key_of(store), 1)
        assert isinstance(item, bytes)
        number, until, values = json.loads(item)
        values[2] = text
        client.lset(key_of(store), 1, json.dumps([number, until, values]))


def texts(store: SQLiteStore, *spaces: str) -> list[str]:
    found = store.tiers().working.recent(spaces or ("global",), now=NOON, limit=9)
    assert not isinstance(found, RecentByTruth)
    return [memory.text for memory in found]


def test_what_is_asked_comes_from_the_copy(server: RedisServer, store: SQLiteWithRedis) -> None:
    add(store.tiers().working, "a", "乙")
    forge(server, store, "改过的 copy")
    assert texts(store) == ["改过的 copy", "text of a"]


def test_a_write_that_never_reached_redis_makes_the_copy_useless(
    server: RedisServer, store: SQLiteWithRedis
) -> None:
    working = store.tiers().working
    add(working, "a")
    forge(server, store, "out of date")
    alone = SQLiteStore(store.path)  # a process that knows nothing of Redis
    add(alone.tiers().working, "乙")
    assert texts(store) == ["text of 乙", "text of a"]
    forge(server, store, "renewed 新的")  # whoever asked has made the copy true again
    assert texts(store) == ["renewed 新的", "text of a"]
    alone.tiers().working.remove(["乙"])
    assert texts(store) == ["text of a"]
    alone.tiers().working.erase_space("global")
    assert texts(store) == []
    alone.close()


def test_flushed_or_evicted_it_is_made_again(server: RedisServer, store: SQLiteWithRedis) -> None:
    working = store.tiers().working
    add(working, "a", "乙")
    with server.client() as client:
        client.delete(key_of(store))
    assert texts(store) == ["text of 乙", "text of a"]
    with server.client() as client:
        assert client.exists(key_of(store))
        client.flushall()
    assert texts(store) == ["text of 乙", "text of a"]
    with server.client() as client:
        assert client.exists(key_of(store))


def test_another_form_or_rubbish_is_no_copy(server: RedisServer, store: SQLiteWithRedis) -> None:
    add(store.tiers().working, "甲")
    for rubbish in (b"[99, 1, 1]", b"\xff\xfe", b"[]", b"{}", b"null", b'"x"'):
        with server.client() as client:
            client.lset(key_of(store), 0, rubbish)
        assert texts(store) == ["text of 甲"]
    with server.client() as client:
        client.lset(key_of(store), 1, b'[1, 2, ["cut sho')
    assert texts(store) == ["text of 甲"]


def test_what_expires_is_not_handed_out_by_the_copy(store: SQLiteWithRedis) -> None:
    working = store.tiers().working
    working.add([make_memory("long", "long")], now=NOON, keep=9, seconds=100)
    working.add([make_memory("短", "short")], now=NOON, keep=9, seconds=1)
    later = NOON + timedelta(seconds=1)
    assert [m.id for m in working.recent(["global"], now=later, limit=1)] == ["long"]
    assert [m.id for m in working.recent(["global"], now=NOON, limit=1)] == ["short"]


def test_more_than_is_copied_comes_from_the_store(store: SQLiteWithRedis) -> None:
    working = store.tiers().working
    names = [f"{n:03}" for n in range(MOST + 20)]
    add(working, *names, keep=1000)
    assert recent(working) == names[::-1]
    assert recent(working, limit=MOST + 5) == names[::-1][: MOST + 5]


def test_stores_and_spaces_are_walls(
    server: RedisServer, store: SQLiteWithRedis, new_path: Callable[[], Path]
) -> None:
    other = SQLiteWithRedis(new_path()).with_redis(server.address, PATIENT)
    add(store.tiers().working, "mine")
    add(store.tiers().working, "项目的", space="项目")
    add(other.tiers().working, "theirs")
    assert texts(store) == ["text of mine"]
    assert texts(store, "项目") == ["text of 项目的"]
    assert texts(other) == ["text of theirs"]
    assert texts(other, "项目") == []
    assert key_of(store) != key_of(other)
    other.close()


def test_nothing_forgotten_is_left(server: RedisServer, store: SQLiteWithRedis) -> None:
    working = store.tiers().working
    secret = make_memory("密语 swordfish", "s")
    working.add([secret, make_memory("x", "x", space="项目")], now=NOON, keep=9, seconds=99)
    assert "swordfish" in everything_in(server)
    working.remove(["s"])
    assert "swordfish" not in everything_in(server)
    working.add([secret], now=NOON, keep=9, seconds=99)
    working.erase_space("global")
    assert "swordfish" not in everything_in(server)
    assert store.hot is not None
    assert store.hot.owed() == []


def test_a_slow_reader_does_not_bring_back_what_was_forgotten(
    server: RedisServer, store: SQLiteWithRedis, new_path: Callable[[], Path]
) -> None:
    """It read the store, then somebody forgot; now it writes its copy."""
    working = store.tiers().working
    working.add([make_memory("鱼 swordfish", "s")], now=NOON, keep=9, seconds=99)
    assert store.hot is not None
    slow = store.hot.working
    with server.client() as client:
        client.delete(key_of(store))
        seen = client.get(slow._keys.erasures)
    held = slow._truth.held(["global"])
    working.remove(["s"])
    slow._fill(held, seen)
    assert "swordfish" not in everything_in(server)


def test_nothing_stays_for_ever(server: RedisServer, store: SQLiteWithRedis) -> None:
    add(store.tiers().working, "a")
    store.tiers().working.remove(["a"])
    add(store.tiers().working, "b")
    with server.client() as client:
        ours = list(client.scan_iter(f"*{store.identity()}*"))
        assert len(ours) == 2
        assert all(client.ttl(key) > 0 for key in ours)
        assert client.ttl(key_of(store)) <= SECONDS


def everything_in(server: RedisServer) -> str:
    """All that is kept there, as one text."""
    found: list[str] = []
    with server.client() as client:
        for key in client.scan_iter("*"):
            dumped = client.dump(key)
            assert isinstance(dumped, bytes)
            kind = client.type(key)
            if kind == b"list":
                values = client.lrange(key, 0, -1)
                found += [value.decode("utf-8", "replace") for value in values]
            found.append(dumped.decode("utf-8", "replace"))
    return "\n".join(found)
