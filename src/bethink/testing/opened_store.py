"""A store for each test, made and closed; who tests a store of their own says how to make one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from bethink.stores.protocol import Store


class OpenedStore:
    @pytest.fixture
    def make_store(self) -> Callable[[], Store]:
        raise NotImplementedError("give a fixture 'make_store' that returns a new, empty store")

    @pytest.fixture
    def reopen_store(self) -> Callable[[Store], Store]:
        """How to close a store and open it again; the same one where there is nothing to open."""
        return lambda store: store

    @pytest.fixture
    def store(self, make_store: Callable[[], Store]) -> Iterator[Store]:
        store = make_store()
        yield store
        store.close()
