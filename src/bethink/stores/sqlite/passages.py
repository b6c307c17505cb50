"""The derived side of memories as they are written: passages, words, vectors. Every function runs
inside the caller's transaction."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import apsw

from bethink.stores.sound_vectors import vectors_of
from bethink.stores.sqlite import spaces as spaces_module
from bethink.stores.sqlite import vector_tables, words
from bethink.stores.sqlite.connection import insert_rows
from bethink.vocabulary import Entry


class Placed(NamedTuple):
    """Memories of one space and where they go: of each the row, and the number of its first
    passage. Lists beside each other: a value for each memory is one more for Python to look after
    until the batch is written."""

    rows: list[int]
    pids: list[int]
    entries: list[Entry]


def next_number(connection: apsw.Connection, table: str) -> int:
    """The next number of an AUTOINCREMENT table, which is never given twice."""
    last: int | None = connection.execute(
        "SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)
    ).get
    return (last or 0) + 1


def add_passages(
    connection: apsw.Connection, space: int, placed: Placed, fingerprint: str | None
) -> None:
    """Passages, words, and vectors where the entry has them."""
    entries = placed.entries
    seq = spaces_module.next_seq(connection, space)
    index = vector_tables.active_table(connection)
    vectors = vectors_of(entries, fingerprint, index)
    rows = [row for row, e in zip(placed.rows, entries, strict=True) for _ in e.passages]
    pids = _numbers(placed)
    cut = chain.from_iterable([entry.passages for entry in entries])
    insert_rows(
        connection,
        "passages",
        ((pid, row, space, *part) for pid, row, part in zip(pids, rows, cut, strict=True)),
    )
    terms = chain.from_iterable([entry.terms for entry in entries])
    words.add(connection, space, zip(pids, terms, strict=True))
    if index is not None and vectors is not None and len(vectors):
        if any(entry.vectors is None for entry in entries):
            pids = _numbers(placed, embedded=True)
        data = vectors.tobytes()  # all at once; sliced in a fifth of the time of asking each row
        size = len(data) // len(vectors)
        insert_rows(
            connection,
            index.table,
            (
                (pid, space, seq, data[at : at + size])
                for pid, at in zip(pids, range(0, len(data), size), strict=True)
            ),
        )
        vector_tables.count_vectors(connection, index.id, space, len(vectors))
    connection.execute("UPDATE spaces SET passages = passages + ? WHERE id = ?", (len(rows), space))


def _numbers(placed: Placed, *, embedded: bool = False) -> list[int]:
    """Of every passage, or of those that have a vector."""
    return [
        pid
        for first, entry in zip(placed.pids, placed.entries, strict=True)
        if not embedded or entry.vectors is not None
        for pid in range(first, first + len(entry.passages))
    ]
