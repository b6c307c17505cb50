"""The retriever contract on the wire, against a server that refuses what the API does not document.
No Elasticsearch takes part here; `test_live.py` is for one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

from bethink.stores.elastic.retriever import ElasticRetriever
from bethink.stores.retriever_address import parse_address
from bethink.stores.retrievers import Retriever
from bethink.testing import RetrieverContract
from tests.stores.elastic.strict_server import StrictServer


def reopened(retriever: Retriever) -> Retriever:
    assert isinstance(retriever, ElasticRetriever)
    retriever.close()
    return ElasticRetriever(retriever.address)


class TestWordsAndMeaning(RetrieverContract):
    finds = "words,meaning"

    @pytest.fixture
    def make_retriever(self, elastic: StrictServer) -> Callable[[], Retriever]:
        numbers = itertools.count()
        return lambda: ElasticRetriever(
            parse_address(elastic.address(f"memories-{next(numbers)}", finds=self.finds))
        )

    @pytest.fixture
    def reopen_retriever(self) -> Callable[[Retriever], Retriever]:
        return reopened


class TestOpenSearch(TestWordsAndMeaning):
    finds = "words"

    @pytest.fixture
    def elastic(self) -> Iterator[StrictServer]:
        with StrictServer.started(opensearch=True, version="2.19.0") as server:
            yield server
