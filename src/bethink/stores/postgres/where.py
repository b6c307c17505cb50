"""Translate the filter algebra to SQL over `memories m`. Names come from closed lists; every value
is bound, the key of a metadata field too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bethink.clock import from_micros
from bethink.filters import (
    LIST_FIELDS,
    NUMBER_FIELDS,
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

_COLUMNS = {name: f"m.{name}" for name in TEXT_FIELDS | NUMBER_FIELDS | TIME_FIELDS}
_OPEN = {"metadata": "m.metadata", "provenance": "m.provenance"}
_LISTS = {"tags": "m.tags", "entities": "m.entities"}
# What an id is a part of: all before its last dot, if there is one.
_WHOLE = "CASE WHEN strpos(m.id, '.') > 0 THEN regexp_replace(m.id, '[.][^.]*$', '') END"
_ORDER = {"=": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def to_sql(condition: Filter | None) -> tuple[str, list[Any]]:
    """A boolean expression that is never NULL, and its bindings."""
    if condition is None:
        return "true", []
    if isinstance(condition, All | AnyOf):
        pieces = [to_sql(part) for part in condition.parts]
        joiner = " AND " if isinstance(condition, All) else " OR "
        return "(" + joiner.join(p for p, _ in pieces) + ")", [b for _, bs in pieces for b in bs]
    if isinstance(condition, Not):
        sql, bindings = to_sql(condition.part)
        return f"(NOT {sql})", bindings
    if isinstance(condition, ValidAt):
        moment = from_micros(condition.micros)
        return (
            "(coalesce(m.valid_from <= %s, true) AND coalesce(m.valid_to > %s, true))",
            [moment, moment],
        )
    if isinstance(condition, PartOf):
        ids = [one for one in condition.ids if "\0" not in one]
        return f"(m.id = ANY(%s) OR coalesce({_WHOLE} = ANY(%s), false))", [ids, ids]
    if condition.key is not None:
        return _open_test(condition)
    if condition.field in LIST_FIELDS:
        return _list_test(condition)
    return _column_test(condition)


def _column_test(test: Condition) -> tuple[str, list[Any]]:
    column = _COLUMNS[test.field]
    if test.operator == "exists":
        if test.field in TEXT_FIELDS:
            return f"({column} <> '')", []
        return f"({column} IS NOT NULL)", []
    values: list[Any] = list(_values(test))
    kind = "text"
    if test.field in TIME_FIELDS:
        values, kind = [from_micros(value) for value in values], "timestamptz"
    elif test.field in NUMBER_FIELDS:
        # a counter ends where this has every whole number
        kind, column, values = "float8", f"{column}::float8", list(map(float, values))
    if test.operator == "in":
        return f"coalesce({column} = ANY(%s::{kind}[]), false)", [values]
    return f"coalesce({column} {_ORDER[test.operator]} %s::{kind}, false)", values


def _list_test(test: Condition) -> tuple[str, list[Any]]:
    column = _LISTS[test.field]
    if test.operator == "exists":
        return f"({column} <> '[]')", []
    return f"({column} ?| %s::text[])", [list(_values(test))]


def _open_test(test: Condition) -> tuple[str, list[Any]]:
    """Metadata and provenance: compared only with a value of the same type, as JSON has them."""
    document, key = f"({_OPEN[test.field]} -> %s)", test.key
    kind = f"coalesce(jsonb_typeof({document}), 'null')"
    if test.operator == "exists":
        return f"({kind} <> 'null' AND {document} <> '\"\"')", [key, key]
    pieces: list[str] = []
    bindings: list[Any] = []
    for name, values in _by_type(_values(test)).items():
        value = f"({_OPEN[test.field]} ->> %s)"
        cast = "text" if name == "string" else "numeric" if name == "number" else "boolean"
        collated = ' COLLATE "C"' if name == "string" else ""
        compare = f"= ANY(%s::{cast}[])"
        bound: Any = values
        if test.operator != "in":
            compare, bound = f"{_ORDER[test.operator]} %s::{cast}", values[0]
        # CASE: a cast must not be tried on what is of another type
        pieces.append(
            f"CASE WHEN {kind} = '{name}' THEN {value}::{cast}{collated} {compare} ELSE false END"
        )
        bindings += [key, key, bound]
    return "(" + " OR ".join(pieces) + ")", bindings


def _by_type(values: Sequence[Any]) -> dict[str, list[Any]]:
    """Values by the JSON type that they can equal."""
    groups: dict[str, list[Any]] = {}
    for value in values:
        if isinstance(value, bool):
            groups.setdefault("boolean", []).append(value)
        elif isinstance(value, str):
            groups.setdefault("string", []).append(value)
        else:
            groups.setdefault("number", []).append(repr(value))
    return groups


def _values(test: Condition) -> tuple[Any, ...]:
    return test.value if isinstance(test.value, tuple) else (test.value,)
