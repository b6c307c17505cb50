"""The nearest vectors of a space.

Exact while a space is small, which most are: its vectors stand together under the primary key. A
large space gets an index of its own (`upkeep.py`): a graph over all spaces would be walked for
nothing wherever a space is a small part of it. The index holds halves (`halfvec`), at half the size
and the same recall; what it finds is scored again from the full vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import psycopg

from bethink.filters import Filter
from bethink.stores.postgres import labels
from bethink.stores.postgres.arrays import Array
from bethink.stores.postgres.database import Cursor
from bethink.stores.postgres.learned import SPOT, Spot
from bethink.stores.postgres.pool import Connection
from bethink.stores.postgres.spaces import SpaceRow
from bethink.stores.postgres.vector_tables import VectorTable
from bethink.stores.postgres.vectors import question
from bethink.stores.postgres.where import to_sql
from bethink.vocabulary import Vector

INDEX_FROM = 10_000  # passages of a space: below, looking at all of them takes a few milliseconds
MOST_HALF = 4000  # numbers of a halfvec that pgvector can index
_EXACT_UP_TO = 20_000  # passages that pass a filter: so many are ranked without the index
_LOOKED_AT = 4  # times the hits wanted are taken from an index, to be scored again
# Recall@10 at 100,000 made-up passages of 384 numbers: .9945 with 100, .996 with 200, .999 with 400
# (real ones may be harder: .967 with 128 on another set).
_AT_LEAST = 200
_AT_LEAST_MORE = 20  # than the hits wanted are scored again in full numbers
_MOST_EF = 1000  # pgvector's own bound

# A score is the cosine: vectors are of length one, and <#> is the negative inner product.
_ASKED = "%(q)b::vector"
SCORE = f"-(v.embedding <#> {_ASKED})"
_NAMED = "JOIN passages p ON p.pid = v.pid JOIN memories m ON m.row = p.memory"


class Near(NamedTuple):
    memory_id: str
    ordinal: int
    score: float
    spot: Spot


class Torn(Exception):  # nobody outside ever sees it
    """Somebody wrote between two statements, or since what is remembered was read: what they say
    does not fit together."""


def search(
    cursor: Cursor,
    table: VectorTable,
    space: SpaceRow,
    vector: Vector,
    where: Filter | None,
    limit: int,
    *,
    indexed: bool,
) -> list[Near]:
    asked = question(vector)
    few = labels.few(cursor, [space.id], where) if space.passages > labels.FEW else None
    if few is not None:
        return _exactly(cursor, table, space, asked, where, limit, few)
    wanted = min(max(limit * _LOOKED_AT, _AT_LEAST), max(_MOST_EF, limit))
    if indexed:
        _widen(cursor, wanted)
    condition, bindings = to_sql(where)
    # What is nearest by halves is followed into its memory only until so many have passed: most
    # filters let nearly all through. In full numbers the order is another by a place or two.
    likely = min(limit + max(limit // 2, _AT_LEAST_MORE), wanted) if indexed else limit
    order = _by_index(table) if indexed else f"v.embedding <#> {_ASKED}"
    near = f"ORDER BY {order}" if indexed else f"ORDER BY {order}, v.pid"
    best = (
        f"SELECT v.pid, {SCORE} AS score, {order} AS far FROM {table.table} v "
        f"WHERE v.space = {space.id:d} {near} LIMIT {likely if where is None else wanted:d}"
    )
    in_order = f"ORDER BY v.score DESC, v.pid LIMIT {limit:d}"
    columns = f"SELECT m.id, p.ordinal, v.score, {SPOT} FROM"
    if where is None:  # only those that are handed out need a name
        sql = f"{columns} (SELECT * FROM ({best}) v {in_order}) v {_NAMED}"
    else:
        nearest = "v.far" if indexed else "v.far, v.pid"
        sql = (
            f"SELECT * FROM ({columns} ({best}) v {_NAMED} WHERE {_named(condition)} "
            f"ORDER BY {nearest} LIMIT {likely:d}) v {in_order}"
        )
    looked, passages = _found(cursor, table, space, sql, asked, bindings)
    # A graph may come short: it looks at 20,000 at most, and the forgotten stand in it until they
    # are vacuumed, which a transaction of others can put off. Then all are ranked: slow but right.
    exact = not indexed and (where is None or passages <= wanted)
    if exact or len(looked) >= min(limit, passages):
        return looked[:limit]
    if indexed and where is not None and _passes_many(cursor, space, condition, bindings):
        passed, _ = _found(
            cursor,
            table,
            space,
            f"SELECT m.id, p.ordinal, {SCORE} AS score, {SPOT} "
            f"FROM {table.table} v {_NAMED} WHERE v.space = {space.id:d} AND {_named(condition)} "
            f"{near} LIMIT {limit:d}",
            asked,
            bindings,
        )
        if len(passed) >= limit:
            return passed
    return _exactly(cursor, table, space, asked, where, limit, "true")


def _exactly(
    cursor: Cursor,
    table: VectorTable,
    space: SpaceRow,
    asked: Array,
    where: Filter | None,
    limit: int,
    few: str,
) -> list[Near]:
    """All that passes the filter, ranked."""
    condition, bindings = to_sql(where)
    return _found(
        cursor,
        table,
        space,
        f"SELECT m.id, p.ordinal, {SCORE} AS score, {SPOT} FROM memories m "
        f"JOIN passages p ON p.memory = m.row JOIN {table.table} v ON v.pid = p.pid "
        f"AND v.space = {space.id:d} WHERE m.space = {space.id:d} AND {few} "
        f"AND {_named(condition)} ORDER BY score DESC, v.pid LIMIT {limit:d}",
        asked,
        bindings,
    )[0]


def _by_index(table: VectorTable) -> str:
    half = f"halfvec({table.dimension:d})"
    return f"v.embedding::{half} <=> %(q)b::{half}"


def _widen(cursor: Cursor, wanted: int) -> None:
    """Look so far in the graph, and go on where a filter leaves too little."""
    connection = cursor.connection
    assert isinstance(connection, Connection)
    inside = connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE
    if not inside and connection.looks_at == wanted:
        return
    local = "true" if inside else "false"
    probes = max(10, wanted // 20)
    cursor.execute(
        f"SELECT set_config('hnsw.ef_search', '{min(wanted, _MOST_EF)}', {local}), "
        f"set_config('hnsw.iterative_scan', 'relaxed_order', {local}), "
        f"set_config('ivfflat.probes', '{probes}', {local}), "
        f"set_config('ivfflat.iterative_scan', 'relaxed_order', {local})".encode()
    )
    if not inside:
        connection.looks_at = wanted


def _passes_many(
    cursor: Cursor, space: SpaceRow, condition: str, bindings: Sequence[object]
) -> bool:
    row = cursor.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM memories m WHERE m.space = {space.id:d} "
        f"AND {condition} LIMIT {_EXACT_UP_TO + 1:d}) x".encode(),
        bindings,
    ).fetchone()
    assert row is not None
    return bool(row[0] > _EXACT_UP_TO)


def _named(condition: str) -> str:
    """The bindings of a filter by name, beside the question's."""
    pieces = condition.split("%s")
    return pieces[0] + "".join(f"%(b{at})s{piece}" for at, piece in enumerate(pieces[1:]))


def _found(
    cursor: Cursor,
    table: VectorTable,
    space: SpaceRow,
    sql: str,
    asked: Array,
    bindings: Sequence[object],
) -> tuple[list[Near], int]:
    """Best first, equal ones in the order told; and how many passages the space has."""
    bound = {"q": asked, **{f"b{at}": value for at, value in enumerate(bindings)}}
    rows, passages = answered(cursor, table, [space], sql, bound)
    found = [Near(one, ordinal, score, Spot(*spot)) for one, ordinal, score, *spot in rows]
    found.sort(key=lambda one: (-one.score, one.spot.pid))
    return found, passages


def answered(
    cursor: Cursor,
    table: VectorTable,
    spaces: Sequence[SpaceRow],
    sql: str,
    bound: dict[str, Any],
) -> tuple[list[tuple[Any, ...]], int]:
    """The rows of a statement, which says in passing how many passages these spaces have; `Torn`
    where one of them is gone, or another table answers."""
    numbers = ", ".join(f"{space.id:d}" for space in spaces)
    rows = cursor.execute(
        "SELECT a.held, a.passages, n.* FROM (SELECT count(*) AS held, "
        "sum(s.passages)::bigint AS passages FROM spaces s JOIN indexes i ON i.active "
        f"AND i.fingerprint = %(by)s WHERE s.id IN ({numbers})) a "
        f"LEFT JOIN LATERAL ({sql}) n ON true".encode(),
        {**bound, "by": table.fingerprint},
        prepare=True,
    ).fetchall()
    if rows[0][0] != len(spaces):
        raise Torn
    return [row[2:] for row in rows if row[2] is not None], rows[0][1]
