"""The folders that belong to a store."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from bethink import Engine
from bethink.errors import InvalidInput, NotFound, StoreBusy, StoreCorrupt
from bethink.notebook.books import Book, Books, Form, book_lock, books_directory
from bethink.testing import run_at_once, working
from tests.durability.children import Child, Say


@pytest.fixture
def books(tmp_path: Path) -> Books:
    return Books(books_directory(tmp_path / "memory.db"))


def folder(tmp_path: Path, name: str) -> Path:
    made = tmp_path / name
    made.mkdir(parents=True)
    return made


def add(books: Books, root: Path, space: str = "work", form: Form = Form.NOTEBOOK) -> Book:
    return books.add(root, space=space, form=form, writable=form is not Form.FOLDER, project=True)


def test_a_book_is_kept_and_found_by_its_space(books: Books, tmp_path: Path) -> None:
    assert books.all() == []
    work = add(books, folder(tmp_path, "工作 notes"))
    vault = add(books, folder(tmp_path, "vault"), form=Form.FOLDER)
    own = books.add(
        folder(tmp_path, "own"), space="global", form=Form.NOTEBOOK, writable=True, project=False
    )
    again = Books(books.directory)
    assert again.all() == [work, vault, own]
    assert again.of_spaces(["work"]) == [work, vault]
    assert again.writable_for("work") == work
    assert again.writable_for("nowhere") is None
    assert again.holding(vault.root / "a/b.md") == vault
    assert again.holding(tmp_path / "elsewhere.md") is None
    assert again.remove(vault.root) == vault
    assert again.of_spaces(["work"]) == [work]
    assert again.writable_for("work", Form.NOTES) is None


def test_of_two_that_are_written_the_notebook_comes_first(books: Books, tmp_path: Path) -> None:
    notes = add(books, folder(tmp_path, "notes"), form=Form.NOTES)
    notebook = add(books, folder(tmp_path, "book"))
    assert books.writable_for("work") == notebook
    assert books.writable_for("work", Form.NOTES) == notes


def test_the_same_again_changes_nothing(books: Books, tmp_path: Path) -> None:
    root = folder(tmp_path, "a")
    assert add(books, root) == add(books, root / ".." / "a")
    assert len(books.all()) == 1


def test_what_is_refused_says_what_to_do(books: Books, tmp_path: Path) -> None:
    root = folder(tmp_path, "a")
    add(books, root)
    refused: list[tuple[Callable[[], Book], str]] = [
        (lambda: add(books, tmp_path / "nowhere"), "no folder"),
        (lambda: add(books, root, "other"), "bound to space 'work'"),
        (lambda: add(books, folder(root, "inner"), "other"), "lies inside"),
        (lambda: add(books, tmp_path, "other"), "lies inside"),
        (lambda: add(books, folder(tmp_path, "b")), "written into"),
        (lambda: add(books, folder(tmp_path, "c"), "no space"), "no name for a space"),
        (
            lambda: books.add(root, space="x", form=Form.FOLDER, writable=True, project=False),
            "only read",
        ),
    ]
    for bad, told in refused:
        with pytest.raises(InvalidInput, match=told):
            bad()
    assert len(books.all()) == 1
    with pytest.raises(NotFound, match="known"):
        books.remove(tmp_path / "b")


def test_a_link_to_a_book_is_that_book(books: Books, tmp_path: Path) -> None:
    root = folder(tmp_path, "a")
    add(books, root)
    (tmp_path / "link").symlink_to(root)
    with pytest.raises(InvalidInput, match="already"):
        add(books, tmp_path / "link", "other")


def test_a_hidden_folder_inside_another_book_is_no_overlap(books: Books, tmp_path: Path) -> None:
    """A project is read as a source, its notebook in .bethink is a book of its own."""
    project = folder(tmp_path, "project")
    add(books, project, form=Form.FOLDER)
    hidden = add(books, folder(project, ".bethink"))
    assert books.holding(hidden.root / "TASKS.md") == hidden


def test_a_damaged_registry_says_so_and_is_not_overwritten(books: Books, tmp_path: Path) -> None:
    add(books, folder(tmp_path, "a"))
    file = books.directory / "books.json"
    whole = file.read_text("utf-8")
    for damage in (whole[:-20], "[]", '{"format": 99, "books": []}', "\0", '{"format": 1}'):
        file.write_text(damage, "utf-8")
        with pytest.raises(StoreCorrupt, match="bethink init"):
            books.all()
        with pytest.raises(StoreCorrupt):
            add(books, folder(tmp_path, f"b{len(damage)}"), "other")
        assert file.read_text("utf-8") == damage


def test_a_relative_or_strange_root_in_the_registry_is_damage(books: Books, tmp_path: Path) -> None:
    add(books, folder(tmp_path, "a"))
    file = books.directory / "books.json"
    told = json.loads(file.read_text("utf-8"))
    told["books"][0]["root"] = "../../etc"
    file.write_text(json.dumps(told), "utf-8")
    with pytest.raises(StoreCorrupt, match="absolute"):
        books.all()


def test_processes_that_add_at_once_lose_nothing(books: Books, tmp_path: Path) -> None:
    for n in range(12):
        folder(tmp_path, f"book{n}")

    def work(number: int, say: Say) -> None:
        for n in range(number, 12, 4):
            add(books, tmp_path / f"book{n}", f"space{n}")

    children = [Child(lambda say, n=n: work(n, say)) for n in range(4)]  # type: ignore[misc]
    assert [child.lines() for child in children] == [[]] * 4
    assert sorted(book.space for book in books.all()) == sorted(f"space{n}" for n in range(12))


def test_the_lock_keeps_other_processes_out(books: Books, tmp_path: Path) -> None:
    book = add(books, folder(tmp_path, "a"))

    def attempt(say: Say) -> None:
        try:
            with book_lock(books.directory, book, within=0.05):
                say("in")
        except StoreBusy:
            say("busy")

    with book_lock(books.directory, book):
        # the same thread may
        with book_lock(books.directory, book, within=0), Child(attempt) as child:
            assert child.lines() == ["busy"]
        with Child(attempt) as child:
            assert child.lines() == ["busy"]
    with Child(attempt) as child:
        assert child.lines() == ["in"]


def test_the_lock_keeps_other_threads_out(books: Books, tmp_path: Path) -> None:
    book = add(books, folder(tmp_path, "a"))
    heard: list[str] = []

    def attempt(within: float) -> None:
        try:
            with book_lock(books.directory, book, within=within):
                heard.append("in")
        except StoreBusy:
            heard.append("busy")

    with ExitStack() as held:
        held.enter_context(book_lock(books.directory, book))
        run_at_once(attempt, [0.02])
        with working(attempt, [30]) as patient:
            patient.wait(0.05)
            held.close()
    assert heard == ["busy", "in"]


def test_a_killed_holder_leaves_no_lock(books: Books, tmp_path: Path) -> None:
    book = add(books, folder(tmp_path, "a"))

    def hold(say: Say) -> None:
        with book_lock(books.directory, book):
            say("held")
            time.sleep(60)

    with Child(hold) as child:
        while True:
            try:
                with book_lock(books.directory, book, within=0):
                    pass
            except StoreBusy:
                break
        assert child.kill() == ["held"]
    with book_lock(books.directory, book, within=0):
        pass


def test_a_store_without_a_file_has_no_books() -> None:
    with Engine.in_memory(embedder="none") as engine:
        assert engine.books is None
        with pytest.raises(InvalidInput, match="by its path"):
            engine.sync()
