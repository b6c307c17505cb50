"""The server store keeps the same contracts as the embedded one, word for word."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bethink.stores.protocol import Store
from bethink.testing import StoreContract, TierContract


class OnPostgres:
    """How to make a store: the fixtures of this folder, which those of the contracts would hide."""

    @pytest.fixture
    def make_store(self, make_store: Callable[[], Store]) -> Callable[[], Store]:
        return make_store

    @pytest.fixture
    def reopen_store(self, reopen_store: Callable[[Store], Store]) -> Callable[[Store], Store]:
        return reopen_store

    @pytest.fixture
    def open_beside(self, open_beside: Callable[[Store], Store]) -> Callable[[Store], Store]:
        return open_beside


class TestPostgresStore(OnPostgres, StoreContract):
    pass


class TestPostgresTiers(OnPostgres, TierContract):
    pass
