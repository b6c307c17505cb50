from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from bethink.stores.in_memory import InMemoryStore
from bethink.stores.retrievers import MEANING, WORDS, Retriever
from bethink.stores.sqlite.store import SQLiteStore
from bethink.stores.store_retriever import StoreRetriever
from bethink.testing import RetrieverContract


class TestReferenceAsRetriever(RetrieverContract):
    @pytest.fixture
    def make_retriever(self) -> Callable[[], Retriever]:
        return lambda: StoreRetriever(InMemoryStore(), name="reference")


class TestSQLiteAsRetriever(RetrieverContract):
    @pytest.fixture
    def make_retriever(self, quick_path: Path) -> Callable[[], Retriever]:
        numbers = itertools.count()
        return lambda: StoreRetriever(SQLiteStore(quick_path / f"{next(numbers)}.db"), name="file")

    @pytest.fixture
    def reopen_retriever(self, quick_path: Path) -> Callable[[Retriever], Retriever]:
        def reopen(retriever: Retriever) -> Retriever:
            retriever.close()
            (path,) = quick_path.glob("*.db")
            return StoreRetriever(SQLiteStore(path), name="file")

        return reopen


class TestWordsOnly(RetrieverContract):
    @pytest.fixture
    def make_retriever(self) -> Callable[[], Retriever]:
        return lambda: StoreRetriever(InMemoryStore(), name="words", finds=[WORDS])


class TestMeaningOnly(RetrieverContract):
    @pytest.fixture
    def make_retriever(self) -> Callable[[], Retriever]:
        return lambda: StoreRetriever(InMemoryStore(), name="meaning", finds=[MEANING])
