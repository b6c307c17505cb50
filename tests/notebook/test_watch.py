"""The real watcher on real files."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bethink.errors import InvalidInput, MissingExtra
from bethink.notebook.report import SyncReport
from bethink.notebook.watch import watch
from tests.notebook.shelf import Shelf, shelf

PATIENCE = 60  # seconds; a busy machine is slow, and that is no fault


class Watched:
    """A watcher in a thread of its own, and what it tells."""

    def __init__(self, at: Shelf) -> None:
        self.at = at
        self.told: queue.Queue[SyncReport | str] = queue.Queue()
        self.stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        watch(self.at.engine, tell=self.told.put, stop=self.stop)

    def until(self, text: str) -> SyncReport:
        """The first report after which the store holds this text."""
        while True:
            report = self.told.get(timeout=PATIENCE)
            if isinstance(report, SyncReport) and text in self.at.memories():
                return report

    def until_told(self, part: str) -> str:
        while True:
            report = self.told.get(timeout=PATIENCE)
            said = report if isinstance(report, str) else " ".join(report.faults)
            if part in said:
                return said


@contextmanager
def watching(at: Shelf) -> Iterator[Watched]:
    watched = Watched(at)
    watched._thread.start()
    try:
        yield watched
    finally:
        watched.stop.set()
        watched._thread.join()


def test_it_says_what_it_watches_and_what_it_cannot_read(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\n一 one\n")
        with watching(at) as watched:
            assert str(at.root) in watched.until_told("Ctrl-C to stop")
            (at.root / "a.md").write_bytes("# 二\n".encode("gbk"))
            while True:
                report = watched.told.get(timeout=PATIENCE)
                if isinstance(report, SyncReport) and report.refused:
                    break
            assert [r.path for r in report.refused] == ["a.md"]


def test_edits_are_followed(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\n一 one\n")
        with watching(at) as watched:
            assert watched.until("A\n一 one").added == 1
            memory_id = at.ids()["A\n一 one"]
            (at.root / "a.md").write_text("# A\n\n一 one more\n", "utf-8")
            watched.until("A\n一 one more")
            assert at.ids() == {"A\n一 one more": memory_id}
            (at.root / "sub").mkdir()
            (at.root / "a.md").rename(at.root / "sub/b.md")
            while at.memories()["A\n一 one more"].source != "sub/b.md":
                watched.told.get(timeout=PATIENCE)
            assert at.ids()["A\n一 one more"] == memory_id
            (at.root / "sub/c.md").write_text("# C\n\n新 new\n", "utf-8")
            watched.until("C\n新 new")
            (at.root / "sub/b.md").unlink()
            while "A\n一 one more" in at.memories():
                watched.told.get(timeout=PATIENCE)


def test_many_changes_at_once_are_few_syncs(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\n一 one\n")
        with watching(at) as watched:
            watched.until("A\n一 one")
            for n in range(50):
                (at.root / f"n{n}.md").write_text(f"# N\n\n第 {n} 条\n", "utf-8")
            reports = 0
            while len(at.memories()) < 51:
                watched.told.get(timeout=PATIENCE)
                reports += 1
            assert reports < 25


def test_it_survives_bad_files_and_folders_that_go(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\n一 one\n")
        with watching(at) as watched:
            watched.until("A\n一 one")
            (at.root / "bad.md").write_bytes(b"\xff\xfa\x00 broken")
            (at.root / "b.md").write_text("# B\n\n二 two\n", "utf-8")
            watched.until("B\n二 two")
            at.root.rename(tmp_path / "away")
            watched.until_told("not there")
            (tmp_path / "away/c.md").write_text("# C\n\n三 three\n", "utf-8")
            (tmp_path / "away").rename(at.root)
            watched.until("C\n三 three")
            assert set(at.memories()) == {"A\n一 one", "B\n二 two", "C\n三 three"}


def test_a_book_that_is_added_meanwhile_is_watched_too(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\n一 one\n")
        with watching(at) as watched:
            watched.until("A\n一 one")
            other = tmp_path / "另一个"
            other.mkdir()
            (other / "x.md").write_text("# X\n\n未知 unknown\n", "utf-8")
            at.books.add(other, space="work", form=at.book.form, writable=False, project=False)
            watched.until("X\n未知 unknown")


def test_without_books_or_the_extra_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shelf(tmp_path) as at:
        at.engine._let_go(at.book)
        with pytest.raises(InvalidInput, match="source add"):
            watch(at.engine, tell=print)
        monkeypatch.setitem(sys.modules, "watchfiles", None)
        with pytest.raises(MissingExtra, match=r"bethink\[watch\]"):
            watch(at.engine, tell=print)


@pytest.mark.parametrize("form", ["--text", "--json"])
def test_the_command_prints_a_line_for_each_sync_and_ends_cleanly(
    tmp_path: Path, form: str
) -> None:
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\n一 one\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "bethink.doors.cli.main", "watch", form],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "BETHINK_STORE": str(at.store), "BETHINK_EMBEDDER": "none"},
    )  # fmt: skip
    assert process.stdout is not None
    with process:
        first = process.stdout.readline()
        (at.root / "b.md").write_text("# B\n\n二 two\n", "utf-8")
        second = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    added = "1 added" if form == "--text" else '"added": 1'
    assert added in first
    assert added in second
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert out == ""
