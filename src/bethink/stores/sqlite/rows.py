"""Between a `Memory` and its row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import apsw

from bethink.clock import from_micros, to_micros
from bethink.vocabulary import Memory, OpenMemory

COLUMNS = (
    "id, text, kind, section, tags, entities, source, provenance, confidence, occurred_at, "
    "created_at, updated_at, valid_from, valid_to, reinforcement, access_count, metadata"
)
SELECTED = "s.name, " + ", ".join(f"m.{name}" for name in COLUMNS.split(", "))


def dump(value: Any) -> str:
    """JSON as it stands in a column."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def to_row(memory: Memory) -> tuple[Any, ...]:
    """Values in the order of `COLUMNS`."""
    created = to_micros(memory.created_at)
    unchanged = memory.updated_at is memory.created_at  # as it is when it is told
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
        _micros(memory.occurred_at),
        created,
        created if unchanged else to_micros(memory.updated_at),
        _micros(memory.valid_from),
        _micros(memory.valid_to),
        memory.reinforcement,
        memory.access_count,
        dump(dict(memory.metadata)) if memory.metadata else "{}",
    )


def from_row(row: tuple[Any, ...]) -> Memory:
    """A memory from values in the order of `SELECTED`."""
    made: Any = OpenMemory()
    made.space, made.id, made.text, made.kind, made.section = row[:5]
    tags, entities, made.source, provenance, made.confidence = row[5:10]
    occurred_at, created_at, updated_at, valid_from, valid_to = row[10:15]
    made.reinforcement, made.access_count, metadata = row[15:]
    made.tags = () if tags == "[]" else tuple(json.loads(tags))
    made.entities = () if entities == "[]" else tuple(json.loads(entities))
    made.provenance = {} if provenance == "{}" else json.loads(provenance)
    made.metadata = {} if metadata == "{}" else json.loads(metadata)
    made.occurred_at = _moment(occurred_at)
    made.created_at = created = from_micros(created_at)
    made.updated_at = created if updated_at == created_at else from_micros(updated_at)
    made.valid_from = _moment(valid_from)
    made.valid_to = _moment(valid_to)
    made.__class__ = Memory  # of the same shape, and frozen from here on
    memory: Memory = made
    return memory


def readable(
    connection: apsw.Connection, numbers: Sequence[int], damaged: list[str] | None
) -> list[Memory]:
    """Memories by row number, in that order. A text that is no UTF-8 any more raises, or with a
    list given is named there and passed over."""
    sql = (
        f"SELECT m.row, {SELECTED} FROM json_each(?) j JOIN memories m ON m.row = j.value "
        "JOIN spaces s ON s.id = m.space"
    )
    try:
        found = {row[0]: row for row in connection.execute(sql, (dump(list(numbers)),))}
        return [from_row(found[number][1:]) for number in numbers if number in found]
    except ValueError:  # UnicodeDecodeError, or JSON that is none
        if damaged is None:
            raise
    memories: list[Memory] = []
    for number in numbers:
        try:
            rows = list(connection.execute(sql, (dump([number]),)))
            memories += [from_row(row[1:]) for row in rows]
        except ValueError:
            damaged.append(f"row {number}")
    return memories


def snapshot(memory: Memory) -> str:
    """A memory as JSON, for the history and for what waits before it is remembered."""
    return dump([memory.space, *to_row(memory)])


def from_snapshot(text: str) -> Memory:
    return from_row(tuple(json.loads(text)))
