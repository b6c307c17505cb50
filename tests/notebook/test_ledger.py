"""The ledger may be lost, damaged or of another version: ids and counters are the store's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from tests.notebook.shelf import Shelf, shelf

DECISIONS = "# Decisions\n\n- Use apsw for SQLite.\n- 数据库用 apsw。\n"


def remove(path: Path) -> None:
    for file in path.parent.glob(path.name + "*"):
        file.unlink()


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])
    path.with_name(path.name + "-wal").unlink(missing_ok=True)


def scribble(path: Path) -> None:
    checkpoint(path)
    data = bytearray(path.read_bytes())
    for at in range(4096, len(data), 64):
        data[at : at + 32] = b"\xff" * 32
    path.write_bytes(data)


def no_database(path: Path) -> None:
    remove(path)
    path.write_text("这不是数据库" * 500, "utf-8")


def newer(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA user_version = 999")
    connection.close()


def checkpoint(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


@pytest.mark.parametrize("harm", [remove, truncate, scribble, no_database, newer])
def test_a_ledger_that_is_lost_is_made_anew_from_the_store(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    with shelf(tmp_path) as at:
        at.write("agent/decisions.md", DECISIONS)
        at.write("notes/计划.md", "# 计划\n\n周五开会。\n\n## Room\n\nThe large one.\n")
        at.sync()
        before = at.ids()
        at.engine.reinforce(before["Use apsw for SQLite."], 3)
        at.engine.recall("SQLite", spaces="work")
        kept = at.memories()
        harm(at.ledger)

        report = at.sync()
        assert report.complete
        assert (report.added, report.removed, report.revised, report.moved) == (0, 0, 0, 0)
        assert at.memories() == kept

        harm(at.ledger)  # and while files change
        at.write("agent/decisions.md", "# Decisions\n\n- Use apsw 3.54 for SQLite.\n")
        (at.root / "notes/计划.md").rename(at.root / "notes/plan.md")
        report = at.sync()
        assert (report.added, report.removed) == (0, 1)
        after = at.memories()
        assert after["Use apsw 3.54 for SQLite."].id == before["Use apsw for SQLite."]
        assert after["Use apsw 3.54 for SQLite."].reinforcement == 3
        assert after["计划\n周五开会。"].id == before["计划\n周五开会。"]
        assert after["计划\n周五开会。"].source == "notes/plan.md"


def test_damage_that_shows_only_later_is_mended_too(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        for n in range(300):
            at.write(f"n{n}.md", f"# Note {n}\n\ntext {n}\n")
        at.sync()
        before = at.ids()
        checkpoint(at.ledger)
        data = bytearray(at.ledger.read_bytes())
        assert len(data) > 8 * 4096
        for page in range(3, len(data) // 4096):  # the schema is whole, the rows are not
            data[page * 4096 : page * 4096 + 200] = b"\xee" * 200
        at.ledger.write_bytes(data)
        at.write("n7.md", "# Note 7\n\ntext 7, changed\n")
        assert at.sync().complete
        after = at.ids()
        assert len(after) == 300
        assert after["Note 7\ntext 7, changed"] == before["Note 7\ntext 7"]


def test_no_text_of_a_file_is_in_the_ledger(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("agent/decisions.md", "# Zebra heading 斑马\n\n- quagga line 一行\n")
        at.sync()
        held = b"".join(p.read_bytes() for p in at.books.directory.iterdir())
        for word in ("Zebra", "斑马", "quagga", "一行"):
            assert word.encode() not in held


def test_the_name_of_a_removed_file_leaves_the_ledger(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        secret = at.write("quagga-斑马.md", "# A\n\nb\n")
        at.write("stays.md", "# C\n\nd\n")
        at.sync()
        secret.unlink()
        assert at.sync().removed == 1
        assert at.bytes_anywhere("quagga") == at.bytes_anywhere("斑马") == []


def test_a_book_that_changes_its_space_begins_anew(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\nb 乙\n")
        at.sync()
        at.engine._let_go(at.book)
        assert len(at.memories()) == 1
        at.books.add(at.root, space="other", form=at.book.form, writable=True, project=True)
        assert at.sync().added == 1
        assert len(at.engine.list(spaces="other").memories) == 1


def test_an_older_store_is_brought_up_to_date(tmp_path: Path) -> None:
    """A backup of the store is restored: what the ledger thinks settled is not there."""
    with shelf(tmp_path) as at:
        at.write("a.md", "# A\n\none 甲\n")
        at.sync()
        backup = [dict(record) for record in at.engine.export()]
        at.write("b.md", "# B\n\ntwo 乙\n")
        at.sync()
        ids = at.ids()
    for file in tmp_path.glob("memory.db*"):
        if file.is_file():
            file.unlink()
    again = Shelf(tmp_path)
    with again.engine:
        again.engine.import_many(backup)
        assert again.sync().complete
        assert again.ids() == ids
