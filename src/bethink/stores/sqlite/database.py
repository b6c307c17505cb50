"""One SQLite file as it is read and written: reads take a snapshot, writes the lock and one
transaction. What the tables hold is not known here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

import apsw

from bethink.errors import StoreError, StoreMissing, StoreReadOnly
from bethink.stores.sqlite.connection import (
    LOCK_SECONDS,
    ReadPool,
    WriteLock,
    cannot_open,
    checkpoint,
    connect,
    plain_errors,
)


class Database:
    def __init__(self, path: Path, *, read_only: bool, beside: Database | None = None) -> None:
        """`beside`: the file that this one belongs to; where that is gone, so is this."""
        if path.is_dir() or not path.parent.is_dir():
            raise cannot_open(path)
        self.path = path
        self.read_only = read_only or (path.exists() and not os.access(path, os.W_OK))
        self.broken: str | None = None  # why nothing is written any more
        self._readers = ReadPool(path)
        self._lock = WriteLock(path.with_name(path.name + ".lock"))
        self._writer: apsw.Connection | None = None
        self._closed = False
        self._log_is_empty = True
        self._file: tuple[int, int] | None = None
        self._beside = beside
        self.around: Callable[[apsw.Connection], AbstractContextManager[object]] = nullcontext

    def pin(self) -> None:
        """From now on it must be this very file. Moved away or replaced while it is open, it would
        look like an empty store, and what is written would go where nobody looks."""
        self._file = _file_at(self.path)

    def check_file(self) -> None:
        if self._beside is not None:
            self._beside.check_file()
        if self._file is not None and _file_at(self.path) != self._file:
            raise StoreMissing(
                f"{self.path} was moved, removed or replaced while it was in use; put it back, or "
                "start again with the store that is meant"
            )

    @contextmanager
    def write(self, *, patience: float = LOCK_SECONDS) -> Iterator[apsw.Connection]:
        """The lock, then one transaction; committed and on disk when the block ends. `patience`:
        how many seconds to wait for the lock."""
        if self._closed:
            raise StoreError("this store is closed; open it again to use it")
        if self.broken:
            raise StoreError(self.broken)
        if self.read_only:
            raise StoreReadOnly(
                f"{self.path} is open for reading only; check its permissions or choose another "
                "place with --store or BETHINK_STORE"
            )
        self.check_file()  # before the lock, whose file would be left where no store is
        with plain_errors(self.path), self._lock.hold(patience):
            self.check_file()
            if self._writer is None:
                self._writer = connect(self.path, read_only=False)
            writer = self._writer
            writer.execute("BEGIN IMMEDIATE")
            try:
                with self.around(writer):
                    yield writer
                writer.execute("COMMIT")
            except BaseException as e:
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
                if isinstance(e, apsw.IOError):
                    # after a failed fsync the kernel may have dropped the pages: a second try
                    # would report success for data that is not there
                    self.broken = (
                        f"an earlier write to {self.path} failed on the disk; writing stays off "
                        "until the store is opened again. Check the disk, then 'bethink doctor'"
                    )
                raise

    def connection(self) -> AbstractContextManager[apsw.Connection]:
        """A connection for reading, without a snapshot."""
        return self._readers.use()

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """One snapshot for everything that the block reads."""
        self.check_file()
        with plain_errors(self.path), self._readers.use() as reader:
            reader.execute("BEGIN")
            try:
                yield reader
            finally:
                # not COMMIT: after a damaged words index that fails too, and hides the first error
                if reader.in_transaction:  # SQLite ends it itself at some errors
                    reader.execute("ROLLBACK")

    @contextmanager
    def alone(self) -> Iterator[apsw.Connection]:
        """A connection of its own under the lock, for a look where no transaction commits."""
        with plain_errors(self.path), self._lock.hold():
            connection = connect(self.path, read_only=False)
            try:
                yield connection
            finally:
                connection.close()

    def empty_log(self, *, seconds: float = 2.0, patience: float = LOCK_SECONDS) -> None:
        """Leave nothing in the write-ahead log, waiting so long for readers. They may hold it until
        `close`."""
        with self._lock.hold(patience), plain_errors(self.path):
            if self._writer is not None:
                self._log_is_empty = checkpoint(self._writer, seconds=seconds)

    def finish_emptying(self, texts: Iterable[str] = ()) -> bool:
        """Where `empty_log` found readers, try once more; False: they still hold it. Then, where
        pieces of these texts stayed in unused parts of the file, write it anew."""
        if not self._log_is_empty:
            with self._lock.hold(), plain_errors(self.path):
                if self._writer is not None:
                    self._log_is_empty = checkpoint(self._writer, seconds=0.2)
        if self._log_is_empty and texts and not self.read_only:
            from bethink.stores.sqlite.leftovers import left_in

            if left_in(self.path, texts):
                with self.alone() as connection:
                    connection.execute("VACUUM")
                    self._log_is_empty = checkpoint(connection)
        return self._log_is_empty

    def close(self) -> None:
        self._closed = True
        self._readers.close()
        if self._writer is None:
            return
        try:
            self.check_file()
        except StoreMissing:  # it was removed, and nothing is to be left behind
            self._writer.close()
        else:
            with self._lock.hold():
                with suppress(apsw.Error):  # e.g. a full disk: all is in the log, and safe there
                    checkpoint(self._writer, seconds=0.5)
                self._writer.close()
        self._writer = None


def _file_at(path: Path) -> tuple[int, int] | None:
    try:
        at = os.stat(path)
    except OSError:
        return None
    return at.st_dev, at.st_ino
