"""Searches, each a statement or two.

A filter is applied to the best that a search finds without it; most let nearly everything through
(what holds now). Where too little is left, the filter is asked first and what passes it is ranked
exactly, so that no filter can empty an answer.

Between two statements somebody may have written. What the first named and the second does not know
shows it (`Torn`): then the search is done again, in one snapshot.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from recollect.errors import FingerprintMismatch
from recollect.filters import Filter
from recollect.stores.background import mean_and_spread
from recollect.stores.postgres import labels, near, words
from recollect.stores.postgres.arrays import Array, bigints, integers, texts
from recollect.stores.postgres.database import Cursor
from recollect.stores.postgres.near import Torn
from recollect.stores.postgres.rows import SELECTED, from_row
from recollect.stores.postgres.spaces import SpaceRow, names_of
from recollect.stores.postgres.vector_tables import Frame, VectorTable
from recollect.stores.postgres.where import to_sql
from recollect.stores.protocol import Compared, Counted, Frequencies, Neighbours, TermCounts
from recollect.text.tokenise import stands_for_many
from recollect.vocabulary import Found, Memory, Passage, Vector

_KEPT = 32  # questions; each some hundred kilobytes where a space is large
_LIKELY = 1.5  # times the hits wanted: nearly all of them pass what is asked most
_FIRST_LOOK = 4  # times the hits wanted are looked at before the filter is asked for all it passes


class Lately:
    """What questions meant a moment ago: a recall asks for the same terms again, when it looks at
    what the words of the question say of all that was found."""

    def __init__(self) -> None:
        self._kept: dict[tuple[tuple[str, ...], tuple[str, ...]], list[words.Asked]] = {}
        self._guard = threading.Lock()

    def keep(self, spaces: Sequence[str], terms: Sequence[str], asked: list[words.Asked]) -> None:
        key = tuple(spaces), tuple(terms)
        with self._guard:
            self._kept.pop(key, None)
            while len(self._kept) >= _KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = asked

    def get(self, spaces: Sequence[str], terms: Sequence[str]) -> list[words.Asked] | None:
        return self._kept.get((tuple(spaces), tuple(terms)))


def search_words(
    cursor: Cursor,
    terms: Sequence[str],
    spaces: Sequence[str],
    where: Filter | None,
    limit: int,
    lately: Lately,
) -> list[Found]:
    found: list[Found] = []
    every = words.asked(cursor, spaces, terms)
    lately.keep(spaces, terms, every)
    for asked in every:
        if asked.terms:
            found += _words_of(cursor, asked, where, limit)
    return best(found, limit)


def _words_of(cursor: Cursor, asked: words.Asked, where: Filter | None, limit: int) -> list[Found]:
    space = asked.space.id
    numbers, scores = words.scored(asked)
    wanted = limit if where is None else limit * _FIRST_LOOK
    top, found = _top(scores, wanted), list[Found]()
    few = labels.few(cursor, space, where) if len(top) < len(numbers) else None
    if few is None:
        likely = len(top) if where is None else int(limit * _LIKELY)
        for some in (top[:likely], top[likely:]):
            if len(found) < limit:
                found += _named(cursor, space, numbers[some], scores[some], where)
    if len(found) < limit and len(top) < len(numbers):
        passing = np.fromiter(_passing(cursor, space, where, few or "true"), np.int64)
        kept = np.isin(numbers, passing, assume_unique=True)
        numbers, scores = numbers[kept], scores[kept]
        top = _top(scores, limit)
        found = _named(cursor, space, numbers[top], scores[top], None)
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
    if not len(numbers):
        return []
    condition, bindings = to_sql(where)
    rows = cursor.execute(
        f"SELECT p.number, m.id, p.ordinal, {condition} FROM passages p "
        "JOIN memories m ON m.row = p.memory "
        f"WHERE p.space = {space:d} AND p.number = ANY(%b)".encode(),
        (*bindings, bigints(numbers.tolist())),
        prepare=True,
    ).fetchall()
    if len(rows) < len(numbers):
        raise Torn
    named = {number: (memory_id, ordinal) for number, memory_id, ordinal, passes in rows if passes}
    return [
        Found(*named[number], score)
        for number, score in zip(numbers.tolist(), scores.tolist(), strict=True)
        if number in named
    ]


def _passing(cursor: Cursor, space: int, where: Filter | None, few: str) -> list[int]:
    condition, bindings = to_sql(where)
    rows = cursor.execute(
        "SELECT p.number FROM memories m JOIN passages p ON p.memory = m.row "
        f"WHERE m.space = {space:d} AND {few} AND {condition}".encode(),
        bindings,
    )
    return [number for (number,) in rows]


def frequencies(cursor: Cursor, terms: Sequence[str], spaces: Sequence[str]) -> Frequencies:
    return _frequencies(terms, words.asked(cursor, spaces, terms))


def _frequencies(terms: Sequence[str], asked: Sequence[words.Asked]) -> Frequencies:
    holding = dict.fromkeys(terms, 0)
    for one in asked:
        for term, found in one.terms.items():
            holding[term] += len(found.numbers)
    passages = sum(one.space.passages for one in asked)
    return Frequencies(
        [holding[term] for term in terms],
        passages,
        sum(one.space.memories for one in asked),
        sum(one.space.length for one in asked) / max(passages, 1),
    )


def count_terms(
    cursor: Cursor,
    terms: Sequence[str],
    keys: Sequence[tuple[str, int]],
    spaces: Sequence[str],
    lately: Lately,
) -> TermCounts:
    """What the words index knows of passages, which spares cutting their texts into terms."""
    if any(map(stands_for_many, terms)):  # the index knows what begins so, not how often it is said
        common = _frequencies(terms, words.asked(cursor, spaces, terms))
        return TermCounts(common, [None] * len(keys))
    asked = lately.get(spaces, terms) or words.asked(cursor, spaces, terms)
    rows = cursor.execute(
        "SELECT s.id, s.mark, k.id, k.ordinal, k.number, k.length FROM spaces s LEFT JOIN ("
        "SELECT m.id, p.ordinal, p.space, p.number, p.length "
        "FROM unnest(%b, %b) AS w (id, ordinal) JOIN memories m ON m.id = w.id "
        "JOIN passages p ON p.memory = m.row AND p.ordinal = w.ordinal) k ON k.space = s.id "
        "WHERE s.name = ANY(%b)",
        (*_keys(keys), names_of(spaces)),
        prepare=True,
    ).fetchall()
    marks = {row[0]: row[1] for row in rows}
    if any(marks.get(one.space.id) != one.space.mark for one in asked):  # somebody wrote since
        asked = words.asked(cursor, spaces, terms)
    held: dict[tuple[str, int], Counted] = {}
    for one in asked:  # what was told since is no part of it: its text must be read
        own = [
            row[2:]
            for row in rows
            if row[0] == one.space.id and row[2] is not None and row[4] <= one.space.numbers
        ]
        counts = words.counted(one, [number for _, _, number, _ in own])
        for (memory_id, ordinal, _, length), found in zip(own, counts, strict=True):
            held[memory_id, ordinal] = Counted(found, length)
    return TermCounts(_frequencies(terms, asked), [held.get(key) for key in keys])


def search_meaning(
    cursor: Cursor,
    frame: Frame,
    vector: Vector,
    fingerprint: str,
    where: Filter | None,
    limit: int,
    *,
    has_index: Callable[[Cursor, VectorTable, SpaceRow], bool],
) -> list[Found]:
    from recollect.stores.sound_vectors import sound_question

    table = _answering(frame, fingerprint)
    if table is None:
        return []
    question = sound_question(vector, dimension=table.dimension)
    found: list[Found] = []
    for space in frame.spaces:
        indexed = has_index(cursor, table, space)
        found += near.search(cursor, table, space, question, where, limit, indexed=indexed)
    return best(found, limit)


def _answering(frame: Frame, fingerprint: str) -> VectorTable | None:
    table = frame.table
    if table is not None and table.fingerprint != fingerprint:
        raise FingerprintMismatch(
            f"the question was embedded by {fingerprint}, the index is by "
            f"{table.fingerprint}; run 'recollect reindex'"
        )
    return table


def compare(
    cursor: Cursor, frame: Frame, vector: Vector, keys: Sequence[tuple[str, int]], fingerprint: str
) -> Compared:
    from recollect.stores.sound_vectors import sound_question

    table = _answering(frame, fingerprint)
    if table is None:
        return Compared([None] * len(keys), 0.0, 1.0)
    question = sound_question(vector, dimension=table.dimension)
    asked = list(dict.fromkeys(keys))
    scores: Mapping[tuple[str, int], float]
    scores, usual = near.compared(cursor, table, frame.spaces, question, asked)
    return Compared([scores.get(key) for key in keys], *mean_and_spread(usual))


def _keys(keys: Sequence[tuple[str, int]]) -> tuple[Array, Array]:
    """Each once, as two columns."""
    asked = [key for key in dict.fromkeys(keys) if "\0" not in key[0]]
    return texts(one for one, _ in asked), integers([ordinal for _, ordinal in asked])


def fetch(cursor: Cursor, keys: Sequence[tuple[str, int]]) -> list[tuple[Memory, Passage] | None]:
    rows: Any = cursor.execute(
        f"SELECT p.ordinal, p.start, p.stop, {SELECTED} "
        "FROM unnest(%b, %b) AS w (id, ordinal) JOIN memories m ON m.id = w.id "
        "JOIN spaces s ON s.id = m.space "
        "JOIN passages p ON p.memory = m.row AND p.ordinal = w.ordinal",
        _keys(keys),
        prepare=True,
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
        "FROM memories m WHERE m.id = ANY(%b)".encode(),
        (texts(one for one in dict.fromkeys(ids) if "\0" not in one),),
        prepare=True,
    )
    found = {memory_id: Neighbours(before, after) for memory_id, before, after in rows}
    return [found.get(memory_id, Neighbours(None, None)) for memory_id in ids]
