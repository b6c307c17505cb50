"""Where a filter can start: the memories that an index finds for it.

A tag, a source or an id that few have names few rows, and only those need be looked at. Without a
start every memory of the space is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import apsw

from bethink.filters import LIST_FIELDS, All, AnyOf, Condition, Filter, PartOf
from bethink.stores.sqlite import schema
from bethink.stores.sqlite.spaces import SpaceRow
from bethink.stores.sqlite.where import PARTS, to_sql

# What most memories have: no index holds these, and a look through the space finds them as soon.
USUAL = {"kind": "note", "source": "", "section": ""}
# A memory named by an index is looked up by itself, which takes some five times as long as the
# next one of a look through the space.
_WORTH = 5


class Start(NamedTuple):
    """A statement that gives rows of memories, all that can pass among them."""

    sql: str
    bindings: tuple[Any, ...]
    exact: bool  # all that it gives pass


def start(where: Filter | None, spaces: Sequence[int]) -> list[Start]:
    """The ways to start in these spaces; none where no index helps."""
    if isinstance(where, PartOf):
        return [Start(PARTS, (json.dumps(where.ids),), exact=True)]
    if isinstance(where, Condition):
        one = _start_of(where, spaces)
        return [] if one is None else [one]
    if isinstance(where, All):
        every = [one for part in where.parts for one in start(part, spaces)]
        return [one._replace(exact=one.exact and len(where.parts) == 1) for one in every]
    if isinstance(where, AnyOf):
        ways = [start(part, spaces) for part in where.parts]
        if all(ways):  # of each part the first: which is the shortest is not worth a look here
            some = [way[0] for way in ways]
            return [
                Start(
                    " UNION ".join(f"SELECT * FROM ({one.sql})" for one in some),
                    tuple(binding for one in some for binding in one.bindings),
                    all(one.exact for one in some),
                )
            ]
    return []


def _start_of(test: Condition, spaces: Sequence[int]) -> Start | None:
    if test.operator not in ("=", "in", "has"):
        return None
    values = test.value if isinstance(test.value, tuple) else (test.value,)
    if test.field in LIST_FIELDS:
        return Start(
            "SELECT DISTINCT l.memory AS row FROM json_each(?) v CROSS JOIN labels l "
            "ON l.value = v.value AND l.field = ?",
            (json.dumps(values), test.field),
            exact=True,
        )
    if test.field == "metadata" and all(map(_in_index, values)):
        said = [value if isinstance(value, str) else str(value).lower() for value in values]
        return Start(
            "SELECT DISTINCT v.memory AS row FROM json_each(?) j CROSS JOIN metadata_values v "
            "ON v.value = j.value AND v.key = ?",
            (json.dumps(said), test.key),
            exact=False,  # true, or "true"
        )
    if test.field == "id":
        sql = "SELECT DISTINCT o.row FROM json_each(?) v CROSS JOIN memories o ON o.id = v.value"
        return Start(sql, (json.dumps(values),), exact=True)
    if test.field in USUAL and USUAL[test.field] not in values:
        column = f"o.{test.field}"
        return Start(
            "SELECT DISTINCT o.row FROM json_each(?) s CROSS JOIN json_each(?) v "
            f"CROSS JOIN memories o ON o.space = s.value AND {column} = v.value "
            f"WHERE {column} <> '{USUAL[test.field]}'",
            (json.dumps(list(spaces)), json.dumps(values)),
            exact=True,
        )
    return None


def _in_index(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= schema.LONGEST_VALUE
    return isinstance(value, bool)


def best_start(
    reader: apsw.Connection, where: Filter | None, spaces: Sequence[SpaceRow]
) -> Start | None:
    """The one that leaves fewest, if it leaves so few that it is worth it."""
    if not schema.has_starts(reader):
        return None
    best: Start | None = None
    fewest = sum(space.memories for space in spaces) // _WORTH + 1
    for one in start(where, [space.id for space in spaces]):
        sql = f"SELECT count(*) FROM (SELECT 1 FROM ({one.sql}) LIMIT {fewest:d})"
        count: int = reader.execute(sql, one.bindings).get
        if count < fewest:
            best, fewest = one, count
    return best


def rows_passing(
    reader: apsw.Connection, where: Filter | None, spaces: Sequence[SpaceRow]
) -> tuple[str, list[Any]]:
    """A condition on `memories m`: of these spaces, and they pass."""
    condition, bindings = to_sql(where)
    condition = f"m.space IN (SELECT value FROM json_each(?)) AND {condition}"
    bindings = [json.dumps([space.id for space in spaces]), *bindings]
    begin = best_start(reader, where, spaces)
    if begin is None:
        return condition, bindings
    return f"m.row IN ({begin.sql}) AND {condition}", [*begin.bindings, *bindings]


def passing(reader: apsw.Connection, space: SpaceRow, where: Filter) -> list[int]:
    """The passages of a space whose memories pass."""
    begin = best_start(reader, where, [space])
    if begin is None:
        condition, bindings = to_sql(where)
        return _pids(
            reader,
            "memories m CROSS JOIN passages p ON p.memory = m.row "
            f"WHERE m.space = ? AND {condition}",
            (space.id, *bindings),
        )
    condition, bindings = ("1", []) if begin.exact else to_sql(where)
    return _pids(
        reader,
        f"({begin.sql}) o CROSS JOIN memories m ON m.row = o.row "
        f"CROSS JOIN passages p ON p.memory = m.row WHERE m.space = ? AND {condition}",
        (*begin.bindings, space.id, *bindings),
    )


def passing_among(reader: apsw.Connection, pids: Sequence[int], where: Filter) -> list[int]:
    """Those of these passages whose memories pass."""
    condition, bindings = to_sql(where)
    return _pids(
        reader,
        "json_each(?) j CROSS JOIN passages p ON p.pid = j.value "
        f"CROSS JOIN memories m ON m.row = p.memory WHERE {condition}",
        (json.dumps(list(pids)), *bindings),
    )


def _pids(reader: apsw.Connection, source: str, bindings: Sequence[Any]) -> list[int]:
    """As one text: to hand over a row for each passage takes three times as long."""
    text: str = reader.execute(f"SELECT json_group_array(p.pid) FROM {source}", bindings).get
    pids: list[int] = json.loads(text)
    return pids
