"""The embedded store: one SQLite file, safe for many processes at once.

Reads take a snapshot; writes take the lock, then one transaction. Searches use in-process indexes
that are derived from the rows and catch up with them at every question.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from recollect.clock import from_micros
from recollect.errors import (
    FingerprintMismatch,
    InvalidInput,
    StoreError,
    StoreReadOnly,
    unknown_space,
)
from recollect.filters import All, Filter, ValidAt
from recollect.stores.protocol import Embedding, Page, Unembedded, Written
from recollect.stores.sqlite import schema, words, writing
from recollect.stores.sqlite.connection import (
    ReadPool,
    WriteLock,
    check_sqlite_version,
    checkpoint,
    connect,
    plain_errors,
)
from recollect.stores.sqlite.rows import SELECTED, from_row, from_snapshot
from recollect.stores.sqlite.where import to_sql
from recollect.stores.sqlite.writing import VectorTable
from recollect.text import tokenise
from recollect.vocabulary import (
    GLOBAL_SPACE,
    Check,
    Entry,
    Found,
    Memory,
    Passage,
    Revision,
    SpaceInfo,
    Vector,
    Vectors,
)

if TYPE_CHECKING:
    from recollect.stores.sqlite.postings import PostingsIndex
    from recollect.stores.sqlite.sidecar import Ints
    from recollect.stores.sqlite.vectors import VectorIndex


class _SpaceRow(NamedTuple):
    id: int
    name: str
    seq: int
    passages: int


class SQLiteStore:
    """Open (and if need be create) the store in this file."""

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        check_sqlite_version()
        self.path = Path(path).absolute()
        self._read_only = read_only
        self._readers = ReadPool(self.path)
        self._lock = WriteLock(self.path.with_name(self.path.name + ".lock"))
        self._writer: apsw.Connection | None = None
        self._broken: str | None = None
        self._indexes: dict[tuple[int, int], VectorIndex] = {}
        self._postings: dict[int, PostingsIndex] = {}
        self._trusted_words: dict[int, int] = {}
        self._maintainer: threading.Thread | None = None
        self._guard = threading.Lock()
        with plain_errors(self.path):
            self._prepare()

    @property
    def _folder(self) -> Path:
        from recollect.stores.sqlite.sidecar import directory

        return directory(self.path)

    def _prepare(self) -> None:
        if self._read_only or (self.path.exists() and not os.access(self.path, os.W_OK)):
            self._read_only = True
        elif self.path.exists() and self.path.stat().st_size:
            with self._readers.use() as reader:
                if schema.is_current(reader):
                    tokeniser = reader.execute("SELECT value FROM meta WHERE key = 'tokeniser'").get
                    if tokeniser == tokenise.VERSION:
                        return
        if self._read_only:
            with self._readers.use() as reader:
                if not schema.is_current(reader):
                    raise StoreReadOnly(
                        f"{self.path} was written by an older Recollect and may not be changed "
                        "here; open it once where it can be written"
                    )
            return
        with self._write() as writer:
            schema.migrate(writer)
            tokeniser = writer.execute("SELECT value FROM meta WHERE key = 'tokeniser'").get
            if tokeniser != tokenise.VERSION:
                self._rebuild_words(writer)

    # Transactions

    @contextmanager
    def _write(self) -> Iterator[apsw.Connection]:
        """The lock, then one transaction; committed and on disk when the block ends."""
        if self._broken:
            raise StoreError(self._broken)
        if self._read_only:
            raise StoreReadOnly(
                f"{self.path} is open for reading only; check its permissions or choose another "
                "place with --store or RECOLLECT_STORE"
            )
        with plain_errors(self.path), self._lock.hold():
            if self._writer is None:
                self._writer = connect(self.path, read_only=False)
            writer = self._writer
            writer.execute("BEGIN IMMEDIATE")
            try:
                yield writer
                writer.execute("COMMIT")
            except BaseException as e:
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
                if isinstance(e, apsw.IOError):
                    # after a failed fsync the kernel may have dropped the pages: a second try
                    # would report success for data that is not there
                    self._broken = (
                        f"an earlier write to {self.path} failed on the disk; writing stays off "
                        "until the store is opened again. Check the disk, then 'recollect doctor'"
                    )
                raise

    @contextmanager
    def _read(self) -> Iterator[apsw.Connection]:
        """One snapshot for everything that the block reads."""
        with plain_errors(self.path), self._readers.use() as reader:
            reader.execute("BEGIN")
            try:
                yield reader
            finally:
                reader.execute("COMMIT")

    def _spaces_of(self, reader: apsw.Connection, names: Sequence[str] | None) -> list[_SpaceRow]:
        sql = "SELECT id, name, seq, passages FROM spaces"
        if names is None:
            return [_SpaceRow(*row) for row in reader.execute(sql)]
        found: list[_SpaceRow] = []
        for name in dict.fromkeys(names):
            row = reader.execute(sql + " WHERE name = ?", (name,)).get
            if row is None:
                raise unknown_space(name, [n for (n,) in reader.execute("SELECT name FROM spaces")])
            found.append(_SpaceRow(*row))
        return found

    # Truth

    def put(self, entries: Sequence[Entry], *, fingerprint: str | None = None) -> list[Written]:
        if not entries:
            return []
        with self._write() as writer:
            return writing.put(writer, entries, fingerprint)

    def revise(self, entry: Entry, *, fingerprint: str | None = None) -> None:
        with self._write() as writer:
            pids = writing.revise(writer, entry, fingerprint)
            if pids:
                space = writing.space_id(writer, entry.memory.space)
                assert space is not None
                self._erase_derived(writer, {space: pids})
        self._empty_log()

    def known(self, entries: Sequence[Entry]) -> list[bool]:
        with self._read() as reader:
            return writing.known(reader, entries)

    def get(
        self, ids: Sequence[str], *, spaces: Sequence[str] | None = None
    ) -> list[Memory | None]:
        with self._read() as reader:
            rows = reader.execute(
                f"SELECT {SELECTED} FROM json_each(?) j JOIN memories m ON m.id = j.value "
                "JOIN spaces s ON s.id = m.space",
                (json.dumps(list(ids)),),
            )
            found = {memory.id: memory for memory in map(from_row, rows)}
        if spaces is not None:
            found = {i: memory for i, memory in found.items() if memory.space in spaces}
        return [found.get(memory_id) for memory_id in ids]

    def fetch(self, keys: Sequence[tuple[str, int]]) -> list[tuple[Memory, Passage] | None]:
        sql = (
            f"SELECT p.ordinal, p.start, p.stop, {SELECTED} FROM memories m "
            "JOIN passages p ON p.memory = m.row AND p.ordinal = ? "
            "JOIN spaces s ON s.id = m.space WHERE m.id = ?"
        )
        fetched: list[tuple[Memory, Passage] | None] = []
        with self._read() as reader:
            for memory_id, ordinal in keys:
                row = reader.execute(sql, (ordinal, memory_id)).get
                fetched.append(row and (from_row(row[3:]), Passage(row[0], row[1], row[2])))
        return fetched

    def delete(self, ids: Sequence[str]) -> list[bool]:
        if not ids:
            return []
        with self._write() as writer:
            done, gone = writing.delete(writer, ids)
            self._erase_derived(writer, gone)
        self._empty_log()
        return done

    def delete_space(self, space: str) -> int:
        with self._write() as writer:
            row = self._spaces_of(writer, [space])[0]
            count: int = writer.execute("SELECT memories FROM spaces WHERE id = ?", (row.id,)).get
            words.drop(writer, row.id)
            for table in writing.vector_tables(writer):
                writer.execute(f"DELETE FROM {table.table} WHERE space = ?", (row.id,))
                writer.execute("DELETE FROM embedded WHERE space = ?", (row.id,))
                if (self._folder).exists():
                    self._vector_index(table, row.id).shred(writer)
            if self._folder.exists():
                self._postings_index(row.id).shred(writer)
            for statement in (
                "DELETE FROM passages WHERE space = ?",
                "DELETE FROM memories WHERE space = ?",
                "DELETE FROM gone WHERE space = ?",
                "DELETE FROM spaces WHERE id = ?",
            ):
                writer.execute(statement, (row.id,))
            self._drop_from_memory(row.id)
            writing.ensure_space(writer, GLOBAL_SPACE)  # the user's own space is always there
        self._empty_log()
        return count

    def _erase_derived(self, writer: apsw.Connection, gone: Mapping[int, list[int]]) -> None:
        """Take what is forgotten out of the files beside the database, while we hold the lock."""
        if not self._folder.exists():
            return
        for space, pids in gone.items():
            seq: int = writer.execute("SELECT seq FROM spaces WHERE id = ?", (space,)).get
            for table in writing.vector_tables(writer):
                self._vector_index(table, space).erase(writer, seq, pids)
            self._postings_index(space).shred(writer)

    def _empty_log(self) -> None:
        """Erased text must leave the write-ahead log too; readers may hold it until `close`."""
        with self._lock.hold(), plain_errors(self.path):
            if self._writer is not None:
                checkpoint(self._writer)

    def scan(
        self,
        *,
        spaces: Sequence[str] | None = None,
        where: Filter | None = None,
        newest_first: bool = False,
        cursor: str | None = None,
        limit: int = 100,
    ) -> Page:
        condition, bindings = to_sql(where)
        if cursor is not None and not cursor.isdecimal():
            raise InvalidInput(f"{cursor!r} is no cursor of this list; start again without one")
        with self._read() as reader:
            numbers = [space.id for space in self._spaces_of(reader, spaces)]
            beyond = (
                "" if cursor is None else f"AND m.row {'<' if newest_first else '>'} {int(cursor)}"
            )
            rows = reader.execute(
                f"SELECT m.row, {SELECTED} FROM memories m JOIN spaces s ON s.id = m.space "
                f"WHERE m.space IN (SELECT value FROM json_each(?)) {beyond} AND {condition} "
                f"ORDER BY m.row {'DESC' if newest_first else ''} LIMIT ?",
                (json.dumps(numbers), *bindings, limit + 1),
            ).fetchall()
        more = len(rows) > limit
        rows = rows[:limit]
        return Page([from_row(row[1:]) for row in rows], str(rows[-1][0]) if more else None)

    def count(self, *, spaces: Sequence[str] | None = None, where: Filter | None = None) -> int:
        condition, bindings = to_sql(where)
        with self._read() as reader:
            numbers = [space.id for space in self._spaces_of(reader, spaces)]
            total: int = reader.execute(
                "SELECT count(*) FROM memories m WHERE m.space IN "
                f"(SELECT value FROM json_each(?)) AND {condition}",
                (json.dumps(numbers), *bindings),
            ).get
        return total

    def history(self, memory_id: str) -> list[Revision]:
        with self._read() as reader:
            rows = reader.execute(
                "SELECT r.snapshot, r.replaced_at FROM revisions r JOIN memories m "
                "ON m.row = r.memory WHERE m.id = ? ORDER BY r.rowid DESC",
                (memory_id,),
            )
            return [Revision(from_snapshot(text), from_micros(at)) for text, at in rows]

    def touch(self, *, accessed: Mapping[str, int], reinforced: Mapping[str, int]) -> None:
        if accessed or reinforced:
            with self._write() as writer:
                writing.touch(writer, accessed=accessed, reinforced=reinforced)

    def spaces(self) -> list[SpaceInfo]:
        with self._read() as reader:
            rows = reader.execute(
                "SELECT s.name, s.memories, s.passages, s.passages - ifnull(e.passages, 0) "
                "FROM spaces s LEFT JOIN indexes i ON i.active "
                "LEFT JOIN embedded e ON e.index_id = i.id AND e.space = s.id ORDER BY s.name"
            )
            return [SpaceInfo(*row) for row in rows]

    def pending(self, spaces: Sequence[str]) -> int:
        with self._read() as reader:
            active = writing.active_table(reader)
            index = -1 if active is None else active.id
            return sum(
                space.passages
                - (
                    reader.execute(
                        "SELECT passages FROM embedded WHERE index_id = ? AND space = ?",
                        (index, space.id),
                    ).get
                    or 0
                )
                for space in self._spaces_of(reader, spaces)
            )

    # Searching

    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Found]:
        if not terms:
            return []
        return self._mended(lambda: self._search_words(terms, spaces, where, limit))

    def _search_words(
        self, terms: Sequence[str], spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Found]:
        condition, bindings = to_sql(_restriction(where))
        found: list[tuple[float, str, int]] = []
        with self._read() as reader:
            for space in self._spaces_of(reader, spaces):
                self._check_words(reader, space)
                postings = self._ready_postings(reader, space)
                if postings is not None:
                    only, but = self._selection(reader, space.id, where)
                    best = postings.search(terms, limit, only=only, but=but)
                    found += self._named(reader, best)
                    continue
                banned = self._outdated(reader, space.id, where)
                bound: list[Any] = list(bindings)
                clause = condition
                if banned:
                    clause = f"({condition} AND p.pid NOT IN (SELECT value FROM json_each(?)))"
                    bound.append(json.dumps(banned))
                found += words.search(
                    reader, space.id, terms, condition=clause, bindings=bound, limit=limit
                )
        if len(spaces) > 1:
            found.sort(key=lambda row: -row[0])
        return [Found(memory_id, ordinal, score) for score, memory_id, ordinal in found[:limit]]

    def search_meaning(
        self,
        vector: Vector,
        *,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Found]:
        from recollect.stores.sqlite.vectors import Damaged

        try:
            return self._search_meaning(vector, fingerprint, spaces, where, limit)
        except Damaged:
            self._discard_vector_files()
            return self._search_meaning(vector, fingerprint, spaces, where, limit)

    def _search_meaning(
        self,
        vector: Vector,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Found]:
        found: list[tuple[float, str, int]] = []
        with self._read() as reader:
            table = writing.active_table(reader)
            rows = self._spaces_of(reader, spaces)
            if table is None:
                return []
            if table.fingerprint != fingerprint:
                raise FingerprintMismatch(
                    f"the question was embedded by {fingerprint}, the index is by "
                    f"{table.fingerprint}; run 'recollect reindex'"
                )
            for space in rows:
                index = self._vector_index(table, space.id)
                index.catch_up(reader, space.seq)
                if not len(index):
                    continue
                only, but = self._selection(reader, space.id, where)
                found += self._named(reader, index.search(vector, limit, only=only, but=but))
                if index.wants_maintenance():
                    self._maintain_soon()
        if len(rows) > 1:
            found.sort(key=lambda row: -row[0])
        return [Found(memory_id, ordinal, score) for score, memory_id, ordinal in found[:limit]]

    def _named(
        self, reader: apsw.Connection, best: Sequence[tuple[float, int]]
    ) -> list[tuple[float, str, int]]:
        """The same with memory ids and ordinals, in one statement: it is a third of the time."""
        rows = reader.execute(
            "SELECT p.pid, m.id, p.ordinal FROM json_each(?) j JOIN passages p ON p.pid = j.value "
            "JOIN memories m ON m.row = p.memory",
            (json.dumps([pid for _, pid in best]),),
        )
        named = {pid: (memory_id, ordinal) for pid, memory_id, ordinal in rows}
        return [(score, *named[pid]) for score, pid in best if pid in named]

    def _outdated(self, reader: apsw.Connection, space: int, where: Filter | None) -> list[int]:
        """Passages that do not hold at the moment asked about: few, with an index of their own."""
        moment = _moment(where)
        if moment is None:
            return []
        condition, bindings = to_sql(moment)
        rows = reader.execute(
            "SELECT p.pid FROM memories m JOIN passages p ON p.memory = m.row WHERE m.space = ? "
            f"AND (m.valid_from IS NOT NULL OR m.valid_to IS NOT NULL) AND NOT {condition}",
            (space, *bindings),
        )
        return [pid for (pid,) in rows]

    def _selection(
        self, reader: apsw.Connection, space: int, where: Filter | None
    ) -> tuple[Ints | None, Ints | None]:
        """Which passages a search may use (None: all) and which it may not."""
        import numpy as np

        banned = self._outdated(reader, space, where)
        but = np.array(banned, np.int64) if banned else None
        restriction = _restriction(where)
        if restriction is None:
            return None, but
        condition, bindings = to_sql(restriction)
        rows = reader.execute(
            "SELECT p.pid FROM memories m JOIN passages p ON p.memory = m.row "
            f"WHERE m.space = ? AND {condition}",
            (space, *bindings),
        ).fetchall()
        return np.fromiter((pid for (pid,) in rows), np.int64, len(rows)), but

    def _vector_index(self, table: VectorTable, space: int) -> VectorIndex:
        from recollect.stores.sqlite.vectors import VectorIndex

        with self._guard:
            key = (table.id, space)
            if key not in self._indexes:
                self._indexes[key] = VectorIndex(self._folder, table, space)
            return self._indexes[key]

    def _postings_index(self, space: int) -> PostingsIndex:
        from recollect.stores.sqlite.postings import PostingsIndex

        with self._guard:
            if space not in self._postings:
                self._postings[space] = PostingsIndex(self._folder, space)
            return self._postings[space]

    def _ready_postings(self, reader: apsw.Connection, space: _SpaceRow) -> PostingsIndex | None:
        """The fast words index where it pays: a large space, in a process that has NumPy anyway."""
        import sys

        if space.passages < 20_000 or "numpy" not in sys.modules:
            return None
        index = self._postings_index(space.id)
        ready = index.ready(reader, space.seq)
        if index.wants_maintenance(space.passages):
            self._maintain_soon()
        return index if ready else None

    def _drop_from_memory(self, space: int) -> None:
        with self._guard:
            self._indexes = {k: v for k, v in self._indexes.items() if k[1] != space}
            self._postings.pop(space, None)
            self._trusted_words.pop(space, None)

    # Derived parts that went wrong

    def _mended(self, search: Callable[[], list[Found]]) -> list[Found]:
        """Search; if the words index turns out to be damaged, make it anew and search again."""
        try:
            return search()
        except _UnsoundWords as e:
            space = e.space
        except apsw.CorruptError:
            space = None
        with self._write() as writer:
            self._rebuild_words(writer, space)
        return search()

    def _check_words(self, reader: apsw.Connection, space: _SpaceRow) -> None:
        """Once for each change: is the words index there, and as large as the truth?"""
        if self._trusted_words.get(space.id) == space.seq:
            return
        if not words.sound(reader, space.id, space.passages):
            raise _UnsoundWords(space.id)
        self._trusted_words[space.id] = space.seq

    def _rebuild_words(self, writer: apsw.Connection, space: int | None = None) -> int:
        every = [row.id for row in self._spaces_of(writer, None)]
        total = 0
        for number in every if space is None else [space]:
            total += words.rebuild(writer, number)
            writing.next_seq(writer, number)
            if self._folder.exists():
                self._postings_index(number).shred(writer)
        writer.execute("INSERT OR REPLACE INTO meta VALUES ('tokeniser', ?)", (tokenise.VERSION,))
        return total

    def rebuild_words(self) -> int:
        with self._write() as writer:
            return self._rebuild_words(writer)

    def _discard_files(self) -> None:
        """Throw every derived file away, sound or not."""
        if not self._folder.exists():
            return
        with self._write() as writer:
            for space in self._spaces_of(writer, None):
                for table in writing.vector_tables(writer):
                    self._vector_index(table, space.id).shred(writer)
                self._postings_index(space.id).shred(writer)
                self._drop_from_memory(space.id)

    def _discard_vector_files(self) -> None:
        with self._guard:
            indexes, self._indexes = list(self._indexes.values()), {}
        if not self._read_only:
            with self._write() as writer:
                for index in indexes:
                    if index.check_files(writer) is not None:
                        index.shred(writer)

    # Embeddings

    def embedding(self) -> Embedding | None:
        with self._read() as reader:
            table = writing.active_table(reader)
        return table and Embedding(table.fingerprint, table.dimension, table.name)

    def declare(self, embedding: Embedding) -> Embedding:
        held = self.embedding()
        if held is not None:
            return held
        with self._write() as writer:
            table = writing.active_table(writer)
            if table is None:
                self._create_index(writer, embedding, active=True)
                return embedding
            return Embedding(table.fingerprint, table.dimension, table.name)

    def _create_index(self, writer: apsw.Connection, embedding: Embedding, *, active: bool) -> None:
        writer.execute(
            "INSERT INTO indexes (fingerprint, dimension, name, active) VALUES (?, ?, ?, ?)",
            (*embedding, active),
        )
        table = f"vectors_{writer.last_insert_rowid():d}"
        writer.execute(
            f"CREATE TABLE {table} (pid INTEGER PRIMARY KEY, space INTEGER NOT NULL, "
            "seq INTEGER NOT NULL, data BLOB NOT NULL)"
        )
        writer.execute(f"CREATE INDEX {table}_seq ON {table} (space, seq)")

    def build(self, embedding: Embedding) -> None:
        with self._write() as writer:
            for table in writing.vector_tables(writer):
                if table.fingerprint == embedding.fingerprint:
                    return  # answering already, or begun before: go on
                if not table.active:
                    self._drop_index(writer, table)  # a third embedder: that one was given up
            first = writing.active_table(writer) is None
            self._create_index(writer, embedding, active=first)

    def _drop_index(self, writer: apsw.Connection, table: VectorTable) -> None:
        for space in self._spaces_of(writer, None):
            if self._folder.exists():
                self._vector_index(table, space.id).shred(writer)
            with self._guard:
                self._indexes.pop((table.id, space.id), None)
        writer.execute(f"DROP TABLE {table.table}")
        writer.execute("DELETE FROM indexes WHERE id = ?", (table.id,))

    def clear_vectors(self) -> None:
        with self._write() as writer:
            for table in writing.vector_tables(writer):
                self._drop_index(writer, table)
                if table.active:
                    held = Embedding(table.fingerprint, table.dimension, table.name)
                    self._create_index(writer, held, active=True)

    def unembedded(self, fingerprint: str, *, limit: int) -> list[Unembedded]:
        with self._read() as reader:
            table = writing.table_of(reader, fingerprint)
            if table is None:
                return []
            rows = reader.execute(
                "SELECT p.pid, substr(m.text, p.start + 1, p.stop - p.start) FROM passages p "
                f"JOIN memories m ON m.row = p.memory WHERE NOT EXISTS "
                f"(SELECT 1 FROM {table.table} v WHERE v.pid = p.pid) ORDER BY p.pid LIMIT ?",
                (limit,),
            )
            return [Unembedded(pid, text) for pid, text in rows]

    def fill(self, fingerprint: str, handles: Sequence[int], vectors: Vectors) -> int:
        with self._write() as writer:
            table = writing.table_of(writer, fingerprint)
            if table is None:
                raise FingerprintMismatch(
                    f"there is no index by {fingerprint}; run 'recollect reindex'"
                )
            return writing.fill(writer, table, handles, vectors)

    def switch(self, fingerprint: str) -> bool:
        with self._write() as writer:
            table = writing.table_of(writer, fingerprint)
            if table is None or self._missing(writer, table):
                return False
            for former in writing.vector_tables(writer):
                if former.active and former.id != table.id:
                    self._drop_index(writer, former)
            writer.execute("UPDATE indexes SET active = 1 WHERE id = ?", (table.id,))
        return True

    @staticmethod
    def _missing(connection: apsw.Connection, table: VectorTable) -> int:
        missing: int = connection.execute(
            "SELECT (SELECT ifnull(sum(passages), 0) FROM spaces) - "
            "(SELECT ifnull(sum(passages), 0) FROM embedded WHERE index_id = ?)",
            (table.id,),
        ).get
        return missing

    # Care

    def _maintain_soon(self) -> None:
        """Start maintenance beside the questions, one at a time."""
        with self._guard:
            busy = self._maintainer is not None and self._maintainer.is_alive()
            if busy or self._read_only or self._broken:
                return
            self._maintainer = threading.Thread(
                target=self._maintain_quietly, name="recollect-maintain", daemon=True
            )
            self._maintainer.start()

    def _maintain_quietly(self) -> None:
        import logging

        try:
            self.maintain()
        except Exception as e:  # answers stay right without; say it once and go on
            logging.getLogger("recollect").warning("index files were not brought up to date: %s", e)
            self._broken = self._broken or None

    def maintain(self, *, anew: bool = False) -> None:
        if self._read_only:
            return
        if anew:
            self._discard_files()
        with self._read() as reader:
            spaces = self._spaces_of(reader, None)
            table = writing.active_table(reader)
        for space in spaces:
            if space.passages < 8_192:
                continue
            with self._write() as writer:
                seq: int | None = writer.execute(
                    "SELECT seq FROM spaces WHERE id = ?", (space.id,)
                ).get
                if seq is None:
                    continue
                if table is not None and writing.table_of(writer, table.fingerprint):
                    index = self._vector_index(table, space.id)
                    index.catch_up(writer, seq)
                    if index.wants_maintenance():
                        index.maintain(writer, seq)
                postings = self._postings_index(space.id)
                postings.ready(writer, seq)
                if postings.wants_maintenance(space.passages):
                    postings.maintain(writer, seq)

    def check(self) -> list[Check]:
        from recollect.stores.sqlite.health import check

        with self._read() as reader:
            spaces = [
                (space.id, space.name, space.passages) for space in self._spaces_of(reader, None)
            ]
            tables = writing.vector_tables(reader)
        return check(self, spaces, tables)

    def close(self) -> None:
        maintainer = self._maintainer
        if maintainer is not None and maintainer is not threading.current_thread():
            maintainer.join()
        self._readers.close()
        if self._writer is not None:
            with self._lock.hold():
                checkpoint(self._writer, seconds=0.5)
                self._writer.close()
                self._writer = None


class _UnsoundWords(Exception):
    def __init__(self, space: int) -> None:
        self.space = space


def _moment(where: Filter | None) -> ValidAt | None:
    """The moment that the whole question is about, if it names one."""
    if isinstance(where, ValidAt):
        return where
    if isinstance(where, All):
        return next((part for part in where.parts if isinstance(part, ValidAt)), None)
    return None


def _restriction(where: Filter | None) -> Filter | None:
    """What is left of a filter without its moment."""
    if isinstance(where, ValidAt):
        return None
    if isinstance(where, All) and _moment(where) is not None:
        first = _moment(where)
        rest = tuple(part for part in where.parts if part is not first)
        return rest[0] if len(rest) == 1 else All(rest) if rest else None
    return where
