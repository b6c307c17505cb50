"""PostgreSQL as the truth, words and meaning found by other engines: the whole contract."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.stores.composite import CompositeStore
from recollect.stores.in_memory import InMemoryStore
from recollect.stores.protocol import Store
from recollect.stores.retrievers import MEANING, WORDS
from recollect.stores.sqlite.store import SQLiteStore
from recollect.stores.store_retriever import StoreRetriever
from recollect.testing import StoreContract


class TestPostgresIsTheTruth(StoreContract):
    @pytest.fixture
    def make_store(self, make_store: Callable[[], Store], quick_path: Path) -> Callable[[], Store]:
        numbers = itertools.count()

        def make() -> Store:
            beside = SQLiteStore(quick_path / f"{next(numbers)}.db")
            return CompositeStore(
                make_store(),
                [
                    StoreRetriever(beside, name="words", finds=[WORDS]),
                    StoreRetriever(InMemoryStore(), name="meaning", finds=[MEANING]),
                ],
                truth_answers=False,  # what the engines do not find is not found
            )

        return make
