"""A space that grows fast beside a large one: PostgreSQL knows of it before autovacuum comes by."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import psycopg
import pytest

from bethink.stores.postgres import growing, near
from bethink.stores.postgres.store import PostgresStore
from bethink.testing import ToyEmbedder, make_entry, make_memory
from bethink.vocabulary import Entry
from tests.servers.postgres_server import PostgresServer

TOY = ToyEmbedder()


@pytest.fixture(autouse=True)
def little_is_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "_FROM", 200)


def told(space: str, start: int, count: int) -> list[Entry]:
    return [
        make_entry(make_memory(f"预算 {space} number {n}", f"{space}-{n}", space=space), merge=True)
        for n in range(start, start + count)
    ]


@pytest.fixture
def server_address(server: PostgresServer) -> str:
    return server.new_database()


def looked_up_by(store: PostgresStore, space: str) -> str:
    """The plan by which a memory that is told is looked for among those of its space."""
    with store._database.ask() as reader:
        (number,) = reader.execute(
            "SELECT id FROM spaces WHERE name = %s", (space,)
        ).fetchone() or (0,)
        rows = reader.execute(
            "EXPLAIN SELECT m.* FROM unnest(ARRAY['a', 'b']) w (identity), LATERAL (SELECT id "
            f"FROM memories WHERE space = {number:d} AND identity = w.identity "
            "ORDER BY row) m".encode()
        )
        return "\n".join(line for (line,) in rows)


def test_a_new_space_is_looked_up_by_the_right_index_once_it_is_large(
    server_address: str,
) -> None:
    store = PostgresStore(server_address)
    store.put(told("old", 0, 3000))
    with psycopg.connect(server_address, autocommit=True) as connection:
        connection.execute("ANALYZE bethink.memories")
    store.put(told("新的", 0, 199))
    assert "memories_identity" not in looked_up_by(store, "新的"), "else this proves nothing"
    store.put(told("新的", 199, 1))
    assert "Index Scan using memories_identity" in looked_up_by(store, "新的")
    store.close()


def test_so_is_the_first_space_of_a_database(server_address: str) -> None:
    store = PostgresStore(server_address)
    for start in range(0, 800, 200):
        store.put(told("global", start, 200))
    plan = looked_up_by(store, "global")
    assert "Index Scan using memories_identity" in plan
    assert "Bitmap" not in plan, "no other index beside it, which would be read as a whole"
    store.close()


def test_it_is_counted_again_when_there_are_four_times_as_many(
    open_store: Callable[[str], PostgresStore], tenant: str, address: str
) -> None:
    store = open_store(tenant)
    counted: list[int] = []
    for start in range(0, 1200, 100):
        before = analysed(address)
        store.put(told(tenant, start, 100))
        if analysed(address) != before:
            counted.append(start + 100)
    assert counted == [200, 800]


def analysed(address: str) -> int:
    with psycopg.connect(address) as connection:
        row = connection.execute(
            "SELECT pg_stat_force_next_flush()::text, analyze_count FROM pg_stat_user_tables "
            "WHERE schemaname = 'bethink' AND relname = 'memories'"
        ).fetchone()
    assert row is not None
    return int(row[1])


def test_told_again_is_not_growing(
    open_store: Callable[[str], PostgresStore], tenant: str, address: str
) -> None:
    store = open_store(tenant)
    same = told(tenant, 0, 150)
    store.put(same)
    before = analysed(address)
    store.put(same)
    assert analysed(address) == before


def test_a_space_is_counted_when_its_index_is_built(
    server: PostgresServer, server_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without that PostgreSQL sorts all of it instead, until autovacuum comes by."""
    monkeypatch.setattr(near, "INDEX_FROM", 2)
    database = server_address.partition("?")[0].rpartition("/")[2]  # its superuser sees statistics

    def known(connection: psycopg.Connection[tuple[str, str]]) -> set[str]:
        rows = connection.execute(
            "SELECT attname FROM pg_stats WHERE schemaname = 'bethink' AND tablename LIKE %s",
            ("vectors%",),
        )
        return {name for (name, *_) in rows}

    with (
        closing(PostgresStore(server_address)) as store,
        psycopg.connect(server.address(database), autocommit=True) as connection,
    ):
        store.declare(TOY.embedding)
        entries = [make_entry(make_memory(f"记忆 {n}", f"m{n}"), TOY) for n in range(20)]
        store.put(entries, fingerprint=TOY.fingerprint)
        assert known(connection) == set()
        store.maintain()
        assert known(connection) == {"tenant", "space"}
