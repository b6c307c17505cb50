"""Files and folders that cannot be read, or are suddenly not there: nothing is deleted for it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from bethink.notebook.books import Form
from bethink.vocabulary import Status
from tests.notebook.shelf import DECISIONS, counts, shelf


def test_a_file_that_is_refused_stops_nothing_and_loses_nothing(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\n好 good\n")
        at.write("b.md", "# B\n\n坏 bad\n")
        at.sync()
        (at.root / "b.md").write_bytes(b"\xff\xfa\x00 not text")
        at.write("c.md", "# C\n\n新 new\n")
        (at.root / "out.md").symlink_to("/etc/hostname")
        os.mkfifo(at.root / "pipe.md")
        report = at.sync()
        assert report.complete
        assert report.added == 1
        assert {r.path for r in report.refused} == {"b.md", "out.md", "pipe.md"}
        assert set(at.memories()) == {"A\n好 good", "B\n坏 bad", "C\n新 new"}
        (status,) = at.engine.status().books
        assert status.refused == 3
        assert {path for path, _ in status.reasons} == {"b.md", "out.md", "pipe.md"}
        found = [check for check in at.engine.doctor() if not check.ok]
        assert sum("b.md" in check.part for check in found) == 1
        at.write("b.md", "# B\n\n坏 bad\n")
        assert {r.path for r in at.sync().refused} == {"out.md", "pipe.md"}


def test_a_folder_that_cannot_be_read_keeps_its_memories(tmp_path: Path) -> None:
    if os.getuid() == 0:  # root reads everything: take the folder away as a link instead
        with shelf(tmp_path) as at:
            at.write("sub/a.md", "# A\n\n甲\n")
            at.write("b.md", "# B\n\n乙\n")
            at.sync()
            (at.root / "sub").rename(tmp_path / "elsewhere")
            (at.root / "sub").symlink_to(tmp_path / "elsewhere")
            report = at.sync()
            assert [r.path for r in report.refused] == ["sub"]
            assert len(at.memories()) == 2
        return
    with shelf(tmp_path) as at:
        at.write("sub/a.md", "# A\n\n甲\n")
        at.sync()
        (at.root / "sub").chmod(0)
        try:
            assert [r.path for r in at.sync().refused] == ["sub"]
            assert len(at.memories()) == 1
        finally:
            (at.root / "sub").chmod(0o755)


def test_a_piece_that_cannot_be_kept_is_named_with_its_line(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        long = "很" * 200
        at.write("n.md", f"---\ntags: ['{long}']\n---\n# N\n\ntext\n")
        at.write("m.md", "# M\n\nwell 好\n")
        report = at.sync()
        assert report.complete
        assert "M\nwell 好" in at.memories()
        for refusal in report.refused:
            assert refusal.path == "n.md"


# A folder that is not there


def test_a_missing_folder_deletes_nothing(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\n紫水晶 amethyst\n")
        at.sync()
        at.root.rename(tmp_path / "away")
        report = at.sync()
        assert not report.complete
        assert "not there" in report.faults[0]
        assert len(at.memories()) == 1
        answer = at.engine.recall("amethyst", spaces="work")
        assert answer.status is Status.STALE
        assert answer.hits
        (status,) = at.engine.status().books
        assert "not there" in status.fault
        assert any("not there" in c.finding for c in at.engine.doctor() if not c.ok)
        (tmp_path / "away").rename(at.root)
        assert at.sync().complete


def test_an_unmounted_disk_deletes_nothing(tmp_path: Path) -> None:
    """What is there instead is another folder, and empty: even of few files none is given up."""
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\n甲 one\n")
        at.sync()
        at.root.rename(tmp_path / "away")
        at.root.mkdir()
        report = at.sync()
        assert not report.complete
        assert "--accept-empty" in report.faults[0]
        assert len(at.memories()) == 1
        at.root.rmdir()
        (tmp_path / "away").rename(at.root)
        assert at.sync().complete
        assert len(at.memories()) == 1


def test_a_folder_of_many_that_is_suddenly_empty_is_asked_about(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        for n in range(12):
            at.write(f"n{n}.md", f"# N{n}\n\n第 {n} 条\n")
        at.sync()
        for file in at.root.iterdir():
            file.unlink()
        report = at.sync()
        assert not report.complete
        assert "12 files" in report.faults[0]
        assert len(at.memories()) == 12
        assert at.sync(accept_empty=True).removed == 12
        assert at.memories() == {}
        assert at.sync().complete


def test_a_few_files_may_be_deleted_without_asking(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        for n in range(5):
            at.write(f"n{n}.md", f"# N{n}\n\n第 {n} 条\n")
        at.sync()
        (at.root / "n0.md").unlink()
        (at.root / "n1.md").unlink()
        assert at.sync().removed == 2


def test_another_branch_without_the_notebook_loses_nothing(tmp_path: Path) -> None:
    """A checkout takes the files away and leaves empty folders; then it brings them back."""
    files = {"TASKS.md": "- [ ] ship 发布\n", "agent/decisions.md": DECISIONS}
    with shelf(tmp_path, sync_seconds=30.0) as at:
        for name, text in files.items():
            at.write(name, text)
        at.sync()
        ids = at.ids()
        at.engine.reinforce(ids["ship 发布"], 3)
        for name in files:
            (at.root / name).unlink()
        answer = at.engine.recall("apsw", spaces="work")
        assert answer.status is Status.STALE
        assert "--accept-empty" in answer.reasons[0]
        assert "source remove" in answer.reasons[0]
        assert answer.hits
        for name, text in files.items():
            at.write(name, text)
        assert counts(at.sync()) == (0, 0, 0, 0)
        assert at.ids() == ids
        assert at.memories()["ship 发布"].reinforcement == 3


def test_half_of_the_files_gone_at_once_is_asked_about_and_the_rest_goes_on(
    tmp_path: Path,
) -> None:
    with shelf(tmp_path) as at:
        for n in range(6):
            at.write(f"n{n}.md", f"# N{n}\n\n第 {n} 条\n")
        at.sync()
        for n in range(3):
            (at.root / f"n{n}.md").unlink()
        at.write("n5.md", "# N5\n\n第 5 条 more\n")
        report = at.sync()
        assert not report.complete
        assert "3 of the 6 files" in report.faults[0]
        assert report.removed == 0
        assert "N5\n第 5 条 more" in at.memories()
        assert at.sync(accept_empty=True).removed == 3
        assert at.sync().complete


def test_a_folder_that_is_renamed_is_no_loss(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        for n in range(4):
            at.write(f"old/n{n}.md", f"# N{n}\n\n第 {n} 条\n")
        at.sync()
        ids = at.ids()
        (at.root / "old").rename(at.root / "new")
        assert at.sync().complete
        assert at.ids() == ids


def test_a_copy_that_keeps_size_and_time_is_seen(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        file = at.write("a.md", "# A\n\nopal\n")
        other = tmp_path / "other"
        other.write_text("# A\n\nruby\n", "utf-8")
        shutil.copystat(file, other)
        at.sync()
        shutil.copyfile(other, file)  # as `cp -p` does: the same inode and size
        shutil.copystat(other, file)
        at.sync()
        assert set(at.memories()) == {"A\nruby"}


def test_one_broken_book_does_not_stop_another(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        gone = tmp_path / "gone"
        gone.mkdir()
        at.books.add(gone, space="other", form=Form.FOLDER, writable=False, project=False)
        gone.rmdir()
        at.write("a.md", "# A\n\n甲 one\n")
        report = at.sync()
        assert report.added == 1
        assert not report.complete
        assert len(report.faults) == 1
