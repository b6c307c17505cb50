"""Derived parts that are damaged or missing are noticed and made anew, never served. A damaged
database is named as such, and nothing is written to it."""

from __future__ import annotations

import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from recollect import Engine
from recollect.errors import (
    RecollectError,
    StoreCorrupt,
    StoreError,
    StoreReadOnly,
    StoreTooNew,
)
from recollect.stores.in_memory import InMemoryStore
from recollect.stores.protocol import Store
from recollect.stores.sqlite import large, schema
from recollect.stores.sqlite.store import SQLiteStore
from recollect.testing import ToyEmbedder, make_entry, make_memory
from recollect.testing.programs import EVERYTHING, same_ranking, same_state
from recollect.text import tokenise
from recollect.text.tokenise import query_terms

TOY = ToyEmbedder("toy", 16)
WORDS = "alpha beta gamma delta epsilon zeta eta theta 预算 磁盘 主题 部署".split()
QUESTIONS = ["alpha", "beta 预算", "磁盘 theta zeta", "number 7", "部署"]


def text(number: int) -> str:
    return " ".join([*random.Random(number).choices(WORDS, k=6), f"number {number}"])


def fill(store: Store, first: int = 0, last: int = 120) -> None:
    store.declare(TOY.embedding)
    entries = [
        make_entry(make_memory(text(n), f"m{n}", space="项目" if n % 4 == 0 else "global"), TOY)
        for n in range(first, last)
    ]
    store.put(entries, fingerprint=TOY.fingerprint)


def same_answers(store: Store, reference: Store) -> None:
    for question in QUESTIONS:
        for spaces in (["global"], ["项目"], ["global", "项目"]):
            terms = query_terms(question)
            found = store.search_words(terms, spaces=spaces, where=None, limit=10)
            every = reference.search_words(terms, spaces=spaces, where=None, limit=EVERYTHING)
            same_ranking(found, every, limit=10)
            vector = TOY.embed([question])[0]
            near = store.search_meaning(
                vector, fingerprint=TOY.fingerprint, spaces=spaces, where=None, limit=10
            )
            nearest = reference.search_meaning(
                vector, fingerprint=TOY.fingerprint, spaces=spaces, where=None, limit=EVERYTHING
            )
            same_ranking(near, nearest, limit=10)


@pytest.fixture
def path(quick_path: Path) -> Path:
    """A store of two spaces, closed."""
    store = SQLiteStore(quick_path / "s.db")
    fill(store)
    store.close()
    return store.path


@pytest.fixture
def reference() -> InMemoryStore:
    store = InMemoryStore()
    fill(store)
    return store


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
    except RecollectError as e:
        return 0, [str(e)]
    for work in (
        lambda: len(store.scan(limit=EVERYTHING).memories),
        lambda: len(store.search_words(["alpha"], spaces=["global"], where=None, limit=5)) and 0,
        lambda: fill(store, 200, 210),
    ):
        try:
            count += work() or 0
        except RecollectError as e:
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
    with pytest.raises(StoreTooNew, match="pip install -U recollect"):
        SQLiteStore(path)
    assert path.read_bytes() == before


def test_a_closed_store_says_so(path: Path) -> None:
    store = SQLiteStore(path)
    store.close()
    store.close()
    for use in (store.count, lambda: fill(store, 200, 201), store.maintain):
        with pytest.raises(StoreError, match="closed"):
            use()


# Rights and room: in another process, as another user where we are root


def in_child(work: Callable[[Path], Iterator[str]], path: Path, user: int = -1) -> list[str]:
    """Do it in a process of its own; its lines. Root may write anything, so it becomes another."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if user >= 0 and os.geteuid() == 0:
                os.setgid(user)
                os.setuid(user)
            for line in work(path):
                os.write(writing, (line.replace("\n", " ") + "\n").encode())
            os._exit(0)
        except BaseException as e:
            os.write(writing, f"{type(e)} {e}\n".encode())
            os._exit(1)
    os.close(writing)
    with open(reading) as pipe:
        lines = pipe.read().splitlines()
    _, status = os.waitpid(child, 0)
    assert status == 0, lines
    return lines


def look_and_write(path: Path) -> Iterator[str]:
    try:
        store = SQLiteStore(path)
        found = store.search_words(["alpha"], spaces=["global"], where=None, limit=500)
        yield f"read {store.count()} {len(found)}"
        yield f"check {[c.finding for c in store.check() if not c.ok and c.part != 'disk']}"
        store.put([make_entry(make_memory("one more", "more"))])
        yield "written"
    except RecollectError as e:
        yield f"{type(e).__name__} {e}"


@pytest.fixture
def for_nobody(path: Path) -> Path:
    os.chmod(path.parent, 0o777)
    os.chmod(path, 0o666)
    return path


def test_a_file_that_may_not_be_written_is_read(for_nobody: Path) -> None:
    os.chmod(for_nobody, 0o444)
    read, check, refused = in_child(look_and_write, for_nobody, user=65534)
    assert read.startswith("read 120 ")
    assert check == "check []"
    assert refused.startswith("StoreReadOnly")
    assert "permissions" in refused


def test_a_directory_that_may_not_be_written_is_named(for_nobody: Path) -> None:
    os.chmod(for_nobody.parent, 0o555)
    try:
        lines = in_child(look_and_write, for_nobody, user=65534)
    finally:
        os.chmod(for_nobody.parent, 0o777)
    assert lines[-1].startswith("StoreReadOnly")
    assert "permissions" in lines[-1]


def test_a_new_store_where_nothing_may_be_written_is_named(for_nobody: Path) -> None:
    os.chmod(for_nobody.parent, 0o555)
    try:
        (line,) = in_child(look_and_write, for_nobody.parent / "new.db", user=65534)
    finally:
        os.chmod(for_nobody.parent, 0o777)
    assert line.startswith("StoreReadOnly")


def test_a_file_that_may_not_be_read_is_named(for_nobody: Path) -> None:
    os.chmod(for_nobody, 0o000)
    (line,) = in_child(look_and_write, for_nobody, user=65534)
    assert line.startswith("StoreReadOnly")
    assert "permissions" in line


def fill_up(path: Path) -> Iterator[str]:
    """Write until there is no room."""
    store = SQLiteStore(path)
    for number in range(100_000):
        try:
            store.put([make_entry(make_memory(f"number {number} " + "x" * 3_000, f"m{number}"))])
        except StoreError as e:
            yield f"refused {type(e).__name__} {e}"
            break
        yield f"kept {number}"
    yield f"read {store.count()}"
    found = store.search_words(["number"], spaces=["global"], where=None, limit=100_000)
    yield f"found {len(found)}"
    store.close()


def kept_and_refused(lines: list[str]) -> tuple[int, str]:
    """How many were acknowledged, all of them still found, and why it ended."""
    kept = sum(line.startswith("kept") for line in lines)
    (refused,) = [line for line in lines if line.startswith("refused")]
    assert f"read {kept}" in lines
    assert f"found {kept}" in lines
    return kept, refused


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """On a real file system of 8 MB. Who may not mount one does it in a namespace of their own."""
    inside = [] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    root = Path(__file__).parents[2]
    ran = subprocess.run(
        [*inside, sys.executable, "-m", "tests.contract.full_disk", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
    )
    assert ran.returncode == 0, ran.stderr


def test_files_that_cannot_be_made_do_not_fail_a_write(
    quick_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "SIDECAR_FROM", 100)
    path = quick_path / "s.db"
    large.directory(path).touch()  # a file where the directory of files should be
    with Engine(path, embedder=TOY) as engine:
        receipts = engine.remember_many([{"text": text(n)} for n in range(600)])
        assert len(receipts) == 600
        assert engine.recall("number 7").hits
        with pytest.raises(StoreError, match="beside"):
            engine.rebuild_files()


def fill_up_limited(path: Path) -> Iterator[str]:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6_000_000, 6_000_000))
    yield from fill_up(path)


def test_a_disk_that_fails_while_writing_stops_writing(tmp_path: Path) -> None:
    """A file that may not grow fails with another error than a full disk: do not trust the disk."""
    kept, refused = kept_and_refused(in_child(fill_up_limited, tmp_path / "s.db"))
    assert kept > 20
    assert "disk" in refused
    store = SQLiteStore(tmp_path / "s.db")
    assert store.count() == kept
    assert [check for check in store.check() if not check.ok and "wait for" not in check.finding
            and check.part != "disk"] == []  # fmt: skip
    store.close()
