"""A real Qdrant for the session; where it cannot be had or started, these tests fail."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bethink.stores.qdrant.retriever import QdrantRetriever
from bethink.stores.retriever_address import parse_address
from bethink.stores.retrievers import Retriever
from tests.servers.qdrant_server import QdrantServer

SCRIPT = Path(__file__).parents[3] / "scripts" / "qdrant"


@pytest.fixture(scope="session")
def qdrant_binary() -> Path:
    told = subprocess.run(["bash", str(SCRIPT)], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    return Path(told.stdout.strip())


@pytest.fixture(scope="session")
def server(qdrant_binary: Path) -> Iterator[QdrantServer]:
    with QdrantServer.started(qdrant_binary) as server:
        yield server


@pytest.fixture(autouse=True)
def nothing_is_left(server: QdrantServer) -> Iterator[None]:
    yield
    server.clear()


@pytest.fixture
def make_retriever(server: QdrantServer) -> Callable[[], Retriever]:
    return lambda: QdrantRetriever(parse_address(server.new_address()))
