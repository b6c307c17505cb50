"""Between a `Memory` and its row."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import apsw

from recollect.clock import from_micros, to_micros
from recollect.vocabulary import Json, Memory

COLUMNS = (
    "id, text, kind, section, tags, entities, source, provenance, confidence, occurred_at, "
    "created_at, updated_at, valid_from, valid_to, reinforcement, access_count, metadata"
)
SELECTED = "s.name, " + ", ".join(f"m.{name}" for name in COLUMNS.split(", "))


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _json_list(values: tuple[str, ...]) -> str:
    return _dump(values) if values else "[]"


def _json_object(values: Mapping[str, Json]) -> str:
    return _dump(dict(values)) if values else "{}"


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def to_row(memory: Memory) -> tuple[Any, ...]:
    """Values in the order of `COLUMNS`."""
    return (
        memory.id,
        memory.text,
        memory.kind,
        memory.section,
        _json_list(memory.tags),
        _json_list(memory.entities),
        memory.source,
        _json_object(memory.provenance),
        memory.confidence,
        _micros(memory.occurred_at),
        to_micros(memory.created_at),
        to_micros(memory.updated_at),
        _micros(memory.valid_from),
        _micros(memory.valid_to),
        memory.reinforcement,
        memory.access_count,
        _json_object(memory.metadata),
    )


def from_row(row: tuple[Any, ...]) -> Memory:
    """A memory from values in the order of `SELECTED`."""
    tags, entities, provenance, metadata = row[5], row[6], row[8], row[17]
    created = from_micros(row[11])
    return Memory(
        space=row[0],
        id=row[1],
        text=row[2],
        kind=row[3],
        section=row[4],
        tags=() if tags == "[]" else tuple(json.loads(tags)),
        entities=() if entities == "[]" else tuple(json.loads(entities)),
        source=row[7],
        provenance={} if provenance == "{}" else json.loads(provenance),
        confidence=row[9],
        occurred_at=_moment(row[10]),
        created_at=created,
        updated_at=created if row[12] == row[11] else from_micros(row[12]),  # mostly unrevised
        valid_from=_moment(row[13]),
        valid_to=_moment(row[14]),
        reinforcement=row[15],
        access_count=row[16],
        metadata={} if metadata == "{}" else json.loads(metadata),
    )


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
        found = {row[0]: row for row in connection.execute(sql, (_dump(list(numbers)),))}
        return [from_row(found[number][1:]) for number in numbers if number in found]
    except ValueError:  # UnicodeDecodeError, or JSON that is none
        if damaged is None:
            raise
    memories: list[Memory] = []
    for number in numbers:
        try:
            rows = list(connection.execute(sql, (_dump([number]),)))
            memories += [from_row(row[1:]) for row in rows]
        except ValueError:
            damaged.append(f"row {number}")
    return memories


def snapshot(memory: Memory) -> str:
    """A memory as JSON, for the history."""
    return _dump([memory.space, *to_row(memory)])


def from_snapshot(text: str) -> Memory:
    return from_row(tuple(json.loads(text)))
