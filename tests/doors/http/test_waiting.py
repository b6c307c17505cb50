"""Whoever waits for a language model keeps nobody else from an answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from bethink.doors.http.waiting import AT_ONCE
from bethink.settings import Settings
from bethink.testing import working
from tests.doors.http.served import Served, served_on, until
from tests.doors.mcp.asking import over_http, run
from tests.servers.http_server import Reply, Request, serving

MOST = 60  # more than a server has threads
FAQ = {"question": "怎么退款 refund？", "answers": ["七天内原路退回 within seven days"]}


class Model:
    """Says nothing until it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.asked = 0
        self._lock = threading.Lock()

    def answer(self, request: Request) -> Reply:
        with self._lock:
            self.asked += 1
        self.let_go.wait(60)
        said = {"choices": [{"message": {"role": "assistant", "content": "七天 [1]"}}]}
        return Reply(body=json.dumps(said).encode(), headers={"content-type": "application/json"})


@pytest.fixture
def model() -> Iterator[tuple[Model, str]]:
    model = Model()
    with serving(model.answer) as address:
        try:
            yield model, address
        finally:
            model.let_go.set()


@contextmanager
def server_with(address: str, tmp_path: Path, *, workers: int) -> Iterator[Served]:
    settings = Settings(
        store=str(tmp_path / "m.db"), embedder="hashing", llm="openai:small",
        llm_endpoint=f"{address}/v1",
    )  # fmt: skip
    with served_on(tmp_path / "m.db", settings=settings, open_to_all=True, workers=workers) as one:
        yield one


@pytest.mark.parametrize("workers", [0, 1])
def test_others_are_answered_meanwhile(
    model: tuple[Model, str], tmp_path: Path, workers: int
) -> None:
    held, address = model
    with server_with(address, tmp_path, workers=workers) as served:
        client = served.client()
        assert client.post("/v1/knowledge/手册/faq", json=FAQ).is_success

        def ask(_: int) -> str:
            asked = {"query_text": "怎么退款 refund", "seconds": 40}
            answer = served.client().post("/v1/knowledge/手册/ask", json=asked, timeout=60)
            assert answer.status_code in (200, 504), answer.text
            return str(answer.status_code)

        with working(ask, range(MOST)):
            until(lambda: held.asked >= 1 and served.under_way >= MOST)
            for question in ("怎么退款", "refund"):
                found = client.post("/v1/recall", json={"question": question, "spaces": ["手册"]})
                assert found.status_code == 200
                assert found.json()["hits"]
            assert client.post("/v1/memories", json={"text": "记下 noted"}).status_code == 201
            assert held.asked <= AT_ONCE
            held.let_go.set()


def test_over_mcp_too(model: tuple[Model, str], tmp_path: Path) -> None:
    held, address = model
    with server_with(address, tmp_path, workers=0) as served:
        assert served.client().post("/v1/knowledge/手册/faq", json=FAQ).is_success

        async def body() -> None:
            async with (
                over_http(f"{served.address}/mcp") as ask,
                anyio.create_task_group() as group,
            ):
                for _ in range(MOST):
                    group.start_soon(lambda: ask("ask", base="手册", question="怎么退款"))
                with anyio.fail_after(60):
                    while not held.asked:
                        await anyio.sleep(0.02)
                    assert (await ask("recall", question="怎么退款")).data["status"]
                held.let_go.set()

        run(body)
