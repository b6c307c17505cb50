"""Remember into a notebook on a disk without room, make room, and go on. Runs as a program, since
it mounts a disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bethink import Engine
from bethink.errors import StoreFull
from bethink.notebook.books import Form
from bethink.settings import Settings


def main(folder: Path) -> None:
    disk = folder / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)], check=True)
    try:
        with Engine(folder / "s.db", embedder="none", settings=Settings()) as engine:
            assert engine.books is not None
            engine.books.add(disk, space="global", form=Form.NOTEBOOK, writable=True, project=False)
            engine.remember("The port is 8080", kind="decision")
            before = (disk / "agent/decisions.md").read_bytes()
            for text in ("x 喜欢茶 " * 60_000, "The port is 9090 " + "y" * 300_000):
                try:
                    engine.remember(text, kind="decision")
                except StoreFull as e:
                    assert "Make room" in str(e)
                else:
                    raise AssertionError("there was room")
            assert (disk / "agent/decisions.md").read_bytes() == before
            assert sorted(p.name for p in disk.rglob("*")) == ["agent", "decisions.md"]
            subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)
            engine.remember("The port is 9090", kind="decision")
            assert "9090" in (disk / "agent/decisions.md").read_text()
            assert "8080" in (disk / "history.md").read_text()
    finally:
        subprocess.run(["umount", str(disk)], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
