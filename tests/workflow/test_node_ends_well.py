"""Whatever is handed to a node, it completes, and no secret of it is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from bethink import Engine, MemoryRetrievalNode
from bethink.settings import Settings
from bethink.vocabulary import Principal
from bethink.workflow.langgraph import retrieval_node

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


class Unreadable(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise OSError("这个状态已经关闭 the state is closed")

    def __iter__(self) -> Iterator[str]:
        return iter(["topic"])

    def __len__(self) -> int:
        return 1


class Document:
    @property
    def content(self) -> str:
        raise RuntimeError("not loaded")


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory(embedder="none", settings=Settings()) as engine:
        yield engine


def states(engine: Engine) -> list[Any]:
    return [e.data.get("state") or e.kind for e in engine.events.since(0) if "node" in e.data]


@pytest.mark.parametrize("given", [Unreadable(), {"document": Document()}])
def test_an_input_that_cannot_be_read(engine: Engine, given: Mapping[str, Any]) -> None:
    output = MemoryRetrievalNode(engine).process(given)
    assert "cannot be read" in output["memory_error"]
    assert output["memory_status"] == "unavailable"
    assert states(engine) == ["running", "memory_retrieval_error", "completed"]


def test_a_question_that_cannot_be_made(engine: Engine) -> None:
    node = retrieval_node(engine, question=lambda state: state["messages"][-1].content)
    output = node({"messages": []})
    assert "IndexError" in output["memory_error"]
    assert states(engine) == ["running", "memory_retrieval_error", "completed"]


@pytest.mark.parametrize(
    "given",
    [
        {"topic": {"password": TOKEN}},
        {"topic": 12, "content": [TOKEN]},
        {"topic": "端口", "group_id": f"a b {TOKEN}"},
        {"topic": "port", "run_id": TOKEN},
        {TOKEN: "port"},
    ],
)
def test_no_secret_is_in_an_event(engine: Engine, given: dict[str, Any]) -> None:
    def fails(kind: str, data: Mapping[str, Any]) -> None:
        raise ValueError(f"cannot connect with {TOKEN}")

    MemoryRetrievalNode(engine, name=f"node {TOKEN}").process(given, fails)
    offer = engine.offer("一句足够长的话 " * 20, by=Principal(TOKEN, "test"))
    engine.reject(offer.id, by=Principal(TOKEN, "test"), reason=TOKEN)
    kept = json.dumps([event.data for event in engine.events.since(0)], ensure_ascii=False)
    assert "redacted" in kept
    assert TOKEN not in kept
