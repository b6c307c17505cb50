"""The nearest vectors of a space.

Exact while a space is small, which most are: its vectors stand together under the primary key. A
large space gets an index of its own (`upkeep.py`): a graph over all spaces would be walked for
nothing wherever a space is a small part of it. The index holds halves (`halfvec`), at half the size
and the same recall; what it finds is scored again from the full vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.filters import Filter
from recollect.stores.postgres.database import Cursor
from recollect.stores.postgres.spaces import SpaceRow
from recollect.stores.postgres.vector_tables import VectorTable
from recollect.stores.postgres.vectors import literal
from recollect.stores.postgres.where import to_sql
from recollect.vocabulary import Found, Vector

INDEX_FROM = 10_000  # passages of a space: below, looking at all of them takes a few milliseconds
MOST_HALF = 4000  # numbers of a halfvec that pgvector can index
_EXACT_UP_TO = 20_000  # passages that pass a filter: so many are ranked without the index
_LOOKED_AT = 4  # times the hits wanted are taken from an index, to be scored again
_AT_LEAST = 200  # recall@10 of .98 at 100,000 passages of 384 numbers, where 100 gives .955
_MOST_EF = 1000  # pgvector's own bound

# A score is the cosine: vectors are of length one, and <#> is the negative inner product.
_NAMED = "JOIN passages p ON p.pid = v.pid JOIN memories m ON m.row = p.memory"


def search(
    cursor: Cursor,
    table: VectorTable,
    space: SpaceRow,
    vector: Vector,
    where: Filter | None,
    limit: int,
    *,
    indexed: bool,
) -> list[Found]:
    asked = literal(vector)
    wanted = min(max(limit * _LOOKED_AT, _AT_LEAST), max(_MOST_EF, limit))
    if indexed:
        _widen(cursor, wanted)
    condition, bindings = to_sql(where)
    if where is None and not indexed:
        wanted = limit
    near = _by_index(table) if indexed else "ORDER BY v.embedding <#> %(q)s::vector, v.pid"
    best = (
        f"SELECT v.pid, -(v.embedding <#> %(q)s::vector) AS score FROM {table.table} v "
        f"WHERE v.space = {space.id:d} {near} LIMIT {wanted:d}"
    )
    if where is None:  # only those that are handed out need a name
        best = f"SELECT * FROM ({best}) v ORDER BY v.score DESC, v.pid LIMIT {limit:d}"
    looked = _found(
        cursor,
        f"SELECT m.id, p.ordinal, v.score FROM ({best}) v {_NAMED} WHERE {_named(condition)} "
        "ORDER BY v.score DESC, v.pid",
        asked,
        bindings,
    )
    if where is None or len(looked) >= limit or space.passages <= wanted:
        return looked[:limit]
    if indexed and _passes_many(cursor, space, condition, bindings):
        return _found(
            cursor,
            f"SELECT m.id, p.ordinal, -(v.embedding <#> %(q)s::vector) AS score "
            f"FROM {table.table} v {_NAMED} WHERE v.space = {space.id:d} AND {_named(condition)} "
            f"{near} LIMIT {limit:d}",
            asked,
            bindings,
        )
    return _found(
        cursor,
        f"SELECT m.id, p.ordinal, -(v.embedding <#> %(q)s::vector) AS score FROM memories m "
        f"JOIN passages p ON p.memory = m.row JOIN {table.table} v ON v.pid = p.pid "
        f"AND v.space = m.space WHERE m.space = {space.id:d} AND {_named(condition)} "
        f"ORDER BY score DESC, v.pid LIMIT {limit:d}",
        asked,
        bindings,
    )


def _by_index(table: VectorTable) -> str:
    half = f"halfvec({table.dimension:d})"
    return f"ORDER BY v.embedding::{half} <=> %(q)s::{half}"


def _widen(cursor: Cursor, wanted: int) -> None:
    """Look so far in the graph, and go on where a filter leaves too little."""
    probes = max(10, wanted // 20)
    cursor.execute(
        f"SELECT set_config('hnsw.ef_search', '{min(wanted, _MOST_EF)}', true), "
        "set_config('hnsw.iterative_scan', 'relaxed_order', true), "
        f"set_config('ivfflat.probes', '{probes}', true), "
        "set_config('ivfflat.iterative_scan', 'relaxed_order', true)"
    )


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


def _found(cursor: Cursor, sql: str, asked: str, bindings: Sequence[object]) -> list[Found]:
    bound = {"q": asked, **{f"b{at}": value for at, value in enumerate(bindings)}}
    return [Found(*row) for row in cursor.execute(sql.encode(), bound)]


def scores_of(
    cursor: Cursor,
    table: VectorTable,
    spaces: Sequence[int],
    vector: Vector,
    keys: Sequence[tuple[str, int]],
) -> dict[tuple[str, int], float]:
    asked = [key for key in dict.fromkeys(keys) if "\0" not in key[0]]
    rows = cursor.execute(
        "SELECT m.id, p.ordinal, -(v.embedding <#> %s::vector) "
        "FROM unnest(%s::text[], %s::int[]) AS w (id, ordinal) JOIN memories m ON m.id = w.id "
        "JOIN passages p ON p.memory = m.row AND p.ordinal = w.ordinal "
        f"JOIN {table.table} v ON v.space = p.space AND v.pid = p.pid "
        "WHERE p.space = ANY(%s)".encode(),
        (
            literal(vector),
            [memory_id for memory_id, _ in asked],
            [ordinal for _, ordinal in asked],
            list(spaces),
        ),
    )
    return {(memory_id, ordinal): score for memory_id, ordinal, score in rows}


def usual(
    cursor: Cursor, table: VectorTable, space: SpaceRow, vector: Vector, *, sample: int
) -> list[float]:
    """How near passages of the space are, by a sample that is spread over it."""
    chosen = "true"
    if space.passages > sample:
        step = max(space.numbers // sample, 1)
        chosen = f"p.number = ANY(ARRAY(SELECT generate_series(1, {space.numbers:d}, {step:d})))"
    rows = cursor.execute(
        f"SELECT -(v.embedding <#> %s::vector) FROM passages p JOIN {table.table} v "
        f"ON v.space = p.space AND v.pid = p.pid "
        f"WHERE p.space = {space.id:d} AND {chosen}".encode(),
        (literal(vector),),
    )
    return [score for (score,) in rows]
