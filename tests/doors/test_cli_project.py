"""In a project: what is told of the user is the user's own, and questions look in both."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.doors.running import Cli


@pytest.fixture(autouse=True)
def project(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    made = tmp_path / "api"
    (made / ".git").mkdir(parents=True)
    monkeypatch.chdir(made)
    assert cli("init", "--yes").code == 0
    return made


@pytest.mark.parametrize(
    ("text", "kind", "question"),
    [
        ("Water only", "preference", "what are my preferences"),
        ("只喝水", "preference", "我的偏好有哪些"),
        ("Answer briefly", "instruction", "what rules should you follow"),
        ("小李: 后端", "entity", "你都认识谁"),
    ],
)
@pytest.mark.parametrize("preset", ["notebook", "balanced"])
def test_what_is_the_users_own_is_kept_there_and_found_here(
    cli: Cli, project: Path, text: str, kind: str, question: str, preset: str
) -> None:
    told = cli("remember", text, "--kind", kind)
    assert told.json["space"] == "global"
    assert "not the project's" in told.err
    assert not (project / ".bethink/user").exists()
    asked = cli("recall", question if preset == "notebook" else text, "--preset", preset).json
    assert asked["spaces"] == ["api", "global"]
    assert [hit["text"] for hit in asked["hits"]] == [text]
    assert cli("recall", text, "--space", "api").json["hits"] == []


@pytest.mark.parametrize("text", ["Water only", "只喝水"])
def test_a_space_that_is_named_is_meant(cli: Cli, project: Path, text: str) -> None:
    told = cli("remember", text, "--kind", "preference", "--space", "api")
    assert told.json["space"] == "api"
    assert text in (project / ".bethink/user/preferences.md").read_text("utf-8")
    asked = cli("recall", "我的偏好", "--preset", "notebook", "--space", "api").json
    assert [hit["text"] for hit in asked["hits"]] == [text]
    again = cli("remember", "Tea 茶", "--kind", "preference", "--supersedes", told.json["id"])
    assert again.json["space"] == "api"


@pytest.mark.parametrize("text", ["Use apsw", "用 apsw"])
def test_what_is_the_projects_stays_there(cli: Cli, project: Path, text: str) -> None:
    assert cli("remember", text, "--kind", "decision").json["space"] == "api"
    assert text in (project / ".bethink/agent/decisions.md").read_text("utf-8")


# Kinds, as people name them


@pytest.mark.parametrize("kind", ["Decision", "decisions", "DECISIONS", "决策", "决定"])
def test_a_kind_is_known_by_its_names(cli: Cli, project: Path, kind: str) -> None:
    told = cli("remember", "用 apsw for SQLite", "--kind", kind)
    assert "is kept as 'decision'" in told.err
    assert "用 apsw" in (project / ".bethink/agent/decisions.md").read_text("utf-8")


@pytest.mark.parametrize("kind", ["prefs", "心情"])
def test_a_kind_without_a_file_says_so(cli: Cli, kind: str) -> None:
    told = cli("remember", "tea 茶", "--kind", kind)
    assert f"no file is for the kind {kind!r}" in told.err


def test_many_at_once_stay_in_the_store_and_it_is_said(cli: Cli, tmp_path: Path) -> None:
    lines = tmp_path / "facts.jsonl"
    lines.write_text(
        '{"text": "The port is 8080", "kind": "decision"}\n{"text": "端口", "kind": "decision"}\n'
        '{"text": "a note"}\n',
        "utf-8",
    )
    told = cli("remember", "--jsonl", str(lines))
    assert told.json["created"] == 3
    assert "2 kept in the store alone and in no file" in told.err
    one = cli("remember", "端口 8080", "--kind", "decision", "--id", "mine").json
    assert any("store alone" in note for note in one["notes"])


@pytest.mark.parametrize("text", ["Use apsw", "用 apsw"])
def test_a_folder_of_notes_has_no_file_for_decisions(cli: Cli, text: str) -> None:
    assert cli("init", "--notes", "notes", "--space", "notes", "--yes").code == 0
    told = cli("remember", text, "--kind", "decision", "--space", "notes").json
    assert any("a folder of notes has no file" in note for note in told["notes"])


# Moments, as people name them


@pytest.mark.parametrize("when", ["yesterday", "昨天"])
def test_a_day_is_named_as_in_a_question(cli: Cli, project: Path, when: str) -> None:
    assert (
        cli("remember", "和小李开会 met Li", "--kind", "journal", "--occurred-at", when).code == 0
    )
    (day,) = (project / ".bethink/journal").iterdir()
    assert day.stem == f"{datetime.now().astimezone() - timedelta(days=1):%Y-%m-%d}"


@pytest.mark.parametrize("text", ["Yesterday I met Li", "昨天和小李开会"])
def test_an_entry_stands_under_the_day_on_which_it_was_told(
    cli: Cli, project: Path, text: str
) -> None:
    assert cli("remember", text, "--kind", "journal").code == 0
    (day,) = (project / ".bethink/journal").iterdir()
    assert day.stem == f"{datetime.now().astimezone():%Y-%m-%d}"


def test_what_held_then(cli: Cli) -> None:
    cli("remember", "The port 端口 is 8080", "--kind", "decision")
    for when, found in (("now", 1), ("现在", 1), ("今天", 1), ("yesterday", 0), ("昨天", 0)):
        assert len(cli("recall", "port 端口", "--as-of", when).json["hits"]) == found, when
    wrong = cli("recall", "port", "--as-of", "某一天")
    assert wrong.code == 2
    assert "yesterday, 昨天" in wrong.error["message"]


# History


@pytest.mark.parametrize(
    ("old", "new", "edited"),
    [
        ("The port is 8080", "The port is now 9090", "The port is now 9091, for all"),
        ("端口是8080", "端口改为9090", "端口改为9091，所有机器都是"),
    ],
)
def test_history_after_an_edit_by_hand(
    cli: Cli, project: Path, old: str, new: str, edited: str
) -> None:
    cli("remember", old, "--kind", "decision")
    second = cli("remember", new, "--kind", "decision").json["id"]
    file = project / ".bethink/agent/decisions.md"
    file.write_text(file.read_text("utf-8").replace(new, edited), "utf-8")
    cli("sync")
    shown = cli("history", second, "--text").out
    assert [part in shown for part in (new, edited, old)] == [True] * 3
    assert f"[superseded by {second}] {old}" in cli("list", "--text").out


@pytest.mark.parametrize(
    ("old", "edited"), [("Use tabs", "Use tabs always"), ("用制表符", "都用制表符")]
)
def test_history_without_a_chain_shows_how_it_reads_now(
    cli: Cli, project: Path, old: str, edited: str
) -> None:
    told = cli("remember", old, "--kind", "decision").json["id"]
    file = project / ".bethink/agent/decisions.md"
    file.write_text(file.read_text("utf-8").replace(old, edited), "utf-8")
    cli("sync")
    lines = cli("history", told, "--text").out.splitlines()
    assert lines[0].startswith("until ") and lines[0].endswith(old)
    assert lines[1].startswith("now ") and lines[1].endswith(edited)
