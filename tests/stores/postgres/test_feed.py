"""The changes of a store on PostgreSQL, for those who follow it: what holds for the other stores
holds here, and what many writers and tenants of one database add to it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import psycopg
import pytest

from bethink.errors import InvalidVector
from bethink.stores.postgres.database import tenant_number
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.retrievers import KeepsChanges, What
from bethink.testing import make_entry, make_memory, working
from tests.contract.test_feeds import (  # noqa: F401  # run here too, on the store below
    OTHER,
    TOY,
    since,
    tell,
    test_a_number_stays_of_the_history_that_it_is_of,
    test_a_space_that_goes_is_one_change,
    test_counting_and_asking_change_nothing,
    test_every_kind_of_change_is_kept_once_under_a_new_number,
    test_one_at_a_time_feeds_a_follower,
    test_vectors_that_come_later_are_a_change,
    test_what_all_followers_have_is_dropped,
    test_who_comes_back_after_nobody_followed_has_missed_something,
)

OpenStore = Callable[[str], PostgresStore]


@pytest.fixture
def store(open_store: OpenStore, tenant: str) -> PostgresStore:
    store = open_store(tenant)
    store.declare(TOY.embedding)
    return store


def put(store: PostgresStore, text: str, memory_id: str, space: str = "global") -> None:
    memory = make_memory(text, memory_id, space=space)
    store.put([make_entry(memory, TOY)], fingerprint=TOY.fingerprint)


def kept(address: str, tenant: str) -> int:
    with psycopg.connect(address) as connection:
        connection.execute(f"SET bethink.tenant = '{tenant_number(tenant)}'")
        row = connection.execute("SELECT count(*) FROM bethink.changes").fetchone()
    assert row is not None
    return int(row[0])


def test_a_store_that_nobody_follows_keeps_nothing(
    store: PostgresStore, address: str, tenant: str
) -> None:
    assert isinstance(store, KeepsChanges)
    put(store, "alpha 甲", "a")
    assert kept(address, tenant) == 0
    feed = store.feed()
    feed.follow("one")
    put(store, "beta 乙", "b")
    assert kept(address, tenant) == 1
    feed.unfollow("one")
    put(store, "gamma 丙", "c")
    assert kept(address, tenant) == 0
    assert all(check.ok for check in store.check())


def test_followers_are_a_tenant_s_own(
    store: PostgresStore, open_store: OpenStore, tenant: str
) -> None:
    other = open_store(f"{tenant} other")
    other.declare(TOY.embedding)
    store.feed().follow("one")
    put(other, "theirs", "t")
    put(store, "ours", "o")
    assert since(store.feed(), 0) == {(What.MEMORY, "o")}
    assert other.feed().followers() == {}
    assert other.feed().last() == 0
    assert other.feed().store != store.feed().store


def test_a_write_that_fails_leaves_no_change(store: PostgresStore) -> None:
    feed = store.feed()
    feed.follow("one")
    put(store, "alpha", "a")
    at = feed.last()
    bad = make_entry(make_memory("beta", "b"), vectors=np.full((1, 8), np.nan, np.float32))
    with pytest.raises(InvalidVector):
        store.put([make_entry(make_memory("c", "c"), TOY), bad], fingerprint=TOY.fingerprint)
    assert feed.last() == at
    assert since(feed, at) == set()


def test_whoever_follows_while_others_write_misses_nothing(
    store: PostgresStore, open_store: OpenStore, tenant: str
) -> None:
    """What was there before it followed, and what was noted since, is all that there is: nothing
    falls between the two. And no number comes to be seen after a greater one."""
    stores = [open_store(tenant) for _ in range(3)]
    begun = threading.Barrier(4)

    def write(worker: int) -> None:
        for n in range(60):
            if n == 5:
                begun.wait(60)
            # spaces that come to be with the write, too
            put(stores[worker], f"文 {worker} {n}", f"w{worker}-{n}", f"room {worker} {n // 7}")

    feed = store.feed()
    seen: list[int] = []
    names: set[str] = set()

    def look() -> None:
        for change in feed.since(seen[-1] if seen else 0, limit=1000):
            seen.append(change.number)
            names.add(change.name)

    with working(write, range(3)) as workers:
        begun.wait(60)
        feed.follow("one")
        before = {memory.id for memory in store.scan(limit=10_000).memories}
        while workers.busy:
            look()
    look()
    assert seen == list(range(1, len(seen) + 1))  # a number seen late would have been missed
    every = {f"w{worker}-{n}" for worker in range(3) for n in range(60)}
    assert before | names == every
    assert names
    assert len(before) < len(every)
