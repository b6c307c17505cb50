"""The whole store contract with SQLite as the truth, meaning in a real Qdrant and words on the wire
to a strict Elasticsearch; what the engines do not find is not found."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bethink.stores.composite import CompositeStore
from bethink.stores.elastic.retriever import ElasticRetriever
from bethink.stores.protocol import Store
from bethink.stores.qdrant.retriever import QdrantRetriever
from bethink.stores.retriever_address import RetrieverAddress, parse_address
from bethink.stores.retrievers import Retriever
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import StoreContract, run_programs
from tests.contract.composites import PATIENT
from tests.servers.qdrant_server import QdrantServer
from tests.stores.elastic.strict_server import StrictServer


class Opened:
    """Stores by their files, each with a collection and an index of its own."""

    def __init__(self, folder: Path, qdrant: QdrantServer, elastic: StrictServer) -> None:
        self._folder, self._qdrant, self._elastic = folder, qdrant, elastic
        self._numbers = itertools.count()
        self._addresses: dict[Path, tuple[RetrieverAddress, RetrieverAddress]] = {}

    def new(self) -> Store:
        path = self._folder / f"{next(self._numbers)}.db"
        meaning = parse_address(self._qdrant.new_address())
        words = parse_address(self._elastic.address(f"memories-{path.stem}"))
        self._addresses[path] = (meaning, words)
        return self._open(path)

    def _open(self, path: Path) -> CompositeStore:
        meaning, words = self._addresses[path]
        retrievers: list[Retriever] = [QdrantRetriever(meaning), ElasticRetriever(words)]
        return CompositeStore(SQLiteStore(path), retrievers, truth_answers=False, bounds=PATIENT)

    def again(self, store: Store) -> Store:
        assert isinstance(store, CompositeStore)
        store.close()
        return self._open(store.path)

    def clear(self) -> None:
        """Hundreds of collections that nobody uses make a server slow."""
        for meaning, _ in self._addresses.values():
            retriever = QdrantRetriever(meaning)
            retriever.clear()
            retriever.close()


@pytest.fixture
def elastic() -> Iterator[StrictServer]:
    with StrictServer.started() as server:
        yield server


@pytest.fixture
def opened(quick_path: Path, server: QdrantServer, elastic: StrictServer) -> Iterator[Opened]:
    opened = Opened(quick_path, server, elastic)
    yield opened
    opened.clear()


class TestQdrantAndElasticsearch(StoreContract):
    @pytest.fixture
    def make_store(self, opened: Opened) -> Callable[[], Store]:
        return opened.new

    @pytest.fixture
    def reopen_store(self, opened: Opened) -> Callable[[Store], Store]:
        return opened.again

    def test_random_programs(
        self, make_store: Callable[[], Store], reopen_store: Callable[[Store], Store]
    ) -> None:
        """Fewer than elsewhere: a step is a dozen requests."""
        run_programs(make_store, reopen=reopen_store, examples=6)
