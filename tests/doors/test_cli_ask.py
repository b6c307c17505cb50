"""Asking documents on the command line."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from bethink import Engine
from bethink.knowledge import KnowledgeBase
from tests.doors.running import Cli
from tests.embedders.serving import server_at
from tests.knowledge.documents_of_tests import handbooks
from tests.knowledge.model_of_tests import Model

HERE = ("--space", "handbook")


@pytest.fixture
def told(cli: Cli, tmp_path: Path) -> Path:
    with Engine(tmp_path / "memory.db", embedder="hashing") as engine:
        handbooks(KnowledgeBase(engine, "handbook"))
    return tmp_path


def test_without_a_model_the_cited_passages(cli: Cli, told: Path) -> None:
    answer = cli("ask", "how long is the notice period?", *HERE).json
    assert (answer["by"], answer["status"], answer["known"]) == ("passages", "answered", True)
    assert answer["citations"][0]["heading"] == "Leave › Notice period"
    assert "trace" not in answer["passages"]
    explained = cli("ask", "离职通知期有多长？", *HERE, "--explain").json
    assert explained["passages"]["trace"]["preset"] == "knowledge"
    text = cli("ask", "离职通知期有多长？", *HERE, "--text").out
    assert text.startswith("[1] 《员工手册》 › 休假 › 通知期")
    assert text.rstrip().endswith("answered")


def test_a_conversation_is_kept_in_a_file(cli: Cli, told: Path) -> None:
    kept = ("--history", "talk.json", "--save-history", "talk.json")
    cli("ask", "离职通知期有多长？", *HERE, *kept)
    again = cli("ask", "为什么？", *HERE, *kept)
    assert again.json["asked_as"] == "为什么：离职通知期有多长？"
    turns = json.loads((told / "talk.json").read_text("utf-8"))
    assert [turn["question"] for turn in turns] == ["离职通知期有多长？", "为什么？"]
    assert turns[0]["references"][0]["heading"] == "休假 › 通知期"
    assert (told / "talk.json").stat().st_mode & 0o077 == 0
    assert not list(told.glob("*.draft*"))
    shown = cli("ask", "why?", *HERE, "--history", "talk.json", "--text").out
    assert shown.startswith("asked as: why: 为什么：离职通知期有多长？\n")


def test_a_long_conversation_is_kept_whole(cli: Cli, told: Path) -> None:
    before = [{"question": f"第 {n} 个问题 question {n}"} for n in range(30)]
    (told / "talk.json").write_text(json.dumps(before), "utf-8")
    cli("ask", "病假呢？", *HERE, "--history", "talk.json", "--save-history", "talk.json")
    turns = json.loads((told / "talk.json").read_text("utf-8"))
    asked = [one["question"] for one in before]
    assert [turn["question"] for turn in turns] == [*asked, "病假呢？"]


@pytest.mark.parametrize("web", [(), ("--web",)])
@pytest.mark.parametrize("slip", ["handbok", "手策"])
def test_a_mistyped_space_is_named_and_is_not_made(
    cli: Cli, told: Path, monkeypatch: pytest.MonkeyPatch, slip: str, web: tuple[str, ...]
) -> None:
    monkeypatch.setenv("BETHINK_WEB_SEARCH", "searxng")
    monkeypatch.setenv("BETHINK_WEB_ENDPOINT", "http://127.0.0.1:9")
    ran = cli("ask", "离职通知期 notice", "--space", slip, *web)
    if web:  # what is searched with the web is searched here too
        assert ran.code == 2 and slip in ran.error["message"]
    else:
        assert ran.json["status"] == "empty"
        assert ran.json["reasons"] == [f"nothing was remembered in the space {slip!r} yet"]
    assert "handbook" in ran.err
    with Engine(told / "memory.db", embedder="hashing") as engine:
        assert slip not in [one.name for one in engine.spaces()]


def test_a_chat_remembers_its_turns(cli: Cli, told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "how long is the notice period?\nwhy?\n\nnever asked\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    ran = cli("ask", "--chat", *HERE, "--save-history", "talk.json")
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [one["asked_as"] for one in answers] == [
        "how long is the notice period?",
        "why: how long is the notice period?",
    ]
    assert len(json.loads((told / "talk.json").read_text("utf-8"))) == 2


def test_what_is_wrong_is_said(cli: Cli, told: Path) -> None:
    (told / "no.json").write_text('[{"answer": 3}]', "utf-8")
    for arguments, message in [
        (("x", "--history", "missing.json"), "there is no file missing.json"),
        (("x", "--history", "no.json"), 'history: turn 1: expected an object with a "question"'),
        (("x", "--limit", "0"), "--limit: expected"),
        (("x", "--document", "missing.md"), "there is no document 'missing.md'"),
        (("x", "--chat"), "--chat reads its questions"),
        (("x", "--seconds", "0"), "seconds: expected a number above 0"),
        (("x", "--save-history", "no/such/folder.json"), "cannot be written"),
    ]:
        ran = cli("ask", *arguments, *HERE)
        assert ran.code == 2
        assert message in ran.error["message"]


def test_only_in_one_document_and_within_a_budget(cli: Cli, told: Path) -> None:
    only = ("--document", "hr/handbook.pdf", "--limit", "2", "--budget", "60")
    answer = cli("ask", "通知期 notice leave 假期", *HERE, *only).json
    assert {one["address"] for one in answer["citations"]} == {"hr/handbook.pdf"}
    assert len(answer["citations"]) <= 2


@pytest.mark.parametrize("question", ["how long is the notice period?", "离职通知期有多长？"])
def test_without_a_space_the_bases_are_named(cli: Cli, told: Path, question: str) -> None:
    ran = cli("ask", question)
    assert ran.code == 0 and not ran.json["known"]
    assert "name another with --space: handbook (2 documents, 0 entries)" in ran.err
    assert "name another" not in cli("ask", question, *HERE).err


@pytest.mark.parametrize("question", ["how long is the notice period?", "离职通知期有多长？"])
def test_a_person_sees_the_passages_while_the_model_writes(
    cli: Cli, told: Path, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    with server_at("/v1", Model()) as server:
        monkeypatch.setenv("BETHINK_LLM", "openai:small")
        monkeypatch.setenv("BETHINK_LLM_ENDPOINT", server.address)
        ran = cli("ask", question, *HERE, "--text")
        assert "the language model is writing" in ran.err and "[1] " in ran.err
        assert ran.out.startswith("It says so [1].")
        assert "is writing" not in cli("ask", question, *HERE, "--json").err
