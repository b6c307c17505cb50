"""Documents on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.running import Cli
from tests.knowledge import files_of_tests as files

KB = ("--space", "handbook")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    (made / "guide.md").write_text(f"# 年假 Leave\n\n{files.PROSE_EN}\n", "utf-8")
    (made / "contract.pdf").write_bytes(files.pdf([[("第一章 总则", 18), (files.PROSE_ZH, 11)]]))
    return made


def test_add_list_show(cli: Cli, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    ran = cli("documents", "add", str(folder), *KB)
    assert ran.code == 2
    assert {name: ran.json[name] for name in ("added", "unchanged", "failed")} == {
        "added": 2, "unchanged": 0, "failed": 1,
    }  # fmt: skip
    (failed,) = [one for one in ran.json["files"] if one["fate"] == "failed"]
    assert failed["address"] == "docs/broken.pdf"
    assert failed["why"].startswith("it is damaged, or no PDF")
    listed = [json.loads(line) for line in cli("documents", "list", *KB).out.splitlines()]
    assert [(one["address"], one["enabled"], one["state"]) for one in listed] == [
        ("docs/contract.pdf", True, "ready"), ("docs/guide.md", True, "ready"),
    ]  # fmt: skip
    shown = cli("documents", "show", "docs/contract.pdf", *KB).json
    assert (shown["pages"], shown["unit"]) == (1, "page")
    assert [(one["page"], one["headings"]) for one in shown["parts"]] == [(1, "第一章 总则")]


def test_for_people(cli: Cli, folder: Path) -> None:
    added = cli("documents", "add", str(folder), *KB, "--text")
    assert added.code == 0
    assert added.out.startswith("2 added (")
    assert "docs/guide.md  年假 Leave" in cli("documents", "list", *KB, "--text").out
    shown = cli("documents", "show", str(folder / "contract.pdf"), *KB, "--text").out
    assert "pdf, 1 section, 1 page," in shown
    assert "00000  page 1  第一章 总则" in shown
    assert "no documents yet" in cli("documents", "list", "--space", "empty", "--text").out


def test_of_many_notes_the_first_are_shown_and_the_others_counted(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(25):
        text = f"# 登录 {number}\n\npassword: Xk29vQ81mZ{number}\n"
        (folder / f"{number:02}.md").write_text(text, "utf-8")
    said = cli("documents", "add", str(folder), *KB, "--text").err
    assert said.count("redacted: 1 password") == 20
    assert "docs/00.md: redacted: 1 password" in said
    assert "and notes on 5 more" in said


def test_disable_enable_replace_remove(cli: Cli, folder: Path) -> None:
    cli("documents", "add", str(folder), *KB)
    ask = ("recall", "notice period 通知期", *KB, "--words")

    def sources() -> set[str]:
        return {hit["source"] for hit in cli(*ask).json["hits"]}

    assert "docs/guide.md" in sources()
    assert not cli("documents", "disable", "docs/guide.md", *KB).json["enabled"]
    assert "docs/guide.md" not in sources()
    assert cli("documents", "enable", str(folder / "guide.md"), *KB).json["enabled"]
    assert "docs/guide.md" in sources()
    new = folder.parent / "new.md"
    new.write_text("# 出差 Travel\n\nBy train. 坐火车。", "utf-8")
    assert cli("documents", "replace", "docs/guide.md", str(new), *KB).json["fate"] == "replaced"
    assert "docs/guide.md" not in sources()
    removed = cli("documents", "remove", "docs/guide.md", "docs/contract.pdf", *KB)
    assert removed.json["memories"] == 4
    assert cli("documents", "list", *KB).out == ""


def test_prune_and_formats(cli: Cli, folder: Path) -> None:
    assert cli("documents", "add", str(folder), *KB, "--format", "pdf").json["added"] == 1
    assert cli("documents", "add", str(folder), *KB).json["added"] == 1
    (folder / "guide.md").unlink()
    assert cli("documents", "add", str(folder), *KB).json["removed"] == 0
    assert cli("documents", "add", str(folder), *KB, "--prune").json["removed"] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("add",), 2, "nothing to add; name files or folders"),
        (("add", "nowhere.md"), 2, "there is no file or folder"),
        (("list", "x"), 2, "takes no names"),
        (("list", "--prune"), 2, "--prune is for 'bethink documents add'"),
        (("show", "a", "b"), 2, "takes one document"),
        (("replace", "a"), 2, "takes a document and a file"),
        (("disable",), 2, "which documents?"),
        (("remove", "nobody"), 3, "there is no document 'nobody'"),
    ],
)
def test_what_is_wrong_is_said(
    cli: Cli, folder: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    cli("remember", "something 一件事", *KB)
    ran = cli("documents", *arguments, *KB)
    assert ran.code == code
    assert message in ran.error["message"]


def test_a_look_creates_no_store(cli: Cli, tmp_path: Path) -> None:
    assert cli("documents", "list", *KB).code == 5
    assert not (tmp_path / "memory.db").exists()


def test_kinds_that_are_not_read_are_counted_and_named(cli: Cli, folder: Path) -> None:
    for name in ("合同.doc", "old.doc", "memo.rtf", "photo.heic", ".hidden.xyz", "Makefile"):
        (folder / name).write_bytes(b"x")
    ran = cli("documents", "add", str(folder), *KB)
    assert (ran.code, ran.json["added"]) == (0, 2)
    (note,) = ran.json["notes"]
    assert note.startswith("docs: not read: 2 .doc, ")
    assert "1 .rtf" in note and "1 .heic" in note and "1 without an ending" in note
    assert note.endswith("save .doc and .rtf as .docx") and ".xyz" not in note
    chosen = cli("documents", "add", str(folder), "--format", "markdown", *KB)
    assert chosen.json["notes"] == []  # the caller chose


@pytest.mark.parametrize("name", ["便笺.rtf", "memo.txt"])
def test_rich_text_is_told_what_to_do(cli: Cli, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(rb"{\rtf1\ansi Notice period: three months.}")
    ran = cli("documents", "add", str(tmp_path / name), *KB)
    assert ran.code == 2
    assert "rich text (.rtf)" in ran.json["files"][0]["why"]
    assert "save it as .docx or .txt" in ran.json["files"][0]["why"]
