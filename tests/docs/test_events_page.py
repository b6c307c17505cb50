"""What the page about events says is what events hold."""

from __future__ import annotations

import re
from pathlib import Path

from bethink import Engine
from bethink.events.kinds import (
    GAP,
    KINDS,
    MEMORY_RETRIEVAL_ERROR,
    NODE_STATE_CHANGE,
    RETRIEVAL_TRACE,
    TIER_CHANGE,
)
from bethink.knowledge import KnowledgeBase
from bethink.settings import Settings
from bethink.workflow.node import MemoryRetrievalNode

PAGE = Path(__file__).parents[2] / "docs/reference/events.md"
LONG = (
    "小美确认:下次发布前先在预发环境演练迁移,再在凌晨两点执行,"
    "并提前一天通知客服值班的同事,谢谢大家。"
)


def test_the_page_has_every_kind_and_field() -> None:
    text = PAGE.read_text("utf-8")
    sections = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^##)", text, re.S | re.M))
    assert sections.keys() == KINDS.keys()
    for kind, fields in KINDS.items():
        rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", sections[kind], re.M))
        assert rows == dict(fields)


def test_events_hold_what_is_said() -> None:
    with Engine.in_memory(embedder="hashing", settings=Settings(keep_events=2)) as engine:
        seen: dict[str, set[str]] = {kind: set() for kind in KINDS}
        late = engine.events.follow()
        with engine.events.follow() as follower:

            def look() -> None:
                engine.events.flush()
                while (event := follower.get(timeout=0)) is not None:
                    seen[event.kind] |= event.data.keys()

            engine.promote(engine.offer(LONG, space="work").id)
            look()
            engine.recall("迁移 migration", spaces="work")
            look()
            node = MemoryRetrievalNode(engine)
            node.process({"topic": "迁移", "group_id": "work"})
            look()
            node.process({})
            look()
            KnowledgeBase(engine, "手册").add_faq("怎么退款？", "三十天内申请。")
            look()
        gap = late.get(timeout=0)
        assert gap is not None
        seen[gap.kind] |= gap.data.keys()
        late.close()
    assert seen == {kind: set(fields) for kind, fields in KINDS.items()}
    assert seen[GAP] and seen[TIER_CHANGE] and seen[RETRIEVAL_TRACE]
    assert seen[NODE_STATE_CHANGE] and seen[MEMORY_RETRIEVAL_ERROR]
