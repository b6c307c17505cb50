"""A receipt of erasing says that places are empty only where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest

from bethink import Engine
from bethink.stores.composite.store import CompositeStore
from bethink.stores.postgres import upkeep
from bethink.stores.postgres.store import PostgresStore
from tests.servers.postgres_server import PostgresServer

SECRET = "剑鱼 the swordfish swims at dawn"
_IN_PAGES = (
    "SELECT count(*) FROM generate_series(0, pg_relation_size('bethink.memories') / 8192 - 1) b, "
    "heap_page_items(get_raw_page('bethink.memories', b::int)) i "
    "WHERE lp_flags = 1 AND position('swordfish'::bytea in t_data) > 0"
)


@pytest.fixture
def above(server: PostgresServer, address: str) -> Iterator[Callable[[], psycopg.Connection]]:
    """Connections of a superuser, whose transactions are shown to nobody else."""
    opened: list[psycopg.Connection] = []
    database = address.partition("@/")[2].partition("?")[0]

    def connect() -> psycopg.Connection:
        opened.append(psycopg.connect(server.address(database)))
        return opened[-1]

    with connect() as looking:
        looking.execute("CREATE EXTENSION IF NOT EXISTS pageinspect")
    yield connect
    for connection in opened:
        connection.close()


def _left(connection: psycopg.Connection) -> int:
    connection.rollback()
    (count,) = connection.execute(_IN_PAGES).fetchone() or (-1,)
    connection.rollback()
    return int(count)


@pytest.mark.parametrize("beside", [False, True])
def test_an_older_snapshot_of_another_role_is_noticed(
    open_store: Callable[[str], PostgresStore],
    tenant: str,
    above: Callable[[], psycopg.Connection],
    beside: bool,
) -> None:
    store, reader, looking = open_store(tenant), above(), above()
    with Engine(CompositeStore(store, []) if beside else store) as engine:
        told = engine.remember(SECRET)
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT 1")
        assert engine.forget(told.id).notes == (upkeep.LEFT,)
        assert _left(looking) > 0
        reader.rollback()
        assert engine.forget(engine.remember("别的 something else").id).notes == ()
        assert _left(looking) == 0


def test_a_table_that_somebody_holds_is_noticed(
    open_store: Callable[[str], PostgresStore],
    tenant: str,
    above: Callable[[], psycopg.Connection],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(upkeep, "_LOCKED_SECONDS", 1)
    holder, looking = above(), above()
    with Engine(open_store(tenant)) as engine:
        told = engine.remember(SECRET)
        holder.execute("LOCK TABLE bethink.memories IN SHARE UPDATE EXCLUSIVE MODE")
        assert engine.forget(told.id).notes == (upkeep.LEFT,)
        assert _left(looking) > 0
        holder.rollback()
        assert engine.forget(engine.remember("别的 something else").id).notes == ()
        assert _left(looking) == 0


def test_every_table_with_words_of_people_is_emptied(
    address: str, open_store: Callable[[str], PostgresStore], tenant: str
) -> None:
    open_store(tenant)
    with psycopg.connect(address) as connection:
        rows = connection.execute(
            "SELECT DISTINCT table_name FROM information_schema.columns WHERE table_schema = "
            "'bethink' AND column_name IN ('text', 'reason', 'snapshot', 'data', 'word')"
        ).fetchall()
    assert {name for (name,) in rows} <= set(upkeep.TEXTS) and ("rulings",) in rows
