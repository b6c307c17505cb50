"""Conversations: messages, transcripts of agents, exports of chat programs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bethink import Engine
from bethink.errors import InvalidInput
from tests.formats.saving import held, save, save_lines


def test_messages_line_by_line(engine: Engine, tmp_path: Path) -> None:
    path = save_lines(
        tmp_path / "chat.jsonl",
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "我喜欢绿茶", "timestamp": 1746108000},
        {"role": "assistant", "content": "Noted.", "time": "2025-05-01T14:00:05Z", "model": "m-1"},
        "{broken",
        {"role": "user", "content": "yes"},
        {"role": "user", "content": "yes"},
        {"role": "tool", "content": "result"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:"}}]},
        {"role": "user", "content": 5},
        {"text": "no role"},
    )
    report = engine.import_from(path, space="chats")
    assert report.format == "chat"
    assert report.fates == {"created": 4}
    first, second, *_ = memories = held(engine, "chats")
    assert [m.text for m in memories] == ["我喜欢绿茶", "Noted.", "yes", "yes"]
    assert first.occurred_at is not None
    assert first.occurred_at.isoformat() == "2025-05-01T14:00:00+00:00"
    assert (first.kind, first.provenance["role"], first.source) == ("message", "user", "chat")
    assert (first.role, first.conversation) == ("user", "chat")
    assert (second.role, second.speaker) == ("assistant", "")
    assert second.metadata["model"] == "m-1"
    assert report.left_out == {
        "message of a system": 1,
        "message of a tool": 1,
        "message without text (pictures, calls of tools, results)": 1,
    }
    assert [f.place for f in report.failed] == ["chat.jsonl:4", "chat.jsonl:9", "chat.jsonl:10"]
    assert engine.import_from(path, space="chats").fates == {"unchanged": 4}
    with path.open("a", encoding="utf-8") as file:
        file.write('{"role": "user", "content": "yes"}\n')
    assert engine.import_from(path, space="chats").fates == {"unchanged": 4, "created": 1}


def test_messages_of_several_users(engine: Engine, tmp_path: Path) -> None:
    path = save_lines(
        tmp_path / "chat.jsonl",
        {"role": "user", "content": "你好", "user_id": "mei"},
        {"role": "user", "content": "hello", "user_id": "li"},
    )
    with pytest.raises(InvalidInput, match=r"mei \(1\), li \(1\)"):
        engine.import_from(path, space="chats")


def test_a_transcript_of_claude_code(engine: Engine, tmp_path: Path) -> None:
    shared = {"sessionId": "s-1", "cwd": "/home/mei/project", "version": "2.1"}
    path = save_lines(
        tmp_path / "s-1.jsonl",
        {"type": "summary", "summary": "A talk", "leafUuid": "u2"},
        {
            "type": "user",
            "message": {"role": "user", "content": "用 uv 安装"},
            "uuid": "u1",
            "timestamp": "2026-02-01T10:00:00.000Z",
            **shared,
        },
        {
            "type": "assistant",
            "uuid": "u2",
            "parentUuid": "u1",
            "timestamp": "2026-02-01T10:00:05.000Z",
            "message": {
                "id": "msg",
                "role": "assistant",
                "model": "m",
                "content": [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "text", "text": "Done with uv."},
                ],
            },
            **shared,
        },
        {
            "type": "assistant",
            "uuid": "u3",
            "message": {
                "id": "msg",
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}],
            },
            **shared,
        },
        {
            "type": "user",
            "uuid": "u4",
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}],
            },
            **shared,
        },
        {
            "type": "user",
            "uuid": "u5",
            "isMeta": True,
            "message": {"role": "user", "content": "<caveat>"},
            **shared,
        },
        {"type": "file-history-snapshot", "messageId": "u5", "snapshot": {}, "uuid": "u6"},
    )
    for project in ("-home-mei-a", "-home-mei-b"):
        other = tmp_path / "all" / project / "s-1.jsonl"
        other.parent.mkdir(parents=True)
        other.write_bytes(path.read_bytes())
    with pytest.raises(InvalidInput, match=r"home-mei-a \(2\), home-mei-b \(2\)"):
        engine.import_from(tmp_path / "all", space="talk")
    apart = engine.import_from(tmp_path / "all", own_spaces=True)
    assert apart.fates == {"created": 4}
    shutil.rmtree(tmp_path / "all")
    report = engine.import_from(tmp_path)  # a folder of transcripts
    assert (report.format, report.failed) == ("chat", ())
    assert [(m.text, m.metadata["message_id"], m.source) for m in held(engine)] == [
        ("用 uv 安装", "u1", "s-1"),
        ("Done with uv.", "u2", "s-1"),
    ]
    assert held(engine)[0].provenance["project"] == "/home/mei/project"
    assert sum(report.left_out.values()) == 5
    assert engine.import_from(path).fates == {"unchanged": 2}


def test_exports_of_chat_programs(engine: Engine, tmp_path: Path) -> None:
    node = {
        "author": {"role": "user"},
        "create_time": 1700000000.5,
        "content": {"content_type": "text", "parts": ["第一个问题"]},
    }
    mapping = {
        "b": {
            "message": {
                **node,
                "id": "m2",
                "author": {"role": "assistant"},
                "content": {"content_type": "text", "parts": ["the answer"]},
            },
            "parent": "a",
            "children": ["b", "a"],
        },
        "a": {"message": {**node, "id": "m1"}, "parent": "root", "children": ["b"]},
        "root": {"message": None, "parent": None, "children": ["a", "nowhere"]},
    }
    path = save(tmp_path / "conversations.json", [{"title": "茶", "id": "c-1", "mapping": mapping}])
    report = engine.import_from(path)
    assert (report.format, report.fates) == ("chat", {"created": 2})
    assert [(m.text, m.section) for m in held(engine)] == [
        ("第一个问题", "茶"),
        ("the answer", "茶"),
    ]
    other = {
        "uuid": "c-2",
        "name": "Tea",
        "chat_messages": [
            {
                "uuid": "x",
                "text": "hello 你好",
                "sender": "human",
                "created_at": "2025-01-01T00:00:00Z",
            },
            "not a message",
        ],
    }
    report = engine.import_from(save(tmp_path / "claude.json", [other]), space="claude")
    assert [(m.text, m.source) for m in held(engine, "claude")] == [("hello 你好", "c-2")]
    assert [f.place for f in report.failed] == ["claude.json item 1 message 2"]


def test_many_conversations_in_lines(engine: Engine, tmp_path: Path) -> None:
    talk = {
        "messages": [
            {"role": "user", "content": "same 一样"},
            {"role": "user", "content": "same 一样"},
        ]
    }
    path = save_lines(tmp_path / "train.jsonl", {**talk, "id": 1}, {**talk, "id": 2})
    assert engine.import_from(path).fates == {"created": 4}


def test_names_and_conversations_are_taken(engine: Engine, tmp_path: Path) -> None:
    path = save(
        tmp_path / "talk.json",
        {
            "conversation_id": "周会",
            "messages": [
                {"role": "user", "name": "小美", "content": "我下周去青海湖。"},
                {"role": "human", "name": "Jonas\n", "content": "I stay at home."},
            ],
        },
    )
    engine.import_from(path, space="chats")
    assert [(m.speaker, m.role, m.conversation) for m in held(engine, "chats")] == [
        ("小美", "user", "周会"),
        ("Jonas", "user", "周会"),
    ]


def test_mem0_says_who_spoke(engine: Engine, tmp_path: Path) -> None:
    mine = {"memory": "喜欢绿茶", "role": "user", "actor_id": "小美", "run_id": "r-1"}
    own = {"memory": "Likes tea", "role": "assistant", "metadata": {"role": "editor"}}
    path = save_lines(tmp_path / "mem0.jsonl", {**mine, "user_id": "m"}, {**own, "user_id": "m"})
    engine.import_from(path, space="chats")
    first, second = held(engine, "chats")
    assert (first.speaker, first.role, first.conversation) == ("小美", "user", "r-1")
    assert second.metadata["role"] == "editor"  # the user's own metadata is kept
