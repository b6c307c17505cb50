"""The tables of vectors, one for each embedder, and how one takes the place of another.

`indexes` lists them; one of them answers. Every function runs inside the caller's transaction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import apsw

from bethink.errors import FingerprintMismatch
from bethink.stores.protocol import Embedding, Unembedded
from bethink.stores.sound_vectors import sound_rows
from bethink.stores.sqlite import triggers
from bethink.stores.sqlite.spaces import SpaceRow, next_seq
from bethink.text.searched import below_headings
from bethink.vocabulary import Vectors


class VectorTable(NamedTuple):
    """A row of `indexes`."""

    id: int
    fingerprint: str
    dimension: int
    name: str
    active: bool

    @property
    def table(self) -> str:
        return f"vectors_{self.id:d}"


def all_tables(connection: apsw.Connection) -> list[VectorTable]:
    rows = connection.execute("SELECT id, fingerprint, dimension, name, active FROM indexes")
    return [VectorTable(i, f, d, n, bool(a)) for i, f, d, n, a in rows]


def active_table(connection: apsw.Connection) -> VectorTable | None:
    return next((t for t in all_tables(connection) if t.active), None)


def table_of(connection: apsw.Connection, fingerprint: str) -> VectorTable | None:
    tables = all_tables(connection)
    return next((t for t in tables if t.fingerprint == fingerprint), None)


def count_vectors(connection: apsw.Connection, index: int, space: int, change: int) -> None:
    connection.execute(
        "INSERT INTO embedded VALUES (?, ?, ?) "
        "ON CONFLICT DO UPDATE SET passages = passages + excluded.passages",
        (index, space, change),
    )


def create(connection: apsw.Connection, embedding: Embedding, *, active: bool) -> None:
    connection.execute(
        "INSERT INTO indexes (fingerprint, dimension, name, active) VALUES (?, ?, ?, ?)",
        (*embedding, active),
    )
    table = f"vectors_{connection.last_insert_rowid():d}"
    connection.execute(
        f"CREATE TABLE {table} (pid INTEGER PRIMARY KEY, space INTEGER NOT NULL, "
        "seq INTEGER NOT NULL, data BLOB NOT NULL)"
    )
    connection.execute(f"CREATE INDEX {table}_seq ON {table} (space, seq)")
    triggers.follow_vectors(connection, table)


def _drop(connection: apsw.Connection, table: VectorTable) -> None:
    connection.execute(f"DROP TABLE {table.table}")
    connection.execute("DELETE FROM sidecars WHERE kind = ?", (table.table,))
    connection.execute("DELETE FROM indexes WHERE id = ?", (table.id,))


def build(connection: apsw.Connection, embedding: Embedding) -> None:
    """A table for this embedder beside the one that answers; an abandoned third goes."""
    tables = all_tables(connection)
    for table in tables:
        if not table.active and table.fingerprint != embedding.fingerprint:
            _drop(connection, table)  # that change-over was given up
    if not any(table.fingerprint == embedding.fingerprint for table in tables):
        create(connection, embedding, active=not tables)


def clear(connection: apsw.Connection) -> None:
    for table in all_tables(connection):
        _drop(connection, table)
        if table.active:
            held = Embedding(table.fingerprint, table.dimension, table.name)
            create(connection, held, active=True)


def pending(reader: apsw.Connection, spaces: Sequence[SpaceRow]) -> int:
    """How many passages of these spaces the answering index has no vector for. Asked with every
    question: a look for each space, however many others there are."""
    active = active_table(reader)
    index = -1 if active is None else active.id
    embedded = "SELECT passages FROM embedded WHERE index_id = ? AND space = ?"
    return sum(
        space.passages - (reader.execute(embedded, (index, space.id)).get or 0) for space in spaces
    )


def unembedded(connection: apsw.Connection, fingerprint: str, limit: int) -> list[Unembedded]:
    table = table_of(connection, fingerprint)
    if table is None:
        return []
    rows = connection.execute(
        "SELECT p.pid, substr(m.text, p.start + 1, p.stop - p.start), m.kind, m.section "
        "FROM passages p "
        "JOIN memories m ON m.row = p.memory WHERE NOT EXISTS "
        f"(SELECT 1 FROM {table.table} v WHERE v.pid = p.pid) ORDER BY p.pid LIMIT ?",
        (limit,),
    )
    return [Unembedded(pid, below_headings(*text)) for pid, *text in rows]


def switch(connection: apsw.Connection, fingerprint: str) -> bool:
    """Let this embedder's table answer, if it is complete; the former goes."""
    table = table_of(connection, fingerprint)
    if table is None or _missing(connection, table):
        return False
    for former in all_tables(connection):
        if former.active and former.id != table.id:
            _drop(connection, former)
    connection.execute("UPDATE indexes SET active = 1 WHERE id = ?", (table.id,))
    return True


def _missing(connection: apsw.Connection, table: VectorTable) -> int:
    missing: int = connection.execute(
        "SELECT (SELECT ifnull(sum(passages), 0) FROM spaces) - "
        "(SELECT ifnull(sum(passages), 0) FROM embedded WHERE index_id = ?)",
        (table.id,),
    ).get
    return missing


def fill(
    connection: apsw.Connection, fingerprint: str, handles: Sequence[int], vectors: Vectors
) -> int:
    """Store vectors of passages that still exist and have none yet."""
    index = table_of(connection, fingerprint)
    if index is None:
        raise FingerprintMismatch(f"there is no index by {fingerprint}; run 'bethink reindex'")
    checked = sound_rows(vectors, rows=len(handles), dimension=index.dimension)
    by_space: dict[int, dict[int, bytes]] = defaultdict(dict)
    for handle, vector in zip(handles, checked, strict=True):
        space: int | None = connection.execute(
            f"SELECT p.space FROM passages p WHERE p.pid = ? "
            f"AND NOT EXISTS (SELECT 1 FROM {index.table} v WHERE v.pid = p.pid)",
            (handle,),
        ).get
        if space is not None:
            by_space[space].setdefault(handle, vector.tobytes())  # named twice: the first counts
    for space, rows in by_space.items():
        seq = next_seq(connection, space)
        connection.executemany(
            f"INSERT INTO {index.table} VALUES (?, ?, ?, ?)",
            ((pid, space, seq, data) for pid, data in rows.items()),
        )
        count_vectors(connection, index.id, space, len(rows))
    return sum(map(len, by_space.values()))
