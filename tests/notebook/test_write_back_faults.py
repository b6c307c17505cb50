"""Remembering into a book when something goes wrong: nothing is lost, and no line of another."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from bethink.errors import NotebookFileRefused, StoreReadOnly
from bethink.notebook.files import change
from bethink.vocabulary import Action
from tests.durability.children import Child, Say
from tests.notebook.written import PREFERENCES, Notebook
from tests.notebook.written import notebook as notebook


def test_a_file_that_is_not_read_is_not_written(notebook: Notebook, tmp_path: Path) -> None:
    (notebook.root / "user").mkdir()
    outside = tmp_path / "outside.md"
    outside.write_text("- mine\n")
    (notebook.root / PREFERENCES).symlink_to(outside)
    with pytest.raises(NotebookFileRefused, match="link"):
        notebook.tell("tea")
    assert outside.read_text() == "- mine\n"
    (notebook.root / PREFERENCES).unlink()
    (notebook.root / PREFERENCES).write_bytes("偏好".encode("gb18030") * 3)
    with pytest.raises(NotebookFileRefused, match="not UTF-8"):
        notebook.tell("tea")
    os.remove(notebook.root / PREFERENCES)
    os.mkfifo(notebook.root / PREFERENCES)
    with pytest.raises(NotebookFileRefused, match="no regular file"):
        notebook.tell("tea")


def test_a_folder_link_is_not_followed(notebook: Notebook, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (notebook.root / "user").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NotebookFileRefused, match="link"):
        notebook.tell("tea")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_file_that_changes_under_us(tmp_path: Path) -> None:
    from pathlib import PurePosixPath

    file = tmp_path / "a.md"
    file.write_text("- a\n")
    seen: list[str] = []

    def edit(text: str) -> str:
        seen.append(text)
        if len(seen) == 1:
            file.write_text("- a\n- by hand\n")
        return text + "- ours\n"

    change(tmp_path, PurePosixPath("a.md"), edit)
    assert file.read_text() == "- a\n- by hand\n- ours\n"
    assert seen == ["- a\n", "- a\n- by hand\n"]
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]


def test_without_a_writable_folder_nothing_is_lost(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook.tell("likes tea")
    before = notebook.read()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:  # root may write anywhere, so the system says no for us
        patched.setattr("bethink.notebook.files.os.replace", refuse)
        with pytest.raises(StoreReadOnly, match="nothing was changed"):
            notebook.tell("likes coffee")
        with pytest.raises(StoreReadOnly):
            notebook.tell("no longer likes tea")
    assert notebook.read() == before
    assert notebook.files() == {PREFERENCES}


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    inside = [] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    ran = subprocess.run(
        [*inside, sys.executable, "-m", "tests.notebook.full_disk", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert ran.returncode == 0, ran.stderr


def test_many_processes_lose_no_line(notebook: Notebook) -> None:
    """Each tells its own facts into one file, all at once; two are corrected on the way."""
    notebook.tell("The alpha port is 1000", "decision")

    def tell(number: int) -> Callable[[Say], None]:
        def work(say: Say) -> None:
            with notebook.open() as engine:
                for i in range(6):
                    text = f"Service number{number}x{i} 服务 owns queue q{number}_{i}"
                    say(engine.remember(text, kind="decision").action)

        return work

    children = [Child(tell(number)) for number in range(4)]
    with ExitStack() as stack:
        for child in children:
            stack.enter_context(child)
        told = [line for child in children for line in child.lines()]
    assert told == ["created"] * 24
    lines = notebook.read("agent/decisions.md").splitlines()
    assert len(lines) == len(set(lines)) + lines.count("") - 1
    for number in range(4):
        for i in range(6):
            assert f"- Service number{number}x{i} 服务 owns queue q{number}_{i}" in lines
    held = notebook.engine.list(limit=100).memories
    assert len(held) == 25
    assert not [name for name in notebook.files() if "bethink" in name]


@pytest.mark.parametrize("text", ["likes tea", "喜欢喝茶"])
def test_a_merge_that_is_not_finished_is_refused(notebook: Notebook, text: str) -> None:
    before = "# P\n\n<<<<<<< HEAD\n- coffee 咖啡\n=======\n- water 水\n>>>>>>> theirs\n"
    notebook.write(PREFERENCES, before)
    (refused,) = notebook.engine.sync().refused
    assert refused.path == PREFERENCES and "merge is not finished" in refused.why
    with pytest.raises(NotebookFileRefused, match="resolve it first"):
        notebook.tell(text)
    assert notebook.read() == before
    notebook.write(PREFERENCES, "# P\n\n- coffee 咖啡\n")
    assert notebook.tell(text).action is Action.CREATED


def test_marks_of_a_merge_in_an_example_are_text(notebook: Notebook) -> None:
    notebook.write("git.md", "# 合并\n\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n```\n")
    notebook.write("title.md", "合并\n=======\n\n>>>>>>> quoted\n")
    assert not notebook.engine.sync().refused
