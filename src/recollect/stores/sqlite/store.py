"""The embedded store: one SQLite file, safe for many processes at once.

Reads take a snapshot; writes take the lock, then one transaction. Searches use in-process indexes
that are derived from the rows and catch up with them at every question.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import apsw

from recollect.clock import from_micros
from recollect.errors import (
    InvalidInput,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreReadOnly,
)
from recollect.filters import Filter
from recollect.stores.protocol import (
    Compared,
    Embedding,
    Frequencies,
    Neighbours,
    Page,
    Unembedded,
    Written,
)
from recollect.stores.sqlite import large, schema, vector_tables, words, writing
from recollect.stores.sqlite.connection import (
    ReadPool,
    WriteLock,
    cannot_open,
    check_sqlite_version,
    checkpoint,
    connect,
    create_private,
    plain_errors,
)
from recollect.stores.sqlite.rows import SELECTED, from_row, from_snapshot, readable
from recollect.stores.sqlite.searching import Searcher, neighbours
from recollect.stores.sqlite.spaces import ensure_space, next_seq, space_id, spaces_of
from recollect.stores.sqlite.where import to_sql
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

_T = TypeVar("_T")
# How often a question may be overtaken by others' writes before it says that the store is busy.
_TRIES = 50


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
        self._closed = False
        self._log_is_clean = True
        self._searcher = Searcher(self.path)
        self._folder = large.directory(self.path)
        self._maintainer: threading.Thread | None = None
        self._guard = threading.Lock()
        with plain_errors(self.path):
            self._prepare()

    def _prepare(self) -> None:
        if self.path.is_dir() or not self.path.parent.is_dir():
            raise cannot_open(self.path)
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
        create_private(self.path)
        with self._write() as writer:
            schema.migrate(writer)
            tokeniser = writer.execute("SELECT value FROM meta WHERE key = 'tokeniser'").get
            if tokeniser != tokenise.VERSION:
                self._rebuild_words(writer)

    # Transactions

    @contextmanager
    def _write(self) -> Iterator[apsw.Connection]:
        """The lock, then one transaction; committed and on disk when the block ends."""
        if self._closed:
            raise StoreError("this store is closed; open it again to use it")
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
                # not COMMIT: after a damaged words index that fails too, and hides the first error
                if reader.in_transaction:  # SQLite ends it itself at some errors
                    reader.execute("ROLLBACK")

    # Truth

    def put(self, entries: Sequence[Entry], *, fingerprint: str | None = None) -> list[Written]:
        if not entries:
            return []

        def put() -> list[Written]:
            with self._write() as writer:
                return writing.put(writer, entries, fingerprint)

        return self._mended(put)

    def revise(self, entry: Entry, *, fingerprint: str | None = None) -> None:
        self.revise_many([entry], fingerprint=fingerprint)

    def revise_many(
        self, entries: Sequence[Entry], *, fingerprint: str | None = None, history: bool = True
    ) -> None:
        if not entries:
            return

        def revise() -> None:
            with self._write() as writer:
                gone: dict[int, list[int]] = {}
                for entry in entries:
                    pids = writing.revise(writer, entry, fingerprint, history=history)
                    if pids:
                        space = space_id(writer, entry.memory.space)
                        assert space is not None
                        gone.setdefault(space, []).extend(pids)
                self._erase_derived(writer, gone)

        self._mended(revise)
        self._tidy()

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
        with self._read() as reader:
            return self._searcher.fetch(reader, keys)

    def delete(self, ids: Sequence[str]) -> list[bool]:
        if not ids:
            return []

        def delete() -> list[bool]:
            with self._write() as writer:
                done, gone = writing.delete(writer, ids)
                self._erase_derived(writer, gone)
            return done

        done = self._mended(delete)
        self._tidy()
        return done

    def open_space(self, space: str) -> None:
        with self._write() as writer:
            ensure_space(writer, space)

    def delete_space(self, space: str) -> int:
        with self._write() as writer:
            row = spaces_of(writer, [space])[0]
            count: int = writer.execute("SELECT memories FROM spaces WHERE id = ?", (row.id,)).get
            words.drop(writer, row.id)
            for table in vector_tables.all_tables(writer):
                writer.execute(f"DELETE FROM {table.table} WHERE space = ?", (row.id,))
                writer.execute("DELETE FROM embedded WHERE space = ?", (row.id,))
            for statement in (
                "DELETE FROM sidecars WHERE space = ?",
                "DELETE FROM passages WHERE space = ?",
                "DELETE FROM memories WHERE space = ?",
                "DELETE FROM gone WHERE space = ?",
                "DELETE FROM spaces WHERE id = ?",
            ):
                writer.execute(statement, (row.id,))
            ensure_space(writer, GLOBAL_SPACE)  # the user's own space is always there
        self._searcher.forget()
        self._tidy()
        return count

    def _erase_derived(self, writer: apsw.Connection, gone: Mapping[int, list[int]]) -> None:
        """Mark what is forgotten in the files beside the database; `_tidy` overwrites it."""
        if not self._folder.exists():
            return
        from recollect.stores.sqlite.vector_files import VectorFiles

        for space, pids in gone.items():
            for table in vector_tables.all_tables(writer):
                VectorFiles(self._folder, table, space).erase(writer, pids)
            self._strike_postings(writer, space)

    def _tidy(self) -> None:
        """After what was forgotten is committed: overwrite it in the files, throw away files that
        are not used any more, and empty the write-ahead log (readers may hold it until `close`).
        Killed before this, a process leaves it to the next that forgets or maintains."""
        self._tidy_files()
        with self._lock.hold(), plain_errors(self.path):
            if self._writer is not None:
                self._log_is_clean = checkpoint(self._writer)

    def finish_erasing(self) -> bool:
        if not self._log_is_clean:
            with self._lock.hold(), plain_errors(self.path):
                if self._writer is not None:
                    self._log_is_clean = checkpoint(self._writer, seconds=0.2)
        return self._log_is_clean

    def _tidy_files(self) -> None:
        if not self._folder.exists():
            return
        from recollect.stores.sqlite import sidecar
        from recollect.stores.sqlite.vector_files import VectorFiles

        with self._write() as writer:
            for table in vector_tables.all_tables(writer):
                for space in spaces_of(writer, None):
                    VectorFiles(self._folder, table, space.id).scrub(writer)
            sidecar.sweep(writer, self._folder)

    def scan(
        self,
        *,
        spaces: Sequence[str] | None = None,
        where: Filter | None = None,
        newest_first: bool = False,
        cursor: str | None = None,
        limit: int = 100,
        damaged: list[str] | None = None,
    ) -> Page:
        condition, bindings = to_sql(where)
        if cursor is not None and not (cursor.isdecimal() and len(cursor) < 19):
            raise InvalidInput(f"{cursor!r} is no cursor of this list; start again without one")
        with self._read() as reader:
            numbers = [space.id for space in spaces_of(reader, spaces)]
            beyond = (
                "" if cursor is None else f"AND m.row {'<' if newest_first else '>'} {int(cursor)}"
            )
            found = reader.execute(
                "SELECT m.row FROM memories m "
                f"WHERE m.space IN (SELECT value FROM json_each(?)) {beyond} AND {condition} "
                f"ORDER BY m.row {'DESC' if newest_first else ''} LIMIT ?",
                (json.dumps(numbers), *bindings, limit + 1),
            )
            rows = [row for (row,) in found]
            more = len(rows) > limit
            memories = readable(reader, rows[:limit], damaged)
        return Page(memories, str(rows[limit - 1]) if more else None)

    def count(self, *, spaces: Sequence[str] | None = None, where: Filter | None = None) -> int:
        condition, bindings = to_sql(where)
        with self._read() as reader:
            numbers = [space.id for space in spaces_of(reader, spaces)]
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
            active = vector_tables.active_table(reader)
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
                for space in spaces_of(reader, spaces)
            )

    # Searching

    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Found]:
        def search() -> list[Found]:
            with self._read() as reader:
                return self._searcher.words(reader, terms, spaces, where, limit)

        return self._searched(lambda: self._mended(search))

    def frequencies(self, terms: Sequence[str], *, spaces: Sequence[str]) -> Frequencies:
        def look() -> Frequencies:
            with self._read() as reader:
                return self._searcher.frequencies(reader, terms, spaces)

        return self._mended(look)

    def search_meaning(
        self,
        vector: Vector,
        *,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Found]:
        return self._searched(
            lambda: self._with_vectors(
                lambda reader: self._searcher.meaning(
                    reader, vector, fingerprint, spaces, where, limit
                )
            )
        )

    def compare(
        self,
        vector: Vector,
        keys: Sequence[tuple[str, int]],
        *,
        fingerprint: str,
        spaces: Sequence[str],
    ) -> Compared:
        return self._with_vectors(
            lambda reader: self._searcher.compare(reader, vector, keys, fingerprint, spaces)
        )

    def _with_vectors(self, look: Callable[[apsw.Connection], _T]) -> _T:
        """Look at the vectors in one snapshot; again where they moved under our hands."""
        from recollect.stores.sqlite.vectors import Damaged, Outrun

        for _ in range(_TRIES):
            try:
                with self._read() as reader:
                    return look(reader)
            except Outrun:  # another thread has a newer snapshot: take one too
                continue
            except Damaged:
                self._discard_vector_files()
        raise StoreBusy(f"{self.path} changes faster than it can be read; try again")

    def neighbours(self, ids: Sequence[str]) -> list[Neighbours]:
        with self._read() as reader:
            return neighbours(reader, ids)

    def _searched(self, search: Callable[[], list[Found]]) -> list[Found]:
        found = search()
        if self._searcher.behind:
            self._searcher.behind = False
            self._maintain_soon()
        return found

    # Derived parts that went wrong

    def _mended(self, work: Callable[[], _T]) -> _T:
        """Do it; if the words index turns out to be damaged, make it anew and do it again."""
        try:
            return work()
        except words.Unsound as e:
            damaged = [e.space]
        except StoreCorrupt:  # FTS5 writes when a transaction commits: whose fault was it?
            damaged = self._unsound_words()
            if not damaged:
                raise
        with self._write() as writer:
            self._rebuild_words(writer, damaged)
        try:
            return work()
        except words.Unsound as e:
            raise StoreCorrupt(
                f"{self.path}: the words index stays damaged after it was made anew "
                f"({e.__cause__}). Run 'recollect doctor'; restore a backup or an export"
            ) from e

    def _unsound_words(self) -> list[int]:
        """On a connection of its own: where words are damaged, no transaction commits."""
        with plain_errors(self.path), self._lock.hold():
            connection = connect(self.path, read_only=False)
            try:
                numbers = [space.id for space in spaces_of(connection, None)]
                return [n for n in numbers if words.thorough_check(connection, n) is not None]
            finally:
                connection.close()

    def _rebuild_words(self, writer: apsw.Connection, only: list[int] | None = None) -> int:
        total = 0
        for space in spaces_of(writer, None):
            if only is None or space.id in only:
                total += words.rebuild(writer, space.id)
                next_seq(writer, space.id)
                self._strike_postings(writer, space.id)
        if only is None:
            writer.execute(
                "INSERT OR REPLACE INTO meta VALUES ('tokeniser', ?)", (tokenise.VERSION,)
            )
        return total

    def rebuild_words(self) -> int:
        with self._write() as writer:
            return self._rebuild_words(writer)

    @staticmethod
    def _strike_postings(writer: apsw.Connection, space: int) -> None:
        """Not even a hash of a forgotten word is kept: the file is made anew as a whole."""
        writer.execute("DELETE FROM sidecars WHERE kind = ? AND space = ?", (large.WORDS, space))

    def _discard_vector_files(self) -> None:
        """Start from the rows again, and throw away the files that do not hold what they should."""
        from recollect.stores.sqlite import sidecar
        from recollect.stores.sqlite.vector_files import VectorFiles

        self._searcher.forget(use_files=not self._read_only)
        if self._read_only:
            return
        with self._write() as writer:
            for table in vector_tables.all_tables(writer):
                for space in spaces_of(writer, None):
                    files = VectorFiles(self._folder, table, space.id)
                    if files.check(writer) is not None:
                        sidecar.strike(writer, files.kind, space.id)
        self._tidy_files()

    # Embeddings

    def embedding(self) -> Embedding | None:
        with self._read() as reader:
            table = vector_tables.active_table(reader)
        return table and Embedding(table.fingerprint, table.dimension, table.name)

    def declare(self, embedding: Embedding) -> Embedding:
        held = self.embedding()
        if held is not None:
            return held
        with self._write() as writer:
            table = vector_tables.active_table(writer)
            if table is None:
                vector_tables.create(writer, embedding, active=True)
                return embedding
            return Embedding(table.fingerprint, table.dimension, table.name)

    def build(self, embedding: Embedding) -> None:
        with self._write() as writer:
            vector_tables.build(writer, embedding)

    def clear_vectors(self) -> None:
        with self._write() as writer:
            vector_tables.clear(writer)
        self._searcher.forget()
        self._tidy_files()

    def unembedded(self, fingerprint: str, *, limit: int) -> list[Unembedded]:
        with self._read() as reader:
            return vector_tables.unembedded(reader, fingerprint, limit)

    def fill(self, fingerprint: str, handles: Sequence[int], vectors: Vectors) -> int:
        with self._write() as writer:
            return vector_tables.fill(writer, fingerprint, handles, vectors)

    def switch(self, fingerprint: str) -> bool:
        with self._write() as writer:
            if not vector_tables.switch(writer, fingerprint):
                return False
        self._searcher.forget()
        self._tidy_files()
        return True

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

    def maintain(self, *, anew: bool = False) -> None:
        if self._read_only:
            return
        if anew:
            with self._write() as writer:
                writer.execute("DELETE FROM sidecars")
        self._tidy_files()
        smallest = min(large.SIDECAR_FROM, large.POSTINGS_FROM)
        with self._read() as reader:
            spaces = [s for s in spaces_of(reader, None) if s.passages >= smallest]
        for space in spaces:
            self._mended(partial(self._maintain, space.name))
        if spaces:
            self._tidy_files()

    def _maintain(self, name: str) -> None:
        from recollect.stores.sqlite.posting_files import PostingFiles
        from recollect.stores.sqlite.vector_files import VectorFiles

        with self._write() as writer:
            if space_id(writer, name) is None:
                return  # erased meanwhile
            space = spaces_of(writer, [name])[0]
            table = vector_tables.active_table(writer)
            if table is not None:
                VectorFiles(self._folder, table, space.id).maintain(writer, space.seq)
        with self._read() as reader:
            rows = [s for s in spaces_of(reader, None) if s.name == name]
            if not rows:
                return
            files = PostingFiles(self._folder, rows[0].id)
            made = files.prepare(reader, rows[0].seq, rows[0].passages)
        if made is not None:
            with self._write() as writer:
                if space_id(writer, name) == rows[0].id:
                    files.save(writer, made)

    def check(self) -> list[Check]:
        from recollect.stores.sqlite.health import check

        return check(self.path, writable=not self._read_only)

    def close(self) -> None:
        maintainer = self._maintainer
        if maintainer is not None and maintainer is not threading.current_thread():
            maintainer.join()
        self._closed = True
        self._readers.close()
        if self._writer is not None:
            with self._lock.hold():
                with suppress(apsw.Error):  # e.g. a full disk: all is in the log, and safe there
                    checkpoint(self._writer, seconds=0.5)
                self._writer.close()
                self._writer = None
