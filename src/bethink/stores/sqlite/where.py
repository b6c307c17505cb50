"""Translate the filter algebra to SQL over `memories m`. Names come from closed lists; every value
is bound, the JSON path of a metadata key too."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

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
# One binding for a whole list: SQLite takes 32,766 bindings, and filters may have more values.
_LISTED = "SELECT value FROM json_each(?)"
# Rows of memories and of their parts: a range of the index of ids for each ('/' comes after '.').
PARTS = (
    "SELECT DISTINCT o.row FROM json_each(?) j CROSS JOIN memories o "
    "ON o.id >= j.value AND o.id < j.value || '/' WHERE o.id = j.value "
    "OR (substr(o.id, length(j.value) + 1, 1) = '.' "
    "AND instr(substr(o.id, length(j.value) + 2), '.') = 0)"
)
# The same asked of one memory: what is left of its id without all behind its last dot.
_IS_PART = (
    f"(m.id IN ({_LISTED}) OR rtrim(m.id, replace(m.id, '.', '')) "
    "IN (SELECT value || '.' FROM json_each(?)))"
)
_NEVER_NULL = TEXT_FIELDS | NUMBER_FIELDS | {"created_at", "updated_at"}
_ORDER = {"=": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def to_sql(condition: Filter | None) -> tuple[str, list[Any]]:
    """A boolean expression that is never NULL, and its bindings."""
    if condition is None:
        return "1", []
    if isinstance(condition, All | AnyOf):
        pieces = [to_sql(part) for part in condition.parts]
        joiner = " AND " if isinstance(condition, All) else " OR "
        return "(" + joiner.join(p for p, _ in pieces) + ")", [b for _, bs in pieces for b in bs]
    if isinstance(condition, Not):
        sql, bindings = to_sql(condition.part)
        return f"NOT {sql}", bindings
    if isinstance(condition, ValidAt):
        return (
            "(ifnull(m.valid_from <= ?, 1) AND ifnull(m.valid_to > ?, 1))",
            [condition.micros, condition.micros],
        )
    if isinstance(condition, PartOf):
        return _IS_PART, [_json(condition.ids)] * 2
    if condition.key is not None:
        return _open_test(condition)
    if condition.field in LIST_FIELDS:
        return _list_test(condition)
    return _column_test(condition)


def _column_test(test: Condition) -> tuple[str, list[Any]]:
    column = _COLUMNS[test.field]
    if test.operator == "exists":
        return f"ifnull({column} <> '', 0)", []
    listed = test.operator == "in"
    compare = f"{column} " + (f"IN ({_LISTED})" if listed else f"{_ORDER[test.operator]} ?")
    if test.field not in _NEVER_NULL:
        compare = f"ifnull({compare}, 0)"
    return f"({compare})", [_json(_values(test)) if listed else test.value]


def _list_test(test: Condition) -> tuple[str, list[Any]]:
    inside = "EXISTS (SELECT 1 FROM labels l WHERE l.memory = m.row AND l.field = ?"
    if test.operator == "exists":
        return inside + ")", [test.field]
    return f"{inside} AND l.value IN ({_LISTED}))", [test.field, _json(_values(test))]


def _open_test(test: Condition) -> tuple[str, list[Any]]:
    """Metadata and provenance: compared only with a value of the same type, as JSON has them."""
    document, path = _OPEN[test.field], f'$."{test.key}"'
    kind = f"ifnull(json_type({document}, ?), 'null')"
    if test.operator == "exists":
        return (
            f"({kind} <> 'null' AND ifnull(json_extract({document}, ?) <> '', 1))",
            [path, path],
        )
    pieces: list[str] = []
    bindings: list[Any] = []
    compare = f"IN ({_LISTED})" if test.operator == "in" else f"{_ORDER[test.operator]} ?"
    for types, values in _by_type(_values(test)).items():
        if "true" in types:
            pieces.append(f"{kind} IN ({_LISTED})")
            bindings += [path, _json(["true" if value else "false" for value in values])]
            continue
        pieces.append(f"({kind} IN {types} AND json_extract({document}, ?) {compare})")
        bindings += [path, path, _json(values) if test.operator == "in" else values[0]]
    return "(" + " OR ".join(pieces) + ")", bindings


def _by_type(values: Sequence[Any]) -> dict[str, list[Any]]:
    """Values by the JSON types that they can equal."""
    groups: dict[str, list[Any]] = {}
    for value in values:
        if isinstance(value, bool):
            types = "('true', 'false')"
        else:
            types = "('text')" if isinstance(value, str) else "('integer', 'real')"
        groups.setdefault(types, []).append(value)
    return groups


def _values(test: Condition) -> tuple[Any, ...]:
    return test.value if isinstance(test.value, tuple) else (test.value,)


def _json(values: Sequence[Any]) -> str:
    return json.dumps(list(values))
