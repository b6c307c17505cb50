from __future__ import annotations

from collections.abc import Callable

import pytest

from recollect.stores.in_memory import InMemoryStore
from recollect.stores.protocol import Store
from recollect.testing import StoreContract, TierContract


class TestInMemoryStore(StoreContract):
    @pytest.fixture
    def make_store(self) -> Callable[[], Store]:
        return InMemoryStore


class TestInMemoryTiers(TierContract):
    @pytest.fixture
    def make_store(self) -> Callable[[], Store]:
        return InMemoryStore
