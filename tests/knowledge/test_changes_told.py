"""Whoever watches a base hears that it changed, and nothing that would have to be erased later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink import Engine
from bethink.events.kinds import KNOWLEDGE_CHANGE
from bethink.knowledge import KnowledgeBase

LEAVE = "# Leave 年假\n\nThirty days a year. 每年三十天。\n"


@pytest.fixture
def base() -> Iterator[KnowledgeBase]:
    with Engine.in_memory(embedder="hashing") as engine:
        yield KnowledgeBase(engine, "手册")


def told(base: KnowledgeBase, after: int = 0) -> list[tuple[object, object, object]]:
    base.engine.events.flush()
    events = base.engine.events.since(after, spaces=["手册"], kinds=[KNOWLEDGE_CHANGE])
    return [(one.data["of"], one.data["action"], one.data["count"]) for one in events]


def test_every_change_of_documents(base: KnowledgeBase, tmp_path: Path) -> None:
    for name in ("一.md", "two.md"):
        (tmp_path / name).write_text(f"# {name}\n\n{LEAVE}", "utf-8")
    base.add(tmp_path)
    base.add(tmp_path)  # as before: nothing to tell
    base.add_one(LEAVE.encode(), name="leave.md")
    base.replace_document("leave.md", f"{LEAVE} 更多".encode())
    base.disable_documents("leave.md")
    base.enable_documents("leave.md")
    base.add(b"%PDF-broken", name="broken.pdf")  # not read: nothing changed
    (tmp_path / "two.md").unlink()
    base.add(tmp_path, removed=True)
    base.remove_documents("leave.md")
    assert told(base) == [
        ("document", "added", 2), ("document", "added", 1), ("document", "replaced", 1),
        ("document", "disabled", 1), ("document", "enabled", 1), ("document", "removed", 1),
        ("document", "removed", 1),
    ]  # fmt: skip


def test_every_change_of_entries(base: KnowledgeBase) -> None:
    rows = [
        {"question": "怎么退款？", "answers": ["三十天内。"]},
        {"question": "When do you open?", "answers": ["At nine."]},
        {"question": "", "answers": ["nobody asked"]},
    ]
    base.add_faqs(rows, dry_run=True)
    base.add_faqs(rows)
    base.add_faqs(rows)  # as before
    base.add_faq("怎么退款？", "四十天内。")
    base.add_faq("怎么退款？", "四十天内。", enabled=False)
    base.enable_faq("怎么退款？")
    base.disable_faq("怎么退款？")
    base.remove_faq("怎么退款？")
    assert told(base) == [
        ("faq", "told", 2), ("faq", "told", 1), ("faq", "told", 1), ("faq", "enabled", 1),
        ("faq", "disabled", 1), ("faq", "removed", 1),
    ]  # fmt: skip


def test_of_another_base_nothing_is_heard(base: KnowledgeBase) -> None:
    KnowledgeBase(base.engine, "other").add_faq("秘密？", "secret")
    assert told(base) == []
