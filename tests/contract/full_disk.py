"""Fill a disk to the last byte, make room, and go on. Runs as a program, since it mounts a disk."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from recollect.errors import StoreError, StoreFull
from recollect.stores.sqlite.store import SQLiteStore
from recollect.testing import make_entry, make_memory
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
