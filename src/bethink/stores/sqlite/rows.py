"""Between a `Memory` and its row, with the row's checksum."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, TypeVar
from zlib import crc32

import apsw

from bethink.clock import from_micros, to_micros
from bethink.stores.damage import Damage, RowDamaged, sealed, unsealed
from bethink.vocabulary import Memory, OpenMemory

_T = TypeVar("_T")

COLUMNS = (
    "id, text, kind, section, tags, entities, source, provenance, confidence, occurred_at, "
    "created_at, updated_at, valid_from, valid_to, reinforcement, access_count, metadata"
)
_VALUES = "s.name, " + ", ".join(f"m.{name}" for name in COLUMNS.split(", "))
_SELECTED = f"{_VALUES}, m.checksum"
_SELECTED_BEFORE = f"{_VALUES}, NULL"
_WITH_CHECKSUMS = 4  # the schema; see `schema.py`


NO_SUM = -1  # what no row has: CRC-32 is never negative


def selected(connection: apsw.Connection) -> str:
    """Return what `from_row` needs of `memories m JOIN spaces s`. A file that may only be read may
    be older than checksums."""
    version: int = connection.pragma("user_version")
    return _SELECTED if version >= _WITH_CHECKSUMS else _SELECTED_BEFORE


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


def checksum(row: Sequence[Any]) -> int:
    """Return the checksum of values in the order of `selected`, without the last: over the space
    and all that the memory says, not over its counters."""
    return crc32(
        "\x1f".join(
            (
                *row[:9],
                str(row[9]),
                str(row[10]),
                str(row[11]),
                str(row[12]),
                str(row[13]),
                str(row[14]),
                row[17],
            )
        ).encode("utf-8", "surrogatepass")
    )


def checksum_of(memory: Memory) -> int:
    """Return the checksum that the memory's row must have."""
    row = to_row(memory)
    return checksum((memory.space, *row[:8], float(row[8]), *row[9:]))


def from_row(row: tuple[Any, ...]) -> Memory:
    """Return the memory of values in the order of `selected`. Raise RowDamaged if they are not
    those that were stored; a row without a checksum was written before there were any."""
    told = row[18]
    if told is not None:
        try:
            same = checksum(row) == told
        except TypeError:  # a column changed its type
            same = False
        if not same:
            raise RowDamaged(str(row[0]), str(row[1]))
    return from_values(row[:18])


def from_values(row: tuple[Any, ...]) -> Memory:
    """Return the memory of these values, without a look at a checksum."""
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


_WHO = "SELECT CAST(s.name AS BLOB), CAST(m.id AS BLOB) FROM {} JOIN spaces s ON s.id = m.space"
BY_ROW = "json_each(?) j JOIN memories m ON m.row = j.value"
BY_ID = "json_each(?) j JOIN memories m ON m.id = j.value"
BY_PASSAGE = (
    "json_each(?) j CROSS JOIN passages p ON p.pid = j.value JOIN memories m ON m.row = p.memory"
)


def sound_rows(
    connection: apsw.Connection,
    source: str,
    keys: Sequence[object],
    make: Callable[[tuple[Any, ...]], _T],
    damage: Damage,
    *,
    first: str = "",
) -> Iterator[_T]:
    """Yield what `make` makes of each row with one of these keys; note and leave out those that
    are damaged. `source` is one of the `BY_…`; `first`: what to select before the memory."""
    before = f"{first}, " if first else ""
    sql = f"SELECT {before}{selected(connection)} FROM {source} JOIN spaces s ON s.id = m.space"
    for row in _rows(connection, sql, keys, source, damage):
        try:
            yield make(row)
        except RowDamaged as e:
            damage.note(e.space, e.record)
        except (ValueError, TypeError):  # JSON that is none, in a row without a checksum
            damage.note(str(row[-19]), str(row[-18]))


def _rows(
    connection: apsw.Connection, sql: str, keys: Sequence[object], source: str, damage: Damage
) -> list[tuple[Any, ...]]:
    """Read all at once; one by one where a text is no UTF-8 any more, which apsw refuses."""
    try:
        return list(connection.execute(sql, (dump(list(keys)),)))
    except UnicodeDecodeError:
        pass
    found: list[tuple[Any, ...]] = []
    for key in keys:
        try:
            found += list(connection.execute(sql, (dump([key]),)))
        except UnicodeDecodeError:
            note_unreadable(connection, source, key, damage)
    return found


def note_unreadable(connection: apsw.Connection, source: str, key: object, damage: Damage) -> None:
    """Note a memory of which some text is no UTF-8, by what can be read of its name."""
    for space, memory_id in connection.execute(_WHO.format(source), (dump([key]),)):
        damage.note(space.decode("utf-8", "replace"), memory_id.decode("utf-8", "replace"))


def readable(
    connection: apsw.Connection, numbers: Sequence[int], damage: Damage
) -> tuple[list[Memory], list[str]]:
    """Return memories by row number, in that order, and the ids of those that are damaged, which
    are left out and noted."""
    own = Damage()  # other threads may note something meanwhile

    def made(row: tuple[Any, ...]) -> tuple[int, Memory]:
        return row[0], from_row(row[1:])

    found = dict(sound_rows(connection, BY_ROW, numbers, made, own, first="m.row"))
    named = damage.take(own)
    return [found[number] for number in numbers if number in found], named


def snapshot(memory: Memory) -> str:
    """Return a memory as JSON with a checksum, for the history and for what waits before it is
    remembered."""
    return sealed(dump([memory.space, *to_row(memory)]))


def from_snapshot(text: str) -> Memory:
    """Return the memory. Raise ValueError if the text is not what was stored."""
    return from_values(tuple(json.loads(unsealed(text))))
