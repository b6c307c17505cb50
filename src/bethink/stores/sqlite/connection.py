"""Connections to the one SQLite file: how they are opened, who may write, what errors mean.

`apsw` carries its own SQLite, so the version that was tested is the version that runs. Every write
takes a lock file first and only then begins a transaction: the kernel queues the waiters in order,
where SQLite's own busy handler lets them race and starve.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from json import JSONDecodeError
from pathlib import Path
from typing import Any

import apsw

from bethink.errors import (
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)

if sys.platform != "win32":  # on Windows SQLite's own lock with its busy timeout must do
    import fcntl

# 3.7.0 to 3.51.2 can corrupt a WAL when a checkpoint meets a writer.
_OLDEST_SAFE_SQLITE = (3, 51, 3)
LOCK_SECONDS = 60.0
# 8 kB pages hold three 512-dimensional vectors; 4 kB would hold one and waste half.
_PAGE_BYTES = 8192


def check_sqlite_version() -> None:
    version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if version < _OLDEST_SAFE_SQLITE:
        raise StoreError(
            f"SQLite {apsw.sqlite_lib_version()} can damage its file under load; "
            "upgrade with: pip install -U apsw"
        )


def cannot_open(path: Path) -> StoreReadOnly:
    if not path.parent.is_dir():
        why = f"the directory {path.parent} does not exist; create it, or name another place"
    elif path.is_dir():
        why = "it is a directory; name a file"
    else:
        why = "check the permissions of the file and its directory"
    return StoreReadOnly(f"{path} cannot be opened: {why}")


def disk_full(path: Path) -> StoreFull:
    return StoreFull(
        f"the disk that holds {path} is full: nothing was written, and nothing that was "
        "acknowledged is lost. Free some space and try again"
    )


_SHARED_BYTES = 32_768  # of the index of the log, which every process that reads it shares


def _no_room(path: Path) -> bool:
    """Is there too little for SQLite to begin with?"""
    if sys.platform == "win32":
        return False
    try:
        disk = os.statvfs(path.parent)
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < 2 * _SHARED_BYTES


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into ours, each with what to do."""
    try:
        yield
    except apsw.FullError:
        raise disk_full(path) from None
    except (apsw.ReadOnlyError, apsw.PermissionsError):
        raise StoreReadOnly(
            f"{path} may not be written; check the permissions of the file and its directory, "
            "or choose another place with --store or BETHINK_STORE"
        ) from None
    except (apsw.CorruptError, apsw.NotADBError) as e:
        raise StoreCorrupt(
            f"{path} is damaged or is not a Bethink store ({e}). Nothing was changed. Run "
            "'bethink doctor' for details; restore a backup or an export if you have one"
        ) from None
    except apsw.NoMemError:
        raise StoreCorrupt(
            f"reading {path} asks for more memory than there is: either the machine is out of "
            "memory, or the file is damaged. Nothing was changed. Free some memory and try again; "
            "if it stays, run 'bethink doctor'"
        ) from None
    except ValueError as e:
        if not isinstance(e, UnicodeDecodeError | JSONDecodeError):
            raise
        raise StoreCorrupt(
            f"{path}: a text in it is damaged and cannot be read. Nothing was changed. "
            "'bethink doctor' names the memories; 'bethink export --out rescue.jsonl' saves "
            "the others"
        ) from None
    except (apsw.BusyError, apsw.LockedError):
        raise StoreBusy(f"{path} is in use by another process; try again in a moment") from None
    except apsw.CantOpenError:
        raise cannot_open(path) from None
    except OSError as e:  # of the files beside the database
        if e.errno in (errno.ENOSPC, errno.EDQUOT):
            raise disk_full(path) from None
        if e.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise StoreReadOnly(
                f"{e.filename} may not be written; check the permissions of the directory"
            ) from None
        raise StoreError(f"a file beside {path} could not be used: {e}. Check the disk") from e
    except apsw.IOError as e:
        if _no_room(path):  # SQLite says so only of some of its files
            raise disk_full(path) from None
        raise StoreError(
            f"the disk failed while reading or writing {path} ({e}). Do not trust this disk: "
            "close Bethink, check the disk, then run 'bethink doctor'"
        ) from None


def create_private(path: Path) -> None:
    """Memories are nobody else's business: the file is made readable for its owner alone."""
    with contextlib.suppress(FileExistsError, PermissionError, FileNotFoundError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _unchangeable(path: Path) -> bool:
    """In a directory that may not be written SQLite cannot share a log; without one it need not."""
    return (
        path.exists()
        and not os.access(path.parent, os.W_OK)
        and not _size(path.with_name(path.name + "-wal"))
    )


def crammed(path: Path) -> bool:
    """On a full disk there may be no room to share a log. Where it is empty, and nobody shares it
    (so that nobody writes), the file can be read without it."""
    return (
        _size(path.with_name(path.name + "-shm")) < _SHARED_BYTES
        and _no_room(path)
        and not _size(path.with_name(path.name + "-wal"))
        and path.exists()
    )


def connect(path: Path, *, read_only: bool, alone: bool = False) -> apsw.Connection:
    """`alone`: for reading what nobody can change meanwhile."""
    flags = (
        apsw.SQLITE_OPEN_READONLY
        if read_only
        else (apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    )
    name = str(path)
    if read_only and (alone or _unchangeable(path)):
        name, flags = f"{path.as_uri()}?immutable=1", flags | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(name, flags=flags, statementcachesize=256)
    connection.set_busy_timeout(int(LOCK_SECONDS * 1000))
    execute = connection.execute
    if not read_only:
        execute(f"PRAGMA page_size={_PAGE_BYTES}")
        execute("PRAGMA journal_mode=WAL")
        # FULL: an acknowledged write survives a power cut (NORMAL lost some in 585 of 1000 trials)
        execute("PRAGMA synchronous=FULL")
        execute("PRAGMA secure_delete=ON")
        execute("PRAGMA wal_autocheckpoint=4000")
        execute("PRAGMA foreign_keys=ON")
    execute("PRAGMA cache_size=-32768")
    execute("PRAGMA temp_store=MEMORY")
    execute("PRAGMA mmap_size=1073741824")
    execute("PRAGMA trusted_schema=OFF")
    return connection


class ReadPool:
    """Connections for reading, one for each thread that reads at the same time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: list[apsw.Connection] = []
        self._closed = threading.Event()

    @contextmanager
    def use(self) -> Iterator[apsw.Connection]:
        """Borrow a connection. List operations are atomic, so no lock is needed."""
        if self._closed.is_set():
            raise StoreError("this store is closed; open it again to use it")
        alone = False
        try:
            connection = self._idle.pop()
        except IndexError:
            alone = crammed(self._path)
            with plain_errors(self._path):
                connection = connect(self._path, read_only=True, alone=alone)
        try:
            yield connection
        finally:
            if alone or self._closed.is_set():  # there may be room, and news, the next time
                connection.close()
            else:
                self._idle.append(connection)

    def close(self) -> None:
        self._closed.set()
        while self._idle:
            self._idle.pop().close()


class WriteLock:
    """One writer at a time among all threads and processes, first come first served."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._threads = threading.Lock()

    @contextmanager
    def hold(self, seconds: float = LOCK_SECONDS) -> Iterator[None]:
        if not self._threads.acquire(timeout=seconds):
            raise StoreBusy(f"another thread has been writing for {seconds:.0f} s; try again")
        try:
            if sys.platform == "win32":
                yield
                return
            try:
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError as e:
                if e.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise disk_full(self._path) from None
                raise StoreReadOnly(
                    f"cannot create the lock file {self._path} ({e.strerror}); "
                    "check the permissions of the directory"
                ) from None
            try:
                self._lock(handle, seconds)
                yield
            finally:
                os.close(handle)  # gives the lock back
        finally:
            self._threads.release()

    def _lock(self, handle: int, seconds: float) -> None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            pass
        # Only a blocking call queues fairly, and only a thread lets us give up waiting for it.
        copy = os.dup(handle)
        done = threading.Event()
        abandoned = threading.Event()

        def wait() -> None:
            fcntl.flock(copy, fcntl.LOCK_EX)
            if abandoned.is_set():
                fcntl.flock(copy, fcntl.LOCK_UN)
            os.close(copy)
            done.set()

        threading.Thread(target=wait, name="bethink-write-lock", daemon=True).start()
        if not done.wait(seconds):
            abandoned.set()
            raise StoreBusy(
                f"another process has held {self._path} for {seconds:.0f} s; "
                "if none should be running, look for a stopped one and end it, then try again"
            )


# What one statement of SQLite may hold (SQLITE_MAX_VARIABLE_NUMBER as apsw builds it).
_MAX_VARIABLES = 32_766
# What apsw keeps ready of a statement, in characters; a longer one is parsed anew each time, which
# takes a third of the time of inserting memories.
_MAX_KEPT = 12_000


def insert_rows(
    connection: apsw.Connection,
    into: str,
    rows: Iterable[tuple[Any, ...]],
    *,
    verb: str = "INSERT",
    whole: bool = False,
) -> None:
    """Many rows with one statement. While SQLite works through it, other threads have Python;
    `executemany` asks for it back at every row, and waits each time. `whole`: as few statements as
    can be, for FTS5 writes out what it has gathered at the beginning of each."""
    coming = iter(rows)
    for first in coming:
        width = len(first)
        step = _MAX_VARIABLES // width if whole else _MAX_KEPT // (2 * width + 2)
        values = (*first, *chain.from_iterable(islice(coming, step - 1)))
        connection.execute(_insertion(verb, into, width, len(values) // width), values)


def _insertion(verb: str, into: str, width: int, count: int) -> str:
    one = f"({','.join('?' * width)})"
    return f"{verb} INTO {into} VALUES {','.join([one] * count)}"


def checkpoint(connection: apsw.Connection, *, seconds: float = 2.0) -> bool:
    """Empty the write-ahead log, so that no erased text is left in it. False: readers hold it."""
    deadline = time.monotonic() + seconds
    connection.set_busy_timeout(100)
    try:
        while True:
            try:
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                return True
            except apsw.BusyError:
                if time.monotonic() >= deadline:
                    return False
    finally:
        connection.set_busy_timeout(int(LOCK_SECONDS * 1000))
