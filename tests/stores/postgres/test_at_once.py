"""Several who make the same tables at once: one makes them, the others wait and then find them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial

import psycopg

from bethink.access import server_tables
from bethink.access.server_tables import ServerTables
from bethink.stores.postgres import schema, vector_tables
from bethink.stores.postgres.address import parse_address
from bethink.stores.postgres.pool import Connection, borrow_pool, return_pool
from bethink.stores.postgres.store import PostgresStore
from bethink.testing import ToyEmbedder, working
from tests.servers.postgres_server import PostgresServer

_WAITING = (
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = %s"
)


def all_wait_then_go(address: str, lock: int, calls: Sequence[Callable[[], object]]) -> None:
    """Every call has come as far as the lock before the first of them gets it."""
    with psycopg.connect(address, autocommit=True) as holder:
        holder.execute("SELECT pg_advisory_lock(%s)", (lock,))
        with working(lambda call: call(), calls) as workers, closing(holder):
            until = time.monotonic() + 30
            while holder.execute(_WAITING, (lock,)).fetchone() != (len(calls),):
                workers.check()
                assert time.monotonic() < until, "they never came to the lock"
                time.sleep(0.01)


def test_stores_on_an_empty_database(server: PostgresServer) -> None:
    address = server.new_database()
    calls = [lambda: PostgresStore(address, tenant="租户").close()] * 3
    all_wait_then_go(address, schema._LOCK, calls)


def test_servers_on_a_database_without_keys(server: PostgresServer) -> None:
    address = server.new_database()
    PostgresStore(address).close()
    all_wait_then_go(address, server_tables._LOCK, [lambda: ServerTables(address).close()] * 3)


def test_pgvector_is_added_once(server: PostgresServer) -> None:
    database = str(psycopg.conninfo.conninfo_to_dict(server.new_database())["dbname"])
    server.execute("DROP EXTENSION vector", database=database)
    above = server.address(database)  # a role that may add it
    pool = borrow_pool(parse_address(above))
    connections = [pool.connect() for _ in range(3)]

    def see(connection: Connection) -> None:
        assert schema._extension(connection, "here") == "public"

    all_wait_then_go(above, schema._LOCK, [partial(see, one) for one in connections])
    for connection in connections:
        connection.close()
    return_pool(pool)


def test_tenants_who_declare_a_new_embedder(
    address: str, open_store: Callable[[str], PostgresStore]
) -> None:
    embedding = ToyEmbedder("at once 同时", 16).embedding
    stores = [open_store(f"同时 {n}") for n in range(3)]
    all_wait_then_go(
        address,
        vector_tables._LOCK,
        [partial(store.declare, embedding) for store in stores],
    )
    assert [store.embeddings() for store in stores] == [(embedding,)] * 3
