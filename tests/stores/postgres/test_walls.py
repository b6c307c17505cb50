"""Tenants of one database: row-level security keeps them apart, whatever SQL is spoken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from bethink.errors import StoreError
from bethink.stores.postgres.database import tenant_number
from bethink.stores.postgres.store import PostgresStore
from bethink.testing import ToyEmbedder, make_entry, make_memory, make_offer
from bethink.testing.entries import NOON
from bethink.vocabulary import Event
from tests.servers.postgres_server import PostgresServer

TOY = ToyEmbedder()
OpenStore = Callable[[str], PostgresStore]


def fill(store: PostgresStore) -> None:
    """Something in every table."""
    store.declare(TOY.embedding)
    store.feed().follow("one")
    first = make_memory("预算 is 42", "m1", tags=("a",))
    store.put([make_entry(first, TOY)], fingerprint=TOY.fingerprint)
    store.revise(
        make_entry(make_memory("预算 is 43", "m1", tags=("b",)), TOY), fingerprint=TOY.fingerprint
    )
    store.write_note("n", "x")
    quarantine, working, events = store.tiers()
    quarantine.log([make_offer("x", "o1", parents=("p",))])
    working.add([first], now=NOON, keep=9, seconds=9)
    events.append([Event(0, NOON, "k", ("global",), {})], keep=9)


@pytest.fixture
def filled(open_store: OpenStore, tenant: str) -> PostgresStore:
    store = open_store(tenant)
    fill(store)
    return store


@pytest.fixture
def raw(address: str) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """Plain SQL, as the role that owns the tables."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SET search_path = bethink, public")
        yield connection


def tables(raw: psycopg.Connection[tuple[Any, ...]]) -> list[str]:
    rows = raw.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'bethink' "
        "AND tablename <> 'schema_version' ORDER BY 1"
    )
    return [name for (name,) in rows]


def seen(raw: psycopg.Connection[tuple[Any, ...]]) -> dict[str, int]:
    """How many rows of each table, without those that show none."""
    counts = {
        name: (raw.execute(f"SELECT count(*) FROM {name}".encode()).fetchone() or (0,))[0]
        for name in tables(raw)
    }
    return {name: count for name, count in counts.items() if count}


def test_who_names_no_tenant_sees_nothing(
    filled: PostgresStore, raw: psycopg.Connection[tuple[Any, ...]]
) -> None:
    assert seen(raw) == {}
    raw.execute("SET bethink.tenant = ''")
    assert seen(raw) == {}


def test_another_tenant_sees_nothing_of_it(
    filled: PostgresStore, raw: psycopg.Connection[tuple[Any, ...]]
) -> None:
    raw.execute(f"SET bethink.tenant = '{tenant_number(filled.tenant)}'")
    own = set(seen(raw))
    every = {name for name in tables(raw) if not name.startswith("vectors_")}
    assert own >= every  # each table holds something: the next look cannot be empty by chance
    assert any(name.startswith("vectors_") for name in own)
    raw.execute("SET bethink.tenant = '4711'")
    assert seen(raw) == {}


def test_another_tenant_changes_nothing_of_it(
    filled: PostgresStore, raw: psycopg.Connection[tuple[Any, ...]]
) -> None:
    before = filled.scan().memories, filled.spaces(), filled.notes()
    raw.execute("SET bethink.tenant = '4711'")
    for name in tables(raw):
        assert raw.execute(f"DELETE FROM {name}".encode()).rowcount == 0
        raw.execute(f"UPDATE {name} SET tenant = 4711".encode())
    assert (filled.scan().memories, filled.spaces(), filled.notes()) == before
    theirs = tenant_number(filled.tenant)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        raw.execute(
            "INSERT INTO notes (tenant, key, value) VALUES (%s, 'n2', 'planted')", (theirs,)
        )


def test_the_same_ids_and_spaces_are_each_tenant_s_own(
    open_store: OpenStore, filled: PostgresStore, tenant: str
) -> None:
    other = open_store(f"{tenant}-other")
    assert other.get(["m1"]) == [None]
    assert other.embedding() is None
    fill(other)
    other.put([make_entry(make_memory("alpha beta 预算", "only", space="项目"))])
    assert filled.count() == 1
    assert [info.name for info in filled.spaces()] == ["global"]
    found = filled.search_words(["预算"], spaces=["global"], where=None, limit=9)
    assert [f.memory_id for f in found] == ["m1"]
    filled.delete_space("global")
    filled.clear_vectors()
    assert other.get(["m1"]) != [None]
    assert other.pending(["global"]) == 0
    assert all(check.ok for check in filled.check())


def test_a_role_above_the_rules_is_refused(server: PostgresServer) -> None:
    with pytest.raises(StoreError, match=r"row-level security.*CREATE ROLE"):
        PostgresStore(server.address("postgres", "postgres"))


REFERRING = {
    *("memories", "passages", "segments", "words", "embedded", "labels", "changes", "revisions"),
    *("offer_parents", "rulings", "standing", "vectors"),
}


def rows_of(
    raw: psycopg.Connection[tuple[Any, ...]], tenant: str
) -> dict[str, list[dict[str, Any]]]:
    """Every row that the tenant has, by table."""
    raw.execute(f"SET bethink.tenant = '{tenant_number(tenant)}'")
    return {
        name: [row for (row,) in raw.execute(f"SELECT to_jsonb(t) FROM {name} t LIMIT 5".encode())]
        for name in tables(raw)
    }


def test_no_row_refers_to_what_is_another_tenant_s(
    filled: PostgresStore, raw: psycopg.Connection[tuple[Any, ...]]
) -> None:
    """Keys are looked at past row-level security: the tenant's name alone makes no row its own."""
    theirs = rows_of(raw, filled.tenant)
    raw.execute("SET bethink.tenant = '4711'")
    refused: set[str] = set()
    for table, rows in theirs.items():
        if table in (
            "spaces",
            "tenants",
            "offers",
        ):  # refer to nothing, and have numbers of their own
            continue
        kind = table.partition("_")[0] if table.startswith("vectors_") else table
        for row in rows:
            mine = psycopg.types.json.Jsonb({**row, "tenant": 4711})
            insert = (
                f"INSERT INTO {table} OVERRIDING SYSTEM VALUE "
                f"SELECT * FROM jsonb_populate_record(NULL::{table}, %s)"
            )
            raw.execute("BEGIN")
            try:
                raw.execute(insert.encode(), (mine,))
            except psycopg.errors.InsufficientPrivilege:
                refused.add(kind)
            except psycopg.errors.UniqueViolation:
                assert kind == "working"  # its number was given, but nothing of it is referred to
            finally:
                raw.execute("ROLLBACK")
    assert refused == REFERRING


def test_no_row_is_changed_to_refer_to_what_is_another_tenant_s(
    open_store: OpenStore,
    filled: PostgresStore,
    tenant: str,
    raw: psycopg.Connection[tuple[Any, ...]],
) -> None:
    other = open_store(f"{tenant}-other")
    fill(other)
    theirs = rows_of(raw, filled.tenant)
    raw.execute(f"SET bethink.tenant = '{tenant_number(other.tenant)}'")
    for table, column in (
        *(("memories", "space"), ("labels", "space"), ("segments", "space"), ("words", "space")),
        *(("passages", "space"), ("passages", "memory"), ("revisions", "memory")),
        *(("rulings", "offer"), ("offer_parents", "offer"), ("standing", "ruling")),
    ):
        number = theirs[table][0][column]
        assert raw.execute(f"SELECT 1 FROM {table}".encode()).fetchone()
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute(f"UPDATE {table} SET {column} = %s".encode(), (number,))


def test_what_knows_no_tenants_is_not_allowed(
    filled: PostgresStore, raw: psycopg.Connection[tuple[Any, ...]]
) -> None:
    raw.execute(f"SET bethink.tenant = '{tenant_number(filled.tenant)}'")
    for name in tables(raw):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute(f"TRUNCATE {name} CASCADE".encode())
    assert filled.count() == 1
