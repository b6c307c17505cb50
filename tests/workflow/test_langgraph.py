"""The nodes in a real LangGraph graph, run in both ways, with every kind of state."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from pydantic import BaseModel

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.events.kinds import NODE_STATE_CHANGE, TIER_CHANGE
from bethink.settings import Settings
from bethink.vocabulary import UNVERIFIED, Principal
from bethink.workflow.langgraph import MemoryState, offering_node, retrieval_node
from tests.embedders_of_tests import Letters

DRAFT = (
    "发布复盘:周五上线时数据库迁移用了 40 分钟,下次要提前一天做预演。"
    " The migration took 40 minutes; rehearse it a day before the next release."
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(tmp_path / "m.db", embedder=Letters(), settings=Settings()) as made:
        yield made


class State(MemoryState):
    draft: str
    sure: float


def graph_of(engine: Engine) -> Any:
    """Retrieve, write, offer."""
    graph = StateGraph(State)
    graph.add_node("history", retrieval_node(engine))
    graph.add_node("write", lambda state: {"draft": DRAFT, "sure": 0.9})
    graph.add_node("offer", offering_node(engine, takes="draft", confidence="sure", agent="写手"))
    graph.add_edge(START, "history")
    graph.add_edge("history", "write")
    graph.add_edge("write", "offer")
    graph.add_edge("offer", END)
    return graph.compile()


def run_sync(graph: Any, given: dict[str, Any]) -> dict[str, Any]:
    output: dict[str, Any] = graph.invoke(given)
    return output


def run_async(graph: Any, given: dict[str, Any]) -> dict[str, Any]:
    output: dict[str, Any] = asyncio.run(graph.ainvoke(given))
    return output


@pytest.mark.parametrize("run", [run_sync, run_async], ids=["sync", "async"])
def test_what_one_run_writes_comes_back_in_the_next(engine: Engine, run: Any) -> None:
    graph = graph_of(engine)
    given = {"topic": "下次发布要注意什么?", "group_id": "release"}
    first = run(graph, given)
    assert first["history_context"] == ""
    assert first["memory_status"] == "empty"
    assert first["memory_offer"]["decision"] == "admitted"
    second = run(graph, given)
    assert DRAFT in second["history_context"]
    assert second["memory_status"] == "answered"
    engine.promote(first["memory_offer"]["id"], by=Principal("小美", trusted=True))
    third = run(graph, {"topic": "how long did the migration take?", "group_id": "release"})
    assert DRAFT in third["history_context"]
    kinds = [event.kind for event in engine.events.since(spaces=["release"])]
    assert kinds.count(NODE_STATE_CHANGE) == 6
    assert kinds.count(TIER_CHANGE) >= 2


def test_what_an_agent_was_shown_are_the_parents_of_what_it_writes(engine: Engine) -> None:
    graph = graph_of(engine)
    first = graph.invoke({"topic": "复盘", "group_id": "release"})["memory_offer"]["id"]
    node = offering_node(engine, takes="draft", agent="写手")
    state = graph.invoke({"topic": "复盘", "group_id": "release"})
    made = node({**state, "draft": DRAFT + " 以上是总结。"})["memory_offer"]
    offer = engine.tiers.get(made["id"])
    assert offer is not None
    assert first in offer.parents
    assert offer.memory.provenance["trust"] == UNVERIFIED
    assert offer.by == Principal("写手", "langgraph")


class Chat(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    history_context: str
    memory_status: str


def test_the_question_may_be_the_last_message(engine: Engine) -> None:
    engine.remember("小美喜欢深色主题。 Mei prefers dark mode.")
    graph = StateGraph(Chat)
    graph.add_node(
        "history",
        retrieval_node(engine, question=lambda state: state["messages"][-1].content, language="en"),
    )
    graph.add_edge(START, "history")
    output = graph.compile().invoke({"messages": [HumanMessage("which theme does Mei like?")]})
    assert "dark mode" in output["history_context"]
    assert len(output["messages"]) == 1  # only what the node adds is handed back


@dataclass
class Plain:
    topic: str = ""
    history_context: str = ""
    memory_reasons: list[str] = field(default_factory=list)


class Model(BaseModel):
    topic: str = ""
    history_context: str = ""
    memory_reasons: list[str] = []


@pytest.mark.parametrize("schema", [Plain, Model])
def test_states_of_every_kind(engine: Engine, schema: Any) -> None:
    engine.remember("小美喜欢深色主题。 Mei prefers dark mode.")
    graph = StateGraph(schema)
    graph.add_node("history", retrieval_node(engine))
    graph.add_edge(START, "history")
    output = graph.compile().invoke(schema(topic="小美喜欢什么主题?"))
    assert "深色主题" in output["history_context"]
    assert output["memory_reasons"] == []


def test_events_come_with_the_stream(engine: Engine) -> None:
    graph = graph_of(engine)
    told = list(graph.stream({"topic": "发布", "group_id": "release"}, stream_mode="custom"))
    assert [(t["event"], t["state"]) for t in told] == [
        (NODE_STATE_CHANGE, "running"),
        (NODE_STATE_CHANGE, "completed"),
    ]
    assert told[0]["run"] == told[1]["run"]


def test_a_failure_does_not_end_the_graph(engine: Engine) -> None:
    output = graph_of(engine).invoke({"group_id": "release"})
    assert "nothing is asked" in output["memory_error"]
    assert output["draft"] == DRAFT


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ({}, "nothing to offer: 'output' holds None"),
        ({"output": " "}, "nothing to offer"),
        ({"output": 7}, "'output' holds 7, not text"),
        ({"output": DRAFT, "group_id": "!"}, "group_id: "),
        ({"output": DRAFT, "confidence": "sure"}, "confidence"),
    ],
)
def test_what_cannot_be_offered_is_named(engine: Engine, state: dict[str, Any], says: str) -> None:
    by_key = {"confidence": "confidence"} if "confidence" in state else {}
    outcome = offering_node(engine, **by_key)(state)["memory_offer"]
    assert says in outcome["error"]
    assert outcome["id"] is None


def test_refusals_come_with_their_reason(engine: Engine) -> None:
    node = offering_node(engine, confidence=0.5)
    outcome = node({"output": DRAFT})["memory_offer"]
    assert outcome["decision"] == "refused"
    assert outcome["error"] is None
    assert outcome["reason"]
    assert offering_node(engine)({"output": "短"})["memory_offer"]["decision"] == "ignored"


def test_a_confidence_that_the_state_does_not_have_is_named(engine: Engine) -> None:
    outcome = offering_node(engine, confidence="sure")({"output": DRAFT})["memory_offer"]
    assert "the state has no 'sure'" in outcome["error"]


def test_a_state_that_is_none_is_named(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match="a state is a mapping"):
        retrieval_node(engine)(7)
