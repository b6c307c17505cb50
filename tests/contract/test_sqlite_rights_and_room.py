"""Where it may not write, and where there is no room, a store says so and loses nothing."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink import Engine
from bethink.errors import BethinkError, StoreError
from bethink.stores.sqlite import large
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import make_entry, make_memory
from tests.contract.children import in_child
from tests.contract.filled import TOY, text
from tests.contract.full_disk import fill_up, kept_and_refused


def look_and_write(path: Path) -> Iterator[str]:
    try:
        store = SQLiteStore(path)
        found = store.search_words(["alpha"], spaces=["global"], where=None, limit=500)
        yield f"read {store.count()} {len(found)}"
        yield f"check {[c.finding for c in store.check() if not c.ok and c.part != 'disk']}"
        store.put([make_entry(make_memory("one more", "more"))])
        yield "written"
    except BethinkError as e:
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
