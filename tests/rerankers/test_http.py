"""The client, against a real server on a local port that speaks `/rerank`, well and badly."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from bethink.errors import RerankerError
from bethink.rerankers.http import HttpReranker
from bethink.rerankers.loading import reranker_named
from bethink.rerankers.protocol import score_texts
from bethink.settings import Settings
from tests.embedders.serving import Reply, Server, server_at

KEY = "rk-Very-Secret-0123456789"
TEXTS = ["The invoice is due", "深色主题 dark mode", "third"]


def results(*scores: float, name: str = "relevance_score") -> list[dict[str, Any]]:
    return [{"index": at, name: score} for at, score in enumerate(scores)]


def say(data: Any) -> Reply:
    return Reply(body=json.dumps(data).encode())


@pytest.fixture
def server() -> Iterator[Server]:
    with server_at("", lambda request: say({"results": results(0.1, 0.9, 0.4)[::-1]})) as one:
        yield one


@pytest.fixture
def client(server: Server) -> Iterator[HttpReranker]:
    one = HttpReranker("small", endpoint=f"{server.address}/v1", key=f" {KEY}\n")
    yield one
    one.close()


def ask(client: HttpReranker, *, seconds: float = 5.0) -> list[float]:
    return score_texts(client, "which theme? 主题", TEXTS, seconds=seconds)


def test_what_is_sent_and_scores_in_the_order_asked(server: Server, client: HttpReranker) -> None:
    assert ask(client) == [0.1, 0.9, 0.4]
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/v1/rerank")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.json == {
        "model": "small",
        "query": "which theme? 主题",
        "documents": TEXTS,
        "top_n": 3,
    }


def test_half_a_character_and_nothing(server: Server, client: HttpReranker) -> None:
    server.answer = lambda request: say({"results": results(0.5, 0.5)})
    assert client.score("\ud800", ["\ud800", ""], seconds=5) == [0.5, 0.5]
    assert server.requests[0].json["documents"] == ["?", " "]
    assert client.score("?", [], seconds=5) == []
    assert len(server.requests) == 1


def test_text_embeddings_inference(server: Server) -> None:
    server.answer = lambda request: say(results(-3.2, 4.5, 1, name="score"))
    client = reranker_named("tei", Settings(reranker_endpoint=f"{server.address}/rerank/"))
    assert client is not None
    assert client.name == "tei"
    assert client.score("主题", TEXTS, seconds=5) == [-3.2, 4.5, 1.0]
    (request,) = server.requests
    assert request.path == "/rerank"
    assert request.json == {"query": "主题", "texts": TEXTS, "truncate": True}
    assert "authorization" not in request.headers
    client.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Reply(body=b"<html>"), "did not answer with JSON"),
        (Reply(body=b"\xff\xfe"), "did not answer with JSON"),
        (say({}), "no list of results"),
        (say("well"), "no list of results"),
        (say({"results": {}}), "no list of results"),
        (say({"results": ["a", "b", "c"]}), "no index or no score"),
        (say({"results": [{"index": 0}, {"index": 1}, {"index": 2}]}), "no index or no score"),
        (say({"results": [{"index": "0", "score": 1.0}] * 3}), "no index or no score"),
        (say({"results": [{"index": True, "score": 1.0}] * 3}), "no index or no score"),
        (say({"results": results(0.1, 0.2)}), "exactly one score to each of 3 texts"),
        (say({"results": results(0.1, 0.2, 0.3, 0.4)}), "exactly one score"),
        (say({"results": [{"index": 0, "score": 1.0}] * 3}), "exactly one score"),
        (say({"results": [{"index": n, "score": 1.0} for n in (1, 2, 3)]}), "exactly one score"),
        (say({"results": results(0.1, float("nan"), 0.3)}), "NaN or infinite"),
        (say({"results": results(0.1, float("inf"), 0.3)}), "NaN or infinite"),
        (Reply(body=b"[" * 1_100_000), "more than 1,000,000 bytes"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nonsense_is_refused(server: Server, client: HttpReranker, reply: Reply, says: str) -> None:
    server.answer = lambda request: reply
    with pytest.raises(RerankerError) as caught:
        ask(client)
    assert says in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_busy_server_is_asked_again(server: Server, client: HttpReranker, status: int) -> None:
    server.busy_until_the_third(status, say({"results": results(0.1, 0.9, 0.4)}))
    assert ask(client) == [0.1, 0.9, 0.4]
    assert len(server.requests) == 3


def test_it_gives_up_and_says_why(server: Server, client: HttpReranker) -> None:
    server.answer = lambda request: Reply(500, b"out of memory", {"retry-after": "0"})
    with pytest.raises(RerankerError, match="cannot be used: it answered 500: out of memory"):
        ask(client)
    assert len(server.requests) == 3


def test_nobody_waits_beyond_the_time(server: Server, client: HttpReranker) -> None:
    server.answer = lambda request: Reply(503, b"", {"retry-after": "60"})
    with pytest.raises(RerankerError, match="it answered 503"):
        ask(client, seconds=1)
    assert len(server.requests) == 1
    with pytest.raises(RerankerError, match="no time left"):
        ask(client, seconds=0)


@pytest.mark.parametrize("status", [400, 401, 404, 422, 301])
def test_what_will_not_change_is_not_asked_again(
    server: Server, client: HttpReranker, status: int
) -> None:
    server.refuse(status, KEY)
    with pytest.raises(RerankerError, match=f"answered {status}") as caught:
        ask(client)
    assert len(server.requests) == 1
    assert KEY not in str(caught.value)


def test_a_silent_server_is_left(server: Server, client: HttpReranker) -> None:
    server.answer = lambda request: Reply(503, b"")
    with pytest.raises(RerankerError, match="it answered 503"):
        ask(client, seconds=1)  # so that loading the client is not part of the time below
    server.answer = lambda request: (time.sleep(2), say({}))[1]  # type: ignore[func-returns-value]
    with pytest.raises(RerankerError, match="ReadTimeout"):
        ask(client, seconds=0.5)


def test_nobody_there_and_the_password_is_not_shown() -> None:
    client = HttpReranker("small", endpoint="http://me:pass-word@127.0.0.1:1", key=KEY)
    with pytest.raises(RerankerError, match="ConnectError") as caught:
        ask(client, seconds=3)
    client.close()
    assert KEY not in str(caught.value)
    assert "pass-word" not in str(caught.value)


@pytest.mark.parametrize("endpoint", ["not an address", "ftp://x/v1", "http://x:port"])
def test_a_bad_address_says_what_to_set(endpoint: str) -> None:
    client = HttpReranker("small", endpoint=endpoint)
    with pytest.raises(RerankerError, match="bethink config set reranker_endpoint URL"):
        ask(client)
    client.close()


def test_names() -> None:
    somewhere = Settings(reranker_endpoint="http://127.0.0.1:1")
    assert reranker_named("none", somewhere) is reranker_named("", somewhere) is None
    for name in ("http:small", "tei", "onnx:/somewhere"):
        found = reranker_named(name, somewhere)
        assert found is not None
        assert found.name == name
    for name in ("small", "http", "http:", "onnx:", "tei:small"):
        with pytest.raises(RerankerError, match="hf:OWNER/NAME, http:MODEL, tei, onnx:DIRECTORY"):
            reranker_named(name, somewhere)
    with pytest.raises(RerankerError, match="bethink config set reranker_endpoint URL"):
        reranker_named("http:small", Settings())
    with pytest.raises(RerankerError, match="bethink config set reranker_key KEY") as caught:
        HttpReranker("small", endpoint="http://x", key=f"{KEY}钥")
    assert KEY not in str(caught.value)


def test_a_missing_extra_is_named(client: HttpReranker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(RerankerError, match=r"pip install 'bethink\[http\]'"):
        ask(client)
