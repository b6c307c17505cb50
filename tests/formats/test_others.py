"""What others wrote: mem0, LangGraph, Claude's memory, any Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.errors import InvalidInput
from tests.formats.saving import held, save, save_lines, save_text

# mem0


ALICE = {
    "id": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "memory": "Prefers oat milk, 喜欢燕麦奶",
    "hash": "0f",
    "metadata": {"confidence_note": "said twice", "部门": "研发"},
    "created_at": "2025-03-01T08:00:00-08:00",
    "updated_at": "2025-03-02T09:30:00-08:00",
    "user_id": "alice",
    "agent_id": "barista",
    "role": "user",
    "categories": ["food", "饮料"],
}
BOB = {"id": "b-1", "memory": "Bob 住在上海", "user_id": "bob", "score": 0.4}


def test_mem0_of_one_user(engine: Engine, tmp_path: Path) -> None:
    path = save(tmp_path / "alice.json", {"results": [ALICE], "relations": []})
    with pytest.raises(InvalidInput, match=r"belong to alice \(1\).*--space SPACE for alice"):
        engine.import_from(path)
    assert engine.status().memories == 0
    report = engine.import_from(path, space="mei")
    assert (report.format, report.fates, report.spaces) == (
        "mem0",
        {"created": 1},
        {"alice": "mei"},
    )
    (memory,) = held(engine, "mei")
    assert memory.text == "Prefers oat milk, 喜欢燕麦奶"
    assert memory.tags == ("food", "饮料")
    assert memory.created_at.isoformat() == "2025-03-01T16:00:00+00:00"
    assert memory.updated_at.isoformat() == "2025-03-02T17:30:00+00:00"
    assert memory.metadata["部门"] == "研发"
    assert memory.metadata["mem0"] == {
        "id": ALICE["id"],
        "user_id": "alice",
        "agent_id": "barista",
    }
    assert memory.provenance["role"] == "user"
    assert engine.import_from(path, space="mei").fates == {"unchanged": 1}
    assert engine.import_from(path, space="other").fates == {"created": 1}  # another space's own


@pytest.mark.parametrize(
    "shape",
    [
        lambda items: items,
        lambda items: {"results": items},
        lambda items: {"count": 2, "next": None, "previous": None, "results": items},
        lambda items: {"memories": items},
    ],
)
def test_mem0_of_several_users_is_never_mixed_unsaid(
    engine: Engine, tmp_path: Path, shape: Any
) -> None:
    path = save(tmp_path / "all.json", shape([ALICE, BOB]))
    given: Any
    for given in ({}, {"space": "work"}, {"spaces": {"alice": "work"}}):
        with pytest.raises(InvalidInput, match=r"alice \(1\), bob \(1\)"):
            engine.import_from(path, **given)
    assert engine.status().memories == 0
    report = engine.import_from(path, spaces={"alice": "a", "b*": "b"})
    assert report.spaces == {"alice": "a", "bob": "b"}
    assert [m.text for m in held(engine, "b")] == ["Bob 住在上海"]
    engine.import_from(path, own_spaces=True)
    assert [m.text for m in held(engine, "bob")] == ["Bob 住在上海"]
    engine.import_from(path, spaces={"*": "together"})
    assert len(held(engine, "together")) == 2


def test_owners_whose_names_no_space_can_have(engine: Engine, tmp_path: Path) -> None:
    owners = ["a b", "a-b", "a?b", "李 雷", "--"]
    path = save(
        tmp_path / "x.json",
        [{"id": str(n), "memory": "m", "user_id": o} for n, o in enumerate(owners)],
    )
    report = engine.import_from(path, own_spaces=True)
    assert len(set(report.spaces.values())) == 5
    assert report.spaces["a-b"] == "a-b"
    assert report.fates == {"created": 5}


def test_mem0_records_that_are_none(engine: Engine, tmp_path: Path) -> None:
    items: list[Any] = [
        BOB,
        {"id": "x"},
        "text",
        {"id": "y", "memory": "  ", "user_id": "bob"},
        {"id": "z", "memory": "gone", "user_id": "bob", "event": "DELETE"},
        {"id": "big", "memory": "n", "user_id": "bob", "metadata": {"n": 2**70}},
        {"id": "until", "memory": "till May", "user_id": "bob", "expiration_date": "2026-05-01"},
    ]
    report = engine.import_from(save(tmp_path / "bob.json", items), space="bob")
    assert report.fates == {"created": 2}
    assert [(f.place, f.why.split(";")[0].split(":")[0]) for f in report.failed] == [
        ("bob.json item 2", "has no 'memory' with a text"),
        ("bob.json item 3", "expected an object, got str"),
        ("bob.json item 4", "text is empty"),
        ("bob.json item 6", "metadata"),
    ]
    assert report.left_out == {"memory that was deleted there": 1}
    assert held(engine, "bob")[1].valid_to is not None


def test_a_backup_of_openmemory(engine: Engine, tmp_path: Path) -> None:
    backup = {
        "user": {"id": "u-1", "user_id": "mei", "name": "小美"},
        "apps": [{"id": "app", "name": "cursor"}],
        "categories": [{"id": "c1", "name": "work"}],
        "memories": [
            {
                "id": "1",
                "user_id": "u-1",
                "app_id": "app",
                "content": "deploys on Fridays 周五部署",
                "state": "active",
                "metadata": {},
                "category_ids": ["c1"],
                "created_at": "2025-01-01T00:00:00+00:00",
            },
            {
                "id": "2",
                "user_id": "u-1",
                "content": "gone",
                "state": "deleted",
                "category_ids": [],
            },
        ],
    }
    report = engine.import_from(save(tmp_path / "memories.json", backup), own_spaces=True)
    assert (report.format, report.spaces) == ("mem0", {"mei": "mei"})
    (memory,) = held(engine, "mei")
    assert memory.tags == ("work",)
    lines = save_lines(
        tmp_path / "memories.jsonl",
        {
            "id": "1",
            "content": "周五部署",
            "metadata": {},
            "state": "active",
            "app": None,
            "categories": ["work"],
        },
    )
    assert engine.import_from(lines).fates == {"created": 1}


# LangGraph


def test_items_of_a_langgraph_store(engine: Engine, tmp_path: Path) -> None:
    items = [
        {
            "namespace": ["memories", "user-1"],
            "key": "k1",
            "value": {"text": "喜欢简短的回答", "tags": ["style"], "weight": 2},
            "created_at": "2025-02-03T04:05:06.789+00:00",
            "updated_at": "2025-02-04T00:00:00+00:00",
        },
        {
            "namespace": ["memories", "user-2"],
            "key": "k1",
            "value": {
                "kind": "Memory",
                "content": {"content": "likes long answers", "context": "said in chat"},
            },
        },
        {
            "namespace": ["profiles", "user-2"],
            "key": "p",
            "value": {"name": "Li", "languages": ["zh", "en"]},
        },
        {"namespace": ["memories", "user-2"], "key": "bad", "value": {}},
        {"prefix": "memories.user-3", "key": "row", "value": '{"data": "from a table"}'},
    ]
    path = save(tmp_path / "store.json", {"items": items})
    with pytest.raises(InvalidInput, match="memories/user-1"):
        engine.import_from(path, space="all")
    report = engine.import_from(
        path, spaces={"memories/user-1": "one", "*/user-2": "two", "*/user-3": "three"}
    )
    assert report.format == "langgraph"
    assert report.fates == {"created": 4}
    assert [(f.place, f.why) for f in report.failed] == [
        ("store.json item 4", "its value holds no text")
    ]
    (first,) = held(engine, "one")
    assert (first.text, first.tags) == ("喜欢简短的回答", ("style",))
    assert first.created_at.isoformat() == "2025-02-03T04:05:06.789000+00:00"
    assert first.metadata["langgraph"]["namespace"] == ["memories", "user-1"]  # type: ignore[index,call-overload]
    assert first.metadata["langgraph"]["value"]["weight"] == 2  # type: ignore[index,call-overload]
    assert [m.text for m in held(engine, "two")] == [
        "likes long answers",
        'name: Li\nlanguages: ["zh", "en"]',
    ]
    assert [m.text for m in held(engine, "three")] == ["from a table"]
    again = engine.import_from(save_lines(tmp_path / "again.jsonl", *items), own_spaces=True)
    assert sorted(again.spaces.values())[0] == "memories/user-1"


def test_states_of_threads(engine: Engine, tmp_path: Path) -> None:
    first = [
        {"type": "human", "content": "叫我小美", "id": "h1"},
        {
            "type": "ai",
            "content": [{"type": "text", "text": "好的，小美"}, {"type": "tool_use", "id": "t"}],
            "id": "a1",
        },
        {"type": "tool", "content": "42", "tool_call_id": "t"},
    ]
    later = [
        *first,
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", "HumanMessage"],
            "kwargs": {"content": "and in English", "id": "h2"},
        },
    ]
    states = [
        {"values": {"messages": later}, "checkpoint": {"thread_id": "t-1"}, "next": []},
        {"values": {"messages": first}, "config": {"configurable": {"thread_id": "t-1"}}},
    ]
    report = engine.import_from(save(tmp_path / "history.json", states))
    assert report.format == "langgraph"
    assert [(m.text, m.provenance["role"], m.source) for m in held(engine)] == [
        ("叫我小美", "user", "t-1"),
        ("好的，小美", "assistant", "t-1"),
        ("and in English", "user", "t-1"),
    ]
    assert report.fates == {"created": 3, "unchanged": 2}


# Claude's memory


def test_a_projects_claude_files(engine: Engine, tmp_path: Path) -> None:
    save_text(tmp_path / "CLAUDE.md", "# Project\n\nSee @docs/x.md.\n\n## 测试\n\n- run pytest\n")
    save_text(tmp_path / "CLAUDE.local.md", "my sandbox is at :8080\n")
    save_text(tmp_path / "docs/x.md", "# Design\n\nnot a memory\n")
    save_text(tmp_path / "pkg/CLAUDE.md", "use tabs here\n")
    save_text(
        tmp_path / ".claude/rules/api.md", "---\npaths:\n  - src/api/**\n---\n# API\n\n验证输入\n"
    )
    save_text(tmp_path / ".claude/commands/x.md", "a command\n")
    report = engine.import_from(tmp_path)
    assert report.format == "claude"
    assert [(m.source, m.kind) for m in held(engine)] == [
        ("CLAUDE.local.md", "instruction"),
        ("CLAUDE.md", "instruction"),
        ("CLAUDE.md", "instruction"),
        ("pkg/CLAUDE.md", "instruction"),
        (".claude/rules/api.md", "instruction"),
    ]
    api = held(engine)[-1]
    assert "验证输入" in api.text
    assert api.metadata["paths"] == ["src/api/**"]
    assert sum(report.left_out.values()) == 3
    assert "@docs/x.md in CLAUDE.md" in next(iter(report.left_out))
    assert engine.import_from(tmp_path).fates == {"unchanged": 5}
    assert engine.import_from(tmp_path / "CLAUDE.md", dry_run=True).fates == {"unchanged": 2}


def test_the_users_claude_folder_keeps_projects_apart(engine: Engine, tmp_path: Path) -> None:
    home = tmp_path / ".claude"
    save_text(home / "CLAUDE.md", "answer in Chinese 用中文\n")
    for name in ("-home-mei-one", "-home-mei-two"):
        memory = home / "projects" / name / "memory"
        save_text(memory / "MEMORY.md", "# Memory\n\n- [Port](port.md) — the port\n")
        save_text(
            memory / "port.md",
            "---\nname: Port\ndescription: when a port is asked for\ntype: feedback\n---\n"
            "Use 8080. 用 8080。\n",
        )
        save_text(home / "projects" / name / "s.jsonl", "{}\n")
    with pytest.raises(InvalidInput, match=r"home-mei-one \(1\), home-mei-two \(1\)"):
        engine.import_from(home, space="all")
    report = engine.import_from(home, own_spaces=True)
    assert report.format == "claude"
    assert [m.text.strip() for m in held(engine)] == ["answer in Chinese 用中文"]
    (port,) = held(engine, "home-mei-one")
    assert "8080" in port.text
    assert port.kind == "instruction"
    assert report.left_out == {
        "list of links to the other notes": 2,
        "transcript of a session; take it with --format chat": 2,
    }
    one = engine.import_from(home / "projects/-home-mei-one/memory", space="solo")
    assert (one.format, one.fates) == ("claude", {"created": 1})


# Markdown


def test_a_folder_of_markdown(engine: Engine, tmp_path: Path) -> None:
    save_text(
        tmp_path / "ideas/灯塔.md",
        "---\ntags: [sea, 海]\ndate: 2026-05-01\n---\n# Lighthouse\n\nkeeps ships safe\n\n"
        "## 历史\n\n很久以前\n",
    )
    save_text(tmp_path / "b.md", "plain text\n")
    (tmp_path / "link.md").symlink_to("/etc/hostname")
    (tmp_path / "latin.md").write_bytes(b"caf\xe9 ol\xe9")
    report = engine.import_from(tmp_path, space="notes")
    assert report.format == "markdown"
    assert [(m.source, m.section) for m in held(engine, "notes")] == [
        ("b.md", ""),
        ("ideas/灯塔.md", "Lighthouse"),
        ("ideas/灯塔.md", "Lighthouse > 历史"),
    ]
    second = held(engine, "notes")[1]
    assert second.tags == ("sea", "海")
    assert second.occurred_at is not None
    assert second.provenance == {"format": "markdown", "file": "ideas/灯塔.md", "line": 5}
    assert {f.place for f in report.failed} == {"link.md", "latin.md"}
    assert engine.import_from(tmp_path, space="notes").fates == {"unchanged": 3}
    assert engine.recall("ships", spaces="notes", preset="balanced").hits


def test_a_notebook_is_read_as_one(engine: Engine, tmp_path: Path) -> None:
    save_text(tmp_path / "user/preferences.md", "# Preferences\n\n- dark mode\n- 深色主题\n")
    engine.import_from(tmp_path)
    assert [(m.text, m.kind) for m in held(engine)] == [
        ("dark mode", "preference"),
        ("深色主题", "preference"),
    ]


def test_our_own_lines(engine: Engine, tmp_path: Path) -> None:
    path = save_lines(
        tmp_path / "facts.jsonl",
        {"text": "没有编号", "space": "work", "tags": ["t"]},
        {"text": "x", "colour": "red", "space": "work"},
        [1],
        {"text": "own", "id": "m1"},
    )
    report = engine.import_from(path)
    assert report.format == "bethink"
    assert report.spaces == {"work": "work", "": "global"}
    assert report.fates == {"created": 2}
    assert [f.place for f in report.failed] == ["facts.jsonl:3", "facts.jsonl:2"]
    assert engine.import_from(path).fates == {"unchanged": 2}
    with pytest.raises(InvalidInput, match="belong to work"):
        engine.import_from(path, space="elsewhere")  # two spaces into one: only when it is said
