"""Whatever goes wrong there becomes an error that says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from bethink.errors import BethinkError, StoreBusy, StoreError, StoreFull, StoreUnavailable
from bethink.stores.elastic.retriever import ElasticRetriever
from bethink.stores.retriever_address import parse_address
from bethink.stores.retrievers import Changes, RetrieverUnfit
from bethink.testing.entries import ToyEmbedder, make_memory
from bethink.testing.retriever_contract import POSITION, TOY, keys, told
from bethink.text.tokenise import query_terms
from tests.stores.elastic.strict_server import StrictServer


@pytest.fixture(params=[False, True], ids=["elasticsearch", "opensearch"])
def elastic(request: pytest.FixtureRequest) -> Iterator[StrictServer]:
    version = "2.19.0" if request.param else "9.1.0"
    with StrictServer.started(opensearch=request.param, version=version) as server:
        yield server


@pytest.fixture
def retriever(elastic: StrictServer) -> Iterator[ElasticRetriever]:
    retriever = ElasticRetriever(parse_address(elastic.address("memories")), timeout=5)
    yield retriever
    retriever.close()


def ask(retriever: ElasticRetriever, text: str = "alpha 数据库") -> list[tuple[str, int]]:
    return keys(retriever.search_words(query_terms(text), spaces=["global"], where=None, limit=10))


REFUSALS: list[tuple[str, int, str, str, type[BethinkError], str]] = [
    ("_msearch", 401, "security_exception", "missing credentials", StoreError, "mend the key"),
    ("_msearch", 403, "security_exception", "unauthorized", StoreError, "'manage', 'read'"),
    ("_msearch", 429, "es_rejected_execution_exception", "queue", StoreBusy, "tried again later"),
    ("_msearch", 503, "search_phase_execution_exception", "all shards failed", StoreUnavailable,
     "_cluster/health"),
    ("_msearch", 503, "cluster_block_exception", "state not recovered", StoreUnavailable, "shards"),
    ("_msearch", 500, "null_pointer_exception", "oh", StoreUnavailable, "see its log"),
    ("_msearch", 400, "too_many_clauses", "maxClauseCount", StoreError, "version and limits"),
    ("_bulk", 403, "cluster_block_exception", "disk usage exceeded flood-stage", StoreFull, "room"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "status", "kind", "reason", "error", "what_to_do"), REFUSALS)
def test_each_refusal_says_what_to_do(
    elastic: StrictServer,
    retriever: ElasticRetriever,
    path: str,
    status: int,
    kind: str,
    reason: str,
    error: type[BethinkError],
    what_to_do: str,
) -> None:
    memory = make_memory("alpha 数据库", "a")
    retriever.apply(told(memory))
    elastic.refuse(path, status, kind, reason)
    with pytest.raises(error) as caught:
        if path == "_bulk":
            retriever.apply(told(memory))
        else:
            ask(retriever)
    assert type(caught.value) is error
    assert what_to_do in str(caught.value)
    assert reason in str(caught.value)
    assert ask(retriever) == [("a", 0)]  # it was that request only


def test_too_many_writes_are_spread_out(elastic: StrictServer, retriever: ElasticRetriever) -> None:
    elastic.refuse("_bulk", 429, "es_rejected_execution_exception", "queue is full", times=2)
    retriever.apply(told(make_memory("alpha 数据库", "a")))
    assert ask(retriever) == [("a", 0)]
    assert elastic.asked.count(("POST", "/_bulk")) >= 3


def test_one_that_is_not_there(elastic: StrictServer) -> None:
    away = parse_address(elastic.address("memories").replace(str(elastic.port), "1"))
    retriever = ElasticRetriever(away)
    with pytest.raises(StoreUnavailable, match="see that it runs and listens"):
        retriever.position()
    retriever.close()


def test_one_that_hangs(elastic: StrictServer) -> None:
    elastic.delay = 1.0
    retriever = ElasticRetriever(parse_address(elastic.address("memories")), timeout=0.2)
    with pytest.raises(StoreUnavailable, match="did not answer in time"):
        retriever.position()
    retriever.close()


def test_one_that_is_too_old(elastic: StrictServer, retriever: ElasticRetriever) -> None:
    elastic.version = "1.3.20"
    with pytest.raises(StoreError, match=r"version 1\.3\.20; .* or newer is needed"):
        retriever.position()
    elastic.version = "9.0.0"
    assert retriever.position() is None


def test_the_key_is_sent_and_never_told(elastic: StrictServer) -> None:
    elastic.let_in("memory", "geheim-密码")
    wrong = parse_address(elastic.address("memories", account="memory:falsch"))
    right = parse_address(elastic.address("memories", account="memory:geheim-%E5%AF%86%E7%A0%81"))
    for address in (wrong, right):
        retriever = ElasticRetriever(address)
        if address is right:
            assert retriever.position() is None
        else:
            with pytest.raises(StoreError, match="mend the key") as caught:
                retriever.position()
            assert "falsch" not in f"{caught.value} {retriever.name} {address}"
        retriever.close()


def test_a_key_is_sent_as_one(elastic: StrictServer) -> None:
    elastic.keys.add("ApiKey Z2VoZWlt/+==")
    for account, let_in in (("Z2VoZWlt%2F+==", True), ("falsch", False), ("", False)):
        retriever = ElasticRetriever(parse_address(elastic.address("memories", account=account)))
        if let_in:
            assert retriever.position() is None
        else:
            with pytest.raises(StoreError, match="mend the key") as caught:
                retriever.position()
            assert "falsch" not in str(caught.value)
        retriever.close()


def test_an_index_of_somebody_else_is_left_alone(
    elastic: StrictServer, retriever: ElasticRetriever
) -> None:
    retriever.apply(told(make_memory("alpha", "a")))
    elastic.indexes["memories"].body["mappings"]["_meta"] = {"of": "another program"}
    for act in (retriever.position, retriever.clear, lambda: retriever.set_position(POSITION)):
        with pytest.raises(StoreError, match="was not made by this version of Bethink"):
            act()
    assert len(elastic.indexes["memories"].live) == 1


def test_an_index_that_somebody_removed(elastic: StrictServer, retriever: ElasticRetriever) -> None:
    retriever.apply(told(make_memory("alpha", "a")))
    retriever.set_position(POSITION)
    del elastic.indexes["memories"]
    with pytest.raises(RetrieverUnfit, match="made anew"):
        ask(retriever)
    assert retriever.position() is None  # so the composite makes it anew


def test_a_mapping_that_is_not_ours(elastic: StrictServer, retriever: ElasticRetriever) -> None:
    memory = make_memory("alpha", "a")
    retriever.apply(told(memory))
    del elastic.indexes["memories"].body["mappings"]["properties"]["facts"]
    with pytest.raises(RetrieverUnfit, match="mapping is not ours"):
        retriever.apply(told(memory))


def test_vectors_that_are_too_long_for_it() -> None:
    """Of Elasticsearch: OpenSearch is never asked by meaning."""
    long = ToyEmbedder("long", 4_097)
    with (
        StrictServer.started() as server,
        closing(
            ElasticRetriever(parse_address(server.address("memories", finds="words,meaning")))
        ) as retriever,
    ):
        with pytest.raises(StoreError, match="have 4,097 numbers; it keeps 4,096 at most"):
            retriever.apply(told(make_memory("alpha 数据库", "a"), by=[long]))
        fits = ToyEmbedder("fits", 4_096)
        retriever.apply(told(make_memory("alpha 数据库", "a"), by=[fits]))
        assert ask(retriever) == [("a", 0)]


def test_a_red_cluster_is_told(elastic: StrictServer, retriever: ElasticRetriever) -> None:
    retriever.apply(told(make_memory("alpha", "a")))
    elastic.health = "red"
    (check,) = retriever.check()
    assert not check.ok
    assert "red" in check.finding
    assert "allocation/explain" in check.fix


def test_what_is_erased_leaves_the_files(
    elastic: StrictServer, retriever: ElasticRetriever
) -> None:
    retriever.apply(told(make_memory("alpha 密", "a"), make_memory("beta", "b")))
    retriever.apply(Changes(embeddings=(TOY.embedding,), gone=("a",)))
    assert elastic.indexes["memories"].deleted == 1
    assert retriever.finish_erasing(["alpha 密"])
    assert elastic.indexes["memories"].deleted == 0
    paths = [path for _, path in elastic.asked]
    assert paths.index("/memories/_forcemerge") < paths.index("/memories/_flush")


def test_elasticsearch_and_opensearch_are_told_apart() -> None:
    with StrictServer.started(opensearch=True, version="2.19.0") as opensearch:
        address = opensearch.address("memories").replace("opensearch://", "elasticsearch://")
        retriever = ElasticRetriever(parse_address(address))
        with pytest.raises(StoreError, match="for OpenSearch write opensearch://"):
            retriever.position()
        retriever.close()


def test_an_answer_of_some_shards_is_no_answer(
    elastic: StrictServer, retriever: ElasticRetriever
) -> None:
    """It would look as if less were there."""
    retriever.apply(told(make_memory("alpha 数据库", "a")))
    elastic.failed_shards = 1
    for search in (lambda: ask(retriever), lambda: retriever.copies(cursor=None, limit=10)):
        with pytest.raises(StoreUnavailable, match="search_phase_execution_exception"):
            search()
    whole = {"timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": []}}
    for partly in ({"timed_out": True}, {"_shards": {"failed": 1}}):
        with pytest.raises(StoreUnavailable, match="some shards did not answer"):
            retriever._server._whole(whole | partly)
    elastic.failed_shards = 0
    assert ask(retriever) == [("a", 0)]


def test_a_deletion_that_met_another_writer_begins_again(
    elastic: StrictServer, retriever: ElasticRetriever
) -> None:
    retriever.apply(told(make_memory("alpha 数据库", "a")))
    index = elastic.indexes["memories"]
    ((key, (_, document)),) = [(k, d) for k, d in index.live.items() if "memory" in d[1]]
    index.put(key, document)  # after the last refresh: searches see the former
    retriever.apply(Changes(embeddings=(TOY.embedding,), gone=("a",)))
    assert key not in index.live
    assert ask(retriever) == []


def test_a_deletion_that_failed_in_part_is_an_error(
    elastic: StrictServer, retriever: ElasticRetriever
) -> None:
    retriever.apply(told(make_memory("alpha 数据库", "a")))
    cause = {"type": "cluster_block_exception", "reason": "index read-only, disk flood-stage"}
    elastic.delete_failures = [{"index": "memories", "status": 403, "cause": cause}]
    with pytest.raises(StoreFull, match="make some there"):
        retriever.apply(Changes(embeddings=(TOY.embedding,), gone=("a",)))


def test_of_a_batch_that_was_taken_in_part_all_is_sent_again(
    elastic: StrictServer, retriever: ElasticRetriever
) -> None:
    retriever.apply(told(make_memory("zero", "z")))
    elastic.refuse_items["memories"] = [429, 201]
    retriever.apply(told(make_memory("alpha 数据库", "a"), make_memory("beta 数据库", "b")))
    assert sorted(ask(retriever, "数据库")) == [("a", 0), ("b", 0)]


@pytest.mark.parametrize("statuses", [[429, 400], [400, 429], [201, 429, 400, 429]])
def test_of_a_batch_that_was_refused_for_several_reasons_the_gravest_is_told(
    elastic: StrictServer, retriever: ElasticRetriever, statuses: list[int]
) -> None:
    """What is only busy would be tried again, in vain and for seconds."""
    retriever.apply(told(make_memory("zero", "z")))
    batch = told(*(make_memory(f"alpha 数据库 {n}", f"m{n}") for n in range(len(statuses))))
    elastic.refuse_items["memories"] = list(statuses)
    elastic.asked.clear()
    with pytest.raises(StoreError, match=r"refused a request.*immense term") as caught:
        retriever.apply(batch)
    assert not isinstance(caught.value, StoreBusy)
    assert elastic.asked.count(("POST", "/_bulk")) == 1
    retriever.apply(batch)  # nothing of it is lost for who mends the cause
    assert len(ask(retriever, "数据库")) == len(statuses)


def test_a_batch_that_is_too_large_is_sent_in_smaller_ones(
    elastic: StrictServer, retriever: ElasticRetriever
) -> None:
    """A proxy before the server may take a megabyte and no more."""
    elastic.most_bytes = 3_000
    retriever.apply(told(*(make_memory(f"alpha 数据库 {n}", f"m{n}") for n in range(20))))
    assert len(ask(retriever)) == 10
    assert len(retriever.copies(cursor=None, limit=100).copies) == 20
    elastic.most_bytes = 50
    with pytest.raises(StoreError, match=r"as too large.*limits"):
        retriever.apply(told(make_memory("gamma", "g")))
