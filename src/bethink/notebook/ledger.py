"""What was read of each file of a book: a small SQLite file, derived, that may be lost.

It remembers which memory stands for which piece of a file, so that an id and its counters outlive
edits, moves and renames. It holds paths, ids and digests, never a text: what a person deletes from
a file must not live on here.

A change goes ledger → store → ledger: first who will stand for which piece (`place`), then the
store is written, then the file counts as read (`settle`). A process that dies in between leaves
rows that are not settled; the next sync finishes them under the same ids, so nothing is doubled.
What stands in no file any more is kept as `doomed` until the store has erased it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from bethink.errors import StoreCorrupt
from bethink.stores.sqlite.connection import plain_errors

_VERSION = 2
_SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
    digest BLOB NOT NULL,     -- of the content; empty: to be read again
    looked_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE pieces (
    path TEXT NOT NULL, ordinal INTEGER NOT NULL, id TEXT NOT NULL,
    text BLOB NOT NULL, section BLOB NOT NULL, said BLOB NOT NULL,  -- digests
    line INTEGER NOT NULL, settled INTEGER NOT NULL,
    PRIMARY KEY (path, ordinal)
) WITHOUT ROWID;
CREATE UNIQUE INDEX pieces_by_id ON pieces (id);
CREATE TABLE doomed (
    path TEXT NOT NULL, ordinal INTEGER NOT NULL, id TEXT PRIMARY KEY,
    text BLOB NOT NULL, section BLOB NOT NULL, said BLOB NOT NULL, line INTEGER NOT NULL
) WITHOUT ROWID;
PRAGMA user_version = {_VERSION};
"""


class FileRow(NamedTuple):
    path: str
    size: int
    mtime_ns: int
    inode: int
    digest: bytes
    looked_ns: int
    ctime_ns: int = 0


class PieceRow(NamedTuple):
    """A piece of a file and the memory that stands for it."""

    path: str
    ordinal: int
    id: str
    text: bytes
    section: bytes
    said: bytes  # kind, tags, times …; empty: not known
    line: int
    settled: bool = False  # does the store hold it just so?


class Ledger:
    """Open with the book's lock held. `fresh`: there was none that could be used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fresh = False
        with plain_errors(path):
            try:
                self._connection = self._open()
            except (apsw.CorruptError, apsw.NotADBError, _OtherVersion):
                remove_ledger(path)
                self._connection = self._open()

    def _open(self) -> apsw.Connection:
        if not self.path.exists():
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = apsw.Connection(str(self.path))
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            # a sync opens it anew: emptying the log each time would cost more than all the rest
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.execute("PRAGMA secure_delete=ON")
            version: int = connection.execute("PRAGMA user_version").get
            if version == 0:
                with connection:
                    connection.execute(_SCHEMA)
                self.fresh = True
            elif version != _VERSION:
                raise _OtherVersion
        except BaseException:
            connection.close()
            raise
        return connection

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @contextmanager
    def _change(self, *, durable: bool = True) -> Iterator[apsw.Connection]:
        """One transaction. What is not durable may be lost in a power cut, and is found again."""
        with self._plainly():
            self._connection.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            with self._connection as connection:
                yield connection

    # Reading

    def _read(self, sql: str, bindings: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
        with self._plainly():
            return list(self._connection.execute(sql, bindings))

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        try:
            with plain_errors(self.path):
                yield
        except StoreCorrupt as e:
            raise LedgerDamaged(str(e)) from None

    def meta(self, key: str) -> str | None:
        rows = self._read("SELECT value FROM meta WHERE key = ?", (key,))
        return rows[0][0] if rows else None

    def files(self) -> dict[str, FileRow]:
        return {row[0]: FileRow(*row) for row in self._read("SELECT * FROM files")}

    def file(self, path: str) -> FileRow | None:
        rows = self._read("SELECT * FROM files WHERE path = ?", (path,))
        return FileRow(*rows[0]) if rows else None

    def below(self, folder: str) -> list[str]:
        """The files of a folder, at any depth. '0' is what follows '/'."""
        rows = self._read(
            "SELECT path FROM files WHERE path >= ? AND path < ?", (folder + "/", folder + "0")
        )
        return [path for (path,) in rows]

    def pieces(self, path: str) -> list[PieceRow]:
        rows = self._read("SELECT * FROM pieces WHERE path = ? ORDER BY ordinal", (path,))
        return [PieceRow(*row) for row in rows]

    def doomed(self) -> list[PieceRow]:
        return [PieceRow(*row) for row in self._read("SELECT * FROM doomed")]

    def count(self) -> tuple[int, int]:
        """Files and pieces."""
        ((files, pieces),) = self._read(
            "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM pieces)"
        )
        return files, pieces

    # Changing

    def note(self, **values: str) -> None:
        with self._change(durable=False) as connection:
            connection.executemany("REPLACE INTO meta VALUES (?, ?)", values.items())

    def said_once(self, key: str) -> str:
        """What is noted, and is not noted any more."""
        value = self.meta(key)
        if value is not None:
            with self._change(durable=False) as connection:
                connection.execute("DELETE FROM meta WHERE key = ?", (key,))
        return value or ""

    def place(self, files: Iterable[str], pieces: Sequence[PieceRow], *, new: bool) -> None:
        """From now on these pieces, and no others, stand in these files. Those that stood there
        and stand nowhere else are doomed. `new`: some ids are; they must not be lost before the
        store has them, or the next sync would make others."""
        ids = [(piece.id,) for piece in pieces]
        with self._change(durable=new) as connection:
            connection.executemany("DELETE FROM doomed WHERE id = ?", ids)
            connection.executemany("DELETE FROM pieces WHERE id = ?", ids)
            for path in files:
                self._doom(connection, path)
                connection.execute(  # it counts as known, and as not read
                    "REPLACE INTO files VALUES (?, 0, 0, 0, x'', 0, 0)", (path,)
                )
            connection.executemany("INSERT INTO pieces VALUES (?, ?, ?, ?, ?, ?, ?, ?)", pieces)

    @staticmethod
    def _doom(connection: apsw.Connection, path: str) -> None:
        connection.execute(
            "REPLACE INTO doomed SELECT path, ordinal, id, text, section, said, line "
            "FROM pieces WHERE path = ?",
            (path,),
        )
        connection.execute("DELETE FROM pieces WHERE path = ?", (path,))

    def vanish(self, paths: Iterable[str]) -> None:
        """These files are no more; what stood in them may turn up elsewhere."""
        with self._change() as connection:
            for path in paths:
                self._doom(connection, path)
                connection.execute("DELETE FROM files WHERE path = ?", (path,))

    def settle(self, files: Sequence[FileRow], ids: Iterable[str] = (), witness: str = "") -> None:
        """The store holds what these files say. `witness` is the newest memory it must hold."""
        with self._change(durable=False) as connection:
            connection.executemany(
                "UPDATE pieces SET settled = 1 WHERE id = ?", ((i,) for i in ids)
            )
            connection.executemany("REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", files)
            if witness:
                connection.execute("REPLACE INTO meta VALUES ('witness', ?)", (witness,))

    def erased(self, ids: Sequence[str]) -> None:
        with self._change(durable=False) as connection:
            connection.executemany("DELETE FROM doomed WHERE id = ?", ((i,) for i in ids))
            connection.executemany(
                "UPDATE meta SET value = ifnull((SELECT id FROM pieces WHERE settled LIMIT 1), '') "
                "WHERE key = 'witness' AND value = ?",
                ((i,) for i in ids),
            )
        with self._plainly():  # names of files are somebody's words too
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def distrust(self) -> None:
        """Look at every file and every memory again; who stands for what is kept."""
        with self._change() as connection:
            connection.execute("UPDATE files SET digest = x''")
            connection.execute("UPDATE pieces SET settled = 0")

    def take_over(self, pieces: Sequence[PieceRow]) -> None:
        """What a store says that it holds of this book, for a ledger that was lost."""
        with self._change() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO pieces VALUES (?, ?, ?, ?, ?, ?, ?, ?)", pieces
            )
            connection.execute(
                "INSERT OR IGNORE INTO files SELECT DISTINCT path, 0, 0, 0, x'', 0, 0 FROM pieces"
            )


def peek(path: Path) -> tuple[dict[str, str], int, int] | None:
    """What is noted, how many files and pieces, without the lock; None: there is none, or not ours
    to read."""
    if not path.exists():
        return None
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            meta: dict[str, str] = dict(connection.execute("SELECT key, value FROM meta"))
            ((files, pieces),) = connection.execute(
                "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM pieces)"
            )
        finally:
            connection.close()
    except apsw.Error:
        return None  # the next sync makes it anew
    return meta, files, pieces


def remove_ledger(path: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{ending}").unlink(missing_ok=True)


class LedgerDamaged(Exception):
    """To be thrown away: all that it knew can be had from the files and the store."""


class _OtherVersion(Exception):
    """Not ours to read; it is made anew."""
