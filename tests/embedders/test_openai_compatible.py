"""The client, against a real server on a local port that speaks `/embeddings`, well and badly."""

from __future__ import annotations

import base64
import json
import struct
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from bethink.embedders.hashing import HashingEmbedder
from bethink.embedders.openai_compatible import OpenAICompatible
from bethink.embedders.protocol import Embedder, embed_texts
from bethink.errors import EmbedderError
from bethink.testing import EmbedderContract
from tests.embedders.serving import Reply, Request, Server, server_at

KEY = "sk-Very-Secret-0123456789"


def vector_of(text: str) -> list[float]:
    row: list[float] = HashingEmbedder().embed([text], kind="document")[0].tolist()
    return row


def encode(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def well(request: Request, *, floats: bool = False, shuffle: bool = False) -> Reply:
    """What a good server answers."""
    assert (request.method, request.path) == ("POST", "/v1/embeddings")
    texts = request.json["input"]
    data: list[dict[str, Any]] = [
        {"index": i, "embedding": vector_of(t) if floats else encode(vector_of(t))}
        for i, t in enumerate(texts)
    ]
    return say(data[::-1] if shuffle else data)


def say(data: Any) -> Reply:
    return Reply(body=json.dumps({"object": "list", "data": data}).encode())


def client_of(server: Server, **options: Any) -> OpenAICompatible:
    return OpenAICompatible("small", **{"endpoint": server.address, "key": KEY, **options})


@pytest.fixture
def server() -> Iterator[Server]:
    with server_at("/v1", well) as one:
        yield one


class TestOpenAICompatible(EmbedderContract):
    @pytest.fixture
    def embedder(self, server: Server) -> Iterator[Embedder]:
        client = client_of(server)
        yield client
        client.close()


@pytest.fixture
def client(server: Server) -> Iterator[OpenAICompatible]:
    one = client_of(server, dimension=512)
    yield one
    one.close()


@pytest.mark.parametrize("floats", [False, True], ids=["base64", "numbers"])
@pytest.mark.parametrize("shuffle", [False, True], ids=["in order", "shuffled"])
def test_vectors_come_in_the_order_asked(
    server: Server, client: OpenAICompatible, floats: bool, shuffle: bool
) -> None:
    server.answer = lambda request: well(request, floats=floats, shuffle=shuffle)
    texts = ["dark mode", "深色主题", "third"]
    got = client.embed(texts, kind="document")
    np.testing.assert_allclose(got, [vector_of(t) for t in texts], atol=1e-6)


def test_a_server_without_indexes_answers_in_order(
    server: Server, client: OpenAICompatible
) -> None:
    server.answer = lambda request: say(
        [{"embedding": vector_of(t)} for t in request.json["input"]]
    )
    got = client.embed(["a", "b"], kind="document")
    np.testing.assert_allclose(got, [vector_of("a"), vector_of("b")], atol=1e-6)


def test_what_is_sent(server: Server, client: OpenAICompatible) -> None:
    client.embed(["a", "\ud800", ""], kind="query")
    (request,) = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.json == {
        "model": "small",
        "input": ["a", "?", " "],
        "encoding_format": "base64",
        "dimensions": 512,
    }


def test_no_key_no_header(server: Server) -> None:
    client = client_of(server, key="", dimension=512)
    client.embed(["a"], kind="query")
    client.close()
    assert "authorization" not in server.requests[0].headers


def test_batches(server: Server, client: OpenAICompatible) -> None:
    vectors = embed_texts(client, [f"text {n}" for n in range(150)], kind="document")
    assert vectors.shape == (150, 512)
    assert [len(r.json["input"]) for r in server.requests] == [64, 64, 22]


def test_the_dimension_is_asked_for_once(server: Server) -> None:
    client = client_of(server)
    assert client.dimension == client.dimension == 512
    client.close()
    assert len(server.requests) == 1
    assert "dimensions" not in server.requests[0].json


def test_the_fingerprint_tells_servers_models_and_sizes_apart(server: Server) -> None:
    prints = {
        OpenAICompatible(model, endpoint=endpoint, dimension=size).fingerprint
        for model in ("a", "b")
        for endpoint in ("http://x/v1", "http://y/v1")
        for size in (0, 256)
    }
    assert len(prints) == 8
    assert server.requests == []


@pytest.mark.parametrize(
    ("status", "wait"),
    [(503, "0.05"), (500, "0.05"), (429, "0.05"), (429, "-1"), (429, "nan"), (429, ""),
     (429, "Wed, 21 Oct 2015 07:28:00 GMT")],
)  # fmt: skip
def test_a_busy_server_is_asked_again(
    server: Server, client: OpenAICompatible, status: int, wait: str
) -> None:
    def answer(request: Request) -> Reply:
        if len(server.requests) < 3:
            return Reply(status, b"busy", {"retry-after": wait} if wait else {})
        return well(request)

    server.answer = answer
    assert client.embed(["a"], kind="query").shape == (1, 512)
    assert len(server.requests) == 3


def test_retry_after_is_obeyed(server: Server, client: OpenAICompatible) -> None:
    def answer(request: Request) -> Reply:
        return (
            well(request) if len(server.requests) > 1 else Reply(429, b"", {"retry-after": "0.6"})
        )

    server.answer = answer
    start = time.monotonic()
    client.embed(["a"], kind="query")
    assert 0.6 <= time.monotonic() - start < 3


def test_it_gives_up_and_says_why(server: Server, client: OpenAICompatible) -> None:
    server.answer = lambda request: Reply(503, b"we are closed", {"retry-after": "0"})
    with pytest.raises(EmbedderError, match="cannot be used: it answered 503: we are closed"):
        client.embed(["a"], kind="query")
    assert len(server.requests) == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 301])
def test_what_will_not_change_is_not_asked_again(
    server: Server, client: OpenAICompatible, status: int
) -> None:
    server.refuse(status, KEY)
    with pytest.raises(EmbedderError, match=f"answered {status}") as caught:
        client.embed(["a"], kind="query")
    assert len(server.requests) == 1
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Reply(body=b"<html>"), "did not answer with JSON"),
        (Reply(body=b"[]"), "did not answer with JSON"),
        (Reply(body=b"\xff\xfe"), "did not answer with JSON"),
        (Reply(body=b"{}"), "did not answer with 2 embeddings"),
        (say(None), "did not answer with 2 embeddings"),
        (say([{"index": 0, "embedding": [1.0]}]), "did not answer with 2 embeddings"),
        (say([{"index": 0, "embedding": [1.0]}] * 2), "without an embedding for each text"),
        (say([{"index": 5, "embedding": [1.0]}, {"index": 0}]), "without an embedding"),
        (say([{"index": [], "embedding": [1.0]}] * 2), "without an embedding"),
        (say(["a", "b"]), "without an embedding"),
        (say([{"embedding": None}, {"embedding": None}]), "without an embedding"),
        (say([{"embedding": "%%%"}, {"embedding": "%%%"}]), "cannot be decoded"),
        (say([{"embedding": "AAA="}, {"embedding": "AAA="}]), "cannot be decoded"),
        (say([{"embedding": ["a"]}, {"embedding": ["b"]}]), "no list of numbers"),
        (say([{"embedding": [[1.0]]}, {"embedding": [[1.0]]}]), "without an embedding"),
        (say([{"embedding": []}, {"embedding": []}]), "different lengths"),
        (say([{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}]), "different lengths"),
        (say([{"embedding": [1.0] * 8}] * 2), "expected (2, 512)"),
        (say([{"embedding": [0.0] * 512}] * 2), "zero vector"),
        (say([{"embedding": [float("nan")] * 512}] * 2), "NaN"),
        (say([{"embedding": encode([float("nan")] * 512)}] * 2), "NaN"),
        (say([{"embedding": [1e300] * 512}] * 2), "infinity"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nonsense_is_refused(
    server: Server, client: OpenAICompatible, reply: Reply, says: str
) -> None:
    server.answer = lambda request: reply
    with pytest.raises(EmbedderError) as caught:
        embed_texts(client, ["a", "b"], kind="document")
    assert says in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_silent_server_is_left(server: Server) -> None:
    def answer(request: Request) -> Reply:
        time.sleep(0.5)
        return well(request)

    server.answer = answer
    client = client_of(server, timeout=0.05, dimension=512)
    start = time.monotonic()
    with pytest.raises(EmbedderError, match="ReadTimeout"):
        client.embed(["a"], kind="query")
    client.close()
    assert time.monotonic() - start < 8


def test_nobody_there() -> None:
    client = OpenAICompatible("small", endpoint="http://127.0.0.1:1/v1", key=KEY)
    with pytest.raises(EmbedderError, match="ConnectError") as caught:
        embed_texts(client, ["a"], kind="query")
    client.close()
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("endpoint", ["not an address", "ftp://x/v1", "http://x:port", "//x"])
def test_a_bad_address_is_not_tried_for_long(endpoint: str) -> None:
    client = OpenAICompatible("small", endpoint=endpoint, key=KEY)
    start = time.monotonic()
    with pytest.raises(EmbedderError, match="bethink config set endpoint URL"):
        client.embed(["a"], kind="query")
    client.close()
    assert time.monotonic() - start < 1


def test_the_key_is_never_shown(server: Server) -> None:
    client = client_of(server, key=f" {KEY}\n", dimension=512)
    assert client.embed(["a"], kind="query").shape == (1, 512)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    for shown in (repr(client), str(client), client.name, client.fingerprint):
        assert KEY not in shown
    client.close()
    for bad in (f"{KEY}\n{KEY}", f"{KEY}钥", f"{KEY}\0"):
        with pytest.raises(EmbedderError, match="bethink config set endpoint_key") as caught:
            client_of(server, key=bad)
        assert KEY not in str(caught.value)


def test_a_password_in_the_address_is_never_shown() -> None:
    client = OpenAICompatible("small", endpoint="http://me:pass-word@127.0.0.1:1/v1")
    assert "pass-word" not in client.fingerprint
    with pytest.raises(EmbedderError, match="ConnectError") as caught:
        client.embed(["a"], kind="query")
    client.close()
    assert "pass-word" not in str(caught.value)


def test_a_missing_extra_is_named(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(EmbedderError, match=r"pip install 'bethink\[http\]'"):
        embed_texts(client_of(server), ["a"], kind="query")
