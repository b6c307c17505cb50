"""Fill a disk to the last byte, make room, and go on. Runs as a program, since it mounts a disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from recollect.errors import StoreFull
from recollect.stores.sqlite.store import SQLiteStore
from tests.contract.test_sqlite_damage import fill, fill_up, in_child, kept_and_refused


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
