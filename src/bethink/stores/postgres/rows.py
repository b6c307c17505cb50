"""Between a `Memory` and its row."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bethink.clock import from_micros, to_micros
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
SELECTED = "s.name, " + ", ".join(f"m.{name}" for name in COLUMNS)
_TIMES = ("occurred_at", "created_at", "updated_at", "valid_from", "valid_to")


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
    """A memory from values in the order of `SELECTED`."""
    made: Any = OpenMemory()
    made.space, made.id, made.text, made.kind, made.section = row[:5]
    tags, entities, made.source, made.provenance, made.confidence = row[5:10]
    made.tags, made.entities = tuple(tags), tuple(entities)
    made.occurred_at, made.created_at, made.updated_at = row[10:13]
    made.valid_from, made.valid_to = row[13:15]
    made.reinforcement, made.access_count, made.metadata = row[15:]
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
    return dump(values)


def from_snapshot(text: str) -> Memory:
    values = json.loads(text)
    for name in _TIMES:
        values[name] = None if values[name] is None else from_micros(values[name])
    for name in ("tags", "entities"):
        values[name] = tuple(values[name])
    return Memory(**values)
