"""Fill a disk to the last byte, make room, and go on. Runs as a program, since it mounts a disk."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bethink.errors import StoreError, StoreFull
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import make_entry, make_memory
from tests.contract.children import in_child
from tests.contract.filled import fill


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


def look(path: Path) -> Iterator[str]:
    """Read and check, where there is no room for anything that helps with it; then write."""
    store = SQLiteStore(path)
    yield f"read {store.count()}"
    for check in store.check():
        if not check.ok:
            yield f"fault {check.part}: {check.fix}"
    try:
        store.put([make_entry(make_memory("one more 再来一条", "more"))])
    except StoreError as e:
        yield f"refused {type(e).__name__} {e}"
    store.close()


def without_room_to_share_a_log(disk: Path) -> None:
    """Nobody has the store open, and the rest of the disk is taken by somebody else."""
    path = disk / "s.db"
    store = SQLiteStore(path)
    fill(store, 0, 20)
    store.close()
    with (disk / "other").open("wb", buffering=0) as other, suppress(OSError):
        while other.write(b"x" * 1024):
            pass
    lines = in_child(look, path)
    assert lines[0] == "read 20"
    assert lines[1:-1] == ["fault disk: free some space before it is full"]
    assert lines[-1].startswith(f"refused {StoreFull.__name__}")
    assert "nothing that was acknowledged is lost" in lines[-1]
    (disk / "other").unlink()
    assert in_child(look, path)[0] == "read 20"
    assert SQLiteStore(path).count() == 21
    for file in disk.iterdir():
        file.unlink()


def kept_and_refused(lines: list[str]) -> tuple[int, str]:
    """How many were acknowledged, all of them still found, and why it ended."""
    kept = sum(line.startswith("kept") for line in lines)
    (refused,) = [line for line in lines if line.startswith("refused")]
    assert f"read {kept}" in lines
    assert f"found {kept}" in lines
    return kept, refused


def main(folder: Path) -> None:
    disk = folder / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(disk)], check=True)
    try:
        without_room_to_share_a_log(disk)
        kept, refused = kept_and_refused(in_child(fill_up, disk / "s.db"))
        assert kept > 50
        assert refused.startswith(f"refused {StoreFull.__name__}")
        assert "Free some space" in refused
        subprocess.run(["mount", "-o", "remount,size=32m", str(disk)], check=True)
        store = SQLiteStore(disk / "s.db")
        assert store.count() == kept
        fill(store, 100_000, 100_120)  # there is room again, and writing goes on
        assert store.count() == kept + 120
        store.close()
    finally:
        subprocess.run(["umount", str(disk)], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
