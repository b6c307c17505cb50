"""Overwrite and delete only what Bethink itself wrote beside a store.

Threat: a folder beside the store may hold links, hard links, files of other programs or a mount's
`lost+found`, and the folder itself may be a link. Whoever overwrites what a listing shows there
destroys somebody's data.

Design: a file is ours if its name has the form that `sidecar.names` gives, and if, opened relative
to its folder without following links, it is a regular file with one name and one of our owners.
The folder must be a real folder of one of our owners. Our owners are this process's user and the
owner of the store's main file. Everything else is left alone, and `doctor` names it.
"""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
# Without waiting: opening a FIFO would block until somebody writes into it.
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_BLOCK = bytes(1 << 20)


class NotOurs(OSError):
    """A file or folder that Bethink did not make, or does not have for itself alone."""


@cache
def _own_name() -> re.Pattern[str]:
    return re.compile(
        r"(?:words|vectors_[0-9]+)-[0-9]+-[0-9a-f]{12}(?:-[0-9a-f]{1,16})?"
        r"\.(?:f32|ids|sums|pq|postings)(?:\.new)?"
    )


def has_own_name(name: str) -> bool:
    """Return True if a name in the folder of index files has the form of ours."""
    return _own_name().fullmatch(name) is not None


def fault_of_folder(folder: Path) -> str | None:
    """Return why this is no folder of ours, or None if it is one or does not exist."""
    try:
        found = os.lstat(folder)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(found.st_mode):
        return "it is a link"
    if not stat.S_ISDIR(found.st_mode):
        return "it is no folder"
    return None if _owned(found, folder) else "it belongs to another user"


def is_ours(folder: Path) -> bool:
    """Return True if the folder exists and is ours."""
    return os.path.lexists(folder) and fault_of_folder(folder) is None


def make_folder(folder: Path) -> None:
    """Make the folder if it is missing. Raise NotOurs if something else has its name."""
    fault = fault_of_folder(folder)
    if fault is not None:
        raise NotOurs(f"{folder} is left alone: {fault}")
    folder.mkdir(mode=0o700, exist_ok=True)


def _owned(found: os.stat_result, folder: Path) -> bool:
    if not hasattr(os, "geteuid"):
        return True
    if found.st_uid == os.geteuid():
        return True
    try:  # the folder of `x.db.index` belongs to the file `x.db`
        return found.st_uid == os.stat(folder.with_suffix("")).st_uid
    except OSError:
        return False


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    fault = fault_of_folder(folder)
    if fault is not None:
        raise NotOurs(f"{folder} is left alone: {fault}")
    handle = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_FOLLOW)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def open_own(path: Path, *, create: bool = False) -> Iterator[int]:
    """Open one of our files for writing. Raise NotOurs if it is not ours alone."""
    with _opened(path.parent) as folder, _open_in(folder, path, create=create) as handle:
        yield handle


@contextmanager
def _open_in(folder: int, path: Path, *, create: bool) -> Iterator[int]:
    flags = os.O_RDWR | _NO_FOLLOW | _NO_WAIT | (os.O_CREAT if create else 0)
    found = _look(folder, path.name)
    fault = None if found is None else _fault(path, found)
    if fault is not None:
        raise NotOurs(f"{path} is left alone: {fault}")
    handle = os.open(path.name, flags, 0o600, dir_fd=folder)
    try:
        fault = _fault(path, os.fstat(handle))  # of what was opened: the name may be another's now
        if fault is not None:
            raise NotOurs(f"{path} is left alone: {fault}")
        yield handle
    finally:
        os.close(handle)


def _look(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _fault(path: Path, found: os.stat_result) -> str | None:
    """Return why this file is not ours alone, or None."""
    if stat.S_ISLNK(found.st_mode):
        return "it is a link"
    if stat.S_ISDIR(found.st_mode):
        return "it is a folder"
    if not stat.S_ISREG(found.st_mode):
        return "it is no regular file"
    if not has_own_name(path.name):
        return "its name is not ours"
    if found.st_nlink > 1:
        return "it has a second name (a hard link)"
    return None if _owned(found, path.parent) else "it belongs to another user"


def shred(folder: Path, wanted: Callable[[str], bool]) -> None:
    """Overwrite and delete our own files in the folder whose names are wanted: what is forgotten
    must not be read from the free blocks of a disk. Leave everything else alone."""
    if not os.path.lexists(folder):
        return
    try:
        with _opened(folder) as handle:
            for name in os.listdir(handle):
                if has_own_name(name) and wanted(name):
                    _shred_one(handle, folder / name)
    except NotOurs:
        return  # `strangers` tells the doctor


def _shred_one(folder: int, path: Path) -> None:
    try:
        with _open_in(folder, path, create=False) as handle:
            opened = os.fstat(handle)
            done = 0
            while done < opened.st_size:
                done += os.pwrite(handle, _BLOCK[: opened.st_size - done], done)
            os.fsync(handle)
            now = _look(folder, path.name)
            if now is not None and (now.st_dev, now.st_ino) == (opened.st_dev, opened.st_ino):
                os.unlink(path.name, dir_fd=folder)
    except (FileNotFoundError, NotOurs):
        return


def discard(path: Path) -> None:
    """Delete one of our files by its name. Leave it if it is something else."""
    with _opened(path.parent) as folder:
        found = _look(folder, path.name)
        if found is not None and _fault(path, found) is None:
            os.unlink(path.name, dir_fd=folder)


def put_in_place(draft: Path, path: Path) -> None:
    """Let a complete draft take the name of one of our files. Raise NotOurs if the name is held by
    something that is not ours."""
    with _opened(path.parent) as folder:
        found = _look(folder, path.name)
        fault = None if found is None else _fault(path, found)
        if fault is not None:
            raise NotOurs(f"{path} is left alone: {fault}")
        os.replace(draft.name, path.name, src_dir_fd=folder, dst_dir_fd=folder)


def strangers(folder: Path) -> tuple[list[str], list[str]]:
    """Return what in the folder is left alone: entries whose names are not ours, and entries with
    a name of ours that are not ours alone, each with the reason."""
    foreign: list[str] = []
    doubtful: list[str] = []
    if not is_ours(folder):
        return foreign, doubtful
    with _opened(folder) as handle:
        for name in sorted(os.listdir(handle)):
            found = _look(handle, name)
            fault = None if found is None else _fault(folder / name, found)
            if fault is not None:
                (doubtful if has_own_name(name) else foreign).append(f"{name!r} ({fault})")
    return foreign, doubtful


def left_of(store: Path) -> list[str]:
    """Return the names of what is left of a store whose main file is missing or empty: its
    write-ahead log, its events, its index files. SQLite would throw the log away."""
    if _size(store):
        return []
    left = [f"{store.name}{end}" for end in ("-wal", ".events") if _size(Path(f"{store}{end}"))]
    index = store.with_name(f"{store.name}.index")
    if is_ours(index):
        with _opened(index) as handle:
            for name in os.listdir(handle):
                found = _look(handle, name)
                if found is not None and _fault(index / name, found) is None:
                    return [*left, index.name]
    return left


def _size(path: Path) -> int:
    """Return the size of a file. A folder of that name is nothing that a store left."""
    try:
        found = path.stat()
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


@cache
def _beside() -> re.Pattern[str]:
    """What a store has beside its main file, as the rest of a name behind that file's name."""
    return re.compile(
        r"(?:-wal|-shm|-journal|\.lock|\.deciding\.lock|\.settling\.lock|\.feed-[0-9a-f]+\.lock"
        r"|\.written|\.events(?:-wal|-shm|-journal|\.lock|\.written)?)"
    )


@cache
def _in_books() -> re.Pattern[str]:
    """What is in the folder `.books`: the list of notebooks, and of each a ledger and a lock."""
    return re.compile(
        r"books\.(?:json|lock|draft)|[0-9a-f]{16}\.(?:lock|ledger(?:-wal|-shm|-journal)?)"
    )


def unlink_own(store: Path) -> None:
    """Delete what we made beside a store whose main file is gone. Everything else stays."""
    for path in store.parent.glob(f"{glob.escape(store.name)}?*"):
        if _beside().fullmatch(path.name[len(store.name) :]) and not _is_folder(path):
            path.unlink(missing_ok=True)
    index, books = store.with_name(f"{store.name}.index"), store.with_name(f"{store.name}.books")
    shred(index, lambda _: True)
    if is_ours(books):
        for path in books.iterdir():
            if _in_books().fullmatch(path.name) and not _is_folder(path):
                path.unlink(missing_ok=True)
    for folder in (index, books):
        if is_ours(folder) and not os.listdir(folder):
            folder.rmdir()


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
