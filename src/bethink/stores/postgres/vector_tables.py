"""The tables of vectors, one for each embedder, and how one takes the place of another.

A table is shared by all tenants who use the embedder, since an index of pgvector has one dimension;
`indexes` says which a tenant has, and one of them answers. Every function runs inside the caller's
transaction, under the rows of the spaces that it changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from bethink.errors import FingerprintMismatch
from bethink.stores.postgres import changes
from bethink.stores.postgres import spaces as spaces_module
from bethink.stores.postgres.database import SCHEMA, Cursor
from bethink.stores.postgres.schema import OF_OWN_SPACE, table_exists, wall_in
from bethink.stores.postgres.spaces import SpaceRow, hold_by_id
from bethink.stores.postgres.vectors import insert
from bethink.stores.protocol import Embedding, Unembedded
from bethink.stores.retrievers import What
from bethink.stores.sound_vectors import sound_rows
from bethink.text.searched import below_headings
from bethink.vocabulary import Vectors

_LOCK = 0x52656356  # "RecV": one makes a table, others wait
# So many numbers fit into a page of 8 kB. From 500 on PostgreSQL would put each vector elsewhere,
# in pieces, and looking through 8,000 of 512 numbers took at least four times as long.
_IN_THE_ROW = 2_000


class VectorTable(NamedTuple):
    """A row of `indexes`."""

    fingerprint: str
    dimension: int
    name: str
    active: bool

    @property
    def table(self) -> str:
        said = f"{self.fingerprint}\0{self.dimension}".encode()
        return f"vectors_{blake2b(said, digest_size=8).hexdigest()}"

    @property
    def embedding(self) -> Embedding:
        return Embedding(self.fingerprint, self.dimension, self.name)


def all_tables(cursor: Cursor) -> list[VectorTable]:
    rows = cursor.execute("SELECT fingerprint, dimension, name, active FROM indexes")
    return [VectorTable(*row) for row in rows]


def active_table(cursor: Cursor) -> VectorTable | None:
    return next((t for t in all_tables(cursor) if t.active), None)


def embeddings(cursor: Cursor) -> tuple[Embedding, ...]:
    """The one that answers, then the one that is being built."""
    tables = sorted(all_tables(cursor), key=lambda table: not table.active)
    return tuple(table.embedding for table in tables)


def table_of(cursor: Cursor, fingerprint: str) -> VectorTable | None:
    return next((t for t in all_tables(cursor) if t.fingerprint == fingerprint), None)


def hold_indexes(cursor: Cursor) -> None:
    """One changes what answers, others of the tenant wait."""
    cursor.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended("
        "'bethink indexes ' || current_setting('bethink.tenant'), 0))"
    )


def create(cursor: Cursor, embedding: Embedding, *, active: bool) -> None:
    table = VectorTable(*embedding, active)
    cursor.execute(
        "INSERT INTO indexes (fingerprint, dimension, name, active) VALUES (%s, %s, %s, %s)", table
    )
    changes.note(cursor, What.EMBEDDINGS, [""])
    if table_exists(cursor, SCHEMA, table.table):
        return
    cursor.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
    if table_exists(cursor, SCHEMA, table.table):  # another was faster
        return
    cursor.execute(
        f"CREATE TABLE {table.table} (tenant bigint NOT NULL DEFAULT "
        "nullif(current_setting('bethink.tenant', true), '')::bigint, space bigint NOT NULL, "
        f"pid bigint NOT NULL, embedding vector({table.dimension:d}) NOT NULL, "
        "PRIMARY KEY (space, pid))".encode()
    )
    if table.dimension <= _IN_THE_ROW:
        cursor.execute(f"ALTER TABLE {table.table} ALTER embedding SET STORAGE PLAIN".encode())
    wall_in(cursor, table.table, refers=OF_OWN_SPACE)


def _drop(cursor: Cursor, table: VectorTable) -> None:
    """The tenant's part of it; the table may be others' too."""
    cursor.execute(f"DELETE FROM {table.table} WHERE space IN (SELECT id FROM spaces)".encode())
    cursor.execute("DELETE FROM embedded WHERE fingerprint = %s", (table.fingerprint,))
    cursor.execute("DELETE FROM indexes WHERE fingerprint = %s", (table.fingerprint,))
    changes.note(cursor, What.EMBEDDINGS, [""])
    changes.note(cursor, What.VECTORS, [table.fingerprint])


def declare(cursor: Cursor, embedding: Embedding) -> Embedding:
    hold_indexes(cursor)
    table = active_table(cursor)
    if table is not None:
        return table.embedding
    create(cursor, embedding, active=True)
    return embedding


def build(cursor: Cursor, embedding: Embedding) -> None:
    """A table for this embedder beside the one that answers; an abandoned third goes."""
    hold_indexes(cursor)
    tables = all_tables(cursor)
    for table in tables:
        if not table.active and table.fingerprint != embedding.fingerprint:
            _hold_every_space(cursor)
            _drop(cursor, table)  # that change-over was given up
    if not any(table.fingerprint == embedding.fingerprint for table in tables):
        create(cursor, embedding, active=not tables)


def clear(cursor: Cursor) -> None:
    hold_indexes(cursor)
    _hold_every_space(cursor)
    # made anew they may be others, and there are as many as before: whoever keeps some must know
    cursor.execute("UPDATE spaces SET mark = DEFAULT")
    for table in all_tables(cursor):
        _drop(cursor, table)
        if table.active:
            create(cursor, table.embedding, active=True)


def _hold_every_space(cursor: Cursor) -> None:
    cursor.execute("SELECT 1 FROM spaces ORDER BY id FOR UPDATE")


def count_vectors(cursor: Cursor, fingerprint: str, space: int, change: int) -> None:
    if change:
        cursor.execute(
            "INSERT INTO embedded (fingerprint, space, passages) VALUES (%s, %s, %s) "
            "ON CONFLICT (space, fingerprint) "
            "DO UPDATE SET passages = embedded.passages + excluded.passages",
            (fingerprint, space, change),
        )


class Frame(NamedTuple):
    """What a question by meaning is asked in."""

    spaces: tuple[SpaceRow, ...]
    table: VectorTable | None  # the one that answers
    waiting: tuple[int, ...]  # passages of each space that have no vector in it


FRAME = (
    f"{spaces_module.of('s')}, s.passages - coalesce(e.passages, 0), "
    "i.fingerprint, i.dimension, i.name, i.active"
)
FRAMED = (
    "spaces s LEFT JOIN indexes i ON i.active "
    "LEFT JOIN embedded e ON e.space = s.id AND e.fingerprint = i.fingerprint"
)


def frame(cursor: Cursor, names: Sequence[str]) -> Frame:
    rows = cursor.execute(
        f"SELECT {FRAME} FROM {FRAMED} WHERE s.name = ANY(%b)".encode(),
        (spaces_module.names_of(names),),
        prepare=True,
    ).fetchall()
    found = {row[1]: row for row in rows}
    spaces_module.check_names(cursor, names, found)
    return framed([found[name] for name in dict.fromkeys(names)])


def framed(rows: Sequence[tuple[Any, ...]]) -> Frame:
    """From a row for each space."""
    width = len(SpaceRow._fields)
    table = None if not rows or rows[0][width + 1] is None else VectorTable(*rows[0][width + 1 :])
    spaces = tuple(SpaceRow(*row[:width]) for row in rows)
    return Frame(spaces, table, tuple(row[width] for row in rows))


def _missing(cursor: Cursor, table: VectorTable) -> int:
    row = cursor.execute(
        "SELECT (SELECT coalesce(sum(passages), 0) FROM spaces)::bigint - "
        "(SELECT coalesce(sum(passages), 0) FROM embedded WHERE fingerprint = %s)::bigint",
        (table.fingerprint,),
    ).fetchone()
    assert row is not None
    return int(row[0])


def unembedded(cursor: Cursor, fingerprint: str, limit: int) -> list[Unembedded]:
    table = table_of(cursor, fingerprint)
    if table is None or not _missing(cursor, table):
        return []
    rows = cursor.execute(
        "SELECT p.pid, substr(m.content, p.start + 1, p.stop - p.start), m.kind, m.section "
        "FROM passages p "
        f"JOIN memories m ON m.row = p.memory LEFT JOIN {table.table} v "
        "ON v.space = p.space AND v.pid = p.pid WHERE v.pid IS NULL "
        "ORDER BY p.pid LIMIT %s".encode(),
        (limit,),
    )
    return [Unembedded(pid, below_headings(*text)) for pid, *text in rows]


def switch(cursor: Cursor, fingerprint: str) -> bool:
    """Let this embedder's table answer, if it is complete; the former goes."""
    hold_indexes(cursor)
    _hold_every_space(cursor)
    table = table_of(cursor, fingerprint)
    if table is None or _missing(cursor, table):
        return False
    for former in all_tables(cursor):
        if former.active and former.fingerprint != fingerprint:
            _drop(cursor, former)
    cursor.execute("UPDATE indexes SET active = true WHERE fingerprint = %s", (fingerprint,))
    changes.note(cursor, What.EMBEDDINGS, [""])
    return True


def fill(cursor: Cursor, fingerprint: str, handles: Sequence[int], vectors: Vectors) -> int:
    """Store vectors of passages that still exist and have none yet."""
    index = table_of(cursor, fingerprint)
    if index is None:
        raise FingerprintMismatch(f"there is no index by {fingerprint}; run 'bethink reindex'")
    checked = sound_rows(vectors, rows=len(handles), dimension=index.dimension)
    rows = cursor.execute(
        "SELECT pid, space FROM passages WHERE pid = ANY(%s)", (list(handles),)
    ).fetchall()
    hold_by_id(cursor, [space for _, space in rows])
    # looked at again: others may have been faster while we waited for the spaces
    if table_of(cursor, fingerprint) is None:
        raise FingerprintMismatch(f"there is no index by {fingerprint}; run 'bethink reindex'")
    rows = cursor.execute(
        f"SELECT p.pid, p.space FROM passages p LEFT JOIN {index.table} v "
        "ON v.space = p.space AND v.pid = p.pid WHERE p.pid = ANY(%s) AND v.pid IS NULL".encode(),
        (list(handles),),
    ).fetchall()
    space_of: dict[int, int] = dict(rows)
    first = {handle: at for at, handle in reversed(list(enumerate(handles)))}  # twice: the first
    kept = [(handle, at) for handle, at in sorted(first.items()) if handle in space_of]
    spaces = [space_of[handle] for handle, _ in kept]
    insert(
        cursor, index.table, spaces, [handle for handle, _ in kept], checked[[at for _, at in kept]]
    )
    for space in set(spaces):
        count_vectors(cursor, fingerprint, space, spaces.count(space))
    _note_owners(cursor, space_of.keys())
    return len(kept)


def _note_owners(cursor: Cursor, pids: Iterable[int]) -> None:
    """Passages got their vectors, which is a change of their memories."""
    if not changes.is_followed(cursor):
        return
    rows = cursor.execute(
        "SELECT m.space, array_agg(DISTINCT m.id) FROM passages p "
        "JOIN memories m ON m.row = p.memory WHERE p.pid = ANY(%s) GROUP BY m.space",
        (list(pids),),
    ).fetchall()
    for space, ids in rows:
        changes.note(cursor, What.MEMORY, ids, space=space)
