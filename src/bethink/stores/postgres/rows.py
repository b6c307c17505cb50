"""Between a `Memory` and its row, with the row's checksum."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from bethink.clock import from_micros, to_micros
from bethink.stores.damage import Damage, RowDamaged, sealed, unsealed
from bethink.stores.postgres.arrays import Array, bigints, floats, jsons, moments, texts
from bethink.vocabulary import Memory, OpenMemory

# column: how a column of it goes to the server
COLUMNS: Mapping[str, Callable[[Any], Array]] = {
    "id": texts,
    "content": texts,
    "kind": texts,
    "section": texts,
    "tags": jsons,
    "entities": jsons,
    "source": texts,
    "provenance": jsons,
    "confidence": floats,
    "occurred_at": moments,
    "created_at": moments,
    "updated_at": moments,
    "valid_from": moments,
    "valid_to": moments,
    "reinforcement": bigints,
    "access_count": bigints,
    "metadata": jsons,
}
_TIMES = ("occurred_at", "created_at", "updated_at", "valid_from", "valid_to")
_COUNTERS = ("reinforcement", "access_count")  # they change without the text


def checksum(alias: str) -> str:
    """Return the SQL of a row's checksum: over its space and all that it says. Computed by the
    server, since it changes how JSON is written."""
    said = [f"{alias}.space::text"]
    for name, array in COLUMNS.items():
        column = f"{alias}.{name}"
        if name in _TIMES:
            said.append(f"coalesce(extract(epoch FROM {column})::text, '-')")
        elif array is floats:
            said.append(f"encode(float8send({column}), 'hex')")
        elif array is jsons:
            said.append(f"{column}::text")
        elif name not in _COUNTERS:
            said.append(column)
    joined = f"concat_ws(chr(31), {', '.join(said)})"
    return f"substr(sha256(convert_to({joined}, 'UTF8')), 1, 8)"


def is_sound(alias: str) -> str:
    """Return the SQL that is true for a row whose checksum matches, or that has none yet."""
    return f"({alias}.checksum IS NULL OR {alias}.checksum = {checksum(alias)})"


SELECTED = ", ".join(("s.name", *(f"m.{name}" for name in COLUMNS), is_sound("m")))


def dump(value: Any) -> str:
    """JSON as it stands in a column."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def to_row(memory: Memory) -> tuple[Any, ...]:
    """Values in the order of `COLUMNS`."""
    return (
        memory.id,
        memory.text,
        memory.kind,
        memory.section,
        dump(memory.tags) if memory.tags else "[]",
        dump(memory.entities) if memory.entities else "[]",
        memory.source,
        dump(dict(memory.provenance)) if memory.provenance else "{}",
        memory.confidence,
        memory.occurred_at,
        memory.created_at,
        memory.updated_at,
        memory.valid_from,
        memory.valid_to,
        memory.reinforcement,
        memory.access_count,
        dump(dict(memory.metadata)) if memory.metadata else "{}",
    )


def from_row(row: Sequence[Any]) -> Memory:
    """Return the memory of values in the order of `SELECTED`. Raise RowDamaged if they are not
    those that were stored."""
    if not row[-1]:
        raise RowDamaged(row[0], row[1])
    return from_values(row)


def sound_rows(rows: Iterable[Sequence[Any]], damage: Damage) -> Iterator[Memory]:
    """Yield the memory of each row; note and leave out those that are damaged."""
    for row in rows:
        try:
            yield from_row(row)
        except RowDamaged as e:
            damage.note(e.space, e.record)


def from_values(row: Sequence[Any]) -> Memory:
    """Return the memory of these values, without a look at a checksum."""
    made: Any = OpenMemory()
    made.space, made.id, made.text, made.kind, made.section = row[:5]
    tags, entities, made.source, made.provenance, made.confidence = row[5:10]
    made.tags, made.entities = tuple(tags), tuple(entities)
    made.occurred_at, made.created_at, made.updated_at = row[10:13]
    made.valid_from, made.valid_to = row[13:15]
    made.reinforcement, made.access_count, made.metadata = row[15:18]
    made.__class__ = Memory  # of the same shape, and frozen from here on
    memory: Memory = made
    return memory


def snapshot(memory: Memory) -> str:
    """A memory as JSON, for the history and for what waits before it is remembered."""
    values = {name: getattr(memory, name) for name in Memory.__slots__}
    for name in _TIMES:
        values[name] = None if values[name] is None else to_micros(values[name])
    for name in ("provenance", "metadata"):
        values[name] = dict(values[name])
    return sealed(dump(values))


def from_snapshot(text: str) -> Memory:
    """Return the memory. Raise ValueError if the text is not what was stored."""
    values = json.loads(unsealed(text))
    for name in _TIMES:
        values[name] = None if values[name] is None else from_micros(values[name])
    for name in ("tags", "entities"):
        values[name] = tuple(values[name])
    return Memory(**values)
