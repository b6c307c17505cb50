"""Files hold what a person wrote, secrets and all; the store holds it without them, and both still
belong together. What we write ourselves is redacted before a file is touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bethink.notebook.books import Form
from bethink.vocabulary import Action
from tests.notebook.shelf import counts, shelf

TOKEN = "gh" + "p_" + "aB3" * 12
MARK = "[redacted: github token]"
FILE = "agent/decisions.md"
TEXT = (
    f"# Decisions\n\n- Deploy with {TOKEN} 部署。\n  - tags: ci, {TOKEN}\n"
    "- 数据库密码是 Abc@1234，别外传\n"
)
LINES = {f"Deploy with {MARK} 部署。", "数据库密码是 [redacted: password]，别外传"}


def test_the_file_stays_and_the_store_is_without_secrets(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        file = at.write(FILE, TEXT)
        report = at.sync()
        assert (report.added, report.redacted) == (2, 2)
        held = at.memories()
        assert set(held) == LINES
        one = held[f"Deploy with {MARK} 部署。"]
        assert one.tags == ("ci", MARK)
        assert one.provenance["redacted"] == ["github token"]
        assert file.read_text("utf-8") == TEXT
        at.engine.rebuild_files()
        assert at.bytes_anywhere(TOKEN) == at.bytes_anywhere("Abc@1234") == []


def test_a_second_sync_changes_nothing(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write(FILE, TEXT)
        at.sync()
        before = at.memories()
        assert counts(at.sync()) == (0, 0, 0, 0)
        assert counts(at.sync(anew=True)) == (0, 0, 0, 0)
        assert at.memories() == before
        at.ledger.unlink()  # the ledger is made anew from the store
        assert counts(at.sync()) == (0, 0, 0, 0)
        assert at.memories() == before


def test_edits_around_a_secret_and_of_it_keep_the_memory(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write(FILE, TEXT)
        at.sync()
        before = at.memories()
        below = TEXT.split("\n", 2)[2].replace(TOKEN, "gh" + "p_" + "cD4" * 12)
        at.write(FILE, f"# Decisions\n\n- A new first line 新\n{below}")
        report = at.sync()
        assert report.added == 1
        after = at.memories()
        for text, memory in before.items():
            assert after[text].id == memory.id
            assert after[text].provenance["redacted"] == memory.provenance["redacted"]
        at.write(FILE, f"# Decisions\n\n- Deploy slowly with {TOKEN} 部署。\n")
        at.sync()
        (left,) = at.memories().values()
        assert left.id == before[f"Deploy with {MARK} 部署。"].id
        assert left.text == f"Deploy slowly with {MARK} 部署。"
        assert at.bytes_anywhere(TOKEN) == []


def test_where_the_secret_went_the_mark_goes_too(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write(FILE, f"# Decisions\n\n- Deploy with {TOKEN} 部署。\n")
        at.sync()
        at.write(FILE, "# Decisions\n\n- Deploy with care 部署。\n")
        at.sync()
        (left,) = at.memories().values()
        assert "redacted" not in left.provenance


def test_forgetting_such_a_line_takes_it_out_of_the_file(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        file = at.write(FILE, TEXT)
        at.sync()
        at.engine.forget(at.ids()[f"Deploy with {MARK} 部署。"])
        assert file.read_text("utf-8") == "# Decisions\n\n- 数据库密码是 Abc@1234，别外传\n"
        assert set(at.memories()) == {"数据库密码是 [redacted: password]，别外传"}


def test_revising_such_a_line(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        file = at.write(FILE, TEXT)
        at.sync()
        one = at.ids()[f"Deploy with {MARK} 部署。"]
        at.engine.revise(one, entities=["CI"])  # what was not asked for stays as it was written
        assert f"- Deploy with {TOKEN} 部署。\n" in file.read_text("utf-8")
        assert at.ids()[f"Deploy with {MARK} 部署。"] == one
        fresh = "xox" + "b-" + "1234567890-" * 2 + "aB3" * 8
        receipt = at.engine.revise(one, text=f"Deploy with {fresh} 部署。")
        assert any(
            note.startswith("redacted: ") and "1 slack token" in note for note in receipt.notes
        )
        written = file.read_text("utf-8")
        assert "- Deploy with [redacted: slack token] 部署。\n" in written and fresh not in written
        assert at.ids()["Deploy with [redacted: slack token] 部署。"] == one
        assert counts(at.sync(anew=True)) == (0, 0, 0, 0)


@pytest.mark.parametrize("kind", ["decision", "preference", "journal", "task", "entity"])
def test_what_is_remembered_is_redacted_before_the_file_is_written(
    tmp_path: Path, kind: str
) -> None:
    with shelf(tmp_path) as at:
        told: dict[str, Any] = {
            "kind": kind,
            "space": "work",
            "tags": [TOKEN],
            "metadata": {"why": TOKEN},
        }
        receipt = at.engine.remember(f"小美: use {TOKEN} 部署", **told)
        assert any(note.startswith("redacted: ") for note in receipt.notes)
        memory = at.engine.get(receipt.id)
        assert memory is not None
        assert memory.text.endswith(f"use {MARK} 部署")
        assert memory.provenance["redacted"] == ["github token"]
        assert TOKEN not in repr(memory)
        assert not [
            f for f in tmp_path.rglob("*") if f.is_file() and TOKEN.encode() in f.read_bytes()
        ]
        again = at.engine.remember(f"小美: use {TOKEN} 部署", **told)
        assert (again.id, again.action) == (receipt.id, Action.REINFORCED)
        assert counts(at.sync(anew=True)) == (0, 0, 0, 0)


def test_a_correction_of_a_line_with_a_secret(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        file = at.write(FILE, TEXT)
        at.sync()
        one = at.ids()[f"Deploy with {MARK} 部署。"]
        receipt = at.engine.remember(
            "Deploy by hand 部署。", kind="decision", space="work", supersedes=one
        )
        assert receipt.action is Action.REVISED
        assert "- Deploy by hand 部署。\n" in file.read_text("utf-8")
        every = "".join(f.read_text("utf-8") for f in at.root.rglob("*.md"))
        assert MARK in every and f"with {TOKEN}" not in every
        assert counts(at.sync(anew=True)) == (0, 0, 0, 0)


def test_notes_are_redacted_too(tmp_path: Path) -> None:
    with shelf(tmp_path, form=Form.NOTES) as at:
        receipt = at.engine.remember(f"# Deploy {TOKEN}\n\n用 {TOKEN} 部署。", space="work")
        assert "redacted: 2 github token" in receipt.notes
        assert not [
            f for f in tmp_path.rglob("*") if f.is_file() and TOKEN.encode() in f.read_bytes()
        ]
        at.write("notes/own.md", f"# Keys\n\nThe CI uses {TOKEN}.\n")
        at.sync()
        assert at.bytes_anywhere(TOKEN) == []
        assert f"Keys\nThe CI uses {MARK}." in {
            text.replace("\n\n", "\n") for text in at.memories()
        }
        assert counts(at.sync(anew=True)) == (0, 0, 0, 0)


def test_switched_off_and_on_again(tmp_path: Path) -> None:
    with shelf(tmp_path, redact=False) as at:
        at.write(FILE, TEXT)
        at.sync()
        assert f"Deploy with {TOKEN} 部署。" in at.memories()
    with shelf(tmp_path) as at:
        at.sync()  # read anew, although no file has changed
        assert set(at.memories()) == LINES
