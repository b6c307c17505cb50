"""The retriever contract on a real Qdrant, by HTTP and by gRPC."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bethink.stores.qdrant.retriever import QdrantRetriever
from bethink.stores.retriever_address import parse_address
from bethink.stores.retrievers import Retriever
from bethink.testing import RetrieverContract
from tests.servers.qdrant_server import QdrantServer


class TestQdrant(RetrieverContract):
    @pytest.fixture
    def make_retriever(self, server: QdrantServer) -> Callable[[], Retriever]:
        return lambda: QdrantRetriever(parse_address(server.new_address()))

    @pytest.fixture
    def reopen_retriever(self) -> Callable[[Retriever], Retriever]:
        return reopened


class TestQdrantByGrpc(TestQdrant):
    @pytest.fixture
    def make_retriever(self, server: QdrantServer) -> Callable[[], Retriever]:
        port = str(server.grpc_port)
        return lambda: QdrantRetriever(parse_address(server.new_address(grpc=port)))


def reopened(retriever: Retriever) -> Retriever:
    assert isinstance(retriever, QdrantRetriever)
    retriever.close()
    return QdrantRetriever(retriever.address)
