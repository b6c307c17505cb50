"""The same loop as a LangGraph graph: history → write → offer.

pip install langgraph
python examples/langgraph_workflow.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from langgraph.graph import END, START, StateGraph

from bethink import Engine, Principal
from bethink.workflow import MemoryState, offering_node, retrieval_node


class State(MemoryState, total=False):
    draft: str
    confidence: float


def write(state: State) -> dict[str, Any]:
    """The agent; a language model would stand here."""
    if "40 minutes" in state["history_context"]:
        return {
            "draft": "Plan for Friday: announce one hour of read-only orders, since the migration "
            "took 40 minutes last time. 周五计划:预留一小时只读窗口。",
            "confidence": 0.95,
        }
    return {
        "draft": "Measured today: the database migration took 40 minutes, orders were read-only "
        "meanwhile. 今天实测:数据库迁移用了四十分钟,期间订单只读。",
        "confidence": 0.9,
    }


def build(engine: Engine) -> Any:
    graph = StateGraph(State)
    graph.add_node("history", retrieval_node(engine, language="en"))
    graph.add_node("write", write)
    graph.add_node(
        "offer", offering_node(engine, takes="draft", confidence="confidence", agent="planner")
    )
    graph.add_edge(START, "history")
    graph.add_edge("history", "write")
    graph.add_edge("write", "offer")
    graph.add_edge("offer", END)
    return graph.compile()


def main(store: Path) -> None:
    with Engine(store) as engine:
        graph = build(engine)
        for question in ("how long is the migration?", "下次发布要留多久的窗口?"):
            print(f"asked: {question}")
            state = graph.invoke({"topic": question, "group_id": "release-42"})
            print(f"  history: {state['memory_status']}, {len(state['memories'])} memories")
            print(f"  draft:   {state['draft'][:60]}…")
            print(f"  offer:   {state['memory_offer']['decision']}")
            if state["memory_offer"]["decision"] == "admitted":
                engine.promote(state["memory_offer"]["id"], by=Principal("Mei", trusted=True))
        assert state["draft"].startswith("Plan for Friday"), "the first run has to come back"
        print("events:")
        for event in engine.events.since(spaces=["release-42"]):
            print(f"  {event.id:>3}  {event.kind}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder) / "memory.db")
