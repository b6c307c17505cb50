"""A real PostgreSQL for the session; where it cannot be started, these tests fail. Each new store
is a new tenant of one database: as empty as a database of its own, and it takes no time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

from bethink.stores.postgres.store import PostgresStore
from bethink.stores.protocol import Store
from tests.servers.postgres_server import PostgresServer

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    with PostgresServer.started() as server:
        yield server


@pytest.fixture(scope="session")
def address(server: PostgresServer) -> str:
    """Of the database that most tests share."""
    return server.new_database()


@pytest.fixture
def tenant() -> str:
    """A name that no other test uses."""
    return f"租户 {next(_numbers)}"


@pytest.fixture
def open_store(address: str) -> Iterator[Callable[[str], PostgresStore]]:
    """The store of a tenant; whatever a test leaves open is closed after it."""
    opened: list[PostgresStore] = []

    def open_store(tenant: str) -> PostgresStore:
        opened.append(PostgresStore(address, tenant=tenant))
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()


@pytest.fixture
def make_store(open_store: Callable[[str], PostgresStore]) -> Callable[[], Store]:
    return lambda: open_store(f"租户 {next(_numbers)}")


@pytest.fixture
def open_beside(open_store: Callable[[str], PostgresStore]) -> Callable[[Store], Store]:
    def beside(store: Store) -> Store:
        assert isinstance(store, PostgresStore)
        return open_store(store.tenant)

    return beside


@pytest.fixture
def reopen_store(open_beside: Callable[[Store], Store]) -> Callable[[Store], Store]:
    def reopen(store: Store) -> Store:
        store.close()
        return open_beside(store)

    return reopen
