from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from bethink.stores.protocol import Store
from bethink.stores.sqlite import large
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import StoreContract, TierContract


def reopen(store: Store) -> Store:
    assert isinstance(store, SQLiteStore)
    store.close()
    return SQLiteStore(store.path)


class InAFile:
    """How to make a store, for each of the contracts."""

    @pytest.fixture
    def make_store(self, quick_path: Path) -> Callable[[], Store]:
        numbers = itertools.count()
        return lambda: SQLiteStore(quick_path / f"{next(numbers)}.db")

    @pytest.fixture
    def reopen_store(self) -> Callable[[Store], Store]:
        return reopen


class TestSQLiteStore(InAFile, StoreContract):
    pass


class TestSQLiteStoreWithLargeSpaces(TestSQLiteStore):
    """The same with files of vectors and postings from the first passages on."""

    @pytest.fixture(autouse=True)
    def everything_is_large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(large, "SIDECAR_FROM", 2)
        monkeypatch.setattr(large, "POSTINGS_FROM", 2)
        monkeypatch.setattr(large, "BEHIND_AT_LEAST", 1)


class TestSQLiteTiers(InAFile, TierContract):
    @pytest.fixture
    def open_beside(self) -> Callable[[Store], Store]:
        def beside(store: Store) -> Store:
            assert isinstance(store, SQLiteStore)
            return SQLiteStore(store.path)

        return beside
