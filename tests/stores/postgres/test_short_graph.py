"""Where the graph of a large space comes short, all of it is ranked: an answer is never emptied."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import psycopg
import pytest

from bethink.filters import parse_filter
from bethink.stores.postgres import near
from bethink.stores.postgres.store import PostgresStore
from bethink.testing import ToyEmbedder, make_entry, make_memory
from tests.servers.postgres_server import PostgresServer

TOY = ToyEmbedder("toy", 16)
QUESTION = np.eye(1, 16, 0, dtype=np.float32)[0]
EACH = 600  # more than are looked at in the graph at first


@pytest.fixture
def address(server: PostgresServer) -> str:
    """Its graph is asked, and gives up at once, as one of millions does after 20,000."""
    made = server.new_database()
    name = made.partition("?")[0].rpartition("/")[2]
    server.execute(
        f"ALTER DATABASE {name} SET hnsw.max_scan_tuples = 1",
        f"ALTER DATABASE {name} SET enable_seqscan = off",
        f"ALTER DATABASE {name} SET enable_sort = off",
    )
    return made


@pytest.fixture
def store(address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresStore]:
    """Half of it lies near to the question, half far from it."""
    monkeypatch.setattr(near, "INDEX_FROM", 2)
    monkeypatch.setattr(near, "_EXACT_UP_TO", 10)
    chance = np.random.default_rng(3)
    entries = []
    for n in range(2 * EACH):
        vector = chance.normal(0, 0.1, 16)
        vector[0 if n < EACH else 1] += 1
        name, sure = (f"near{n}", 0.9) if n < EACH else (f"far{n}", 0.3)
        memory = make_memory(f"memory 记忆 {n}", name, confidence=sure)
        made = (vector / np.linalg.norm(vector)).astype(np.float32)
        entries.append(make_entry(memory, TOY)._replace(vectors=made[None, :]))
    with closing(PostgresStore(address)) as store:
        store.declare(TOY.embedding)
        store.put(entries, fingerprint=TOY.fingerprint)
        store.maintain()
        yield store


def found(store: PostgresStore, **where: object) -> list[str]:
    hits = store.search_meaning(
        QUESTION,
        fingerprint=TOY.fingerprint,
        spaces=["global"],
        where=parse_filter(where or None),
        limit=10,
    )
    return [hit.memory_id for hit in hits]


def test_by_a_filter_that_all_the_nearest_fail(store: PostgresStore) -> None:
    assert len(found(store, confidence={"<": 0.5})) == 10


def test_by_the_forgotten_that_others_still_read(store: PostgresStore, address: str) -> None:
    with psycopg.connect(address) as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT 1")
        store.delete([f"near{n}" for n in range(EACH)])
        hits = found(store)
        assert len(hits) == 10
        assert all(name.startswith("far") for name in hits)
