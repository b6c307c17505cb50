"""What `init` finds, passes over and suggests, and which space a project's file may choose."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bethink.settings import data_directory
from tests.doors.running import Cli

pytestmark = pytest.mark.usefixtures("own_home")


@pytest.fixture
def project(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "api"
    (made / ".git").mkdir(parents=True)
    monkeypatch.chdir(made)
    return made


# Notes


def test_notes_are_bound_by_their_folders_name(cli: Cli, tmp_path: Path) -> None:
    for name, space in (("笔记", "笔记"), ("other", "other"), ("deep/other", "deep/other")):
        made = cli("init", "--notes", name, "--yes").json["books"]
        assert [book["space"] for book in made] == [space]
    again = cli("init", "--notes", "other", "--yes").json
    assert again["books"] == []
    assert "bound already" in again["notes"][0]
    clash = cli("init", "--notes", "third", "--space", "other", "--yes")
    assert clash.code == 2
    assert not (tmp_path / "third").exists()


# What is passed over is said


def test_no_project_here_is_said(cli: Cli) -> None:
    ran = cli("init", "--yes").json
    assert [book["space"] for book in ran["books"]] == ["global"]
    assert "bethink init ." in ran["notes"][0]
    assert "bethink init ." in cli("init", "--yes", "--text").out
    assert "is there already" in cli("init", "--yes").json["notes"][0]


def test_a_folder_that_is_gone_is_made_again_or_it_is_said_why_not(cli: Cli, project: Path) -> None:
    cli("init", "--yes")
    shutil.rmtree(project / ".bethink")
    assert [b["space"] for b in cli("init", "--yes").json["books"]] == ["api"]
    assert (project / ".bethink/agent/decisions.md").is_file()
    cli("remember", "我们用 apsw: we use apsw", "--kind", "decision")
    shutil.rmtree(project / ".bethink")
    ran = cli("init", "--yes").json
    assert ran["books"] == []
    assert any("1 memories" in note and "--forget" in note for note in ran["notes"])
    assert cli("recall", "apsw").json["hits"]  # what was remembered is not given up by init
    shutil.rmtree(data_directory() / "notebook")
    assert [b["space"] for b in cli("init", "--yes").json["books"]] == ["global"]


@pytest.mark.parametrize("there", ["link", "dangling", "file"])
def test_nothing_is_made_where_not_all_can_be(cli: Cli, project: Path, there: str) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    (project / ".bethink").mkdir()
    agent = project / ".bethink/agent"
    if there == "file":
        agent.write_text("")
    else:
        agent.symlink_to(outside if there == "link" else project / "nowhere")
    refused = cli("init", "--yes")
    assert refused.code == 2
    assert str(agent) in refused.error["message"]
    assert [path.name for path in (project / ".bethink").iterdir()] == ["agent"]
    assert not (data_directory() / "notebook").exists()
    assert not (project / ".bethink.toml").exists()
    assert cli("source").json == []


def test_what_lies_there_is_suggested(cli: Cli, project: Path) -> None:
    (project / "CLAUDE.md").write_text("# Rules\n\n始终用 tabs\n", "utf-8")
    (project / "docs/deep").mkdir(parents=True)
    (project / "docs/deep/a.md").write_text("# A\n\n甲\n", "utf-8")
    (project / "notes").mkdir()
    commands = [s["command"] for s in cli("init", "--yes").json["suggestions"]]
    assert commands == [
        "bethink import CLAUDE.md --space api",
        "bethink source add docs --space api",
    ]
    assert commands[0] in cli("init", "--yes", "--text").out
    for command in commands:
        assert cli(*command.split()[1:]).code == 0
    assert cli("init", "--yes").json["suggestions"] == []


# Which space a project's file may choose


def clone(place: Path, space: str = "api") -> Path:
    (place / ".git").mkdir(parents=True)
    (place / ".bethink.toml").write_text(f'space = "{space}"\n', "utf-8")
    return place


def test_a_fresh_clone_cannot_choose_a_space_that_is_there(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("remember", "secret 密码 of the api", "--space", "api")
    evil = clone(tmp_path / "evil")
    monkeypatch.chdir(evil)
    asked = cli("recall", "secret 密码")
    assert asked.json["spaces"] == ["global"]
    assert asked.json["hits"] == []
    assert "bethink init" in asked.err
    assert cli("remember", "told here").json["space"] == "global"
    offered = cli("init").json
    assert any("until you agree" in note for note in offered["notes"])
    agreed = cli("init", "--yes").json
    assert any("1 memories are shown here" in note for note in agreed["notes"])
    asked = cli("recall", "secret 密码")
    assert asked.json["hits"][0]["text"] == "secret 密码 of the api"
    assert "bethink init" not in asked.err


def test_a_project_that_was_begun_here_keeps_its_space_until_it_is_moved(
    cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("init", "--project", "--yes")
    cli("remember", "用 apsw", "--kind", "decision")
    asked = cli("recall", "apsw")
    assert asked.json["spaces"] == ["api", "global"]
    assert "init" not in asked.err
    (data_directory() / "projects.json").unlink()
    asked = cli("recall", "apsw")  # its notebook lies in the folder
    assert asked.json["spaces"] == ["api", "global"]
    moved = project.rename(project.with_name("moved"))
    monkeypatch.chdir(moved)
    asked = cli("recall", "apsw")
    assert asked.json["spaces"] == ["global"]
    assert f"bethink init' in {moved}" in asked.err
    again = cli("init", "--project", "--yes").json
    assert [book["root"] for book in again["books"]] == [str(moved / ".bethink")]
    assert cli("recall", "apsw").json["spaces"] == ["api", "global"]


def test_who_is_first_in_a_space_may_stay(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("remember", "elsewhere", "--space", "global")
    monkeypatch.chdir(clone(tmp_path / "one", "新的"))
    for number in range(2):
        told = cli("remember", f"第 {number} 条 told here")
        assert (told.json["space"], told.err) == ("新的", "")
    assert cli("config", "get", "space").json == {"space": "新的"}
    monkeypatch.chdir(clone(tmp_path / "two", "新的"))
    assert cli("config", "get", "space").json == {"space": "global"}


def test_looking_claims_nothing(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("remember", "elsewhere", "--space", "global")
    monkeypatch.chdir(clone(tmp_path / "evil", "work"))
    cli("status")
    monkeypatch.chdir(tmp_path)
    cli("remember", "my work 工作", "--space", "work")
    monkeypatch.chdir(tmp_path / "evil")
    assert cli("recall", "work 工作").json["spaces"] == ["global"]
