"""Which files of a book changed: by their stat first, which costs microseconds, then by content."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from recollect.notebook.books import Book, Form
from recollect.notebook.layout import INDEX
from recollect.notebook.ledger import FileRow, Ledger
from recollect.notebook.reading import FileStat, list_files
from recollect.notebook.report import Refusal

# A file that was written this shortly before we read it may have been written again since with the
# same size and the same time: clocks of file systems tick as slowly as every two seconds.
_RACY_NS = 2_000_000_000
# From how many files on an empty folder is more likely a fault than a wish.
MANY_FILES = 10


class Looked(NamedTuple):
    files: int
    suspects: list[FileStat]  # new, or other than they were by their stat
    vanished: list[str]
    refused: list[Refusal]
    fault: str = ""  # why nothing may be concluded from what was seen


def look(book: Book, ledger: Ledger, abouts: dict[str, bytes], *, accept_empty: bool) -> Looked:
    """Every file of the book."""
    listing = list_files(book.root)
    refused = [Refusal(book.root, str(path), why) for path, why in listing.refused]
    if any(str(path) == "." for path, _ in listing.refused):
        return Looked(0, [], [], [], _unreadable(book, listing.refused[0].why))
    known = ledger.files()
    if not listing.files and known and not accept_empty and (why := _why_not_empty(book, ledger)):
        return Looked(0, [], [], refused, why)
    suspects: list[FileStat] = []
    for found in listing.files:
        name = str(found.path)
        row = known.pop(name, None)
        if row is None or _suspect(found, row, abouts.get(name, b"")):
            suspects.append(found)
    vanished = _without_refused(known, refused)
    return Looked(len(listing.files), suspects, vanished, refused)


def _suspect(found: FileStat, row: FileRow, about: bytes) -> bool:
    return (
        found.mtime_ns != row.mtime_ns
        or found.size != row.size
        or found.inode != row.inode
        or not row.digest
        or row.digest[32:] != about
        or row.mtime_ns > row.looked_ns - _RACY_NS
    )


def _without_refused(known: Iterable[str], refused: Sequence[Refusal]) -> list[str]:
    """What cannot be read now is not gone: what was read of it stays until it can be, or is."""
    unread = {refusal.path for refusal in refused}
    if not unread:
        return list(known)
    return [
        path
        for path in known
        if path not in unread and not any(str(p) in unread for p in PurePosixPath(path).parents)
    ]


def look_at(book: Book, ledger: Ledger, paths: Sequence[Path]) -> Looked | None:
    """These files alone. None: it takes a look at the whole book, because a file is new or gone,
    and then others may be what became of it."""
    suspects: list[FileStat] = []
    refused: list[Refusal] = []
    for path in dict.fromkeys(paths):
        name = path.relative_to(book.root).as_posix()
        row = ledger.file(name)
        if row is None or (name == str(INDEX) and book.form is Form.NOTES):
            return None  # the index says something of every note
        try:
            found = os.lstat(path)
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode):
            return None
        seen = FileStat(PurePosixPath(name), found.st_size, found.st_mtime_ns, found.st_ino)
        suspects.append(seen)  # whoever names a file wants it read
    return Looked(len(suspects), suspects, [], refused)


def folder_mark(root: Path) -> str:
    """Which folder this is, whatever is mounted there."""
    found = os.stat(root)
    return f"{found.st_dev}:{found.st_ino}"


def _why_not_empty(book: Book, ledger: Ledger) -> str:
    files, pieces = ledger.count()
    other = ledger.meta("folder") not in (None, folder_mark(book.root))
    if not other and files < MANY_FILES:
        return ""
    return (
        f"{book.root} is empty, and held {files:,} files at the last sync"
        f"{' (it is another folder now: is a disk not mounted?)' if other else ''}. Their "
        f"{pieces:,} memories are kept. If you emptied it on purpose: "
        "recollect sync --accept-empty"
    )


def missing(book: Book) -> str:
    return (
        f"{book.root} is not there (is a disk not mounted?). Its memories are kept as they were "
        "at the last sync. If the folder is gone for good: recollect source remove"
    )


def _unreadable(book: Book, why: str) -> str:
    return f"{book.root}: {why}. Its memories are kept as they were at the last sync"
