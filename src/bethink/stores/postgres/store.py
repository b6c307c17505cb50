"""The server store: the same contract as the embedded one, on PostgreSQL with pgvector.

A store is one tenant's view of the database: row-level security shows it that tenant's rows and no
others. Many stores, threads, processes and machines may use one database at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar

from bethink.filters import Filter
from bethink.stores.cursors import place
from bethink.stores.damage import Damage, sound_snapshots
from bethink.stores.postgres import labels, notes, schema, searching, vector_tables, writing
from bethink.stores.postgres.address import parse_address
from bethink.stores.postgres.comparing import Samples
from bethink.stores.postgres.database import Cursor, Database
from bethink.stores.postgres.generations import HasGenerations
from bethink.stores.postgres.growing import Growing
from bethink.stores.postgres.learned import Learned
from bethink.stores.postgres.near import Torn
from bethink.stores.postgres.pool import borrow_pool, return_pool
from bethink.stores.postgres.rows import SELECTED, from_snapshot, sound_rows
from bethink.stores.postgres.spaces import ensure_space, space_infos, spaces_of
from bethink.stores.postgres.upkeep import LEFT, Upkeep
from bethink.stores.postgres.vector_tables import Frame
from bethink.stores.postgres.where import to_sql
from bethink.stores.postgres.whole import HasWhole
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
from bethink.stores.tiers import Tiers
from bethink.text import tokenise
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
    from bethink.stores.postgres.feed import PostgresFeed

_T = TypeVar("_T")
DEFAULT_TENANT = "default"


class PostgresStore(HasGenerations, HasWhole):
    """Open (and if need be prepare) the store of a tenant at this address."""

    writes_elsewhere: Literal[True] = True

    def __init__(self, url: str, *, tenant: str = DEFAULT_TENANT) -> None:
        self._pool = borrow_pool(parse_address(url))
        self._database = Database(self._pool, tenant)
        self._upkeep = Upkeep(self._database)
        self._growing = Growing(self._database)
        self._tiers: Tiers | None = None
        self._feed: PostgresFeed | None = None
        self._samples = Samples()
        self.damage = Damage()
        self._guard = threading.Lock()
        try:
            schema.prepare(self._database)
            if self._database.write(
                lambda writer: schema.enter(writer, self._database), unknown=True
            ):
                self.rebuild_words()
        except BaseException:
            return_pool(self._pool)
            raise

    @property
    def shown(self) -> str:
        """Where it is, for people: without the password."""
        return self._database.shown

    @property
    def tenant(self) -> str:
        return self._database.tenant

    # Truth

    def put(self, entries: Sequence[Entry], *, fingerprint: str | None = None) -> list[Written]:
        if not entries:
            return []
        written = self._database.write(lambda writer: writing.put(writer, entries, fingerprint))
        self._growing.told(entries, written)
        return written

    def revise(self, entry: Entry, *, fingerprint: str | None = None) -> None:
        self.revise_many([entry], fingerprint=fingerprint)

    def revise_many(
        self, entries: Sequence[Entry], *, fingerprint: str | None = None, history: bool = True
    ) -> None:
        if not entries:
            return
        self._erasing(lambda w: writing.revise(w, entries, fingerprint, history=history))

    def known(self, entries: Sequence[Entry]) -> list[bool]:
        with self._database.read() as reader:
            return writing.known(reader, entries)

    def get(
        self, ids: Sequence[str], *, spaces: Sequence[str] | None = None
    ) -> list[Memory | None]:
        with self._database.ask() as reader:
            found = writing.by_id(reader, ids, self.damage)
        if spaces is not None:
            found = {i: memory for i, memory in found.items() if memory.space in spaces}
        return [found.get(memory_id) for memory_id in ids]

    def fetch(self, keys: Sequence[tuple[str, int]]) -> list[tuple[Memory, Passage] | None]:
        with self._database.ask() as reader:
            return searching.fetch(reader, keys, Learned(), self.damage)

    def delete(self, ids: Sequence[str]) -> list[bool]:
        return self._erasing(lambda writer: writing.delete(writer, ids)) if ids else []

    def open_space(self, space: str) -> None:
        self._database.write(lambda writer: ensure_space(writer, space))

    def delete_space(self, space: str) -> int:
        return self._erasing(lambda writer: writing.delete_space(writer, space))

    def _erasing(self, work: Callable[[Cursor], _T]) -> _T:
        return self._upkeep.erase(work)

    def finish_erasing(self, texts: Sequence[str] = ()) -> bool:
        """The tables are emptied of it. What PostgreSQL keeps elsewhere is the operator's: its
        write-ahead log until that is recycled, archives of it, replicas and backups."""
        return self._upkeep.finish_erasing()

    def owed(self) -> list[str]:
        return [] if self._upkeep.erased_by is None else [LEFT]

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
        side = "<" if newest_first else ">"
        beyond = "" if cursor is None else f"AND m.row {side} {place(cursor)}"
        with self._database.ask() as reader:
            numbers = self._numbers(reader, spaces)
            few = labels.few(reader, numbers, where) or "true"
            if few == labels.NONE:
                return Page([], None)
            rows = reader.execute(
                f"SELECT m.row, {SELECTED} FROM memories m JOIN spaces s ON s.id = m.space "
                f"WHERE m.space = ANY(%s) {beyond} AND {few} AND {condition} "
                f"ORDER BY m.row {'DESC' if newest_first else ''} LIMIT %s".encode(),
                (numbers, *bindings, limit + 1),
            ).fetchall()
        own = Damage()
        memories = list(sound_rows((row[1:] for row in rows[:limit]), own))
        named = self.damage.take(own)
        if damaged is not None:
            damaged += named
        more = len(rows) > limit
        return Page(memories, str(rows[limit - 1][0]) if more else None, tuple(named))

    def count(self, *, spaces: Sequence[str] | None = None, where: Filter | None = None) -> int:
        condition, bindings = to_sql(where)
        with self._database.ask() as reader:
            held = spaces_of(reader, spaces)
            if where is None:
                return sum(space.memories for space in held)
            row = reader.execute(
                f"SELECT count(*) FROM memories m WHERE m.space = ANY(%s) AND {condition}".encode(),
                ([space.id for space in held], *bindings),
            ).fetchone()
        assert row is not None
        return int(row[0])

    def history(self, memory_id: str) -> list[Revision]:
        with self._database.ask() as reader:
            rows = reader.execute(
                "SELECT s.name, m.id, r.snapshot, r.replaced_at FROM revisions r JOIN memories m "
                "ON m.row = r.memory JOIN spaces s ON s.id = m.space WHERE m.id = %s "
                "ORDER BY r.number DESC",
                (memory_id,),
            ).fetchall()
        return list(
            sound_snapshots(rows, self.damage, lambda row: Revision(from_snapshot(row[2]), row[3]))
        )

    def touch(self, *, accessed: Mapping[str, int], reinforced: Mapping[str, int]) -> None:
        if accessed or reinforced:
            self._database.write(
                lambda w: writing.touch(w, accessed=accessed, reinforced=reinforced)
            )

    def spaces(self) -> list[SpaceInfo]:
        with self._database.ask() as reader:
            return space_infos(reader)

    def pending(self, spaces: Sequence[str]) -> int:
        with self._database.ask() as reader:
            return sum(vector_tables.frame(reader, spaces).waiting)

    def _numbers(self, reader: Cursor, spaces: Sequence[str] | None) -> list[int]:
        return [space.id for space in spaces_of(reader, spaces)]

    # Searching

    def for_question(self, spaces: Sequence[str], notes: Sequence[str]) -> PostgresStore:
        from bethink.stores.postgres.one_question import OneQuestion, looked

        with self._database.ask() as reader:
            look = looked(reader, spaces, notes)
        return self if look is None else OneQuestion(self, look)

    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Found]:
        return self._of_one_piece(
            lambda reader: searching.search_words(reader, terms, spaces, where, limit, Learned())
        )

    def frequencies(self, terms: Sequence[str], *, spaces: Sequence[str]) -> Frequencies:
        with self._database.ask() as reader:
            return searching.frequencies(reader, terms, spaces)

    def count_terms(
        self, terms: Sequence[str], keys: Sequence[tuple[str, int]], *, spaces: Sequence[str]
    ) -> TermCounts:
        with self._database.ask() as reader:
            return searching.count_terms(reader, terms, keys, spaces)

    def search_meaning(
        self,
        vector: Vector,
        *,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Found]:
        found = self._framed(
            spaces,
            lambda reader, frame, learned: searching.search_meaning(
                reader,
                frame,
                vector,
                fingerprint,
                where,
                limit,
                learned,
                has_index=self._upkeep.has_index,
            ),
        )
        self._upkeep.maintain_if_behind()
        return found

    def compare(
        self,
        vector: Vector,
        keys: Sequence[tuple[str, int]],
        *,
        fingerprint: str,
        spaces: Sequence[str],
    ) -> Compared:
        return self._framed(
            spaces,
            lambda reader, frame, learned: searching.compare(
                reader, frame, vector, keys, fingerprint, learned, self._samples
            ),
        )

    def _framed(self, spaces: Sequence[str], work: Callable[[Cursor, Frame, Learned], _T]) -> _T:
        """`work` in what these spaces are, and the index that answers."""
        return self._of_one_piece(
            lambda reader: work(reader, vector_tables.frame(reader, spaces), Learned())
        )

    def _of_one_piece(self, work: Callable[[Cursor], _T]) -> _T:
        """Statement by statement; in one snapshot where somebody wrote in between."""
        try:
            with self._database.ask() as reader:
                return work(reader)
        except Torn:
            with self._database.read() as reader:
                return work(reader)

    def neighbours(self, ids: Sequence[str]) -> list[Neighbours]:
        with self._database.ask() as reader:
            return searching.neighbours(reader, ids)

    # Embeddings

    def embedding(self) -> Embedding | None:
        with self._database.ask() as reader:
            table = vector_tables.active_table(reader)
        return table and table.embedding

    def declare(self, embedding: Embedding) -> Embedding:
        held = self.embedding()
        if held is not None:
            return held
        return self._database.write(lambda writer: vector_tables.declare(writer, embedding))

    def build(self, embedding: Embedding) -> None:
        self._database.write(lambda writer: vector_tables.build(writer, embedding))

    def clear_vectors(self) -> None:
        self._database.write(vector_tables.clear)

    def unembedded(self, fingerprint: str, *, limit: int) -> list[Unembedded]:
        with self._database.read() as reader:
            return vector_tables.unembedded(reader, fingerprint, limit)

    def fill(self, fingerprint: str, handles: Sequence[int], vectors: Vectors) -> int:
        return self._database.write(
            lambda writer: vector_tables.fill(writer, fingerprint, handles, vectors)
        )

    def switch(self, fingerprint: str) -> bool:
        return self._database.write(lambda writer: vector_tables.switch(writer, fingerprint))

    # Care

    def rebuild_words(self) -> int:
        def rebuild(writer: Cursor) -> int:
            total = writing.rebuild_words(writer)
            writer.execute("UPDATE tenants SET tokeniser = %s", (tokenise.VERSION,))
            return total

        return self._database.write(rebuild)

    def maintain(self, *, anew: bool = False) -> None:
        self._upkeep.maintainer.do(anew=anew)

    def neglected(self) -> list[str]:
        return self._upkeep.neglected()

    def tiers(self) -> Tiers:
        from bethink.stores.postgres.events import PostgresEventLog
        from bethink.stores.postgres.quarantine import PostgresQuarantine
        from bethink.stores.postgres.working import PostgresWorkingMemory

        with self._guard:
            if self._tiers is None:
                self._tiers = Tiers(
                    PostgresQuarantine(self._database, self._upkeep, self.damage),
                    PostgresWorkingMemory(self._database, self._upkeep, self.damage),
                    PostgresEventLog(self._database, self._upkeep),
                )
            return self._tiers

    def feed(self) -> PostgresFeed:
        from bethink.stores.postgres.feed import PostgresFeed

        with self._guard:
            if self._feed is None:
                self._feed = PostgresFeed(self._database, self.identity())
            return self._feed

    def notes(self, prefix: str = "") -> dict[str, str]:
        with self._database.ask() as reader:
            return notes.notes(reader, prefix)

    def write_note(self, key: str, value: str | None) -> None:
        self.write_notes({key: value})

    def write_notes(self, told: Mapping[str, str | None]) -> None:
        self._database.write(lambda writer: notes.write_notes(writer, told))

    def check(self) -> list[Check]:
        from bethink.stores.postgres.health import check

        return check(self._database, self._upkeep)

    def close(self) -> None:
        self._upkeep.maintainer.finish()
        with self._guard:
            if self._database.closed:
                return
            self._database.close()
        if self._feed is not None:
            self._feed.close()
        if self._tiers is not None:
            from bethink.stores.postgres.quarantine import PostgresQuarantine

            assert isinstance(self._tiers.quarantine, PostgresQuarantine)
            self._tiers.quarantine.close()
        return_pool(self._pool)
