"""The embedded store: one SQLite file, safe for many processes at once.

The rows are the truth. Searches use in-process indexes that are derived from them and catch up with
them at every question (`searching.py`); `upkeep.py` keeps what is derived in order.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from bethink.addresses import IN_MEMORY
from bethink.clock import from_micros
from bethink.errors import InvalidInput, StoreMissing, StoreReadOnly
from bethink.filters import Filter
from bethink.stores.cursors import place
from bethink.stores.damage import Damage, sound_snapshots
from bethink.stores.protocol import (
    Compared,
    Embedding,
    Frequencies,
    Neighbours,
    Page,
    TermCounts,
    Unembedded,
    Written,
)
from bethink.stores.sqlite import notes, schema, vector_tables, writing
from bethink.stores.sqlite.connection import check_sqlite_version, create_private, plain_errors
from bethink.stores.sqlite.database import Database
from bethink.stores.sqlite.generations import HasGenerations
from bethink.stores.sqlite.histories import Opening
from bethink.stores.sqlite.rows import (
    BY_ID,
    from_row,
    from_snapshot,
    readable,
    sound_rows,
)
from bethink.stores.sqlite.searching import Searcher, neighbours
from bethink.stores.sqlite.spaces import ensure_space, space_id, space_infos, spaces_of
from bethink.stores.sqlite.starts import rows_passing
from bethink.stores.sqlite.upkeep import Upkeep
from bethink.stores.sqlite.whole import HasWhole
from bethink.stores.tiers import Tiers
from bethink.text import tokenise
from bethink.text.split import split
from bethink.vocabulary import (
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
    from bethink.stores.sqlite.changes import SQLiteFeed
    from bethink.stores.sqlite.events import SQLiteEventLog


class SQLiteStore(HasGenerations, HasWhole):
    """Open (and if need be create) the store in this file."""

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        check_sqlite_version()
        if str(path) == IN_MEMORY:
            raise InvalidInput(
                "':memory:' is no file, and this store needs one; name a file. In Python, "
                "Engine(':memory:') and InMemoryStore() keep everything in the process"
            )
        self.path = Path(path).absolute()
        with plain_errors(self.path):
            self._database = Database(self.path, read_only=read_only)
            self.damage = Damage()
            self._searcher = Searcher(self.path, self.damage)
            self._upkeep = Upkeep(self._database, self._searcher)
            self._events: SQLiteEventLog | None = None
            self._guard = threading.Lock()
            self._prepare()
            self._database.pin()
            self._database.around = Opening().noted

    def _prepare(self) -> None:
        """See that the tables are those of this version. Where they are, nothing is locked."""
        if self._database.read_only:
            with self._database.connection() as reader:
                if not schema.version_of(reader):
                    raise StoreReadOnly(
                        f"{self.path} was written by an older Bethink and may not be changed "
                        "here; open it once where it can be written"
                    )
            return
        if self.path.exists() and self.path.stat().st_size:
            with self._database.connection() as reader:
                if (
                    schema.is_current(reader)
                    and schema.tokeniser(reader) == tokenise.VERSION
                    and schema.is_sealed(reader)
                ):
                    return
        self._refuse_to_begin_anew()
        create_private(self.path)
        with self._database.write() as writer:
            schema.migrate(writer)
            schema.seal(writer)
            if schema.tokeniser(writer) != tokenise.VERSION:
                self._upkeep.rebuild_words(writer)

    def _refuse_to_begin_anew(self) -> None:
        from bethink.stores.sqlite.own_files import left_of

        left = left_of(self.path)
        if left:
            state = "is empty" if self.path.exists() else "is missing"
            raise StoreMissing(
                f"{self.path} {state}, but {', '.join(left)} beside it belongs to it: something "
                "was lost. Nothing was changed. Put the file back (from a backup, with what lay "
                "beside it), or move these away to begin a new store"
            )

    # Truth

    def put(self, entries: Sequence[Entry], *, fingerprint: str | None = None) -> list[Written]:
        if not entries:
            return []

        def put() -> list[Written]:
            with self._database.write() as writer:
                written, gone = writing.put(writer, entries, fingerprint)
                if gone:  # a damaged memory was replaced
                    self._upkeep.erase(writer, gone)
                return written

        return self._upkeep.mended(put)

    def revise(self, entry: Entry, *, fingerprint: str | None = None) -> None:
        self.revise_many([entry], fingerprint=fingerprint)

    def revise_many(
        self, entries: Sequence[Entry], *, fingerprint: str | None = None, history: bool = True
    ) -> None:
        if not entries:
            return

        def revise() -> None:
            with self._database.write() as writer:
                gone: dict[int, list[int]] = {}
                for entry in entries:
                    pids = writing.revise(writer, entry, fingerprint, history=history)
                    if pids:
                        space = space_id(writer, entry.memory.space)
                        assert space is not None
                        gone.setdefault(space, []).extend(pids)
                self._upkeep.erase(writer, gone)

        self._upkeep.mended(revise)
        self._upkeep.tidy()

    def known(self, entries: Sequence[Entry]) -> list[bool]:
        with self._database.read() as reader:
            return writing.known(reader, entries)

    def get(
        self, ids: Sequence[str], *, spaces: Sequence[str] | None = None
    ) -> list[Memory | None]:
        with self._database.read() as reader:
            rows = sound_rows(reader, BY_ID, ids, from_row, self.damage)
            found = {memory.id: memory for memory in rows}
        if spaces is not None:
            found = {i: memory for i, memory in found.items() if memory.space in spaces}
        return [found.get(memory_id) for memory_id in ids]

    def fetch(self, keys: Sequence[tuple[str, int]]) -> list[tuple[Memory, Passage] | None]:
        with self._database.read() as reader:
            return self._searcher.fetch(reader, keys)

    def delete(self, ids: Sequence[str]) -> list[bool]:
        if not ids:
            return []

        def delete() -> list[bool]:
            with self._database.write() as writer:
                done, gone = writing.delete(writer, ids)
                self._upkeep.erase(writer, gone)
            return done

        done = self._upkeep.mended(delete)
        self._upkeep.tidy()
        return done

    def open_space(self, space: str) -> None:
        with self._database.write() as writer:
            ensure_space(writer, space)

    def delete_space(self, space: str) -> int:
        with self._database.write() as writer:
            count = writing.delete_space(writer, space)
        self._searcher.forget()
        self._upkeep.tidy()
        return count

    def finish_erasing(self, texts: Sequence[str] = ()) -> bool:
        events_are_gone = self._events is None or self._events.finish_erasing(texts)
        cut = (text[p.start : p.end] for text in texts for p in split(text))
        # as rows have it, and as the words index does
        kept = chain(texts, map(tokenise.joined_terms, cut)) if texts else ()
        return self._database.finish_emptying(kept) and events_are_gone

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
        side = "<" if newest_first else ">"
        beyond = "" if cursor is None else f"AND m.row {side} {place(cursor)}"
        with self._database.read() as reader:
            condition, bindings = rows_passing(reader, where, spaces_of(reader, spaces))
            found = reader.execute(
                f"SELECT m.row FROM memories m WHERE {condition} {beyond} "
                f"ORDER BY m.row {'DESC' if newest_first else ''} LIMIT ?",
                (*bindings, limit + 1),
            )
            rows = [row for (row,) in found]
            more = len(rows) > limit
            memories, left_out = readable(reader, rows[:limit], self.damage)
        if damaged is not None:
            damaged += left_out
        return Page(memories, str(rows[limit - 1]) if more else None, tuple(left_out))

    def count(self, *, spaces: Sequence[str] | None = None, where: Filter | None = None) -> int:
        with self._database.read() as reader:
            condition, bindings = rows_passing(reader, where, spaces_of(reader, spaces))
            total: int = reader.execute(
                f"SELECT count(*) FROM memories m WHERE {condition}", bindings
            ).get
        return total

    def history(self, memory_id: str) -> list[Revision]:
        with self._database.read() as reader:
            rows = reader.execute(
                "SELECT s.name, m.id, CAST(r.snapshot AS BLOB), r.replaced_at FROM revisions r "
                "JOIN memories m ON m.row = r.memory JOIN spaces s ON s.id = m.space "
                "WHERE m.id = ? ORDER BY r.rowid DESC",
                (memory_id,),
            )
            return list(
                sound_snapshots(
                    list(rows),
                    self.damage,
                    lambda row: Revision(from_snapshot(row[2].decode()), from_micros(row[3])),
                )
            )

    def touch(self, *, accessed: Mapping[str, int], reinforced: Mapping[str, int]) -> None:
        if accessed or reinforced:
            with self._database.write() as writer:
                writing.touch(writer, accessed=accessed, reinforced=reinforced)

    def spaces(self) -> list[SpaceInfo]:
        with self._database.read() as reader:
            return space_infos(reader)

    def pending(self, spaces: Sequence[str]) -> int:
        with self._database.read() as reader:
            return vector_tables.pending(reader, spaces_of(reader, spaces))

    # Searching

    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Found]:
        def search() -> list[Found]:
            with self._database.read() as reader:
                return self._searcher.words(reader, terms, spaces, where, limit)

        return self._searched(lambda: self._upkeep.mended(search))

    def frequencies(self, terms: Sequence[str], *, spaces: Sequence[str]) -> Frequencies:
        def look() -> Frequencies:
            with self._database.read() as reader:
                return self._searcher.frequencies(reader, terms, spaces)

        return self._upkeep.mended(look)

    def count_terms(
        self, terms: Sequence[str], keys: Sequence[tuple[str, int]], *, spaces: Sequence[str]
    ) -> TermCounts:
        def look() -> TermCounts:
            with self._database.read() as reader:
                return self._searcher.count_terms(reader, terms, keys, spaces)

        return self._upkeep.mended(look)

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
            lambda: self._upkeep.with_vectors(
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
        return self._upkeep.with_vectors(
            lambda reader: self._searcher.compare(reader, vector, keys, fingerprint, spaces)
        )

    def neighbours(self, ids: Sequence[str]) -> list[Neighbours]:
        with self._database.read() as reader:
            return neighbours(reader, ids)

    def _searched(self, search: Callable[[], list[Found]]) -> list[Found]:
        found = search()
        self._upkeep.maintain_if_behind()
        return found

    # Embeddings

    def embedding(self) -> Embedding | None:
        with self._database.read() as reader:
            table = vector_tables.active_table(reader)
        return table and Embedding(table.fingerprint, table.dimension, table.name)

    def declare(self, embedding: Embedding) -> Embedding:
        held = self.embedding()
        if held is not None:
            return held
        with self._database.write() as writer:
            table = vector_tables.active_table(writer)
            if table is None:
                vector_tables.create(writer, embedding, active=True)
                return embedding
            return Embedding(table.fingerprint, table.dimension, table.name)

    def build(self, embedding: Embedding) -> None:
        with self._database.write() as writer:
            vector_tables.build(writer, embedding)

    def clear_vectors(self) -> None:
        with self._database.write() as writer:
            vector_tables.clear(writer)
        self._searcher.forget()
        self._upkeep.tidy_files()

    def unembedded(self, fingerprint: str, *, limit: int) -> list[Unembedded]:
        with self._database.read() as reader:
            return vector_tables.unembedded(reader, fingerprint, limit)

    def fill(self, fingerprint: str, handles: Sequence[int], vectors: Vectors) -> int:
        with self._database.write() as writer:
            return vector_tables.fill(writer, fingerprint, handles, vectors)

    def switch(self, fingerprint: str) -> bool:
        with self._database.write() as writer:
            if not vector_tables.switch(writer, fingerprint):
                return False
        self._searcher.forget()
        self._upkeep.tidy_files()
        return True

    # Care

    def rebuild_words(self) -> int:
        with self._database.write() as writer:
            return self._upkeep.rebuild_words(writer)

    def maintain(self, *, anew: bool = False) -> None:
        self._upkeep.maintainer.do(anew=anew)

    def neglected(self) -> list[str]:
        return [fault.finding for fault in self._upkeep.maintainer.checks()]

    def tiers(self) -> Tiers:
        # here: a question that asks no tier does not load them
        from bethink.stores.sqlite.events import SQLiteEventLog
        from bethink.stores.sqlite.quarantine import SQLiteQuarantine
        from bethink.stores.sqlite.working import SQLiteWorkingMemory

        with self._guard:
            if self._events is None:
                self._events = SQLiteEventLog(self._database, self.damage)
        return Tiers(
            SQLiteQuarantine(self._database, self.damage),
            SQLiteWorkingMemory(self._database, self.damage),
            self._events,
        )

    def feed(self) -> SQLiteFeed:
        from bethink.stores.sqlite.changes import SQLiteFeed  # only who is followed needs it

        return SQLiteFeed(self._database, self.damage)

    def notes(self, prefix: str = "") -> dict[str, str]:
        with self._database.read() as reader:
            return notes.notes(reader, prefix)

    def write_note(self, key: str, value: str | None) -> None:
        self.write_notes({key: value})

    def write_notes(self, told: Mapping[str, str | None]) -> None:
        with self._database.write() as writer:
            notes.write_notes(writer, told)

    def check(self) -> list[Check]:
        from bethink.stores.sqlite.health import check

        checks = check(self.path, writable=not self._database.read_only)
        return checks + self._upkeep.maintainer.checks()

    def close(self) -> None:
        self._upkeep.maintainer.finish()
        if self._events is not None:
            self._events.close()
        self._database.close()
