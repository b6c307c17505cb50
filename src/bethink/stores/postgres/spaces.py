"""The spaces of a store: their numbers and what they hold. Whoever writes to a space holds its row
until the end of the transaction: one writer at a time for each space, and what was told first has
the smaller number."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

from bethink.errors import unknown_space
from bethink.stores.postgres.arrays import Array, texts
from bethink.stores.postgres.database import Cursor
from bethink.vocabulary import GLOBAL_SPACE, SpaceInfo


class SpaceRow(NamedTuple):
    id: int
    name: str
    memories: int
    passages: int
    length: int  # of its passages together, in terms
    numbers: int  # so many numbers of passages were ever given
    mark: UUID  # another one after every change that a question could notice


_SELECTED = ", ".join(SpaceRow._fields)


def spaces_of(cursor: Cursor, names: Sequence[str] | None) -> list[SpaceRow]:
    """The spaces of these names (None: all), or UnknownSpace."""
    if names is None:
        rows = cursor.execute(f"SELECT {_SELECTED} FROM spaces ORDER BY id").fetchall()
        return [SpaceRow(*row) for row in rows]
    found = existing(cursor, names)
    check_names(cursor, names, found)
    return [found[name] for name in dict.fromkeys(names)]


def existing(cursor: Cursor, names: Iterable[str]) -> dict[str, SpaceRow]:
    """Those of these names that there are."""
    rows = cursor.execute(
        f"SELECT {_SELECTED} FROM spaces WHERE name = ANY(%b)", (names_of(names),)
    )
    return {row[1]: SpaceRow(*row) for row in rows}


def names_of(names: Iterable[str]) -> Array:
    return texts(name for name in dict.fromkeys(names) if "\0" not in name)


def check_names(cursor: Cursor, names: Iterable[str], found: Container[str]) -> None:
    """All of these must have been found, or it is UnknownSpace."""
    for name in names:
        if name not in found:
            known = cursor.execute("SELECT name FROM spaces").fetchall()
            raise unknown_space(name, [one for (one,) in known])


def of(table: str) -> str:
    """The columns of a `SpaceRow`, by the name that the table has in a statement."""
    return ", ".join(f"{table}.{name}" for name in SpaceRow._fields)


def space_infos(cursor: Cursor) -> list[SpaceInfo]:
    """All of them by name, with what waits for a vector of the index that answers."""
    rows = cursor.execute(
        "SELECT s.name, s.memories, s.passages, s.passages - coalesce(e.passages, 0) "
        "FROM spaces s LEFT JOIN indexes i ON i.active "
        "LEFT JOIN embedded e ON e.fingerprint = i.fingerprint AND e.space = s.id ORDER BY s.name"
    )
    return [SpaceInfo(*row) for row in rows]


def hold(cursor: Cursor, names: Iterable[str]) -> dict[str, SpaceRow]:
    """Keep others from writing to these spaces; those that are not there come to be."""
    wanted = sorted(set(names))
    while True:
        rows = cursor.execute(
            f"SELECT {_SELECTED} FROM spaces WHERE name = ANY(%s) ORDER BY id FOR UPDATE", (wanted,)
        ).fetchall()
        held = {row[1]: SpaceRow(*row) for row in rows}
        if len(held) == len(wanted):
            return held
        cursor.execute(  # perhaps another does so at the same time, and we wait for it
            "INSERT INTO spaces (name) SELECT n FROM unnest(%s::text[]) n ON CONFLICT DO NOTHING",
            ([name for name in wanted if name not in held],),
        )


def hold_by_id(cursor: Cursor, ids: Iterable[int]) -> dict[int, SpaceRow]:
    """The same for spaces that are there; those erased meanwhile are left out."""
    rows = cursor.execute(
        f"SELECT {_SELECTED} FROM spaces WHERE id = ANY(%s) ORDER BY id FOR UPDATE",
        (sorted(set(ids)),),
    ).fetchall()
    return {row[0]: SpaceRow(*row) for row in rows}


def ensure_space(cursor: Cursor, name: str) -> None:
    cursor.execute("INSERT INTO spaces (name) VALUES (%s) ON CONFLICT DO NOTHING", (name,))


def ensure_global(cursor: Cursor) -> None:
    ensure_space(cursor, GLOBAL_SPACE)  # the user's own is always there


def count(
    cursor: Cursor, space: int, *, memories: int = 0, passages: int = 0, length: int = 0
) -> None:
    cursor.execute(
        "UPDATE spaces SET memories = memories + %s, passages = passages + %s, "
        "length = length + %s, numbers = numbers + %s WHERE id = %s",
        (memories, passages, length, max(passages, 0), space),
    )
