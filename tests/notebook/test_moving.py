"""Folders that were moved, or let go of and added again: the memories are the same ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from bethink.errors import InvalidInput
from bethink.notebook.books import Book, Form
from tests.notebook.shelf import DECISIONS, Shelf, shelf


def bind(at: Shelf, root: Path) -> Book:
    form = at.book.form
    writable = form is not Form.FOLDER
    return at.books.add(root, space="work", form=form, writable=writable, project=True)


@pytest.mark.parametrize("form", [Form.NOTEBOOK, Form.FOLDER])
def test_a_moved_folder_is_the_book_that_it_was(tmp_path: Path, form: Form) -> None:
    with shelf(tmp_path, form=form) as at:
        at.write("agent/decisions.md", DECISIONS)
        at.write("n.md", "# N\n\nother 别的\n")
        at.sync()
        ids = at.ids()
        at.engine.reinforce(next(iter(ids.values())), 3)
        counters = {m.id: m.reinforcement for m in at.memories().values()}
        there = at.root.rename(tmp_path / "搬家 moved")
        book = bind(at, there)
        assert at.books.all() == [book]
        report = at.sync()
        assert report.complete
        assert any(str(at.root) in note and "came along" in note for note in report.notes)
        assert at.ids() == ids
        assert {m.id: m.reinforcement for m in at.memories().values()} == counters
        assert {m.provenance["book"] for m in at.memories().values()} == {str(there)}
        assert at.sync().notes == ()


def test_another_project_of_that_name_is_not_the_one_that_is_gone(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("agent/decisions.md", DECISIONS)
        at.sync()
        at.root.rename(tmp_path / "away")
        other = tmp_path / "other"
        (other / "agent").mkdir(parents=True)
        (other / "agent/decisions.md").write_text("- something else 别的\n", "utf-8")
        with pytest.raises(InvalidInput, match="source remove"):
            bind(at, other)
        assert len(at.memories()) == 2


def test_a_copy_beside_the_original_is_not_taken_for_it(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("agent/decisions.md", DECISIONS)
        at.sync()
        copy = tmp_path / "copy"
        (copy / "agent").mkdir(parents=True)
        (copy / "agent/decisions.md").write_text(DECISIONS, "utf-8")
        with pytest.raises(InvalidInput):
            bind(at, copy)


def test_files_that_are_added_again_elsewhere_find_their_memories(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("agent/decisions.md", DECISIONS)
        at.write("n.md", "# N\n\nother 别的\n")
        at.sync()
        ids = at.ids()
        at.engine._let_go(at.book)
        there = at.root.rename(tmp_path / "elsewhere")
        (there / "n.md").write_text("# M\n\nnot the same at all\n", "utf-8")
        bind(at, there)
        report = at.sync()
        assert (report.added, report.removed) == (1, 0)
        assert ids.items() <= at.ids().items()
        at.sync(anew=True)
        assert len(at.memories()) == 4


def test_forgotten_books_leave_nothing_to_find(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("agent/decisions.md", DECISIONS)
        at.sync()
        at.engine._let_go(at.book, forget=True)
        assert at.books.former("work") == []
        bind(at, at.root)
        assert at.sync().added == 2
