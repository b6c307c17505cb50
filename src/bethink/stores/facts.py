"""What engines on servers keep of a memory so that they can filter, and which filters that answers.

What is asked by equality ("kind is task", "tagged 数据库", "metadata.author is there") becomes a
fact: a short hash of name, type and value. All facts of a memory stand in one field, so an engine
needs one index for them whatever keys people invent, types are never mixed up, no value is too
long, and nothing that can be read lies on the server. Numbers and times also stand by themselves,
for "less" and "more". Texts have no order there: the truth filters by that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import blake2b
from math import isfinite
from typing import Final

from bethink.clock import to_micros
from bethink.filters import (
    LIST_FIELDS,
    OPEN_FIELDS,
    TEXT_FIELDS,
    TIME_FIELDS,
    All,
    AnyOf,
    Condition,
    Filter,
    Not,
    PartOf,
    ValidAt,
)
from bethink.vocabulary import Memory

NUMBERS: Final = ("confidence",)
TIMES: Final = tuple(sorted(TIME_FIELDS))
# When it holds, with open ends closed far away: asked at almost every recall.
HOLDS_FROM, HOLDS_UNTIL = "holds_from", "holds_until"
_FAR = 2**53
_PART_OF = "part of"


def facts_of(memory: Memory) -> list[str]:
    return sorted(set(_facts(memory)))


def _facts(memory: Memory) -> Iterator[str]:
    for name in TEXT_FIELDS:
        value = getattr(memory, name)
        yield fact(name, value)
        if value != "":
            yield fact(name)
    for name in LIST_FIELDS:
        values = getattr(memory, name)
        if values:
            yield fact(name)
        for value in values:
            yield fact(name, value)
    for name in OPEN_FIELDS:
        for key, value in getattr(memory, name).items():
            if value is None or value == "":
                if value == "":
                    yield fact(f"{name}.{key}", "")
                continue
            yield fact(f"{name}.{key}")
            if isinstance(value, str | bool | int | float):
                yield fact(f"{name}.{key}", value)
    for name in (*NUMBERS, *TIMES):
        if getattr(memory, name) is not None:
            yield fact(name)
    yield fact(_PART_OF, memory.id)
    yield fact(_PART_OF, memory.id.rpartition(".")[0])


def numbers_of(memory: Memory) -> dict[str, float | int]:
    """What can be compared, by field; times in microseconds."""
    found: dict[str, float | int] = {name: float(getattr(memory, name)) for name in NUMBERS}
    for name in TIMES:
        moment: datetime | None = getattr(memory, name)
        if moment is not None:
            found[name] = to_micros(moment)
    found[HOLDS_FROM] = found.get("valid_from", -_FAR)
    found[HOLDS_UNTIL] = found.get("valid_to", _FAR)
    return found


def fact(name: str, value: str | float | None = None) -> str:
    """That a field is there, or that it has this value."""
    if value is None:
        told = "?"
    elif isinstance(value, bool):
        told = f"b{value}"
    elif isinstance(value, str):
        told = f"s{value}"
    else:
        told = f"n{_number(value)}"
    said = f"{name}\0{told}".encode("utf-8", "surrogatepass")
    return blake2b(said, digest_size=8).hexdigest()


def _number(value: float) -> str:
    """The same for 1 and 1.0, and never for two numbers that differ."""
    if isinstance(value, int):
        return str(value)
    return str(int(value)) if isfinite(value) and value.is_integer() else repr(value)


# What a filter asks for


def expresses(where: Filter) -> bool:
    """Can this be asked of facts and numbers, exactly?"""
    if isinstance(where, All | AnyOf):
        return all(map(expresses, where.parts))
    if isinstance(where, Not):
        return expresses(where.part)
    if isinstance(where, ValidAt):
        return abs(where.micros) < _FAR
    if isinstance(where, PartOf) or where.operator in ("has", "exists"):
        return True
    if where.field in NUMBERS or where.field in TIME_FIELDS:
        return all(abs(value) < _FAR for value in _numbers_asked(where))
    return where.operator in ("=", "in")


def facts_asked(where: Condition | PartOf) -> list[str] | None:
    """Any of these must be a fact; None where numbers are asked for (`ranges_asked`)."""
    if isinstance(where, PartOf):
        return [fact(_PART_OF, name) for name in where.ids]
    name = where.field if where.key is None else f"{where.field}.{where.key}"
    if where.operator == "exists":
        return [fact(name)]
    if where.field in NUMBERS or where.field in TIME_FIELDS:
        return None
    values = where.value if isinstance(where.value, tuple) else (where.value,)
    return [fact(name, value) for value in values]


def ranges_asked(where: Condition) -> list[Mapping[str, float]]:
    """The field's number must lie in any of these, given as gt, gte, lt, lte."""
    names = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}
    if where.operator in names:
        return [{names[where.operator]: value} for value in _numbers_asked(where)]
    return [{"gte": value, "lte": value} for value in _numbers_asked(where)]


def _numbers_asked(where: Condition) -> list[float]:
    values = where.value if isinstance(where.value, tuple) else (where.value,)
    return [value for value in values if isinstance(value, int | float)]
