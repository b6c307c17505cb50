"""Which memories have a tag, an entity, a source or an unusual kind: an index of our own, by the
beginning of a hash. It finds those that may pass a filter; the filter itself has the last word.

Every function runs inside the caller's transaction; those that write hold the row of the space.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

from bethink.filters import LIST_FIELDS, All, AnyOf, Condition, Filter
from bethink.stores.postgres.arrays import bigints
from bethink.stores.postgres.database import Cursor
from bethink.vocabulary import Memory

USUAL_KIND = "note"  # most memories are; a label for each would find nothing sooner
# So many memories are ranked exactly before an index of vectors is asked: at 100,000 passages a
# thousand take as long as a look into the index.
FEW = 2_000
NONE = "false"


def label(field: str, value: str) -> int:
    """As the migration that brought them makes it, in SQL."""
    said = f"{field} {value}".encode("utf-8", "surrogatepass")
    return int.from_bytes(sha256(said).digest()[:8], "big", signed=True)


def labels_of(memory: Memory) -> list[int]:
    found = [label("tags", tag) for tag in memory.tags]
    found += [label("entities", name) for name in memory.entities]
    if memory.source:
        found.append(label("source", memory.source))
    if memory.kind != USUAL_KIND:
        found.append(label("kind", memory.kind))
    return found


def add(cursor: Cursor, memories: Iterable[tuple[int, int, Memory]]) -> None:
    """Each with its space and its row."""
    rows = {(space, one, row) for space, row, memory in memories for one in labels_of(memory)}
    if rows:
        cursor.execute(
            "INSERT INTO labels (space, label, memory) SELECT * FROM unnest(%b, %b, %b)",
            tuple(map(bigints, zip(*sorted(rows), strict=True))),
        )


def remove(cursor: Cursor, space: int, memories: Iterable[tuple[int, Memory]]) -> None:
    """As they were, each with its row."""
    pairs = [(one, row) for row, memory in memories for one in labels_of(memory)]
    if pairs:
        cursor.execute(
            f"DELETE FROM labels l USING unnest(%b, %b) w (label, memory) "
            f"WHERE l.space = {space:d} AND l.label = w.label AND l.memory = w.memory".encode(),
            tuple(map(bigints, zip(*pairs, strict=True))),
        )


def asked_for(where: Filter | None) -> list[int] | None:
    """Whatever passes the filter has one of these; None where that cannot be said."""
    if isinstance(where, Condition) and where.key is None:
        values = where.value if isinstance(where.value, tuple) else (where.value,)
        named = where.field in LIST_FIELDS and where.operator == "has"
        named |= where.field == "source" and where.operator in ("=", "in") and "" not in values
        named |= (
            where.field == "kind" and where.operator in ("=", "in") and USUAL_KIND not in values
        )
        return [label(where.field, str(value)) for value in values] if named else None
    if isinstance(where, All):
        every = [one for one in map(asked_for, where.parts) if one is not None]
        return min(every, key=len, default=None)
    if isinstance(where, AnyOf):
        parts = [asked_for(part) for part in where.parts]
        if all(part is not None for part in parts):
            return [one for part in parts for one in part or ()]
    return None


def few(cursor: Cursor, spaces: Sequence[int], where: Filter | None) -> str | None:
    """A condition on `memories m` that leaves a few, all that can pass the filter among them; NONE
    where there are none; None where there are many, or nobody knows."""
    asked = asked_for(where)
    if asked is None:
        return None
    held = f"FROM labels l WHERE l.space = ANY({_written(spaces)}) "
    held += f"AND l.label = ANY({_written(asked)})"
    row = cursor.execute(
        f"SELECT count(*) FROM (SELECT 1 {held} LIMIT {FEW + 1:d}) x".encode()
    ).fetchone()
    assert row is not None
    if not row[0]:
        return NONE
    # as an array the planner takes it for a handful, and looks each up
    return f"m.row = ANY(ARRAY(SELECT l.memory {held}))" if row[0] <= FEW else None


def _written(numbers: Sequence[int]) -> str:
    return f"'{{{','.join(str(one) for one in numbers)}}}'::bigint[]"
