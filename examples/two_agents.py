"""Two agents of a workflow and one memory: what the first one found out comes back to the second.

    python examples/two_agents.py

No language model is needed: the agents here are plain functions. What is offered passes a filter
into working memory, a person promotes what is worth keeping, and later runs get it as Markdown.
"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bethink import Engine, MemoryRetrievalNode, Principal

GROUP = "release-42"


def researcher(topic: str, history: str) -> list[tuple[str, float]]:
    """Agent A: what it found out, and how sure it is."""
    return [
        ("好的,收到。", 1.0),  # too short to mean anything
        ("数据库也许可以跳过迁移,不过这一点还没有和任何人确认过,只是根据旧日志的推测。", 0.4),
        (
            "上次发布的数据库迁移用了 40 分钟,期间订单服务只读。小美确认:下次先在预发环境演练,"
            "再在凌晨两点执行,并提前一天通知客服。",
            0.95,
        ),
        (
            "The rollback script lives in tools/rollback.sh; it was rehearsed twice and takes "
            "six minutes. Ask Mei before you run it in production.",
            0.9,
        ),
    ]  # fmt: skip


def writer(topic: str, history: str) -> str:
    """Agent B: writes with what is known, and says so when nothing is."""
    if not history:
        return "No history, so no plan. 没有历史,写不出计划。"
    known = [line for line in history.splitlines() if line and not line.startswith("#")]
    return "发布计划 Release plan, from what is known:\n" + "\n".join(f"- {line}" for line in known)


class Time:
    """The example tells its own time, so that a day can pass."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def main(store: Path) -> None:
    time = Time()
    with Engine(store, clock=time) as engine:
        history = MemoryRetrievalNode(engine, name="history", language="zh")
        watcher = engine.events.follow()

        print("1. The first run: nothing is known yet")
        state = history.process({"topic": "发布计划", "group_id": GROUP})
        print(f"   status {state['memory_status']}, history {state['history_context']!r}")

        print("\n2. The researcher's output is offered; a filter decides what gets in")
        admitted = []
        for text, confidence in researcher(state["topic"], state["history_context"]):
            offer = engine.offer(
                text, space=GROUP, confidence=confidence, source="researcher",
                by=Principal("researcher", "workflow"),
            )  # fmt: skip
            print(f"   {offer.decision}: {text[:28]}… ({offer.reason})")
            if offer.decision == "admitted":
                admitted.append(offer.id)

        print("\n3. The writer gets what is recent; nobody has verified it yet")
        state = history.process({"topic": "how do we roll back?", "group_id": GROUP})
        print(_indented(writer(state["topic"], state["history_context"])))

        print("\n4. A person promotes one of the two to long-term memory")
        for receipt in engine.promote(admitted[0], by=Principal("小美", trusted=True)):
            print(f"   {receipt.action}: {receipt.id} in {receipt.space}")

        print("\n5. Two days later working memory is empty; what was promoted is still known")
        time.now += timedelta(days=2)
        state = history.process({"content": "数据库迁移要多久? migration time", "group_id": GROUP})
        print(_indented(state["history_context"]))
        plan = writer(state["content"], state["history_context"])
        assert "40 分钟" in plan, "what was promoted has to come back"
        assert "rollback.sh" not in plan, "what nobody promoted has expired"

        print("\n6. All that happened, as events with increasing ids")
        engine.events.flush()
        while (event := watcher.get(timeout=0)) is not None:
            what = event.data.get("state") or event.data.get("decision") or event.data.get("status")
            print(f"   {event.id:>3}  {event.kind:<18} {what}")


def _indented(text: str) -> str:
    return "\n".join(f"   | {line}" for line in text.splitlines())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder) / "memory.db")
