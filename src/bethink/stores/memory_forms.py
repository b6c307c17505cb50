"""A memory as JSON-ready values and back, for copies that are kept outside the store."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bethink.clock import from_micros, to_micros
from bethink.vocabulary import Memory

VERSION = 1  # of this form: whoever finds another one treats the copy as missing


def as_values(memory: Memory) -> list[Any]:
    return [
        memory.id,
        memory.space,
        memory.text,
        memory.kind,
        memory.section,
        list(memory.tags),
        list(memory.entities),
        memory.source,
        dict(memory.provenance),
        memory.confidence,
        _micros(memory.occurred_at),
        to_micros(memory.created_at),
        to_micros(memory.updated_at),
        _micros(memory.valid_from),
        _micros(memory.valid_to),
        memory.reinforcement,
        memory.access_count,
        dict(memory.metadata),
    ]


def from_values(values: list[Any]) -> Memory:
    return Memory(
        id=values[0],
        space=values[1],
        text=values[2],
        kind=values[3],
        section=values[4],
        tags=tuple(values[5]),
        entities=tuple(values[6]),
        source=values[7],
        provenance=values[8],
        confidence=values[9],
        occurred_at=_moment(values[10]),
        created_at=from_micros(values[11]),
        updated_at=from_micros(values[12]),
        valid_from=_moment(values[13]),
        valid_to=_moment(values[14]),
        reinforcement=values[15],
        access_count=values[16],
        metadata=values[17],
    )


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)
