"""Full text search by SQLite's FTS5: one table for each space, fed with ready-made terms.

FTS5 never sees a user's text: it gets our tokeniser's terms joined by spaces, and questions as an
OR of quoted terms. Its tokeniser is told to split at spaces only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw

from bethink.stores.sqlite.connection import insert_rows
from bethink.text.searched import below_headings
from bethink.text.tokenise import joined_terms, stands_for_many

# Every visible ASCII character is part of a term; quotes are doubled, once for each level.
_TOKENISER = "ascii tokenchars '!\"\"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~'"

_SETTINGS = {
    "secure-delete": 1,  # a forgotten word must leave the index at once, not at the next merge
    # a batch becomes one segment and segments are merged eight at a time: a third less work than
    # with FTS5's own 1 MB and 4
    "hashsize": 1 << 24,
    "automerge": 8,
}


# With 40,000 passages: 2.2 ms to take one out, 6 µs for each to write all of them anew. With 10,000
# it would be 660, with 1,000 420.
_ANEW_FOR_ONE = 300
_MANY = 8


class Unsound(Exception):
    """The words index of this space is missing or damaged; it can be made anew from the texts."""

    def __init__(self, space: int) -> None:
        self.space = space


@contextmanager
def sound_statements(space: int) -> Iterator[None]:
    """Our statements are right, so when one fails it is the index that is not. A damaged head
    record may also ask SQLite for more memory than there is."""
    try:
        yield
    except (apsw.CorruptError, apsw.SQLError, apsw.ConstraintError, apsw.NoMemError) as e:
        raise Unsound(space) from e


def table(space: int) -> str:
    return f"words_{space:d}"


def create(connection: apsw.Connection, space: int) -> None:
    name = table(space)
    connection.execute(f'CREATE VIRTUAL TABLE {name} USING fts5(terms, tokenize="{_TOKENISER}")')
    for setting, value in _SETTINGS.items():
        connection.execute(f"INSERT INTO {name}({name}, rank) VALUES ('{setting}', {value})")


def drop(connection: apsw.Connection, space: int) -> None:
    """Take the index away, in whatever state it is."""
    name = table(space)
    try:
        connection.execute(f"DROP TABLE IF EXISTS {name}")
    except apsw.SQLError:
        # without its configuration FTS5 cannot even be asked to drop: give it one
        connection.execute(f"CREATE TABLE IF NOT EXISTS {name}_config (k PRIMARY KEY, v)")
        connection.execute(f"INSERT OR REPLACE INTO {name}_config VALUES ('version', 4)")
        connection.execute(f"DROP TABLE IF EXISTS {name}")


def add(connection: apsw.Connection, space: int, rows: Iterable[tuple[int, str]]) -> None:
    with sound_statements(space):
        insert_rows(connection, f"{table(space)}(rowid, terms)", rows, whole=True)


def remove(connection: apsw.Connection, space: int, pids: Sequence[int], passages: int) -> None:
    """Take passages out, of so many that the space has, and leave no trace of their words. To take
    each out of the lists of all its words costs as much as to write some hundred others anew."""
    name = table(space)
    many = len(pids) >= _MANY and len(pids) * _ANEW_FOR_ONE > passages
    with sound_statements(space):
        if many:
            connection.execute(f"INSERT INTO {name}({name}, rank) VALUES ('secure-delete', 0)")
        connection.executemany(f"DELETE FROM {name} WHERE rowid = ?", ((pid,) for pid in pids))
        if many:  # all lists become one, in which what was only marked is not any more
            connection.execute(f"INSERT INTO {name}({name}) VALUES ('optimize')")
            connection.execute(f"INSERT INTO {name}({name}, rank) VALUES ('secure-delete', 1)")


def totals(connection: apsw.Connection, space: int) -> tuple[int, int] | None:
    """How many passages and terms the index says it holds, from its own head record; None if
    unsound.

    Record 1 of the data table starts with both as varints: reading them costs microseconds where
    counting would walk the table.
    """
    try:
        record = connection.execute(f"SELECT block FROM {table(space)}_data WHERE id = 1").get
    except apsw.SQLError:  # no such table
        return None
    if not isinstance(record, bytes):
        return None
    numbers: list[int] = []
    value = 0
    for byte in record:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(value)
            value = 0
    rows, terms, *_ = [*numbers, 0, 0]
    return rows, terms


def size(connection: apsw.Connection, space: int) -> int | None:
    held = totals(connection, space)
    return None if held is None else held[0]


def sound(connection: apsw.Connection, space: int, passages: int) -> bool:
    """A cheap look: the table is there and holds as many passages as the truth."""
    return size(connection, space) == passages


def thorough_check(connection: apsw.Connection, space: int) -> str | None:
    """FTS5's own integrity check; what is wrong, or None."""
    name = table(space)
    try:
        connection.execute(f"INSERT INTO {name}({name}) VALUES ('integrity-check')")
    except apsw.Error as e:
        return str(e)
    return None


def rebuild(connection: apsw.Connection, space: int) -> int:
    """Make the index of a space anew from the texts, inside the caller's transaction."""
    drop(connection, space)
    create(connection, space)
    texts = connection.execute(
        "SELECT p.pid, substr(m.text, p.start + 1, p.stop - p.start), m.kind, m.section "
        "FROM passages p JOIN memories m ON m.row = p.memory WHERE p.space = ?",
        (space,),
    )
    # collected before writing: a cursor must not walk a table that the same loop changes
    rows = [(pid, joined_terms(below_headings(*text))) for pid, *text in texts]
    add(connection, space, rows)
    return len(rows)


def question(terms: Sequence[str]) -> str:
    """An OR of quoted terms: no character of a term can be an operator."""
    quoted = ('"' + term.replace('"', '""') + '"' for term in terms)
    many = map(stands_for_many, terms)
    return " OR ".join(f"{q} *" if more else q for q, more in zip(quoted, many, strict=True))


def holding(connection: apsw.Connection, space: int, terms: Sequence[str]) -> list[int]:
    """How many passages hold each term."""
    if not terms:
        return []
    name = table(space)
    one = f"(SELECT count(*) FROM {name} WHERE {name} MATCH ?)"
    with sound_statements(space):
        return list(
            next(
                connection.execute(
                    f"SELECT {', '.join([one] * len(terms))}", [question([t]) for t in terms]
                )
            )
        )


def search(
    connection: apsw.Connection,
    space: int,
    terms: Sequence[str],
    *,
    condition: str,
    bindings: Sequence[Any],
    limit: int,
) -> list[tuple[float, str, int]]:
    """(score, memory id, ordinal), best first; ties in the order told."""
    name = table(space)
    if condition == "1":
        # rank inside FTS5, then join only the winners
        sql = (
            f"SELECT -w.rank, m.id, p.ordinal FROM "
            f"(SELECT rowid AS pid, rank FROM {name} WHERE {name} MATCH ? "
            f"ORDER BY rank, rowid LIMIT ?) w "
            f"JOIN passages p ON p.pid = w.pid JOIN memories m ON m.row = p.memory "
            f"ORDER BY w.rank, w.pid"
        )
        with sound_statements(space):
            return list(connection.execute(sql, (question(terms), limit)))
    sql = (
        f"SELECT -bm25({name}), m.id, p.ordinal FROM {name} "
        f"JOIN passages p ON p.pid = {name}.rowid JOIN memories m ON m.row = p.memory "
        f"WHERE {name} MATCH ? AND {condition} ORDER BY bm25({name}), {name}.rowid LIMIT ?"
    )
    with sound_statements(space):
        return list(connection.execute(sql, (question(terms), *bindings, limit)))
