"""Searches, each inside one snapshot.

A filter is applied to the best that a search finds without it; most let nearly everything through
(what holds now). Where too little is left, the filter is asked first and what passes it is ranked
exactly, so that no filter can empty an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recollect.errors import FingerprintMismatch
from recollect.filters import Filter
from recollect.stores.background import SAMPLE, mean_and_spread
from recollect.stores.postgres import near, vector_tables, words
from recollect.stores.postgres.database import Cursor
from recollect.stores.postgres.rows import SELECTED, from_row
from recollect.stores.postgres.spaces import SpaceRow, spaces_of
from recollect.stores.postgres.vector_tables import VectorTable
from recollect.stores.postgres.where import to_sql
from recollect.stores.protocol import Compared, Frequencies, Neighbours
from recollect.vocabulary import Found, Memory, Passage, Vector

_FIRST_LOOK = 4  # times the hits wanted are looked at before the filter is asked for all it passes


def search_words(
    cursor: Cursor, terms: Sequence[str], spaces: Sequence[str], where: Filter | None, limit: int
) -> list[Found]:
    rows = spaces_of(cursor, spaces)
    asked = [term for term in dict.fromkeys(terms) if words.is_term(term)]
    found: list[Found] = []
    for space in rows if asked else ():
        found += _words_of(cursor, space, asked, where, limit)
    return best(found, limit)


def _words_of(
    cursor: Cursor, space: SpaceRow, terms: Sequence[str], where: Filter | None, limit: int
) -> list[Found]:
    numbers, scores = words.scored(cursor, space, terms)
    wanted = limit if where is None else limit * _FIRST_LOOK
    top = _top(scores, wanted)
    found = _named(cursor, space.id, numbers[top], scores[top], where)
    if len(found) < limit and len(top) < len(numbers):
        passing = np.fromiter(_passing(cursor, space.id, where), np.int64)
        kept = np.isin(numbers, passing, assume_unique=True)
        numbers, scores = numbers[kept], scores[kept]
        top = _top(scores, limit)
        found = _named(cursor, space.id, numbers[top], scores[top], None)
    return found[:limit]


def _top(scores: words.Floats, limit: int) -> words.Ints:
    """Where the best scores stand, best first; equal ones in the order told."""
    if len(scores) > limit:
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        places = np.flatnonzero(scores >= least)
    else:
        places = np.arange(len(scores))
    return places[np.argsort(-scores[places], kind="stable")][:limit]


def _named(
    cursor: Cursor, space: int, numbers: words.Ints, scores: words.Floats, where: Filter | None
) -> list[Found]:
    """These passages, best first, without those that the filter does not let through."""
    condition, bindings = to_sql(where)
    rows = cursor.execute(
        "SELECT p.number, m.id, p.ordinal FROM passages p JOIN memories m ON m.row = p.memory "
        f"WHERE p.space = %s AND p.number = ANY(%s) AND {condition}".encode(),
        (space, numbers.tolist(), *bindings),
    )
    by_number = {number: (memory_id, ordinal) for number, memory_id, ordinal in rows}
    return [
        Found(*by_number[number], score)
        for number, score in zip(numbers.tolist(), scores.tolist(), strict=True)
        if number in by_number
    ]


def _passing(cursor: Cursor, space: int, where: Filter | None) -> list[int]:
    condition, bindings = to_sql(where)
    rows = cursor.execute(
        "SELECT p.number FROM memories m JOIN passages p ON p.memory = m.row "
        f"WHERE m.space = %s AND {condition}".encode(),
        (space, *bindings),
    )
    return [number for (number,) in rows]


def frequencies(cursor: Cursor, terms: Sequence[str], spaces: Sequence[str]) -> Frequencies:
    rows = spaces_of(cursor, spaces)
    asked = [term for term in dict.fromkeys(terms) if words.is_term(term)]
    holding = dict.fromkeys(terms, 0)
    for space in rows if asked else ():
        for term, count in words.frequencies(cursor, space.id, asked).items():
            holding[term] += count
    passages = sum(space.passages for space in rows)
    return Frequencies(
        [holding[term] for term in terms],
        passages,
        sum(space.memories for space in rows),
        sum(space.length for space in rows) / max(passages, 1),
    )


def answering(cursor: Cursor, fingerprint: str) -> VectorTable | None:
    table = vector_tables.active_table(cursor)
    if table is not None and table.fingerprint != fingerprint:
        raise FingerprintMismatch(
            f"the question was embedded by {fingerprint}, the index is by "
            f"{table.fingerprint}; run 'recollect reindex'"
        )
    return table


def search_meaning(
    cursor: Cursor,
    vector: Vector,
    fingerprint: str,
    spaces: Sequence[str],
    where: Filter | None,
    limit: int,
    *,
    has_index: Callable[[Cursor, VectorTable, SpaceRow], bool],
) -> list[Found]:
    from recollect.stores.sound_vectors import sound_question

    rows = spaces_of(cursor, spaces)
    table = answering(cursor, fingerprint)
    if table is None:
        return []
    question = sound_question(vector, dimension=table.dimension)
    found: list[Found] = []
    for space in rows:
        indexed = has_index(cursor, table, space)
        found += near.search(cursor, table, space, question, where, limit, indexed=indexed)
    return best(found, limit)


def compare(
    cursor: Cursor,
    vector: Vector,
    keys: Sequence[tuple[str, int]],
    fingerprint: str,
    spaces: Sequence[str],
) -> Compared:
    from recollect.stores.sound_vectors import sound_question

    table = answering(cursor, fingerprint)
    rows = spaces_of(cursor, spaces)
    if table is None:
        return Compared([None] * len(keys), 0.0, 1.0)
    question = sound_question(vector, dimension=table.dimension)
    scores = near.scores_of(cursor, table, [space.id for space in rows], question, keys)
    usual = [
        score
        for space in rows
        for score in near.usual(cursor, table, space, question, sample=SAMPLE)
    ]
    return Compared([scores.get(key) for key in keys], *mean_and_spread(usual))


def fetch(cursor: Cursor, keys: Sequence[tuple[str, int]]) -> list[tuple[Memory, Passage] | None]:
    asked = [key for key in dict.fromkeys(keys) if "\0" not in key[0]]
    rows: Any = cursor.execute(
        f"SELECT p.ordinal, p.start, p.stop, {SELECTED} "
        "FROM unnest(%s::text[], %s::int[]) AS w (id, ordinal) JOIN memories m ON m.id = w.id "
        "JOIN spaces s ON s.id = m.space "
        "JOIN passages p ON p.memory = m.row AND p.ordinal = w.ordinal",
        ([memory_id for memory_id, _ in asked], [ordinal for _, ordinal in asked]),
    )
    found: dict[tuple[str, int], tuple[Memory, Passage]] = {}
    for row in rows:
        memory = from_row(row[3:])
        found[memory.id, row[0]] = (memory, Passage(*row[:3]))
    return [found.get(key) for key in keys]


def best(found: list[Found], limit: int) -> list[Found]:
    return sorted(found, key=lambda one: -one.score)[:limit]


def neighbours(cursor: Cursor, ids: Sequence[str]) -> list[Neighbours]:
    """Looked up by the index of the space, which holds its memories in the order told."""
    beside = (
        "(SELECT n.id FROM memories n WHERE n.space = m.space AND n.row {} m.row "
        "ORDER BY n.row {} LIMIT 1)"
    )
    rows = cursor.execute(
        f"SELECT m.id, {beside.format('<', 'DESC')}, {beside.format('>', 'ASC')} "
        "FROM memories m WHERE m.id = ANY(%s)".encode(),
        ([one for one in ids if "\0" not in one],),
    )
    found = {memory_id: Neighbours(before, after) for memory_id, before, after in rows}
    return [found.get(memory_id, Neighbours(None, None)) for memory_id in ids]
