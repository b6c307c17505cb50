"""A PostgreSQL that hangs: its connections stay, and nobody answers on them. Whoever asks hears
within seconds that it is away, and what was given up is never heard by somebody else."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest

from bethink.errors import StoreUnavailable
from bethink.settings import Settings
from bethink.stores.postgres import database, pool
from bethink.stores.postgres.database import Cursor
from bethink.stores.postgres.store import PostgresStore
from bethink.testing import make_entry, make_memory
from tests.doors.http.served import served_on
from tests.servers.postgres_server import PostgresServer

_SLOWLY = "SELECT '慢 slow' FROM pg_sleep(1.5)"
_DOOR = ".s.PGSQL.5432"
SOON = 30  # seconds: far more than it takes, and less than what a request or a write may


@pytest.fixture(scope="module")
def own_server() -> Iterator[PostgresServer]:
    """One that may hang."""
    with PostgresServer.started() as server:
        yield server


@pytest.fixture
def store(own_server: PostgresServer) -> Iterator[PostgresStore]:
    store = PostgresStore(own_server.new_database() + "&connect_timeout=2")
    store.put([make_entry(make_memory("预算 budget", "m1"))])
    yield store
    store.close()


def _asked(client: httpx.Client) -> list[httpx.Response]:
    """All at once."""
    requests: list[tuple[str, str, object]] = [
        ("POST", "/v1/recall", {"question": "预算 budget", "deadline": 2}),
        ("GET", "/v1/memories", None),
        ("POST", "/v1/memories", {"text": "会议改到周五 meeting on Friday"}),
    ]
    with ThreadPoolExecutor(len(requests)) as threads:
        return list(threads.map(lambda one: client.request(one[0], one[1], json=one[2]), requests))


@pytest.mark.parametrize("workers", [0, 1])
def test_over_http_it_is_said_within_seconds(own_server: PostgresServer, workers: int) -> None:
    settings = Settings(store=own_server.new_database(), embedder="hashing")
    with served_on(Path(), settings=settings, workers=workers) as server:
        client = server.keyed()
        assert [answer.status_code for answer in _asked(client)] == [200, 200, 201]
        began = time.monotonic()
        with own_server.hung():
            answers = _asked(client)
        assert time.monotonic() - began < SOON
        for answer in answers:
            assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
            assert answer.headers["Retry-After"]
        assert [answer.status_code for answer in _asked(client)] == [200, 200, 201]


def test_a_body_that_arrived_is_never_said_to_be_missing(own_server: PostgresServer) -> None:
    """The key is looked up first, and nobody has asked for the body when time is up."""
    settings = Settings(store=own_server.new_database(), embedder="hashing")
    with served_on(Path(), settings=settings, most_seconds=1) as server:
        client = server.keyed()
        assert client.post("/v1/recall", json={"question": "预算"}).status_code == 200
        with own_server.hung():
            late = client.post("/v1/recall", json={"question": "预算"})
        assert (late.status_code, late.json()["code"]) == (504, "timeout")


def test_a_write_is_not_waited_for_as_long_as_one_may_take(
    own_server: PostgresServer, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_SILENCE", 0.5)
    began = time.monotonic()
    with own_server.hung(), pytest.raises(StoreUnavailable, match="did not answer"):
        store.put([make_entry(make_memory("会议 meeting", "m2"))])
    assert time.monotonic() - began < SOON
    store.put([make_entry(make_memory("会议 meeting", "m2"))])
    assert [memory.id for memory in store.scan().memories] == ["m1", "m2"]


@contextmanager
def _as_it_is(_server: PostgresServer) -> Iterator[None]:
    yield


@contextmanager
def _without_a_door(server: PostgresServer) -> Iterator[None]:
    """As a port that is closed."""
    (server.folder / _DOOR).rename(server.folder / "elsewhere")
    try:
        yield
    finally:
        (server.folder / "elsewhere").rename(server.folder / _DOOR)


@contextmanager
def _with_a_full_queue(server: PostgresServer) -> Iterator[None]:
    with ExitStack() as callers:
        while True:
            one = callers.enter_context(socket.socket(socket.AF_UNIX))
            one.setblocking(False)
            try:
                one.connect(str(server.folder / _DOOR))
            except BlockingIOError:
                break
        yield


@pytest.mark.parametrize(
    ("options", "meanwhile"),
    [
        ("&connect_timeout=0", _as_it_is),
        ("&connect_timeout=2", _without_a_door),
        ("&connect_timeout=2", _with_a_full_queue),
        ("&connect_timeout=2&target_session_attrs=read-write", _as_it_is),
    ],
    ids=["no_timeout", "refused", "full_queue", "another_host_lives"],
)
def test_only_a_word_of_this_server_is_life(
    own_server: PostgresServer,
    server: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
    options: str,
    meanwhile: Callable[[PostgresServer], AbstractContextManager[None]],
) -> None:
    monkeypatch.setattr(pool, "_SILENCE", 0.5)
    monkeypatch.setattr(database, "_WRITE_SECONDS", 15)
    address = own_server.new_database() + options
    if "target" in options:
        address = address.replace(str(own_server.folder), f"{own_server.folder},{server.folder}")
    store = PostgresStore(address)
    began = time.monotonic()
    with own_server.hung(), meanwhile(own_server), pytest.raises(StoreUnavailable, match="answer"):
        store.put([make_entry(make_memory("会议 meeting", "m2"))])
    assert time.monotonic() - began < 12
    store.close()


def test_whoever_comes_next_hears_it_sooner(
    own_server: PostgresServer, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connections that nobody used are as silent as the one on which a transaction was to begin."""
    monkeypatch.setattr(pool, "_SILENCE", 5)
    with ExitStack() as readers:
        for _ in range(3):
            readers.enter_context(store._database.read())
    with own_server.hung():
        with pytest.raises(StoreUnavailable, match="did not answer"), store._database.read():
            raise AssertionError("it began")
        began = time.monotonic()
        with pytest.raises(StoreUnavailable), store._database.read():
            raise AssertionError("it began")
        assert time.monotonic() - began < 4  # to connect takes 2, to wait for a word 5 and 2


def test_the_locks_and_care_of_a_store_are_not_waited_for_either(
    own_server: PostgresServer, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_SILENCE", 0.5)
    with store._database.outside() as connection:
        with own_server.hung(), pytest.raises(psycopg.OperationalError, match="did not answer"):
            connection.execute("VACUUM")
        assert connection.closed


def test_one_that_works_for_long_is_waited_for(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes new connections meanwhile, or refuses them: it lives."""
    monkeypatch.setattr(pool, "_SILENCE", 0.2)

    def work(writer: Cursor) -> object:
        return writer.execute(_SLOWLY).fetchone()

    assert store._database.write(work) == ("慢 slow",)
    with store._database.ask() as reader:
        connection = reader.connection
        assert isinstance(connection, pool.Connection)
        connection.conninfo = connection.conninfo.replace("bethink@", "nobody@")
        assert reader.execute(_SLOWLY).fetchone() == ("慢 slow",)


def test_what_was_given_up_is_heard_by_nobody_else(store: PostgresStore) -> None:
    """One statement hangs while the server lives, as when its disk does."""
    with pytest.raises(StoreUnavailable, match="did not answer"), store._database.ask() as reader:
        connection = reader.connection
        assert isinstance(connection, pool.Connection)
        connection.patience = 0.3
        reader.execute("SELECT pg_sleep(2), 'of the former'")
    assert connection.closed
    for _ in range(3):
        with store._database.ask() as reader:
            assert reader.execute("SELECT '下一个 next'").fetchone() == ("下一个 next",)
