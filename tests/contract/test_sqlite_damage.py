"""Derived parts that are damaged or missing are noticed and made anew, never served. A damaged
database is named as such, and nothing is written to it."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from bethink.errors import BethinkError, StoreCorrupt, StoreError, StoreReadOnly, StoreTooNew
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.sqlite import large, schema
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import make_entry, make_memory
from bethink.testing.programs import EVERYTHING, same_state
from bethink.text import tokenise
from tests.contract.filled import TOY, fill, same_answers


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch, path: Path) -> Path:
    """The same store with files of vectors, postings and a quantiser beside it."""
    monkeypatch.setattr(large, "SIDECAR_FROM", 2)
    monkeypatch.setattr(large, "POSTINGS_FROM", 2)
    monkeypatch.setattr(large, "PQ_FROM", 50)
    monkeypatch.setattr(large, "SCANS_BEFORE_PQ", 0)
    store = SQLiteStore(path)
    store.maintain()
    store.close()
    folder = large.directory(path)
    assert {p.suffix for p in folder.iterdir()} == {".f32", ".ids", ".sums", ".pq", ".postings"}
    return folder


# The words index


SHADOWS = ("data", "idx", "content", "docsize", "config")


def drop_words(db: apsw.Connection) -> None:
    db.execute("DROP TABLE words_1")


def run(db: apsw.Connection, statement: str) -> None:
    db.execute(statement)


def drop_shadow(name: str) -> Callable[[apsw.Connection], None]:
    return lambda db: run(db, f"DROP TABLE words_1_{name}")


def empty_shadow(name: str) -> Callable[[apsw.Connection], None]:
    return lambda db: run(db, f"DELETE FROM words_1_{name}")


def delete_segments(db: apsw.Connection) -> None:
    db.execute("DELETE FROM words_1_data WHERE id > 10")


def garble_segments(db: apsw.Connection) -> None:
    chance = random.Random(0)
    sizes = list(db.execute("SELECT id, length(block) FROM words_1_data WHERE id > 10"))
    for number, size in sizes:
        block = chance.randbytes(size)
        db.execute("UPDATE words_1_data SET block = ? WHERE id = ?", (block, number))


def shorten_segments(db: apsw.Connection) -> None:
    db.execute("UPDATE words_1_data SET block = substr(block, 1, 9) WHERE id > 10")


def zero_segments(db: apsw.Connection) -> None:
    db.execute("UPDATE words_1_data SET block = zeroblob(length(block)) WHERE id > 10")


def garble_structure(db: apsw.Connection) -> None:
    block = random.Random(0).randbytes(20)
    db.execute("UPDATE words_1_data SET block = ? WHERE id = 10", (block,))


def swell_structure(db: apsw.Connection) -> None:
    """A head record that SQLite answers with "out of memory" rather than "corrupt"."""
    block = bytes.fromhex("380b01925c24d12a9d05daa1c127b43b252a27d1")
    db.execute("UPDATE words_1_data SET block = ? WHERE id = 10", (block,))


def garble_averages(db: apsw.Connection) -> None:
    db.execute("UPDATE words_1_data SET block = x'' WHERE id = 1")


WORD_DAMAGES: dict[str, Callable[[apsw.Connection], None]] = {
    "the table dropped": drop_words,
    **{f"{name} dropped": drop_shadow(name) for name in SHADOWS},
    **{f"{name} emptied": empty_shadow(name) for name in SHADOWS if name != "config"},
    "segments deleted": delete_segments,
    "segments garbled": garble_segments,
    "segments cut short": shorten_segments,
    "segments zeroed": zero_segments,
    "the structure garbled": garble_structure,
    "the structure swollen": swell_structure,
    "the averages gone": garble_averages,
}


def damage(path: Path, act: Callable[[apsw.Connection], None]) -> None:
    db = apsw.Connection(str(path))
    act(db)
    db.close()


@pytest.mark.parametrize("act", WORD_DAMAGES.values(), ids=WORD_DAMAGES)
def test_damaged_words_are_mended_by_a_question(
    path: Path, reference: InMemoryStore, act: Callable[[apsw.Connection], None]
) -> None:
    damage(path, act)
    store = SQLiteStore(path)
    same_answers(store, reference)
    store.close()


@pytest.mark.parametrize("act", WORD_DAMAGES.values(), ids=WORD_DAMAGES)
def test_damaged_words_are_mended_by_a_write(
    path: Path, reference: InMemoryStore, act: Callable[[apsw.Connection], None]
) -> None:
    damage(path, act)
    store = SQLiteStore(path)
    for each in (store, reference):
        fill(each, 120, 150)
        changed = make_memory("alpha 预算 anew", "m1")
        each.revise(make_entry(changed, TOY), fingerprint=TOY.fingerprint)
        assert each.delete(["m2", "m5"]) == [True, True]
    same_state(store, reference)
    same_answers(store, reference)
    assert all(check.ok for check in store.check())
    store.close()


@pytest.mark.parametrize("act", WORD_DAMAGES.values(), ids=WORD_DAMAGES)
def test_damaged_words_are_named_by_the_doctor_and_mended_by_a_rebuild(
    path: Path, reference: InMemoryStore, act: Callable[[apsw.Connection], None]
) -> None:
    damage(path, act)
    store = SQLiteStore(path)
    if act is not WORD_DAMAGES["idx emptied"]:  # a small index does without, and answers rightly
        faults = [check for check in store.check() if not check.ok]
        assert faults
        assert all("reindex --words" in check.fix for check in faults)
    assert store.rebuild_words() == 120
    assert all(check.ok for check in store.check())
    same_answers(store, reference)
    store.close()


def test_words_lost_under_an_open_store_are_mended(path: Path, reference: InMemoryStore) -> None:
    store = SQLiteStore(path)
    same_answers(store, reference)
    damage(path, drop_words)
    same_answers(store, reference)
    store.close()


def test_words_of_another_tokeniser_are_made_anew(path: Path, reference: InMemoryStore) -> None:
    db = apsw.Connection(str(path))
    db.execute("UPDATE meta SET value = ? WHERE key = 'tokeniser'", (tokenise.VERSION - 1,))
    db.execute("DELETE FROM words_1")
    for (pid,) in db.execute("SELECT pid FROM passages WHERE space = 1").fetchall():
        db.execute("INSERT INTO words_1(rowid, terms) VALUES (?, 'old terms')", (pid,))
    db.close()
    store = SQLiteStore(path)
    same_answers(store, reference)
    assert store.search_words(["old"], spaces=["global"], where=None, limit=5) == []
    store.close()


# The files beside the database


def flip(path: Path, place: float) -> None:
    data = bytearray(path.read_bytes())
    data[int(len(data) * place)] ^= 0x10
    path.write_bytes(data)


def garble(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(path.stat().st_size))


FILE_DAMAGES: dict[str, Callable[[Path], None]] = {
    "deleted": Path.unlink,
    "emptied": lambda p: os.truncate(p, 0),
    "cut short": lambda p: os.truncate(p, p.stat().st_size * 2 // 3),
    "cut by a byte": lambda p: os.truncate(p, p.stat().st_size - 1),
    "first byte": lambda p: flip(p, 0),
    "middle byte": lambda p: flip(p, 0.5),
    "near the end": lambda p: flip(p, 0.99),
    "garbled": garble,
}


@pytest.mark.parametrize("suffix", ["f32", "ids", "sums", "pq", "postings"])
@pytest.mark.parametrize("act", FILE_DAMAGES.values(), ids=FILE_DAMAGES)
def test_damaged_files_are_not_believed(
    path: Path, files: Path, reference: InMemoryStore, suffix: str, act: Callable[[Path], None]
) -> None:
    for file in files.glob(f"*.{suffix}"):
        act(file)
    store = SQLiteStore(path)
    same_answers(store, reference)
    for each in (store, reference):
        fill(each, 120, 140)
        each.delete(["m3", "m8"])
    same_answers(store, reference)
    store.maintain()
    same_answers(store, reference)
    store.close()
    store = SQLiteStore(path)
    same_answers(store, reference)
    store.maintain(anew=True)
    assert all(check.ok for check in store.check())
    store.close()


def test_a_damaged_file_is_named_by_the_doctor(path: Path, files: Path) -> None:
    for suffix in ("f32", "ids", "sums", "pq", "postings"):
        (file,) = files.glob(f"*-1-*.{suffix}")
        kept = file.read_bytes()
        flip(file, 0.9)
        store = SQLiteStore(path)
        (fault,) = [check for check in store.check() if not check.ok]
        assert "reindex --files" in fault.fix
        store.close()
        file.write_bytes(kept)


def test_a_reader_without_the_right_to_write_does_not_believe_damaged_files_either(
    path: Path, files: Path, reference: InMemoryStore
) -> None:
    for file in files.glob("*.f32"):
        flip(file, 0.9)
    for file in files.glob("*.postings"):
        flip(file, 0.5)
    store = SQLiteStore(path, read_only=True)
    same_answers(store, reference)
    store.close()


def test_all_files_gone(path: Path, files: Path, reference: InMemoryStore) -> None:
    for file in files.iterdir():
        file.unlink()
    files.rmdir()
    store = SQLiteStore(path)
    same_answers(store, reference)
    store.maintain()
    same_answers(store, reference)
    store.close()


# The database itself


def garbage_header(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[:100] = b"\xff" * 100
    path.write_bytes(data)


def not_a_database(path: Path) -> None:
    path.write_text("Dear diary,\n" * 1_000)


def other_program(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE theirs (x)")
    db.close()


def other_program_with_a_version(path: Path) -> None:
    other_program(path)
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 1")
    db.close()


@pytest.mark.parametrize(
    "act", [garbage_header, not_a_database, other_program, other_program_with_a_version]
)
def test_what_is_no_store_is_refused_and_left_alone(
    path: Path, act: Callable[[Path], None]
) -> None:
    act(path)
    before = path.read_bytes()
    with pytest.raises(StoreCorrupt, match=r"(?i)nothing was changed") as caught:
        SQLiteStore(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before


def outcome(path: Path) -> tuple[int, list[str]]:
    """How many memories can be read, and which errors of ours were met on the way."""
    met: list[str] = []
    count = 0
    try:
        store = SQLiteStore(path)
    except BethinkError as e:
        return 0, [str(e)]
    for work in (
        lambda: len(store.scan(limit=EVERYTHING).memories),
        lambda: len(store.search_words(["alpha"], spaces=["global"], where=None, limit=5)) and 0,
        lambda: fill(store, 200, 210),
    ):
        try:
            count += work() or 0
        except BethinkError as e:
            met.append(str(e))
    checks = store.check()
    met += [check.finding for check in checks if not check.ok]
    assert all(check.fix for check in checks if not check.ok)
    store.close()
    return count, met


@pytest.mark.parametrize("keep", [0.01, 0.3, 0.5, 0.9])
def test_a_truncated_database_is_named(path: Path, keep: float) -> None:
    os.truncate(path, int(path.stat().st_size * keep))
    _, met = outcome(path)
    assert met


@pytest.mark.parametrize("seed", range(12))
def test_flipped_pages_never_give_another_error_than_ours(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(path.read_bytes())
    for _ in range(1 + seed % 4):
        page = chance.randrange(1, len(data) // 8192)
        data[page * 8192 : (page + 1) * 8192] = chance.randbytes(8192)
    path.write_bytes(data)
    _, met = outcome(path)
    assert met


def test_a_directory_is_refused(quick_path: Path) -> None:
    (quick_path / "d.db").mkdir()
    with pytest.raises(StoreReadOnly, match="it is a directory; name a file"):
        SQLiteStore(quick_path / "d.db")


def test_a_directory_that_does_not_exist_is_named(quick_path: Path) -> None:
    with pytest.raises(StoreReadOnly, match="does not exist"):
        SQLiteStore(quick_path / "nowhere" / "s.db")


def test_an_empty_file_becomes_a_store(quick_path: Path) -> None:
    (quick_path / "s.db").touch()
    store = SQLiteStore(quick_path / "s.db")
    fill(store)
    assert store.count() == 120
    store.close()


def test_a_store_of_a_later_time_is_refused(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.pragma("user_version", len(schema.MIGRATIONS) + 1)
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreTooNew, match="pip install -U bethink"):
        SQLiteStore(path)
    assert path.read_bytes() == before


def test_a_closed_store_says_so(path: Path) -> None:
    store = SQLiteStore(path)
    store.close()
    store.close()
    for use in (store.count, lambda: fill(store, 200, 201), store.maintain):
        with pytest.raises(StoreError, match="closed"):
            use()
