from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bethink.stores.composite.store import CompositeStore
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.protocol import Store
from bethink.stores.sqlite.store import SQLiteStore
from tests.stores.postgres.conftest import address as address
from tests.stores.postgres.conftest import server as server

Make = Callable[[str], Store]
_numbers = itertools.count(1)


@pytest.fixture
def make(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Make]:
    """A new store of a kind."""
    opened: list[Store] = []

    def make(kind: str) -> Store:
        number = next(_numbers)
        if kind == "sqlite":
            opened.append(SQLiteStore(tmp_path / f"{number}.db"))
        elif kind == "postgres":
            # asked for here: who moves between files needs no server
            url: str = request.getfixturevalue("address")
            opened.append(PostgresStore(url, tenant=f"搬家 {number}"))
        elif kind == "composite":
            opened.append(CompositeStore(InMemoryStore(), []))
        else:
            opened.append(InMemoryStore())
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def another(request: pytest.FixtureRequest) -> Iterator[Callable[[Store], Store]]:
    """The same store as another process sees it, where there can be one."""
    opened: list[Store] = []

    def another(store: Store) -> Store:
        if isinstance(store, SQLiteStore):
            opened.append(SQLiteStore(store.path))
        elif isinstance(store, PostgresStore):
            url: str = request.getfixturevalue("address")
            opened.append(PostgresStore(url, tenant=store.tenant))
        else:
            return store
        return opened[-1]

    yield another
    for store in opened:
        store.close()
