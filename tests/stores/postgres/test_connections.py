"""Connections are shared by tenants, and each is told once whom it serves: nothing that happens on
one may leave it to another tenant as it was."""

from __future__ import annotations

import os
import random
import socket
import struct
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from bethink.errors import Conflict, StoreBusy, StoreError, UnknownSpace
from bethink.stores.postgres import database
from bethink.stores.postgres.database import Cursor, tenant_number
from bethink.stores.postgres.store import PostgresStore
from bethink.testing import ToyEmbedder, make_entry, make_memory, run_at_once
from tests.servers.postgres_server import PostgresServer

TOY = ToyEmbedder()


@pytest.fixture
def two(address: str, tenant: str) -> Iterator[list[PostgresStore]]:
    """Two tenants who share two connections."""
    names = [f"{tenant} 甲", f"{tenant} 乙"]
    stores = [PostgresStore(f"{address}&connections=2", tenant=name) for name in names]
    for store in stores:
        store.declare(TOY.embedding)
        told = make_memory(f"secret of {store.tenant} 秘密", store.tenant.replace(" ", "-"))
        store.put([make_entry(told, TOY)], fingerprint=TOY.fingerprint)
    yield stores
    for store in stores:
        store.close()


def sees_its_own(store: PostgresStore) -> None:
    own = store.tenant.replace(" ", "-")
    with store._database.ask() as reader:
        row = reader.execute("SELECT current_setting('bethink.tenant')").fetchone()
    assert row == (str(tenant_number(store.tenant)),)
    assert [memory.id for memory in store.scan().memories] == [own]
    found = store.search_words(["secret", "秘密"], spaces=["global"], where=None, limit=9)
    assert [one.memory_id for one in found] == [own]
    near = store.search_meaning(
        TOY.embed(["secret"])[0],
        fingerprint=TOY.fingerprint,
        spaces=["global"],
        where=None,
        limit=9,
    )
    assert [one.memory_id for one in near] == [own]


def cancelled_question(store: PostgresStore) -> None:
    with pytest.raises(StoreBusy), store._database.ask() as reader:
        connection = reader.connection
        timer = threading.Timer(0.02, connection.cancel_safe)
        timer.start()
        try:
            reader.execute("SELECT pg_sleep(30)")
        finally:
            timer.join()


def timed_out(store: PostgresStore) -> None:
    with pytest.raises(StoreBusy), store._database.read("statement_timeout = 5") as reader:
        reader.execute("SELECT pg_sleep(30)")


def failed_write(store: PostgresStore) -> None:
    def work(writer: Cursor) -> None:
        writer.execute("SET LOCAL bethink.tenant = '4711'")
        writer.execute("SELECT 1 / 0")

    with pytest.raises(StoreError, match="division"):
        store._database.write(work)


def refused_write(store: PostgresStore) -> None:
    with pytest.raises(Conflict):
        store.put([make_entry(make_memory("other", store.tenant.replace(" ", "-")))])


def unknown_space(store: PostgresStore) -> None:
    with pytest.raises(UnknownSpace):
        store.search_words(["secret"], spaces=["没有"], where=None, limit=1)


def broken_question(store: PostgresStore) -> None:
    with pytest.raises(StoreError), store._database.ask() as reader:
        reader.execute("SELECT nonsense")


def ended_by_the_server(store: PostgresStore) -> None:
    with pytest.raises(StoreError), store._database.ask() as reader:
        reader.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def given_up_by_the_caller(store: PostgresStore) -> None:
    with pytest.raises(ZeroDivisionError), store._database.read() as reader:
        reader.execute("SELECT 1")
        raise ZeroDivisionError


MISHAPS = (
    cancelled_question, timed_out, failed_write, refused_write, unknown_space, broken_question,
    ended_by_the_server, given_up_by_the_caller,
)  # fmt: skip


@pytest.mark.parametrize("mishap", MISHAPS, ids=lambda one: one.__name__)
def test_no_mishap_leaves_a_connection_to_the_wrong_tenant(
    two: list[PostgresStore], mishap: Callable[[PostgresStore], None]
) -> None:
    for store in two:
        mishap(store)
        for each in (*two, *reversed(two)):
            sees_its_own(each)


def test_tenants_who_share_connections_at_once_see_their_own(two: list[PostgresStore]) -> None:
    def work(number: int) -> None:
        chance = random.Random(number)
        for _ in range(15):
            store = chance.choice(two)
            sees_its_own(store)
            chance.choice(MISHAPS)(store)

    run_at_once(work, range(4))


@contextmanager
def trips(store: PostgresStore) -> Iterator[list[int]]:
    """How often something was sent that is to be answered, counted by libpq itself."""
    with store._database.ask() as reader:
        connection = reader.connection
    counted = [0]
    with tempfile.TemporaryFile("w+") as file:
        connection.pgconn.trace(file.fileno())
        try:
            yield counted
        finally:
            connection.pgconn.untrace()
        file.seek(0)
        # a line: time, who speaks, how much, what
        said = [line.rstrip().split("\t")[1:4] for line in file if "\t" in line]
    counted[0] = sum(who == "F" and what in ("Sync", "Query") for who, _, what, *_ in said)


def test_a_look_is_one_trip(two: list[PostgresStore]) -> None:
    store = two[0]
    seen = store.for_question(["global"], ["settings/"])
    own = store.tenant.replace(" ", "-")
    questions: dict[str, Callable[[], object]] = {
        "get": lambda: store.get([own]),
        "fetch": lambda: store.fetch([(own, 0)]),
        "pending": lambda: store.pending(["global"]),
        "notes": lambda: store.notes("x"),
        "frequencies": lambda: store.frequencies(["secret"], spaces=["global"]),
        "generation": lambda: store.generation(["global"]),
        "for_question": lambda: store.for_question(["global"], ["settings/", "withheld/"]),
        "search_meaning": lambda: seen.search_meaning(
            TOY.embed(["x"])[0],
            fingerprint=TOY.fingerprint,
            spaces=["global"],
            where=None,
            limit=3,
        ),
        "compare": lambda: seen.compare(
            TOY.embed(["x"])[0], [(own, 0)], fingerprint=TOY.fingerprint, spaces=["global"]
        ),
    }
    for name, ask in questions.items():
        for _ in range(3):  # each statement is prepared, and samples are taken
            ask()
        with trips(store) as counted:
            ask()
        assert (name, *counted) == (name, 1)

    def by_words() -> object:
        return store.search_words(["secret"], spaces=["global"], where=None, limit=3)

    by_words()
    with trips(store) as counted:
        by_words()
    assert counted == [2]


# Behind a pool server


class Between:
    """What PgBouncer does to a connection, as far as it can be seen: the number by which a session
    may be cancelled is not that of the server's process."""

    def __init__(self, server: str, folder: Path) -> None:
        self._server = server
        self.folder = folder
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / ".s.PGSQL.5432"))
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            for one, other, change in ((client, server, False), (server, client, True)):
                threading.Thread(target=self._pass, args=(one, other, change), daemon=True).start()

    @staticmethod
    def _pass(one: socket.socket, other: socket.socket, change: bool) -> None:
        with suppress(OSError), other:  # somebody hung up
            while data := one.recv(65536):
                at = data.find(b"K\0\0\0") if change else -1  # BackendKeyData, of the greeting
                if at >= 0:
                    data = data[: at + 5] + struct.pack(">I", 4711) + data[at + 9 :]
                    change = False
                other.sendall(data)

    def close(self) -> None:
        self._listening.close()


def test_behind_a_pool_server_the_tenant_is_named_in_each_transaction(
    server: PostgresServer, address: str, tenant: str
) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as name:
        between = Between(str(server.folder / ".s.PGSQL.5432"), Path(name))
        store = PostgresStore(address.replace(str(server.folder), name), tenant=tenant)
        store.declare(TOY.embedding)
        told = make_memory(f"secret of {tenant} 秘密", tenant.replace(" ", "-"))
        store.put([make_entry(told, TOY)], fingerprint=TOY.fingerprint)
        sees_its_own(store)
        (connection,) = store._pool._idle
        assert connection.borrowed
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        row = connection.execute("SELECT current_setting('bethink.tenant', true)").fetchone()
        assert row in ((None,), ("",))  # whoever comes next on it sees nothing
        assert connection.execute("SELECT count(*) FROM bethink.memories").fetchone() == (0,)
        store.close()
        between.close()
    direct = PostgresStore(address, tenant=tenant)
    sees_its_own(direct)
    (connection,) = direct._pool._idle
    assert not connection.borrowed
    direct.close()


def test_a_lock_that_others_hold_is_waited_for_once(address: str, tenant: str) -> None:
    """Not once for each connection that happens to be idle."""
    store = PostgresStore(f"{address}&connections=5", tenant=tenant)
    together = threading.Barrier(4)

    def use(_: int) -> None:
        with store._database.ask() as reader:
            reader.execute("SELECT 1")
            together.wait(30)

    run_at_once(use, range(4))
    assert len(store._pool._idle) == 4
    with psycopg.connect(address) as holder:
        key = (database._WRITERS, store._database.number % 2**31)
        holder.execute("SELECT pg_advisory_xact_lock(%s, %s)", key)
        with pytest.raises(StoreBusy, match="lock timeout"):
            store._database.write(lambda _: None, lock_seconds=0.1)
    assert len(store._pool._idle) == 3  # the one that waited is gone, nobody tried the others
    store.close()
