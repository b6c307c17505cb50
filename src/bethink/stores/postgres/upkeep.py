"""Indexes of large spaces, and what is left on disk of what was forgotten."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from psycopg.errors import Diagnostic, LockNotAvailable, QueryCanceled

from bethink.errors import StoreBusy
from bethink.stores.maintainer import Maintainer
from bethink.stores.postgres import near, vector_tables, words
from bethink.stores.postgres.database import SCHEMA, Cursor, Database
from bethink.stores.postgres.locks import if_free
from bethink.stores.postgres.pool import Connection
from bethink.stores.postgres.spaces import SpaceRow, hold_by_id, spaces_of
from bethink.stores.postgres.vector_tables import VectorTable
from bethink.vocabulary import Check

_LOCK = 0x52656349  # "RecI": one builds indexes, others do not wait for it
# Below this share of the bound, an index is taken away: between the two nothing flaps.
_SMALL = 0.5
TEXTS = (
    *("memories", "revisions", "passages", "words"),
    *("offers", "rulings", "working", "events", "changes"),
)
_LOCKED_SECONDS = 5  # autovacuum makes way within one
_READERS_SECONDS = 0.5  # for questions that are just being answered
_T = TypeVar("_T")
LEFT = (
    "it is found no more, but PostgreSQL could not empty its place yet: an older transaction, a "
    "replica or a lock holds it up (pg_stat_activity, pg_replication_slots, pg_prepared_xacts and "
    "pg_locks say which). VACUUM does it once that has ended, autovacuum by itself"
)


_OUTGROWN = 1.5  # times as many passages as there were when the lists were drawn
_EVER = 2**63  # a graph grows with what is told


class SpaceIndex(NamedTuple):
    valid: bool
    method: str
    passages: int  # of the space when it was built; 0: nobody noted it

    @property
    def good_up_to(self) -> int:
        """So many passages. The lists of IVFFlat are drawn around what there was, and what is told
        of new matters later stands in the wrong ones: recall@10 of it .60 at ten times as many."""
        return _EVER if self.method == "hnsw" else int(self.passages * _OUTGROWN)


class Upkeep:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._guard = threading.Lock()
        self.maintainer = Maintainer(self._maintained, "no index was built", database.shown)
        # tables and spaces known to have their index, and up to how many passages it is good
        self._ready: dict[tuple[str, int], int] = {}
        self.behind = False
        self.erased_by: int | None = None  # the last transaction whose places are to be emptied

    # Indexes

    def _maintained(self, anew: bool) -> bool:
        """An index for each large space that has none; those of spaces that are small go. False
        where another process is at it."""
        with self._database.read() as reader:
            spaces = spaces_of(reader, None)
            tables = vector_tables.all_tables(reader)
        with self._database.outside() as connection, if_free(self._database, _LOCK) as alone:
            if not alone:
                return False
            for space in spaces:
                self._database.write(partial(_merge_words, space.id))
            for table in tables:
                for space in spaces:
                    self._maintain(connection, table, space, anew=anew)
        return True

    def _maintain(
        self, connection: Connection, table: VectorTable, space: SpaceRow, *, anew: bool
    ) -> None:
        name = index_name(table, space.id)
        held = index_of(connection, name)
        too_small = space.passages < near.INDEX_FROM * _SMALL
        self._ready.pop((table.table, space.id), None)
        for left in _interrupted(connection, name):
            connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {SCHEMA}.{left}".encode())
        if held is not None and (anew or too_small or not held.valid):
            connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {SCHEMA}.{name}".encode())
            held = None
        if is_large(table, space) and held is None:
            build_index(connection, self._database, table, space)
            # or it seems to have next to no rows, and is sorted instead: 80 ms in place of 5
            counted = f"{SCHEMA}.{table.table} (tenant, space), {SCHEMA}.passages (tenant, space)"
            connection.execute(f"ANALYZE (SKIP_LOCKED) {counted}".encode())
        elif held is not None and space.passages > held.good_up_to:
            _build(connection, f"REINDEX INDEX CONCURRENTLY {SCHEMA}.{name}")
            _note_passages(connection, name, space)

    def has_index(self, cursor: Cursor, table: VectorTable, space: SpaceRow) -> bool:
        """May a search rely on one? A large space that has none yet, or has outgrown it, is noted
        as behind."""
        if not is_large(table, space):
            return False
        key = (table.table, space.id)
        good_up_to = self._ready.get(key)
        if good_up_to is None:
            held = index_of(cursor, index_name(table, space.id))
            if held is None or not held.valid:
                self.behind = True
                return False
            good_up_to = self._ready[key] = held.good_up_to
        self.behind |= space.passages > good_up_to
        return True

    def maintain_if_behind(self) -> None:
        """After a search, which notices it: build beside the questions."""
        if self.behind:
            self.behind = False
            self.maintainer.start()

    def neglected(self) -> list[str]:
        """Large spaces without an index that is good for them, and why, if this process knows."""
        lacking = self._lacking()
        if not lacking:
            return []
        named = ", ".join(map(repr, lacking))
        why = self.maintainer.trouble() or "It is built beside the questions"
        return [
            f"no index serves {named}, as large as that is: answers are slow, or lack what is new "
            f"where the index is by lists. {why}; 'bethink reindex --files' builds it at once, "
            "or says what stands in the way"
        ]

    def checks(self) -> list[Check]:
        """Whoever built it meanwhile: where there is an index, nothing is wrong."""
        return self.maintainer.checks() if self._lacking() else []

    def _lacking(self) -> list[str]:
        with self._database.read() as reader:
            tables = vector_tables.all_tables(reader)
            return [
                space.name
                for space in spaces_of(reader, None)
                if any(
                    is_large(table, space) and not _serves(reader, table, space) for table in tables
                )
            ]

    # What was forgotten

    def erase(self, work: Callable[[Cursor], _T], *, alone: bool = False) -> _T:
        """Write what erases something; `alone` as for any write."""

        def erasing(writer: Cursor) -> tuple[_T, int]:
            done = work(writer)
            (number,) = writer.execute("SELECT pg_current_xact_id()::text").fetchone() or ("0",)
            return done, int(number)

        done, number = self._database.write(erasing, alone=alone)
        with self._guard:
            self.erased_by = max(self.erased_by or 0, number)
        return done

    def finish_erasing(self) -> bool:
        """Let PostgreSQL empty the places of what was erased. It cannot while anything may still
        see it or hold a table; then False, and autovacuum does it later."""
        erased_by = self.erased_by
        if erased_by is None:
            return True
        with self._database.read() as reader:
            tables = [table.table for table in vector_tables.all_tables(reader)]
        with self._database.outside() as connection:
            unseen = _seen_by_nobody(connection, erased_by)  # before: it can only become truer
            emptied = vacuum(connection, [*TEXTS, *tables])
        if not (unseen and emptied):
            return False
        with self._guard:
            if self.erased_by == erased_by:  # unless another erased something meanwhile
                self.erased_by = None
        return True


def vacuum(connection: Connection, tables: Sequence[str]) -> bool:
    """Each by itself: one that somebody holds keeps none of the others. Were all done?"""
    done = [_vacuumed(connection, table) for table in tables]
    return all(done)


def _vacuumed(connection: Connection, table: str, *options: str) -> bool:
    """Locks of others are waited for; behind a pool server, where nothing can be set for this
    alone, not at all."""
    if not connection.borrowed:
        connection.execute(f"SET lock_timeout = {_LOCKED_SECONDS * 1000:d}")
        how = f"({', '.join(options)}) " if options else ""
        try:
            connection.execute(f"VACUUM {how}{SCHEMA}.{table}".encode())
        except LockNotAvailable:
            return False
        return True
    skipped: list[str] = []

    def told(notice: Diagnostic) -> None:
        if notice.sqlstate == LockNotAvailable.sqlstate:
            skipped.append(table)

    how = ", ".join((*options, "SKIP_LOCKED"))
    connection.add_notice_handler(told)
    try:
        connection.execute(f"VACUUM ({how}) {SCHEMA}.{table}".encode())
    finally:
        connection.remove_notice_handler(told)
    return not skipped


def _seen_by_nobody(connection: Connection, erased_by: int) -> bool:
    """May PostgreSQL take away what this transaction erased? Snapshots of other roles, of replicas
    and of slots are shown to no ordinary role, but freezing a table notes beside it up to where
    nobody looks back; for that a table of a few rows will do."""
    until = time.monotonic() + _READERS_SECONDS
    while True:
        if not _vacuumed(connection, "schema_version", "FREEZE"):
            return False
        (unseen,) = connection.execute(
            "SELECT age(relfrozenxid) < age(%s::text::xid8::xid) FROM pg_class "
            f"WHERE oid = '{SCHEMA}.schema_version'::regclass",
            (str(erased_by),),
        ).fetchone() or (False,)
        if unseen or time.monotonic() > until:
            return bool(unseen)
        time.sleep(0.02)


def _merge_words(space: int, cursor: Cursor) -> None:
    if hold_by_id(cursor, [space]):  # unless it was erased meanwhile
        words.merge_large(cursor, space)


def is_large(table: VectorTable, space: SpaceRow) -> bool:
    return space.passages >= near.INDEX_FROM and table.dimension <= near.MOST_HALF


def _serves(cursor: Cursor, table: VectorTable, space: SpaceRow) -> bool:
    held = index_of(cursor, index_name(table, space.id))
    return held is not None and held.valid and space.passages <= held.good_up_to


def index_name(table: VectorTable, space: int) -> str:
    return f"{table.table}_near_{space:d}"


def index_of(connection: Connection | Cursor, name: str) -> SpaceIndex | None:
    row = connection.execute(
        "SELECT i.indisvalid, a.amname, obj_description(c.oid, 'pg_class') FROM pg_index i "
        "JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam "
        "WHERE c.oid = to_regclass(%s)",
        (f"{SCHEMA}.{name}",),
    ).fetchone()
    if row is None:
        return None
    valid, method, noted = row
    number = (noted or "").split(" ")[0]
    return SpaceIndex(valid, method, int(number) if number.isdecimal() else 0)


def _interrupted(connection: Connection, name: str) -> list[str]:
    """What PostgreSQL leaves where an index was being made anew and nobody finished it."""
    rows = connection.execute(
        "SELECT c.relname FROM pg_class c WHERE c.relkind = 'i' AND c.relname ~ %s "
        "AND c.relnamespace = %s::regnamespace AND NOT EXISTS ("
        "SELECT 1 FROM pg_stat_progress_create_index p WHERE p.index_relid = c.oid)",
        (f"^{name}_cc(new|old)[0-9]*$", SCHEMA),
    )
    return [left for (left,) in rows.fetchall()]


def _note_passages(connection: Connection, name: str, space: SpaceRow) -> None:
    said = f"'{space.passages:d} passages when it was built'"
    connection.execute(f"COMMENT ON INDEX {SCHEMA}.{name} IS {said}".encode())


def build_index(
    connection: Connection, database: Database, table: VectorTable, space: SpaceRow
) -> None:
    """Beside those who write; one that was interrupted stays invalid, and is made anew."""
    address = database.pool.address
    own = database.extension_schema
    half = f"((embedding::{own}.halfvec({table.dimension:d})) {own}.halfvec_cosine_ops)"
    options = (
        f"hnsw {half} WITH (m = {address.m:d}, ef_construction = {address.ef_construction:d})"
        if address.method == "hnsw"
        else f"ivfflat {half} WITH (lists = {address.lists:d})"
    )
    name = index_name(table, space.id)
    _build(
        connection,
        f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} "
        f"ON {SCHEMA}.{table.table} USING {options} WHERE space = {space.id:d}",
    )
    _note_passages(connection, name, space)


def _build(connection: Connection, statement: str) -> None:
    """However long it takes, where that can be said for this alone."""
    if not connection.borrowed:
        connection.execute("SET statement_timeout = 0")
    try:
        connection.execute(statement.encode())
    except QueryCanceled as e:
        raise StoreBusy(
            f"the server ended the building of an index ({e.diag.message_primary}). Let the role "
            "of the address take longer: ALTER ROLE … SET statement_timeout = 0; or build it with "
            "an address that leads past the pool server"
        ) from e
