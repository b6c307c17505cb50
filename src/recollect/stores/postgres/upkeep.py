"""Indexes of large spaces, and what is left on disk of what was forgotten."""

from __future__ import annotations

import threading
from datetime import datetime
from functools import partial
from typing import NamedTuple

from recollect.stores.postgres import near, vector_tables, words
from recollect.stores.postgres.database import SCHEMA, Cursor, Database
from recollect.stores.postgres.pool import Connection
from recollect.stores.postgres.spaces import SpaceRow, hold_by_id, spaces_of
from recollect.stores.postgres.vector_tables import VectorTable

_LOCK = 0x52656349  # "RecI": one builds indexes, others do not wait for it
# Below this share of the bound, an index is taken away: between the two nothing flaps.
_SMALL = 0.5
TEXTS = ("memories", "revisions", "passages", "words", "offers", "working", "events", "changes")


class SpaceIndex(NamedTuple):
    name: str
    valid: bool


class Upkeep:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._guard = threading.Lock()
        self._maintainer: threading.Thread | None = None
        self._ready: set[tuple[str, int]] = set()  # tables and spaces known to have their index
        self.behind = False
        self.erased_at: datetime | None = (
            None  # when something was erased last, by the server's clock
        )

    # Indexes

    def maintain(self, *, anew: bool = False) -> None:
        """An index for each large space that has none; those of spaces that are small go."""
        with self._database.read() as reader:
            spaces = spaces_of(reader, None)
            tables = vector_tables.all_tables(reader)
        for space in spaces:
            self._database.write(partial(_merge_words, space.id))
        with self._database.outside() as connection:
            (alone,) = connection.execute(
                "SELECT pg_try_advisory_lock(%s)", (_LOCK,)
            ).fetchone() or (False,)
            if not alone:  # another process is at it
                return
            for table in tables:
                for space in spaces:
                    self._maintain(connection, table, space, anew=anew)

    def _maintain(
        self, connection: Connection, table: VectorTable, space: SpaceRow, *, anew: bool
    ) -> None:
        name = index_name(table, space.id)
        held = index_of(connection, name)
        too_small = space.passages < near.INDEX_FROM * _SMALL
        if held is not None and (anew or too_small or not held.valid):
            self._ready.discard((table.table, space.id))
            connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}".encode())
            held = None
        if is_large(table, space) and held is None:
            build_index(connection, self._database, table, space.id)

    def has_index(self, cursor: Cursor, table: VectorTable, space: SpaceRow) -> bool:
        """May a search rely on one? A large space that has none yet is noted as behind."""
        if not is_large(table, space):
            return False
        key = (table.table, space.id)
        if key not in self._ready:
            held = index_of(cursor, index_name(table, space.id))
            if held is None or not held.valid:
                self.behind = True
                return False
            self._ready.add(key)
        return True

    def maintain_if_behind(self) -> None:
        """After a search, which notices it: build beside the questions."""
        if self.behind:
            self.behind = False
            self._start()

    def _start(self) -> None:
        with self._guard:
            if self._maintainer is not None and self._maintainer.is_alive():
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
            logging.getLogger("recollect").warning("no index was built: %s", e)

    def finish(self) -> None:
        """Wait for maintenance that is under way."""
        maintainer = self._maintainer
        if maintainer is not None and maintainer is not threading.current_thread():
            maintainer.join()

    # What was forgotten

    def erased(self) -> None:
        """Something was, just now."""
        with self._database.ask() as reader:
            self.erased_at = (reader.execute("SELECT clock_timestamp()").fetchone() or (None,))[0]

    def finish_erasing(self) -> bool:
        """Let PostgreSQL empty the places of what was erased. It cannot while somebody's older
        snapshot may still see it; then False, and autovacuum does it later."""
        if self.erased_at is None:
            return True
        with self._database.outside() as connection:
            (held,) = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND pid <> pg_backend_pid() AND backend_xmin IS NOT NULL AND xact_start < %s",
                (self.erased_at,),
            ).fetchone() or (0,)
            with self._database.read() as reader:
                tables = [table.table for table in vector_tables.all_tables(reader)]
            connection.execute(f"VACUUM (SKIP_LOCKED) {', '.join([*TEXTS, *tables])}".encode())
        if held:
            return False
        self.erased_at = None
        return True


def _merge_words(space: int, cursor: Cursor) -> None:
    if hold_by_id(cursor, [space]):  # unless it was erased meanwhile
        words.merge_large(cursor, space)


def is_large(table: VectorTable, space: SpaceRow) -> bool:
    return space.passages >= near.INDEX_FROM and table.dimension <= near.MOST_HALF


def index_name(table: VectorTable, space: int) -> str:
    return f"{table.table}_near_{space:d}"


def index_of(connection: Connection | Cursor, name: str) -> SpaceIndex | None:
    row = connection.execute(
        "SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "WHERE c.oid = to_regclass(%s)",
        (f"{SCHEMA}.{name}",),
    ).fetchone()
    return None if row is None else SpaceIndex(*row)


def build_index(connection: Connection, database: Database, table: VectorTable, space: int) -> None:
    """Beside those who write; one that was interrupted stays invalid, and is made anew."""
    address = database.pool.address
    options = (
        f"hnsw ((embedding::halfvec({table.dimension:d})) halfvec_cosine_ops) "
        f"WITH (m = {address.m:d}, ef_construction = {address.ef_construction:d})"
        if address.method == "hnsw"
        else f"ivfflat ((embedding::halfvec({table.dimension:d})) halfvec_cosine_ops) "
        f"WITH (lists = {address.lists:d})"
    )
    connection.execute("SET statement_timeout = 0")
    connection.execute(
        f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {index_name(table, space)} "
        f"ON {table.table} USING {options} WHERE space = {space:d}".encode()
    )
