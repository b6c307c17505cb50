"""A folder that was moved is the book that it was: the same ids, the same counters.

It is known by what is in it. Only a folder that is not in its place any more can have moved: of two
copies that both are there, each is a book of its own.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path, PurePosixPath

from bethink.errors import NotebookFileRefused
from bethink.notebook.books import Book
from bethink.notebook.ledger import Ledger, LedgerDamaged
from bethink.notebook.reading import read_bytes

MOVED_FROM = "moved_from"  # what the next sync says


def is_now(old: Book, new: Book, directory: Path) -> bool:
    """Is this folder the one that is not there any more? At least half of the files that said
    something read as they did."""
    where = directory / f"{old.key}.ledger"
    if (old.space, old.form) != (new.space, new.form) or not where.exists():
        return False
    try:
        with Ledger(where) as ledger:
            known = {row.path: row.digest[:32] for row in ledger.files().values() if row.digest}
            told = [path for path in known if ledger.pieces(path)] or list(known)
    except LedgerDamaged:
        return False
    same = sum(_digest(new.root, path) == known[path] for path in told)
    return bool(told) and 2 * same >= len(told)


def _digest(root: Path, path: str) -> bytes:
    try:
        return sha256(read_bytes(root, PurePosixPath(path))).digest()
    except NotebookFileRefused:
        return b""


def take_along(old: Book, new: Book, directory: Path) -> None:
    """What is known of the one is known of the other; the next sync tells the store."""
    for ending in ("", "-wal", "-shm"):
        was = directory / f"{old.key}.ledger{ending}"
        if was.exists():
            was.replace(directory / f"{new.key}.ledger{ending}")
    with Ledger(directory / f"{new.key}.ledger") as ledger:
        ledger.distrust()
        ledger.note(**{MOVED_FROM: str(old.root)})
