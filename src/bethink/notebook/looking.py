"""Which files of a book changed: by their stat first, which costs microseconds, then by content."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from bethink.errors import InvalidInput
from bethink.notebook.books import Book, Form
from bethink.notebook.layout import INDEX
from bethink.notebook.ledger import FileRow, Ledger
from bethink.notebook.reading import FileStat, list_files, stat_of
from bethink.notebook.report import Refusal

# A file that was written this shortly before we read it may have been written again since with the
# same size and the same time: clocks of file systems tick as slowly as every two seconds.
_RACY_NS = 2_000_000_000
# When so many files vanish at once, at least half of all and none new beside them, a checkout of
# another branch or a half-mounted disk is likelier than a wish: what they said is kept.
_MANY_FILES = 3


class Looked(NamedTuple):
    files: int
    suspects: list[FileStat]  # new, or other than they were by their stat
    vanished: list[str]
    refused: list[Refusal]
    fault: str = ""  # why nothing may be concluded from what was seen
    kept: str = ""  # why what vanished is not given up; all else goes on


def by_book(
    books: Sequence[Book], paths: Sequence[str | os.PathLike[str]] | None
) -> list[tuple[Book, list[Path] | None]]:
    """Each book with those of these files that lie in it; None: all of them."""
    if paths is None:
        return [(book, None) for book in books]
    wanted: dict[Path, list[Path]] = {}
    for given in paths:
        path = Path(given).expanduser().absolute()
        path = path.parent.resolve() / path.name  # a link as the file itself is not followed
        holders = [book for book in books if path.is_relative_to(book.root)]
        if not holders:
            raise InvalidInput(
                f"{path} lies in no book of this store; 'bethink source list' shows them"
            )
        holder = max(holders, key=lambda book: len(book.root.parts))
        wanted.setdefault(holder.root, []).append(path)
    return [(book, wanted[book.root]) for book in books if book.root in wanted]


def look(book: Book, ledger: Ledger, abouts: dict[str, bytes], *, accept_empty: bool) -> Looked:
    """Every file of the book."""
    listing = list_files(book.root)
    refused = [Refusal(book.root, str(path), why) for path, why in listing.refused]
    if any(str(path) == "." for path, _ in listing.refused):
        return Looked(0, [], [], [], _unreadable(book, listing.refused[0].why))
    known = ledger.files()
    if not listing.files and known and not accept_empty:
        return Looked(0, [], [], refused, _emptied(book, ledger))
    before = len(known)
    new = False
    suspects: list[FileStat] = []
    for found in listing.files:
        name = str(found.path)
        row = known.pop(name, None)
        new = new or row is None
        if row is None or _suspect(found, row, abouts.get(name, b"")):
            suspects.append(found)
    vanished = _without_refused(known, refused)
    kept = ""
    if not accept_empty and not new and len(vanished) >= max(_MANY_FILES, before / 2):
        kept, vanished = _half_gone(book, vanished, before), []
    return Looked(len(listing.files), suspects, vanished, refused, kept=kept)


def _suspect(found: FileStat, row: FileRow, about: bytes) -> bool:
    return (
        found.mtime_ns != row.mtime_ns
        or found.size != row.size
        or found.inode != row.inode
        or found.ctime_ns != row.ctime_ns
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
        suspects.append(stat_of(PurePosixPath(name), found))  # who names a file wants it read
    return Looked(len(suspects), suspects, [], refused)


def folder_mark(root: Path) -> str:
    """Which folder this is, whatever is mounted there."""
    found = os.stat(root)
    return f"{found.st_dev}:{found.st_ino}"


def _emptied(book: Book, ledger: Ledger) -> str:
    files, pieces = ledger.count()
    other = ledger.meta("folder") not in (None, folder_mark(book.root))
    return (
        f"{book.root} is empty, and held {files:,} files at the last sync"
        f"{' (it is another folder now: is a disk not mounted?)' if other else ''}. Their "
        f"{pieces:,} memories are kept as they were. Bring the files back (another branch?); if "
        f"you emptied it on purpose: bethink sync --accept-empty; to read it no more: "
        f"bethink source remove {quoted(book.root)}"
    )


def _half_gone(book: Book, vanished: Sequence[str], before: int) -> str:
    return (
        f"{len(vanished):,} of the {before:,} files of {book.root} are gone at once "
        f"({', '.join(vanished[:3])}{' …' if len(vanished) > 3 else ''}). What they said is kept. "
        "Bring them back (another branch?); if you deleted them on purpose: "
        "bethink sync --accept-empty"
    )


def missing(book: Book) -> str:
    return (
        f"{book.root} is not there (is a disk not mounted?). Its memories are kept as they were "
        "at the last sync. If it was moved, add it where it is now (bethink init, bethink "
        f"source add); if it is gone for good: bethink source remove {quoted(book.root)}"
    )


def _unreadable(book: Book, why: str) -> str:
    return f"{book.root}: {why}. Its memories are kept as they were at the last sync"


def quoted(path: Path) -> str:
    """As a shell takes it."""
    from shlex import quote

    return quote(str(path))
