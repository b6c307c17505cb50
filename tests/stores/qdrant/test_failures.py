"""A Qdrant that is away, hangs, refuses, was restarted or emptied: told plainly, nothing lost."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from qdrant_client import QdrantClient
from qdrant_client import models as q

from bethink.errors import FingerprintMismatch, StoreBusy, StoreError, StoreUnavailable
from bethink.stores.qdrant.collections import check_version
from bethink.stores.qdrant.retriever import QdrantRetriever
from bethink.stores.retriever_address import parse_address
from bethink.stores.retrievers import Changes, Position, Retriever, RetrieverUnfit, Seen
from bethink.testing.entries import ToyEmbedder, make_memory
from bethink.testing.retriever_contract import POSITION, TOY, keys, told
from tests.servers.qdrant_server import QdrantServer


@pytest.fixture
def own_server(qdrant_binary: Path) -> Iterator[QdrantServer]:
    with QdrantServer.started(qdrant_binary) as server:
        yield server


@pytest.fixture
def retriever(server: QdrantServer) -> Iterator[QdrantRetriever]:
    retriever = QdrantRetriever(parse_address(server.new_address()))
    yield retriever
    retriever.close()


def ask(retriever: Retriever, text: str = "alpha 数据库", limit: int = 1) -> list[Seen]:
    return retriever.search_meaning(
        TOY.embed([text])[0],
        fingerprint=TOY.fingerprint,
        spaces=["global"],
        where=None,
        limit=limit,
    )


def test_killed_it_still_has_what_it_took(own_server: QdrantServer) -> None:
    by_grpc = own_server.new_address(grpc=str(own_server.grpc_port))
    for address in (own_server.new_address(), by_grpc):
        retriever = QdrantRetriever(parse_address(address), timeout=5)
        retriever.apply(told(make_memory("alpha 数据库", "a")))
        retriever.set_position(POSITION)
        own_server.stop()
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            ask(retriever)
        own_server.start()
        assert position_once_reached(retriever) == POSITION
        assert keys(ask(retriever)) == [("a", 0)]
        retriever.close()


def position_once_reached(retriever: Retriever) -> Position | None:
    """gRPC pauses before it connects again."""
    for _ in range(100):
        try:
            return retriever.position()
        except StoreUnavailable:
            time.sleep(0.1)
    return retriever.position()


def test_one_that_hangs(own_server: QdrantServer) -> None:
    retriever = QdrantRetriever(parse_address(own_server.new_address()), timeout=1)
    retriever.apply(told(make_memory("alpha 数据库", "a")))
    own_server.signal(signal.SIGSTOP)
    try:
        with pytest.raises(StoreUnavailable, match="did not answer in time"):
            ask(retriever)
    finally:
        own_server.signal(signal.SIGCONT)
    assert keys(ask(retriever)) == [("a", 0)]
    retriever.close()


def test_the_key_is_sent_and_never_told(qdrant_binary: Path) -> None:
    with QdrantServer.started(qdrant_binary, SERVICE__API_KEY="geheim") as locked:
        for key in ("falsch", ""):
            refused = QdrantRetriever(parse_address(locked.new_address(key)))
            with pytest.raises(StoreError, match="mend it in the address") as caught:
                refused.position()
            assert "falsch" not in f"{caught.value} {refused.name}"
            refused.close()
        let_in = QdrantRetriever(parse_address(locked.new_address("geheim")))
        assert let_in.position() is None
        let_in.close()


def test_a_key_that_goes_over_a_network_unencrypted_is_said_by_doctor_alone(
    qdrant_binary: Path, recwarn: pytest.WarningsRecorder
) -> None:
    with QdrantServer.started(qdrant_binary, SERVICE__API_KEY="geheim") as locked:
        here = locked.new_address("geheim")
        elsewhere = here.replace("127.0.0.1", "0.0.0.0")  # this machine too, and not called so
        said = []
        for address in (here, elsewhere):
            retriever = QdrantRetriever(parse_address(address))
            retriever.set_position(POSITION)
            said += [check for check in retriever.check() if check.part == "key"]
            retriever.close()
    (key,) = said
    assert key.ok and "unencrypted" in key.finding and "tls=yes" in key.finding
    assert not recwarn.list


def test_too_many_requests(retriever: QdrantRetriever, server: QdrantServer) -> None:
    retriever.apply(told(make_memory("alpha 数据库", "a")))
    client = QdrantClient(url=f"http://127.0.0.1:{server.port}", check_compatibility=False)
    strict = q.StrictModeConfig(enabled=True, read_rate_limit=1)
    for name in vectors_of(client, retriever):
        client.update_collection(name, strict_mode_config=strict)
    client.close()
    with pytest.raises(StoreBusy, match="tried again later"):
        for _ in range(5):
            ask(retriever)


def test_what_somebody_removed_is_made_anew(
    retriever: QdrantRetriever, server: QdrantServer
) -> None:
    memory = make_memory("alpha 数据库", "a")
    retriever.apply(told(memory))
    retriever.set_position(POSITION)
    client = QdrantClient(url=f"http://127.0.0.1:{server.port}", check_compatibility=False)
    for name in vectors_of(client, retriever):
        client.delete_collection(name)
    with pytest.raises(FingerprintMismatch, match="holds no vectors"):
        ask(retriever)
    with pytest.raises(RetrieverUnfit, match="was removed"):
        retriever.apply(told(memory))  # else it would look whole, and lack the others' vectors
    client.delete_collection(retriever.address.index)
    client.close()
    assert retriever.position() is None
    retriever.apply(told(memory))


def without_vector(retriever: QdrantRetriever, server: QdrantServer, memory: str) -> str:
    """Somebody removes the vector of a memory; the collection that held it."""
    client = QdrantClient(url=f"http://127.0.0.1:{server.port}", check_compatibility=False)
    (vectors,) = vectors_of(client, retriever)
    lost = q.Filter(must=[q.FieldCondition(key="memory", match=q.MatchValue(value=memory))])
    client.delete(vectors, q.FilterSelector(filter=lost), wait=True)
    client.close()
    return vectors


def test_vectors_that_somebody_removed_are_missed(
    retriever: QdrantRetriever, server: QdrantServer
) -> None:
    """What copies there are stands in one collection, what finds them in another."""
    retriever.apply(told(make_memory("alpha 数据库", "a"), make_memory("备份 beta", "b")))
    assert all(check.ok for check in retriever.check())
    vectors = without_vector(retriever, server, "b")
    (bad,) = [check for check in retriever.check() if not check.ok]
    assert bad.part == f"collection {vectors}"
    assert "1 of 2 vectors are missing" in bad.finding
    assert "bethink reindex --files" in bad.fix


def test_vectors_that_somebody_removed_are_missed_also_after_a_change_of_the_embedder(
    retriever: QdrantRetriever, server: QdrantServer
) -> None:
    memories = [make_memory("alpha 数据库", "a"), make_memory("备份 beta", "b")]
    new = ToyEmbedder("new")
    retriever.apply(told(*memories, by=[TOY, new]))
    retriever.apply(Changes(embeddings=(new.embedding,), vectors_gone=(TOY.fingerprint,)))
    assert all(check.ok for check in retriever.check())
    without_vector(retriever, server, "b")
    (bad,) = [check for check in retriever.check() if not check.ok]
    assert "1 of 2 vectors are missing" in bad.finding


def test_one_that_is_too_old() -> None:
    for version in ("1.16.0", "1.16.3", "2.0.0-dev"):
        check_version(version, "qdrant")
    for version in ("1.15.5", "1.9.7", "0.11.0", ""):
        with pytest.raises(StoreError, match=r"1\.16 or newer is needed: update it"):
            check_version(version, "qdrant")


def test_large_spaces_stay_near_to_exact(make_retriever: Callable[[], Retriever]) -> None:
    """More than fit one request, and a limit as the truth asks for where it must filter."""
    retriever = make_retriever()
    memories = [make_memory(f"number{n} 数{n}", f"m{n}") for n in range(600)]
    retriever.apply(told(*memories))
    assert len(ask(retriever, "number7 数7", 10_000)) == 600
    assert keys(ask(retriever, "number7 数7"))[0][0] == "m7"
    retriever.close()


def vectors_of(client: QdrantClient, retriever: QdrantRetriever) -> list[str]:
    names = [one.name for one in client.get_collections().collections]
    return [name for name in names if name.startswith(f"{retriever.address.index}--")]


def test_vectors_that_the_store_gave_up_are_not_missed(retriever: QdrantRetriever) -> None:
    memories = [make_memory("alpha 数据库", "a"), make_memory("beta 预算", "b")]
    retriever.apply(told(*memories))
    retriever.apply(Changes(embeddings=(TOY.embedding,), vectors_gone=(TOY.fingerprint,)))
    assert ask(retriever) == []
    assert all(check.ok for check in retriever.check())
    retriever.apply(told(*memories))
    assert keys(ask(retriever)) == [("a", 0)]
    assert all(check.ok for check in retriever.check())
