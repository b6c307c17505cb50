"""Searches, each a statement or two.

A filter is applied to the best that a search finds without it; most let nearly everything through
(what holds now). Where too little is left, the filter is asked first and what passes it is ranked
exactly, so that no filter can empty an answer.

Between two statements somebody may have written. What the first named and the second does not know
shows it (`Torn`): then the search is done again, in one snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bethink.errors import FingerprintMismatch
from bethink.filters import Filter
from bethink.stores.background import mean_and_spread
from bethink.stores.damage import Damage, RowDamaged
from bethink.stores.postgres import labels, near, words
from bethink.stores.postgres.arrays import Array, bigints, integers, texts
from bethink.stores.postgres.comparing import Samples, compared
from bethink.stores.postgres.database import Cursor
from bethink.stores.postgres.learned import SPOT, Key, Learned, Spot
from bethink.stores.postgres.near import Torn
from bethink.stores.postgres.rows import SELECTED, from_row
from bethink.stores.postgres.spaces import SpaceRow
from bethink.stores.postgres.vector_tables import Frame, VectorTable
from bethink.stores.postgres.where import to_sql
from bethink.stores.protocol import Compared, Counted, Frequencies, Neighbours, TermCounts
from bethink.text.tokenise import stands_for_many
from bethink.vocabulary import Found, Memory, Passage, Vector

_LIKELY = 1.5  # times the hits wanted: nearly all of them pass what is asked most
_FIRST_LOOK = 4  # times the hits wanted are looked at before the filter is asked for all it passes


def search_words(
    cursor: Cursor,
    terms: Sequence[str],
    spaces: Sequence[str],
    where: Filter | None,
    limit: int,
    learned: Learned,
) -> list[Found]:
    found: list[Found] = []
    every = learned.asked[tuple(spaces), tuple(terms)] = words.asked(cursor, spaces, terms)
    for asked in every:
        if asked.terms:
            found += _words_of(cursor, asked, where, limit, learned)
    return best(found, limit)


def _words_of(
    cursor: Cursor, asked: words.Asked, where: Filter | None, limit: int, learned: Learned
) -> list[Found]:
    space = asked.space.id
    numbers, scores = words.scored(asked)
    wanted = limit if where is None else limit * _FIRST_LOOK
    top, found = _top(scores, wanted), list[Found]()
    few = labels.few(cursor, [space], where) if len(top) < len(numbers) else None
    if few is None:
        likely = len(top) if where is None else int(limit * _LIKELY)
        for some in (top[:likely], top[likely:]):
            if len(found) < limit:
                found += _named(cursor, space, numbers[some], scores[some], where, learned)
    if len(found) < limit and len(top) < len(numbers):
        passing = np.fromiter(_passing(cursor, space, where, few or "true"), np.int64)
        kept = np.isin(numbers, passing, assume_unique=True)
        numbers, scores = numbers[kept], scores[kept]
        top = _top(scores, limit)
        found = _named(cursor, space, numbers[top], scores[top], None, learned)
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
    cursor: Cursor,
    space: int,
    numbers: words.Ints,
    scores: words.Floats,
    where: Filter | None,
    learned: Learned,
) -> list[Found]:
    """These passages, best first, without those that the filter does not let through."""
    if not len(numbers):
        return []
    condition, bindings = to_sql(where)
    rows = cursor.execute(
        f"SELECT {condition}, m.id, p.ordinal, {SPOT} FROM passages p "
        "JOIN memories m ON m.row = p.memory "
        f"WHERE p.space = {space:d} AND p.number = ANY(%b)".encode(),
        (*bindings, bigints(numbers.tolist())),
        prepare=True,
    ).fetchall()
    if len(rows) < len(numbers):
        raise Torn
    named: dict[int, tuple[str, int]] = {}
    for passes, memory_id, ordinal, *spot in rows:
        if passes:
            at = Spot(*spot)
            named[at.number] = key = (memory_id, ordinal)
            learned.spots[key] = at
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
    cursor: Cursor, terms: Sequence[str], keys: Sequence[Key], spaces: Sequence[str]
) -> TermCounts:
    """What the words index knows of passages, which spares cutting their texts into terms."""
    asked = words.asked(cursor, spaces, terms)
    return counted(terms, keys, asked, _spots(cursor, keys))  # looked up after it, not before


def counted(
    terms: Sequence[str],
    keys: Sequence[Key],
    asked: Sequence[words.Asked],
    spots: Mapping[Key, Spot],
) -> TermCounts:
    held: dict[Key, Counted] = {}
    # of terms that stand for many the index knows who begins so, not how often it is said
    for one in () if any(map(stands_for_many, terms)) else asked:
        own = [
            (key, spot)
            for key, spot in spots.items()
            # what was told since is no part of it: its text must be read
            if spot.space == one.space.id and spot.number <= one.space.numbers
        ]
        counts = words.counted(one, [spot.number for _, spot in own])
        for (key, spot), found in zip(own, counts, strict=True):
            held[key] = Counted(found, spot.length)
    return TermCounts(_frequencies(terms, asked), [held.get(key) for key in keys])


def _spots(cursor: Cursor, keys: Sequence[Key]) -> dict[Key, Spot]:
    rows = cursor.execute(
        f"SELECT m.id, p.ordinal, {SPOT} FROM unnest(%b, %b) AS w (id, ordinal) "
        "JOIN memories m ON m.id = w.id "
        "JOIN passages p ON p.memory = m.row AND p.ordinal = w.ordinal".encode(),
        _keys(keys),
        prepare=True,
    )
    return {(memory_id, ordinal): Spot(*spot) for memory_id, ordinal, *spot in rows}


def search_meaning(
    cursor: Cursor,
    frame: Frame,
    vector: Vector,
    fingerprint: str,
    where: Filter | None,
    limit: int,
    learned: Learned,
    *,
    has_index: Callable[[Cursor, VectorTable, SpaceRow], bool],
) -> list[Found]:
    from bethink.stores.sound_vectors import sound_question

    table = _answering(frame, fingerprint)
    if table is None:
        return []
    question = sound_question(vector, dimension=table.dimension)
    found: list[Found] = []
    for space in frame.spaces:
        indexed = has_index(cursor, table, space)
        looked = near.search(cursor, table, space, question, where, limit, indexed=indexed)
        for memory_id, ordinal, score, spot in looked:
            learned.spots[memory_id, ordinal] = spot
            found.append(Found(memory_id, ordinal, score))
    return best(found, limit)


def _answering(frame: Frame, fingerprint: str) -> VectorTable | None:
    table = frame.table
    if table is not None and table.fingerprint != fingerprint:
        raise FingerprintMismatch(
            f"the question was embedded by {fingerprint}, the index is by "
            f"{table.fingerprint}; run 'bethink reindex'"
        )
    return table


def compare(
    cursor: Cursor,
    frame: Frame,
    vector: Vector,
    keys: Sequence[Key],
    fingerprint: str,
    learned: Learned,
    samples: Samples,
) -> Compared:
    from bethink.stores.sound_vectors import sound_question

    table = _answering(frame, fingerprint)
    if table is None:
        return Compared([None] * len(keys), 0.0, 1.0)
    question = sound_question(vector, dimension=table.dimension)
    asked = list(dict.fromkeys(keys))
    scores, usual = compared(cursor, frame, question, asked, learned.spots, samples)
    return Compared([scores.get(key) for key in keys], *mean_and_spread(usual))


def _keys(keys: Sequence[Key]) -> tuple[Array, Array]:
    """Each once, as two columns."""
    asked = [key for key in dict.fromkeys(keys) if "\0" not in key[0]]
    return texts(one for one, _ in asked), integers([ordinal for _, ordinal in asked])


def fetch(
    cursor: Cursor, keys: Sequence[Key], learned: Learned, damage: Damage
) -> list[tuple[Memory, Passage] | None]:
    rows: Any = cursor.execute(
        f"SELECT {SPOT}, p.ordinal, p.start, p.stop, {SELECTED} "
        "FROM unnest(%b, %b) AS w (id, ordinal) JOIN memories m ON m.id = w.id "
        "JOIN spaces s ON s.id = m.space "
        "JOIN passages p ON p.memory = m.row AND p.ordinal = w.ordinal",
        _keys(keys),
        prepare=True,
    ).fetchall()  # all at once: row by row each is asked for through several calls
    found: dict[Key, tuple[Memory, Passage]] = {}
    for row in rows:
        try:
            memory = from_row(row[7:])
        except RowDamaged as e:
            damage.note(e.space, e.record)
            continue
        key = memory.id, row[4]
        found[key] = (memory, Passage(*row[4:7]))
        learned.spots[key] = Spot(*row[:4])  # of the very text that is handed out
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
