"""The derived side of memories: passages, words, and vectors where an entry has them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice

from bethink.stores.postgres import spaces as spaces_module
from bethink.stores.postgres import vector_tables, vectors, words
from bethink.stores.postgres.arrays import bigints, integers
from bethink.stores.postgres.database import Cursor
from bethink.stores.postgres.postings import Worded
from bethink.stores.postgres.spaces import SpaceRow
from bethink.stores.sound_vectors import vectors_of
from bethink.text.searched import searched_text
from bethink.text.tokenise import joined_terms
from bethink.vocabulary import Entry, Memory, Passage


def add_passages(
    cursor: Cursor,
    entries: Sequence[tuple[int, Entry]],
    spaces: Mapping[str, SpaceRow],
    fingerprint: str | None,
) -> None:
    """Each entry comes with the row of its memory."""
    index = vector_tables.active_table(cursor)
    matrix = vectors_of([entry for _, entry in entries], fingerprint, index)
    total = sum(len(entry.passages) for _, entry in entries)
    numbers = iter(
        next_numbers(cursor, "passages", "pid", total)
    )  # in the order told, across spaces too
    by_space: dict[int, list[tuple[int, list[int], Entry]]] = defaultdict(list)
    given = {space.id: space.numbers for space in spaces.values()}
    with_vectors: list[tuple[int, int]] = []  # space and pid
    for row, entry in entries:
        space = spaces[entry.memory.space].id
        pids = list(islice(numbers, len(entry.passages)))
        by_space[space].append((row, pids, entry))
        if entry.vectors is not None:
            with_vectors += [(space, pid) for pid in pids]
    for space, group in by_space.items():
        _insert(cursor, space, given[space], group)
    if index is not None and matrix is not None:
        places = [space for space, _ in with_vectors]
        vectors.insert(cursor, index.table, places, [pid for _, pid in with_vectors], matrix)
        for space in set(places):
            vector_tables.count_vectors(cursor, index.fingerprint, space, places.count(space))


def next_numbers(cursor: Cursor, table: str, column: str, count: int) -> list[int]:
    """Numbers that are never given twice, in order."""
    rows = cursor.execute(  # the name of the sequence is looked up once, not for every number
        "SELECT nextval(s.name) FROM (SELECT pg_get_serial_sequence(%s, %s)::regclass AS name "
        "OFFSET 0) s, generate_series(1, %s)",
        (table, column, count),
        binary=True,
    )
    return [number for (number,) in rows]


def _insert(
    cursor: Cursor, space: int, given: int, group: Sequence[tuple[int, list[int], Entry]]
) -> None:
    """Passages and words of one space, whose numbers go on after those given."""
    worded: list[Worded] = []
    rows: list[tuple[int, ...]] = []
    for row, own, entry in group:
        for pid, passage, terms in zip(own, entry.passages, entry.terms, strict=True):
            number = given + 1 + len(rows)
            worded.append(Worded(number, terms))
            rows.append((pid, number, row, *passage, len(terms.split())))
    if rows:
        pids, numbers, memories, *small = zip(*rows, strict=True)
        cursor.execute(
            "INSERT INTO passages (space, pid, number, memory, ordinal, start, stop, length) "
            "SELECT %s, * FROM unnest(%b, %b, %b, %b, %b, %b, %b)",
            (space, *map(bigints, (pids, numbers, memories)), *map(integers, small)),
        )
        words.add(cursor, space, worded)
    spaces_module.count(cursor, space, passages=len(rows), length=sum(row[-1] for row in rows))


def remove_passages(cursor: Cursor, space: int, former: Mapping[int, Memory]) -> None:
    """Take the passages of memories, by row and as they were, out of every index of their space."""
    rows = cursor.execute(
        "SELECT pid, number, memory, ordinal, start, stop, length FROM passages "
        "WHERE memory = ANY(%s)",
        (list(former),),
    ).fetchall()
    pids = [row[0] for row in rows]
    length = sum(row[-1] for row in rows)
    worded = [
        Worded(number, joined_terms(searched_text(former[memory], Passage(*cut))))
        for _, number, memory, *cut, _ in rows
    ]
    words.remove(cursor, space, worded, length)
    for index in vector_tables.all_tables(cursor):
        cursor.execute(
            f"DELETE FROM {index.table} WHERE space = %s AND pid = ANY(%s)".encode(), (space, pids)
        )
        vector_tables.count_vectors(cursor, index.fingerprint, space, -cursor.rowcount)
    cursor.execute("DELETE FROM passages WHERE pid = ANY(%s)", (pids,))
    spaces_module.count(cursor, space, passages=-len(pids), length=-length)
