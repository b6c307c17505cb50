"""An index that cannot be built: nobody is held up, the server is left in peace, and what failed
is said."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from bethink import Engine
from bethink.errors import StoreBusy
from bethink.stores import maintainer
from bethink.stores.composite import CompositeStore
from bethink.stores.postgres import near
from bethink.stores.postgres.locks import if_free
from bethink.stores.postgres.pool import Connection
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.postgres.upkeep import _LOCK
from bethink.stores.postgres.vector_tables import VectorTable
from tests.servers.postgres_server import ROLE, PostgresServer
from tests.stores.postgres.test_large import TOY, fill, nearest
from tests.stores.postgres.transaction_pool import TransactionPool

TABLE = f"bethink.{VectorTable(*TOY.embedding, True).table}"
NOT_OWNED = "no index was built: the store: must be owner of table"


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "INDEX_FROM", 2)


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    hands = Hands()
    monkeypatch.setattr(maintainer, "monotonic", hands)
    return hands


@pytest.fixture
def url(server: PostgresServer) -> str:
    return server.new_database()


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    store = PostgresStore(url)
    fill(store, 30)
    yield store
    store.close()


def owned_by(server: PostgresServer, url: str, owner: str) -> None:
    """Whoever owns the table builds its indexes; the others may still read and write."""
    database = str(psycopg.conninfo.conninfo_to_dict(url)["dbname"])
    server.execute(
        f"ALTER TABLE {TABLE} OWNER TO {owner}",
        f"GRANT ALL ON {TABLE} TO {ROLE}",
        database=database,
    )


def asked(store: PostgresStore, times: int) -> None:
    for _ in range(times):
        assert len(nearest(store, "预算 number", 10)) == 10
        store._upkeep.maintainer.finish()


def tries(caplog: pytest.LogCaptureFixture) -> int:
    return sum("no index was built" in record.message for record in caplog.records)


def test_a_failure_is_not_repeated_by_every_question(
    server: PostgresServer,
    url: str,
    store: PostgresStore,
    hands: Hands,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING, "bethink")
    owned_by(server, url, "postgres")
    asked(store, 20)
    assert tries(caplog) == 1
    rests: list[float] = []
    for count in range(2, 11):  # each rest is longer than the one before, up to a bound
        began = hands.now
        while tries(caplog) < count:
            hands.now += 5
            asked(store, 1)
        rests.append(hands.now - began)
    assert rests == [10, 20, 40, 80, 160, 320, 640, 900, 900]
    owned_by(server, url, ROLE)
    asked(store, 20)
    assert tries(caplog) == 10  # it rests still
    hands.now += 900
    asked(store, 1)
    assert store.neglected() == []
    assert all(check.ok for check in store.check())
    owned_by(server, url, "postgres")
    with server_side(server, url) as connection:
        connection.execute(f"DROP INDEX {TABLE}_near_1".encode())
    store._upkeep._ready.clear()  # as a process that begins
    asked(store, 1)
    hands.now += 10  # success began it anew
    asked(store, 20)
    assert tries(caplog) == 12


def server_side(server: PostgresServer, url: str) -> psycopg.Connection[tuple[object, ...]]:
    database = str(psycopg.conninfo.conninfo_to_dict(url)["dbname"])
    return psycopg.connect(server.address(database), autocommit=True)


@pytest.mark.parametrize("beside", [False, True])
def test_status_and_doctor_say_what_failed_and_what_to_do(
    server: PostgresServer, url: str, store: PostgresStore, hands: Hands, beside: bool
) -> None:
    owned_by(server, url, "postgres")
    asked(store, 1)
    seen = CompositeStore(store, []) if beside else store
    with Engine(seen, embedder=TOY) as engine:
        (note,) = engine.status().notes
        assert note.startswith("no index serves 'global', as large as that is")
        assert NOT_OWNED in note and "ALTER TABLE … OWNER TO <role>" in note
        assert "tried again by the first question in 10 s or later" in note
        assert "bethink reindex --files" in note
        assert store.shown not in note  # tenants of a server read it too
        faults = {check.part: check for check in engine.doctor() if not check.ok}
        assert NOT_OWNED in faults["maintenance"].finding
        assert "bethink reindex --files" in faults["maintenance"].fix
        assert "without an index yet" in faults["meaning of 'global' by toy"].finding
        owned_by(server, url, ROLE)
        engine.rebuild_files()  # by hand nobody waits
        assert engine.status().notes == ()
        assert all(check.ok for check in engine.doctor())


def test_another_process_says_that_it_is_missing_and_may_build_it(
    server: PostgresServer, url: str, store: PostgresStore, hands: Hands
) -> None:
    owned_by(server, url, "postgres")
    asked(store, 1)
    other = PostgresStore(url)
    (note,) = other.neglected()
    assert "no index serves 'global'" in note and "says what stands in the way" in note
    owned_by(server, url, ROLE)
    other.maintain()
    other.close()
    assert store.neglected() == []  # the index is there, whatever this one remembers
    assert all(check.ok for check in store.check())


def test_while_another_process_builds_nobody_asks_it_at_every_question(
    store: PostgresStore, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Connection] = []
    connect = store._database.pool.connect

    def counted() -> Connection:
        opened.append(connect())
        return opened[-1]

    with if_free(store._database, _LOCK) as alone:
        assert alone
        monkeypatch.setattr(store._database.pool, "connect", counted)
        asked(store, 20)
        assert len(opened) == 2  # one to work, one for the lock
        assert "It is built beside the questions" in store.neglected()[0]
        hands.now += 10
        asked(store, 20)
        assert len(opened) == 4
    hands.now += 10
    asked(store, 1)
    assert store.neglected() == []


def test_a_role_that_may_not_take_long(
    server: PostgresServer, url: str, tmp_path: Path, hands: Hands
) -> None:
    """Behind a pool server nothing can be set for the building alone."""
    database = str(psycopg.conninfo.conninfo_to_dict(url)["dbname"])
    fill(first := PostgresStore(url), 1500)
    first.close()
    limit = f"IN DATABASE {database} SET statement_timeout"
    server.execute(f"ALTER ROLE {ROLE} {limit} = 5")
    socket = server.folder / ".s.PGSQL.5432"
    pool = TransactionPool(socket, tmp_path, database=database, role=ROLE, size=4)
    store = PostgresStore(url.replace(str(server.folder), str(tmp_path)))
    try:
        with pytest.raises(StoreBusy, match=r"ended the building .* SET statement_timeout = 0"):
            store.maintain()
        for _ in range(200):  # on a busy machine the limit of 5 ms ends a question, too
            try:
                asked(store, 1)
                break
            except StoreBusy:
                continue
        assert "SET statement_timeout = 0" in store.neglected()[0]
    finally:
        store.close()
        pool.close()
