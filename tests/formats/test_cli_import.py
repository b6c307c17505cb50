"""Import and export from the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.doors.running import Cli, process
from tests.doors.running import cli as cli


@pytest.fixture
def mem0(tmp_path: Path) -> str:
    path = tmp_path / "mem0.json"
    items = [
        {"id": "1", "memory": "喜欢绿茶", "user_id": "mei", "created_at": "2025-01-01T00:00:00Z"},
        {"id": "2", "memory": "drinks coffee", "user_id": "li"},
        {"id": "3"},
    ]
    path.write_text(json.dumps({"results": items}), "utf-8")
    return str(path)


def test_a_look_takes_nothing_and_leaves_no_store(cli: Cli, mem0: str, tmp_path: Path) -> None:
    looked = cli("import", mem0, "--own-spaces", "--dry-run", "--store", "none.db")
    assert looked.json["format"] == "mem0"
    assert looked.json["created"] == 2
    assert looked.json["dry_run"] is True
    assert not (tmp_path / "none.db").exists()
    assert looked.json["spaces"] == [
        {"owner": "mei", "space": "mei", "memories": 1},
        {"owner": "li", "space": "li", "memories": 1},
    ]
    told = cli("import", mem0, "--own-spaces", "--dry-run", "--text", "--store", "none.db").out
    assert "mem0 (memories of mem0): 2 found" in told
    assert "2 would be created, 1 not taken" in told


def test_owners_are_asked_for_then_mapped(cli: Cli, mem0: str) -> None:
    asked = cli("import", mem0, "--space", "all")
    assert asked.code == 2
    assert "mei (1), li (1)" in asked.err
    assert "--own-spaces" in asked.err
    taken = cli("import", mem0, "--map", "mei=tea", "--map", "*=others")
    assert taken.code == 2  # one record is none
    assert taken.json["failed"] == [
        {"place": "mem0.json:1 item 3", "error": "has no 'memory' with a text"}
    ]
    assert "mem0.json:1 item 3: has no 'memory'" in taken.err
    assert cli("list", "--space", "tea").json["memories"][0]["text"] == "喜欢绿茶"
    again = cli("import", mem0, "--map", "mei=tea", "--map", "*=others", "--text")
    assert "2 here already, 1 not taken" in again.out
    assert "1 of mei → space tea" in again.out
    wrong = cli("import", mem0, "--map", "mei")
    assert wrong.code == 2
    assert "OWNER=SPACE" in wrong.err


def test_markdown_out_and_in(cli: Cli, tmp_path: Path) -> None:
    first = cli("remember", "---\nMei prefers dark mode\n---", "--tag", "ui").json["id"]
    cli("remember", "预算会议", "--space", "work")
    cli("revise", first, "小美喜欢浅色主题\r\n")
    before = cli("export").out
    done = cli("export", "--format", "markdown", "out")
    assert done.json == {"written": 2, "unchanged": 0, "removed": 0}
    other = str(tmp_path / "other.db")
    taken = cli("import", "out", "--store", other)
    assert (taken.code, taken.json["format"]) == (0, "bethink-markdown")
    assert cli("export", "--store", other).out == before
    assert "2 unchanged" in cli("export", "--format", "markdown", "out", "--text").out
    assert cli("export", "--format", "markdown").code == 2
    assert cli("export", "out").code == 2
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/x.md").write_text("x")
    refused = cli("export", "--format", "markdown", "theirs")
    assert refused.code == 2
    assert "empty folder" in refused.err


def test_from_a_pipe(cli: Cli, tmp_path: Path) -> None:
    lines = '{"role": "user", "content": "管道"}\n{"role": "user", "content": "pipe"}\n'
    store = tmp_path / "piped.db"
    ran = process("import", "-", "--space", "chats", store=store, given=lines.encode())
    assert json.loads(ran.stdout)["created"] == 2
    again = process("import", "-", "--space", "chats", store=store, given=lines.encode())
    assert json.loads(again.stdout)["unchanged"] == 2
    os.mkfifo(tmp_path / "pipe")
    waited = cli("import", str(tmp_path / "pipe"))
    assert waited.code == 2
    assert "give a pipe as '-'" in waited.err


def test_a_folder_that_is_followed_already(cli: Cli, tmp_path: Path) -> None:
    from bethink import Engine
    from bethink.notebook.books import Form

    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\n笔记\n", "utf-8")
    with Engine(tmp_path / "followed.db", embedder="none") as engine:
        assert engine.books is not None
        engine.books.add(notes, space="n", form=Form.FOLDER, writable=False, project=False)
    refused = cli("import", str(notes), "--store", str(tmp_path / "followed.db"))
    assert refused.code == 2
    assert "follows already in space 'n'" in refused.err


# What the source has changed since


def test_a_changed_section_is_named_and_revised_when_asked(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "docs/网络.md"
    file.parent.mkdir()
    file.write_text(
        "# Net\n\nintro\n\n## Port 端口\n\nThe port is 8080.\n\n## Host\n\nh1\n", "utf-8"
    )
    assert cli("import", "docs", "--space", "n").json["created"] == 3
    file.write_text(file.read_text("utf-8").replace("8080", "9090") + "\n## New\n\nn\n", "utf-8")
    looked = cli("import", "docs", "--space", "n", "--update", "--dry-run").json
    assert (looked["revised"], looked["created"]) == (1, 1)
    again = cli("import", "docs", "--space", "n")
    assert (again.json["conflict"], again.json["unchanged"], again.json["created"]) == (1, 2, 1)
    assert again.json["differing"] == ["网络.md:5"]
    assert "--update" in again.err
    updated = cli("import", "docs", "--space", "n", "--update")
    assert (updated.json["revised"], updated.json["unchanged"]) == (1, 3)
    assert "conflict" not in updated.json
    (hit,) = cli("recall", "9090", "--space", "n", "--words", "--limit", "1").json["hits"]
    assert "9090" in hit["text"]
    assert "8080" in cli("history", hit["id"]).out
    assert len(cli("list", "--space", "n").json["memories"]) == 4


def test_files_of_one_name_in_two_projects_are_two(cli: Cli, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "CLAUDE.md").write_text(f"# Rules\n\n用 {name}\n", "utf-8")
        assert cli("import", f"{name}/CLAUDE.md", "--space", "p").json["created"] == 1


def test_what_a_claude_file_refers_to_is_named(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text(
        "# Rules\n\nSee @docs/style.md and @~/own.md, mail me@example.md, `@not.md`.\n", "utf-8"
    )
    left = cli("import", "CLAUDE.md", "--space", "p").json["left_out"]
    assert [name.split()[0] for name in left] == ["@docs/style.md", "@~/own.md"]
    assert all(count == 1 for count in left.values())
