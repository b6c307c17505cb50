from __future__ import annotations

from collections.abc import Callable

import pytest

from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Store
from bethink.testing import StoreContract, TierContract


class TestInMemoryStore(StoreContract):
    @pytest.fixture
    def make_store(self) -> Callable[[], Store]:
        return InMemoryStore


class TestInMemoryTiers(TierContract):
    @pytest.fixture
    def make_store(self) -> Callable[[], Store]:
        return InMemoryStore
