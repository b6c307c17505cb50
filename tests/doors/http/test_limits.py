"""How much may be sent, how long it may take, and how often."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from bethink.embedders.protocol import Kind
from bethink.vocabulary import Vectors
from tests.doors.http.served import Served, served_on, until
from tests.embedders_of_tests import Letters

MOST = 10_000


class Gate(Letters):
    """Embeds what is written only when it is let."""

    def __init__(self) -> None:
        super().__init__("gate")
        self.entered, self.let = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        if kind != "query":
            self.entered.set()
            assert self.let.wait(60)
        return super().embed(texts, kind=kind)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Served]:
    with served_on(tmp_path / "m.db", open_to_all=True, most_bytes=MOST) as served:
        yield served


def _body(size: int) -> bytes:
    frame = len(json.dumps({"text": ""}))
    return json.dumps({"text": "x" * (size - frame)}).encode()


def _chunks(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), 1000):
        yield body[start : start + 1000]


def test_a_body_may_be_so_large_and_no_larger(small: Served) -> None:
    client = small.client(headers={"Content-Type": "application/json"})
    assert client.post("/v1/memories", content=_body(MOST)).status_code == 201
    over = client.post("/v1/memories", content=_body(MOST + 1))
    assert (over.status_code, over.json()["code"]) == (413, "too_large")
    assert "10,000 bytes" in over.json()["detail"]


@pytest.mark.parametrize("path", ["/v1/memories", "/v1/import"])
def test_a_body_without_its_length_is_counted(small: Served, path: str) -> None:
    client = small.client(headers={"Content-Type": "application/json"})
    over = client.post(path, content=_chunks(_body(MOST * 30)))
    assert (over.status_code, over.json()["code"]) == (413, "too_large")
    assert client.get("/v1/memories").json()["memories"] == []
    whole = client.post("/v1/memories", content=_chunks(_body(MOST)))
    assert whole.status_code == 201


@pytest.mark.parametrize("length", [b"99999999999999999999999", b"-1", b"ten", b"1e3", b"0x10"])
def test_a_length_that_is_none(small: Served, length: bytes) -> None:
    with socket.create_connection(("127.0.0.1", small.port), timeout=20) as raw:
        raw.sendall(
            b"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: " + length + b"\r\n\r\n{}"
        )
        assert raw.recv(4096).split(b" ")[1] in (b"400", b"413")
    assert small.client().get("/v1/memories").json()["memories"] == []


def test_a_body_that_does_not_arrive(tmp_path: Path) -> None:
    with (
        served_on(tmp_path / "m.db", open_to_all=True, most_seconds=0.3) as served,
        socket.create_connection(("127.0.0.1", served.port), timeout=20) as raw,
    ):
        raw.sendall(
            b"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 100\r\n\r\n{"
        )
        answer = raw.recv(4096)
        assert b" 408 " in answer.splitlines()[0]
        assert b"did not arrive" in answer or b"did not arrive" in raw.recv(4096)
        assert served.client().get("/health/live").status_code == 200


def test_a_question_without_a_body_misses_none(tmp_path: Path) -> None:
    class Slow(Letters):
        def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
            if kind == "query":
                threading.Event().wait(1.5)
            return super().embed(texts, kind=kind)

    slow = Slow("slow")
    with served_on(tmp_path / "m.db", open_to_all=True, embedder=slow, most_seconds=0.5) as served:
        client = served.client()
        client.post("/v1/memories", json={"text": "预算 budget"})
        late = client.get("/v1/recall", params={"q": "预算"})
        assert (late.status_code, late.json()["code"]) == (504, "timeout")


def test_a_write_that_takes_too_long_is_finished_and_heard_of_later(tmp_path: Path) -> None:
    gate = Gate()
    with served_on(
        tmp_path / "m.db", open_to_all=True, embedder=gate, most_seconds=0.3, grace=60
    ) as served:
        client = served.client()
        body, key = {"text": "慢慢来 slowly"}, {"Idempotency-Key": "a"}
        late = client.post("/v1/memories", json=body, headers=key)
        assert (late.status_code, late.json()["code"]) == (504, "timeout")
        assert "Idempotency-Key" in late.json()["detail"]
        assert gate.entered.is_set()
        assert client.get("/health/live").status_code == 200  # the connection is as good as before
        gate.let.set()
        until(lambda: client.get("/v1/memories").json()["memories"])
        heard = client.post("/v1/memories", json=body, headers=key)
        assert heard.headers["Idempotency-Replayed"] == "true"
        assert (heard.status_code, heard.json()["action"]) == (201, "created")


def test_what_was_answered_late_is_finished_before_the_server_goes_down(tmp_path: Path) -> None:
    gate = Gate()
    with served_on(
        tmp_path / "m.db", open_to_all=True, embedder=gate, most_seconds=0.3, grace=60
    ) as served:
        assert served.client().post("/v1/memories", json={"text": "慢 slow"}).status_code == 504
        served.ask_to_stop()
        gate.let.set()
    with served_on(tmp_path / "m.db", open_to_all=True) as served:
        assert len(served.client().get("/v1/memories").json()["memories"]) == 1


def test_a_stream_may_last(tmp_path: Path) -> None:
    """The limit is for the first word of an answer, not for the last."""
    with served_on(tmp_path / "m.db", open_to_all=True, most_seconds=0.3) as served:
        client = served.client()
        with client.stream("GET", "/v1/events/stream", params={"after": 0}) as stream:
            lines = stream.iter_lines()
            for number in range(3):
                threading.Event().wait(0.3)
                other = served.client()
                assert other.post("/v1/recall", json={"question": f"第{number}"}).status_code == 200
                assert next(line for line in lines if line.startswith("event:"))


def test_so_many_requests_and_no_more(tmp_path: Path) -> None:
    with served_on(tmp_path / "m.db", per_minute=5) as served:
        client, other = served.keyed("read"), served.keyed("read", name="小美")
        answers = [client.get("/v1/status") for _ in range(6)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429]
        assert answers[-1].json()["code"] == "too_many_requests"
        assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
        assert other.get("/v1/status").status_code == 200
        assert served.client().get("/health/live").status_code == 200


def test_a_key_may_have_a_rate_of_its_own(tmp_path: Path) -> None:
    with served_on(tmp_path / "m.db", per_minute=2) as served:
        client = served.keyed("read", per_minute=9)
        assert [client.get("/v1/status").status_code for _ in range(9)] == [200] * 9


def test_the_key_is_looked_at_before_the_body(keyed: Served) -> None:
    """Whoever has none is answered while the body is still on its way."""
    with socket.create_connection(("127.0.0.1", keyed.port), timeout=20) as raw:
        raw.sendall(
            b"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 1000000\r\n\r\n"
        )
        assert b" 401 " in raw.recv(4096).splitlines()[0]


def test_an_answer_is_not_kept_by_caches(client: httpx.Client) -> None:
    answer = client.get("/v1/memories")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert len({client.get("/version").headers["x-request-id"] for _ in range(3)}) == 3


def test_a_busy_server_is_ready(tmp_path: Path) -> None:
    """Writes keep every thread that there is for requests; who asks has others."""
    gate = Gate()
    with served_on(tmp_path / "m.db", open_to_all=True, embedder=gate, grace=60) as served:
        client = served.client(limits=httpx.Limits(max_connections=100))
        with ThreadPoolExecutor(60) as pool:
            told = [{"text": f"第{n}条 number {n}", "space": f"s{n}"} for n in range(60)]
            writes = [pool.submit(client.post, "/v1/memories", json=one) for one in told]
            try:
                assert gate.entered.wait(30)
                until(lambda: served.under_way >= 60)
                assert client.get("/health/ready", timeout=20).json() == {"status": "ready"}
            finally:
                gate.let.set()
            assert {one.result().status_code for one in writes} == {201}


def test_files_on_their_way_in_keep_no_question_waiting(tmp_path: Path) -> None:
    gate = Gate()
    with served_on(tmp_path / "m.db", open_to_all=True, embedder=gate, grace=60) as served:
        client = served.client(limits=httpx.Limits(max_connections=100))
        path = "/v1/knowledge/手册/documents"
        with ThreadPoolExecutor(60) as pool:
            sent = [
                pool.submit(
                    client.post, path, params={"name": f"{n}.md"}, content=f"# 第{n}章\n\nx"
                )
                for n in range(60)
            ]
            try:
                assert gate.entered.wait(30)
                until(lambda: served.under_way >= 60)
                assert client.get("/v1/status", timeout=20).status_code == 200
            finally:
                gate.let.set()
            assert {one.result().status_code for one in sent} == {201}
        assert len(client.get(path).json()["documents"]) == 60
