"""The spaces of a store: their numbers, their change numbers, what they hold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import apsw

from bethink.errors import unknown_space
from bethink.stores.sqlite import words
from bethink.vocabulary import SpaceInfo


class SpaceRow(NamedTuple):
    id: int
    name: str
    seq: int
    passages: int
    memories: int


EVERY_SPACE = "SELECT id, name, seq, passages, memories FROM spaces"


def spaces_of(reader: apsw.Connection, names: Sequence[str] | None) -> list[SpaceRow]:
    """The spaces of these names (None: all), or UnknownSpace."""
    if names is None:
        return [SpaceRow(*row) for row in reader.execute(EVERY_SPACE)]
    found: list[SpaceRow] = []
    for name in dict.fromkeys(names):
        row = reader.execute(f"{EVERY_SPACE} WHERE name = ?", (name,)).get
        if row is None:
            raise unknown_space(name, [n for (n,) in reader.execute("SELECT name FROM spaces")])
        found.append(SpaceRow(*row))
    return found


def space_infos(reader: apsw.Connection) -> list[SpaceInfo]:
    """All of them by name, with what waits for a vector of the index that answers."""
    rows = reader.execute(
        "SELECT s.name, s.memories, s.passages, s.passages - ifnull(e.passages, 0) "
        "FROM spaces s LEFT JOIN indexes i ON i.active "
        "LEFT JOIN embedded e ON e.index_id = i.id AND e.space = s.id ORDER BY s.name"
    )
    return [SpaceInfo(*row) for row in rows]


def space_id(connection: apsw.Connection, name: str) -> int | None:
    found: int | None = connection.execute("SELECT id FROM spaces WHERE name = ?", (name,)).get
    return found


def ensure_space(connection: apsw.Connection, name: str) -> int:
    found = space_id(connection, name)
    if found is not None:
        return found
    connection.execute("INSERT INTO spaces (name) VALUES (?)", (name,))
    new = connection.last_insert_rowid()
    words.create(connection, new)
    return new


def next_seq(connection: apsw.Connection, space: int) -> int:
    """Raise the space's change number; the new one marks what this transaction does to it. By how
    much, nobody can foretell: so no two files that were once the same have a number in common for
    what they became (`generations.py`)."""
    seq: int = connection.execute(
        f"UPDATE spaces SET seq = {_RAISED} WHERE id = ? RETURNING seq", (space,)
    ).get
    return seq


_RAISED = "seq + 1 + (random() & 1048575)"


def mark_changed(connection: apsw.Connection, ids: Iterable[str]) -> None:
    """Raise it for the spaces of these memories, which changed in what no index holds."""
    connection.execute(
        f"UPDATE spaces SET seq = {_RAISED} WHERE id IN "
        "(SELECT space FROM memories WHERE id IN (SELECT value FROM json_each(?)))",
        (json.dumps(list(ids)),),
    )
