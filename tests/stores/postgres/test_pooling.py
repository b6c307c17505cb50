"""Behind a pool server that gives each transaction another session: nothing of us stays in one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bethink import Engine
from bethink.access.homes import homes_for
from bethink.access.places import tenants_at
from bethink.access.server_rows import server_rows
from bethink.clock import system_clock
from bethink.errors import StoreBusy
from bethink.settings import Settings
from bethink.stores.postgres import near, upkeep
from bethink.stores.postgres.looking import tenant_exists
from bethink.stores.postgres.store import PostgresStore
from bethink.testing import ToyEmbedder, make_entry, make_memory, working
from tests.contract.unruly import until
from tests.servers.postgres_server import ROLE, PostgresServer
from tests.stores.postgres.transaction_pool import TransactionPool

TOY = ToyEmbedder()
_SESSIONS = 4
_KEPT = (
    "SELECT coalesce(current_setting('bethink.tenant', true), ''), "
    "current_setting('search_path'), current_setting('statement_timeout'), "
    "current_setting('lock_timeout'), coalesce(current_setting('hnsw.ef_search', true), '40'), "
    "(SELECT count(*) FROM bethink.memories), (SELECT count(*) FROM pg_prepared_statements), "
    "(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')"
)
_UNTOUCHED = {("", '"$user", public', "0", "0", "40", 0, 0, 0)}


@pytest.fixture
def pooled(server: PostgresServer, address: str) -> Iterator[str]:
    """The address of the shared database, through the pool server."""
    database = str(psycopg.conninfo.conninfo_to_dict(address)["dbname"])
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as name:
        socket = server.folder / ".s.PGSQL.5432"
        pool = TransactionPool(socket, Path(name), database=database, role=ROLE, size=_SESSIONS)
        yield address.replace(str(server.folder), name)
        pool.close()


def sessions(pooled: str) -> set[tuple[Any, ...]]:
    """What whoever comes next would find, in every session."""
    found: set[tuple[Any, ...]] = set()
    with psycopg.connect(pooled, autocommit=True, prepare_threshold=None) as connection:
        for _ in range(2 * _SESSIONS):
            found.add(tuple(connection.execute(_KEPT).fetchone() or ()))
    return found


def opened(pooled: str, tenant: str) -> PostgresStore:
    store = PostgresStore(pooled, tenant=tenant)
    store.declare(TOY.embedding)
    return store


def test_nothing_is_left_in_a_session(
    pooled: str, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(near, "INDEX_FROM", 20)
    stores = [opened(pooled, f"{tenant}-{name}") for name in ("甲", "b")]
    for store in stores:
        entries = [make_entry(make_memory(f"秘密 secret {n}", f"m{n}"), TOY) for n in range(30)]
        store.put(entries, fingerprint=TOY.fingerprint)
        store.maintain()
        store.search_meaning(
            TOY.embed(["秘密 secret"])[0],
            fingerprint=TOY.fingerprint,
            spaces=["global"],
            where=None,
            limit=3,
        )
        store.delete(["m3"])
        assert store.finish_erasing()
        with store.feed().alone("one", patience=5), store.tiers().quarantine.alone():
            pass
        assert all(check.ok for check in store.check()), store.check()
        assert any("indexed" in check.finding for check in store.check())
    assert sessions(pooled) == _UNTOUCHED
    for store in stores:
        store.close()


def test_tenants_are_found_and_nobody_is_left_in_a_session(pooled: str, tenant: str) -> None:
    settings = Settings(store=pooled)
    name = f"研发部-{tenant.split()[1]}"
    opened(pooled, name).close()
    rows = server_rows(settings)
    homes_for(settings, rows, system_clock).create(name)
    rows.close()
    for _ in range(2 * _SESSIONS):
        assert tenant_exists(pooled, name)
        assert not tenant_exists(pooled, "nobody")
        assert name in tenants_at(settings)
    assert sessions(pooled) == _UNTOUCHED


def test_one_decides_at_a_time_and_then_the_next(pooled: str, tenant: str) -> None:
    first, second = (opened(pooled, tenant) for _ in range(2))
    order: list[str] = []

    def decide(store: PostgresStore) -> None:
        with store.tiers().quarantine.alone():
            order.append("second")

    with ExitStack() as deciding:
        deciding.enter_context(first.tiers().quarantine.alone())
        with working(decide, [second], within=60) as other:
            other.wait(0.3)
            order.append("first")
            deciding.close()
    assert order == ["first", "second"]
    with (
        first.feed().alone("x", patience=5),
        pytest.raises(StoreBusy, match="feeds"),
        second.feed().alone("x", patience=0.2),
    ):
        raise AssertionError("both are alone")
    with second.feed().alone("x", patience=5):  # who waited in vain holds nothing
        pass
    first.close()
    second.close()


def test_who_holds_a_lock_holds_up_no_erasing(pooled: str, tenant: str) -> None:
    """A transaction that waits must not look back."""
    store = opened(pooled, tenant)
    store.put([make_entry(make_memory("忘掉 this", "m"), TOY)], fingerprint=TOY.fingerprint)
    with store.tiers().quarantine.alone():
        store.delete(["m"])
        until(store.finish_erasing)  # autovacuum may look back for a moment; who waits never does
    store.close()


def test_a_table_that_somebody_holds_is_not_called_empty(
    pooled: str, address: str, tenant: str
) -> None:
    store = opened(pooled, tenant)
    store.put([make_entry(make_memory("忘掉 this", "m"), TOY)], fingerprint=TOY.fingerprint)
    store.delete(["m"])
    with psycopg.connect(address) as holder:
        holder.execute("LOCK TABLE bethink.revisions IN SHARE MODE")
        with store._database.outside() as connection:
            assert connection.borrowed
            assert not upkeep.vacuum(connection, ["memories", "revisions", "passages"])
            assert upkeep.vacuum(connection, ["memories", "passages"])
    assert store.finish_erasing()
    store.close()


def test_an_engine_works_as_anywhere(pooled: str, tenant: str) -> None:
    store = PostgresStore(pooled, tenant=tenant)
    with Engine(store, embedder=TOY, settings=Settings()) as engine:
        told = engine.remember("小美负责数据库的备份")
        offer = engine.offer("The backup of the database is checked by Mei every Friday at noon")
        engine.promote([offer.memory.id])
        assert {hit.text for hit in engine.recall("备份 backup", floor=0).hits} >= {
            "小美负责数据库的备份"
        }
        assert engine.forget(told.id).notes == ()
        assert all(check.ok for check in engine.doctor())
