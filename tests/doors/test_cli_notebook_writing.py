"""Remembering into a notebook, and its history, from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from bethink import Engine
from bethink.notebook.books import Form
from tests.doors.running import Cli


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "notebook"
    root.mkdir()
    with Engine(tmp_path / "memory.db", embedder="hashing") as engine:
        assert engine.books is not None
        engine.books.add(root, space="global", form=Form.NOTEBOOK, writable=True, project=False)
    return root


def test_a_correction_and_its_history(cli: Cli, root: Path) -> None:
    old = cli("remember", "The port is 8080", "--kind", "decision").json
    assert old["action"] == "created"
    again = cli("remember", "The port is 8080!", "--kind", "decision", "--text")
    assert again.out.startswith(f"Told again in {old['space']!r} as {old['id']}, reinforced 1× (")
    assert again.out.endswith('decisions.md): "The port is 8080"\n')
    assert "agent/decisions.md:3" in again.err
    ran = cli(
        "remember", "端口 The port is now 9090", "--kind", "decision", "--supersedes", old["id"]
    )
    new = ran.json
    assert new["action"] == "revised"
    assert (root / "agent/decisions.md").read_text() == (
        "# Decisions\n\n- 端口 The port is now 9090\n"
    )
    assert [hit["text"] for hit in cli("recall", "port").json["hits"]] == [
        "端口 The port is now 9090"
    ]
    shown = cli("history", old["id"], "--text").out.splitlines()
    assert [line.split("  ")[-1] for line in shown] == [
        "The port is 8080",
        "端口 The port is now 9090",
    ]
    assert shown[0].startswith("→ ") and " – now" in shown[1]
    for one in (old, new):
        told = cli("history", one["id"]).json
        assert told["memory"]["id"] == one["id"] and told["history"] == []
        assert [memory["id"] for memory in told["succession"]] == [old["id"], new["id"]]


def test_the_journal_from_the_command_line(cli: Cli, root: Path) -> None:
    assert cli("remember", "修好了登录 fixed the login", "--kind", "journal").code == 0
    (day,) = (root / "journal").iterdir()
    assert day.read_text().endswith(" 修好了登录 fixed the login\n")
    for question in ("what did I do today", "今天做了什么"):
        found = cli("recall", question, "--preset", "notebook").json
        assert [hit["text"] for hit in found["hits"]] == ["修好了登录 fixed the login"]


def test_merging_without_a_notebook(cli: Cli) -> None:
    old = cli("remember", "会议在三点", "--merge", "meaning").json
    assert cli("remember", "会议在3点", "--merge", "meaning").json["id"] == old["id"]
    assert cli("remember", "会议改到4点", "--merge", "meaning").json["action"] == "revised"
    shown = cli("history", old["id"], "--text").out
    assert "会议改到4点" in shown


def test_never_revised(cli: Cli) -> None:
    old = cli("remember", "tea").json
    assert cli("history", old["id"], "--text").out == "it was never revised or superseded\n"
    told = cli("history", old["id"]).json
    assert told["history"] == [] and [one["id"] for one in told["succession"]] == [old["id"]]


def test_what_does_not_go_together(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"text": "a"}\n')
    ran = cli("remember", "--jsonl", "x.jsonl", "--merge", "meaning")
    assert ran.code == 2
    assert "leave out --jsonl" in ran.error["message"]
    assert cli("remember", "x", "--supersedes", "nobody").code == 3
