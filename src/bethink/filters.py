"""The filter algebra: one small language that every store translates.

As data (CLI, REST, MCP, Python alike)::

    {"kind": "decision"}                                  equality
    {"confidence": {">=": 0.8}, "tags": {"has": "db"}}    several fields: all must hold
    {"kind": {"in": ["decision", "pattern"]}}
    {"occurred_at": {">=": "2026-01-01", "<": "2026-02-01"}}
    {"metadata.author": "Li", "provenance.door": {"exists": true}}
    {"speaker": "Mei", "conversation": "standup"}         short for metadata.speaker and so on
    {"or": [{"kind": "task"}, {"not": {"source": "chat"}}]}

Fields and operators come from a closed list and values are always bound, so nothing that a caller
writes ever becomes part of a statement. A comparison with a missing value is false; `!=` is the
exact opposite of `=`. Numbers compare with numbers, text with text, true is not 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from bethink.checks import check_encodable, shown
from bethink.clock import from_micros, parse_moment, to_micros
from bethink.errors import InvalidFilter, InvalidInput
from bethink.vocabulary import Memory

__all__ = [
    "All",
    "AnyOf",
    "Condition",
    "Filter",
    "Not",
    "Operator",
    "PartOf",
    "Scalar",
    "ValidAt",
    "in_words",
    "matches",
    "parse_filter",
]

Operator = Literal["=", "<", "<=", ">", ">=", "in", "has", "exists"]
Scalar: TypeAlias = str | float | int | bool

TEXT_FIELDS: Final = frozenset({"id", "kind", "section", "source"})
NUMBER_FIELDS: Final = frozenset({"confidence", "reinforcement", "access_count"})
TIME_FIELDS: Final = frozenset(
    {"occurred_at", "created_at", "updated_at", "valid_from", "valid_to"}
)
LIST_FIELDS: Final = frozenset({"tags", "entities"})
OPEN_FIELDS: Final = frozenset({"metadata", "provenance"})  # followed by .key
# Short names for keys of the metadata.
METADATA_NAMES: Final = frozenset({"speaker", "role", "conversation"})

MAX_CONDITIONS = 64
_MAX_DEPTH = 8
# Letters, digits, _ and - in any language: readable, and safe inside a quoted JSON path.
_KEY = r"[\w-]{1,64}"
# As other query languages write the operators; theirs may begin with `$` too.
_SYNONYMS: Final[Mapping[str, str]] = {
    "==": "=", "eq": "=", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=",
    "in": "in", "has": "has", "contains": "has", "exists": "exists",
}  # fmt: skip
_ORDERED: Final = frozenset({"<", "<=", ">", ">="})


class Condition(NamedTuple):
    """One condition on one field. For `metadata.x` the key is kept apart from the field's name."""

    field: str
    key: str | None
    operator: Operator
    value: Scalar | tuple[Scalar, ...]


class All(NamedTuple):
    parts: tuple[Filter, ...]


class AnyOf(NamedTuple):
    parts: tuple[Filter, ...]


class Not(NamedTuple):
    part: Filter


class ValidAt(NamedTuple):
    """Holds at a moment: `valid_from` ≤ moment < `valid_to`, an open end holding for ever."""

    micros: int


class PartOf(NamedTuple):
    """One of these memories, or a part of one: its id is theirs, a dot, and more without a dot."""

    ids: tuple[str, ...]


Filter: TypeAlias = Condition | All | AnyOf | Not | ValidAt | PartOf


def parse_filter(data: Mapping[str, Any] | None) -> Filter | None:
    """Turn the data form into a filter, or say what is wrong with it."""
    if data is None or (isinstance(data, Mapping) and not data):
        return None
    if not isinstance(data, Mapping):  # of the wrong type, as any other argument may be
        raise InvalidInput(str(_no_object(data)))
    try:
        return _parse(data, depth=0, count=[0])
    except InvalidFilter:
        raise
    except InvalidInput as e:  # a moment or a text inside of it
        raise InvalidFilter(str(e)) from None


def _no_object(data: object) -> InvalidFilter:
    return InvalidFilter(
        f'where: expected an object like {{"kind": "decision"}}, got {shown(data)}'
    )


def _parse(data: Any, *, depth: int, count: list[int]) -> Filter:
    if not isinstance(data, Mapping) or not data:
        raise _no_object(data)
    if depth > _MAX_DEPTH:
        raise InvalidFilter(f"the filter is nested deeper than {_MAX_DEPTH} levels; flatten it")
    parts: list[Filter] = []
    for given, value in data.items():
        name = given[1:] if given in ("$and", "$or", "$not") else given
        if name in ("and", "or"):
            if not isinstance(value, list) or not value:
                raise InvalidFilter(f'"{name}" takes a list of filters, got {shown(value)}')
            inner = tuple(_parse(v, depth=depth + 1, count=count) for v in value)
            parts.append(All(inner) if name == "and" else AnyOf(inner))
        elif name == "not":
            parts.append(Not(_parse(value, depth=depth + 1, count=count)))
        elif name in OPEN_FIELDS and isinstance(value, Mapping) and value:
            for key, wanted in value.items():
                parts.extend(_conditions(f"{name}.{key}", wanted))
        else:
            parts.extend(_conditions(name, value))
    count[0] += len(parts)
    if count[0] > MAX_CONDITIONS:
        raise InvalidFilter(f"the filter has more than {MAX_CONDITIONS} conditions; simplify it")
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def _conditions(name: Any, value: Any) -> list[Filter]:
    field, key = _field(name)
    if isinstance(value, list | tuple | set | frozenset):
        value = {"in": value}
    elif not isinstance(value, Mapping):
        value = {"has" if field in LIST_FIELDS else "=": value}
    if not value:
        raise InvalidFilter(f'{name}: an empty condition; write e.g. {{"=": "…"}}')
    return [_condition(name, field, key, operator, v) for operator, v in value.items()]


def _field(name: Any) -> tuple[str, str | None]:
    known = TEXT_FIELDS | NUMBER_FIELDS | TIME_FIELDS | LIST_FIELDS
    if name in known:
        return str(name), None
    if name in METADATA_NAMES:
        return "metadata", str(name)
    if isinstance(name, str):
        field, dot, key = name.partition(".")
        if field in OPEN_FIELDS and dot:
            if re.fullmatch(_KEY, key):
                return field, key
            raise InvalidFilter(
                f"{name[:80]!r}: a key of {field} has up to 64 letters, digits, '_' or '-'"
            )
    if name in ("space", "spaces"):
        raise InvalidFilter(f"{name} is no field of a filter; name spaces with the argument spaces")
    raise InvalidFilter(
        f"unknown filter field {shown(name)}; known: {', '.join(sorted(known | METADATA_NAMES))}, "
        "metadata.<key>, provenance.<key>"
    )


def _condition(name: str, field: str, key: str | None, operator: Any, value: Any) -> Filter:
    if isinstance(operator, str):
        operator = _SYNONYMS.get(operator.removeprefix("$"), operator)
    if operator == "!=":
        return Not(_condition(name, field, key, "has" if field in LIST_FIELDS else "=", value))
    if operator == "exists":
        if not isinstance(value, bool):
            raise InvalidFilter(f"{name}: 'exists' takes true or false, got {shown(value)}")
        test = Condition(field, key, "exists", True)
        return test if value else Not(test)
    if operator == "in":
        if isinstance(value, set | frozenset):
            value = sorted(value, key=repr)
        if not isinstance(value, list | tuple) or not value or len(value) > 256:
            raise InvalidFilter(f"{name}: 'in' takes a list of 1 to 256 values")
        return Condition(field, key, "in", tuple(_value(name, field, v) for v in value))
    allowed = {"has"} if field in LIST_FIELDS else {"="} | _ORDERED
    if operator not in allowed:
        choices = ", ".join(sorted(allowed | {"!=", "in", "exists"}))
        raise InvalidFilter(f"{name}: unknown operator {shown(operator)}; use one of {choices}")
    checked = _value(name, field, value)
    if operator in _ORDERED and isinstance(checked, bool):
        raise InvalidFilter(f"{name}: true and false have no order; use '='")
    return Condition(field, key, operator, checked)


def _value(name: str, field: str, value: Any) -> Scalar:
    if field in TIME_FIELDS:
        return to_micros(parse_moment(value, name=name))
    if field in TEXT_FIELDS | LIST_FIELDS:
        if isinstance(value, str):
            return check_encodable(value, name=name)
        raise InvalidFilter(f"{name}: expected text, got {shown(value)}")
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and (
        value != value or abs(value) > 1e300 or (abs(value) >= 2**63 and isinstance(value, int))
    ):
        raise InvalidFilter(
            f"{name}: {shown(value)} is no usable number; give one that a computer can compare"
        )
    if field in NUMBER_FIELDS:
        if number:
            return value  # type: ignore[no-any-return]  # narrowed above through `number`
        raise InvalidFilter(f"{name}: expected a number, got {shown(value)}")
    if isinstance(value, str):
        return check_encodable(value, name=name)
    if number or isinstance(value, bool):
        return value  # type: ignore[no-any-return]
    raise InvalidFilter(f"{name}: expected text, a number, true or false, got {shown(value)}")


# What a filter means, in Python. Stores translate it; this is the reference they are held to.

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def matches(memory: Memory, condition: Filter | None) -> bool:
    """Does this memory pass the filter?"""
    if condition is None:
        return True
    if isinstance(condition, All):
        return all(matches(memory, part) for part in condition.parts)
    if isinstance(condition, AnyOf):
        return any(matches(memory, part) for part in condition.parts)
    if isinstance(condition, Not):
        return not matches(memory, condition.part)
    if isinstance(condition, ValidAt):
        start, end = memory.valid_from, memory.valid_to
        return (start is None or to_micros(start) <= condition.micros) and (
            end is None or to_micros(end) > condition.micros
        )
    if isinstance(condition, PartOf):
        return memory.id in condition.ids or memory.id.rpartition(".")[0] in condition.ids
    return _passes(memory, condition)


def _passes(memory: Memory, test: Condition) -> bool:
    if test.key is not None:
        actual = getattr(memory, test.field).get(test.key)
        if isinstance(actual, list | dict):
            return test.operator == "exists"
    else:
        actual = getattr(memory, test.field)
    if test.field in LIST_FIELDS:
        if test.operator == "exists":
            return bool(actual)
        wanted = test.value if isinstance(test.value, tuple) else (test.value,)
        return any(value in actual for value in wanted)
    if test.operator == "exists":
        return actual is not None and actual != ""
    if isinstance(actual, datetime):
        actual = to_micros(actual)
    if test.operator == "in":
        assert isinstance(test.value, tuple)
        return any(_same_type(actual, v) and actual == v for v in test.value)
    if not _same_type(actual, test.value):
        return False
    return _COMPARE[test.operator](actual, test.value)


def _same_type(actual: object, wanted: object) -> bool:
    if isinstance(actual, bool) or isinstance(wanted, bool):
        return isinstance(actual, bool) and isinstance(wanted, bool)
    if isinstance(actual, int | float):
        return isinstance(wanted, int | float)
    return isinstance(actual, str) and isinstance(wanted, str)


def in_words(condition: Filter) -> str:
    """What a filter asks for, for people."""
    if isinstance(condition, All | AnyOf):
        between = " and " if isinstance(condition, All) else " or "
        return f"({between.join(map(in_words, condition.parts))})"
    if isinstance(condition, Not):
        return f"not {in_words(condition.part)}"
    if isinstance(condition, ValidAt):
        return f"valid at {from_micros(condition.micros).isoformat()}"
    if isinstance(condition, PartOf):
        return f"part of ({', '.join(condition.ids)})"
    name = condition.field if condition.key is None else f"{condition.field}.{condition.key}"
    if condition.operator == "exists":
        return f"{name} to be there"
    value: Any = condition.value
    values = value if isinstance(value, tuple) else (value,)
    if condition.field in TIME_FIELDS:
        values = tuple(from_micros(one).isoformat() for one in values)
    told = ", ".join(map(str, values))
    return f"{name} {condition.operator} {f'({told})' if condition.operator == 'in' else told}"


if not TYPE_CHECKING:  # a type checker would accept any name

    def __getattr__(name: str) -> object:
        from bethink.lazy_exports import no_such_name

        raise no_such_name(__name__, name)
