"""`Notebook`: a folder of Markdown, bound and used from a program."""

from __future__ import annotations

from pathlib import Path

import pytest

from bethink import Engine, InvalidInput
from bethink.notebook import Form, Notebook


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("Deploys happen on Tuesdays.", "when do deploys happen?"),
        ("每周二发布新版本。", "新版本什么时候发布？"),
    ],
)
def test_what_stands_in_its_files_is_found(tmp_path: Path, line: str, question: str) -> None:
    folder = tmp_path / "nb"
    folder.mkdir()
    (folder / "TASKS.md").write_text(f"# Tasks\n\n- [ ] {line}\n", "utf-8")
    with Engine(tmp_path / "m.db", embedder="none") as engine:
        notebook = Notebook(engine, str(folder))
        assert (notebook.path, notebook.space) == (folder.resolve(), "global")
        assert line in engine.recall(question).hits[0].text
        (folder / "TASKS.md").write_text("# Tasks\n", "utf-8")
        assert notebook.sync().removed == 1
        assert not notebook.recall(question).hits


def test_what_is_told_is_written_into_the_file_of_its_kind(tmp_path: Path) -> None:
    with Engine(tmp_path / "m.db", embedder="none") as engine:
        notebook = Notebook(engine, tmp_path / "new" / "notes", space="项目")
        notebook.remember("选用 PostgreSQL。", kind="decision")
        assert "选用 PostgreSQL。" in (notebook.path / "agent/decisions.md").read_text("utf-8")
        assert notebook.recall("选用了什么？").hits
        assert engine.count(spaces="项目") == 1


def test_bound_again_it_is_the_same(tmp_path: Path) -> None:
    with Engine(tmp_path / "m.db", embedder="none") as engine:
        first = Notebook(engine, tmp_path / "nb")
        assert Notebook(engine, tmp_path / "nb").book == first.book
        assert engine.books is not None
        assert len(engine.books.all()) == 1


def test_a_folder_is_read_and_never_written(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/假期.md").write_text("# 假期\n\n每年十五天。\n", "utf-8")
    with Engine(tmp_path / "m.db", embedder="none") as engine:
        docs = Notebook(engine, tmp_path / "docs", form="folder", space="docs")
        assert docs.book.form is Form.FOLDER
        assert docs.recall("每年几天假期？").hits
        docs.remember("十天", kind="decision")
        assert [path.name for path in (tmp_path / "docs").iterdir()] == ["假期.md"]


def test_refusals_say_what_to_do(tmp_path: Path) -> None:
    with (
        Engine(tmp_path / "m.db", embedder="none") as engine,
        pytest.raises(InvalidInput, match="expected notebook, notes, folder, got 'book'"),
    ):
        Notebook(engine, tmp_path / "nb", form="book")
    with (
        Engine.in_memory(embedder="none") as engine,
        pytest.raises(InvalidInput, match="file"),
    ):
        Notebook(engine, tmp_path / "nb")
