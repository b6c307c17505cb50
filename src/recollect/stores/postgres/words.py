"""Full text search over an index of our own: exact BM25, as `recollect.text.bm25` says it.

PostgreSQL's ranking knows no rarity of words, and a row for each word of each passage would be
sixty rows for a passage. So a write adds one segment: which of its passages have which terms, how
often, and how long each passage is (`postings.py`), in a few rows. Small segments are merged into
larger ones by whoever adds the eighth of a size, so that a question, which reads its terms from
each, finds a handful. Ranking is done here, with NumPy.

Every function runs inside the caller's transaction; those that write hold the row of the space.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from recollect.stores.postgres.arrays import byte_strings, texts
from recollect.stores.postgres.database import Cursor
from recollect.stores.postgres.postings import (
    MOST_SPAN,
    Chunk,
    Gathered,
    Inverted,
    Worded,
    chunks_of,
    gathered,
    inverted,
    read,
    together,
)
from recollect.stores.postgres.spaces import SpaceRow
from recollect.text.bm25 import K1, B, idf
from recollect.text.tokenise import joined_terms, stands_for_many

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]

_FAN = 8  # segments of a size make one of the next
_LEVELS = 4  # merged while somebody writes: up to 8^4 passages, a fraction of a second
_BATCH = 4096
_SPARSE = 30  # so many times more passages than postings: then sorting is quicker
_BEYOND = "\U0010ffff"  # sorts after whatever may follow a term's beginning


class Segment(NamedTuple):
    low: int  # the numbers of its first
    high: int  # and last passage
    passages: int  # so many when it was made


def is_term(text: str) -> bool:
    """Nothing else is ever indexed."""
    return text.isprintable() and text.split() == [text]


# Writing


def lengths_of(passages: Sequence[str]) -> list[int]:
    return [len(terms.split()) for terms in passages]


def add(cursor: Cursor, space: int, passages: Sequence[Worded]) -> None:
    """Passages in the order of their numbers, all greater than those that are there."""
    for start in range(0, len(passages), _BATCH):
        batch = passages[start : start + _BATCH]
        segment = Segment(batch[0].number, batch[-1].number, len(batch))
        _write(cursor, space, segment, inverted(batch, segment.low))
    _merge_small(cursor, space)


def _write(cursor: Cursor, space: int, segment: Segment, index: Inverted) -> None:
    cursor.execute(
        "INSERT INTO segments (space, low, high, passages) VALUES (%s, %s, %s, %s)",
        (space, *segment),
    )
    _write_chunks(cursor, space, segment.low, chunks_of(index))


def _write_chunks(cursor: Cursor, space: int, low: int, chunks: Sequence[Chunk]) -> None:
    if chunks:
        cursor.execute(
            "INSERT INTO words (space, low, first, data) SELECT %s, %s, * FROM unnest(%b, %b)",
            (
                space,
                low,
                texts(chunk.first for chunk in chunks),
                byte_strings([chunk.data for chunk in chunks]),
            ),
        )


def _segments(cursor: Cursor, space: int) -> list[Segment]:
    rows = cursor.execute(
        "SELECT low, high, passages FROM segments WHERE space = %s ORDER BY low", (space,)
    )
    return [Segment(*row) for row in rows]


def _merge_small(cursor: Cursor, space: int) -> None:
    """Where there are eight of a size at the end, they and all smaller ones after become one."""
    segments = _segments(cursor, space)
    for level in range(_LEVELS):
        tail = len(segments)
        while tail and segments[tail - 1].passages < _FAN ** (level + 1):
            tail -= 1
        run = segments[tail:]
        full = sum(one.passages >= _FAN**level for one in run) >= _FAN
        if full and run[-1].high - run[0].low < MOST_SPAN:
            segments[tail:] = [_merge(cursor, space, run)]


def merge_large(cursor: Cursor, space: int) -> None:
    """What nobody should wait for while writing: segments as large as they can be."""
    run: list[Segment] = []
    for segment in _segments(cursor, space):
        if run and segment.high - run[0].low >= MOST_SPAN:
            if len(run) >= _FAN:
                _merge(cursor, space, run)
            run = []
        run.append(segment)
    if len(run) >= _FAN:
        _merge(cursor, space, run)


def _merge(cursor: Cursor, space: int, run: Sequence[Segment]) -> Segment:
    made = Segment(run[0].low, run[-1].high, sum(one.passages for one in run))
    lows = [one.low for one in run]
    rows = cursor.execute(
        "DELETE FROM words WHERE space = %s AND low = ANY(%s) RETURNING low, data",
        (space, lows),
        binary=True,
    ).fetchall()
    cursor.execute("DELETE FROM segments WHERE space = %s AND low = ANY(%s)", (space, lows))
    _write(cursor, space, made, together(rows, made.low))
    return made


def remove(cursor: Cursor, space: int, passages: Sequence[Worded], length: int) -> None:
    """Take passages out, whose lengths together are known. Their terms say which rows to change;
    where those do not account for all of it (another tokeniser made them), every row of their
    segments is looked at."""
    segments = _segments(cursor, space)
    gone = 0
    for every in (False, True):
        if gone == length:
            return
        for segment in segments:
            inside = [p for p in passages if segment.low <= p.number <= segment.high]
            if inside:
                gone += _take_out(cursor, space, segment.low, inside, every=every)


def _take_out(
    cursor: Cursor, space: int, low: int, passages: Sequence[Worded], *, every: bool
) -> int:
    """Of one segment; how many occurrences went."""
    numbers = np.fromiter((p.number - low for p in passages), np.int64, len(passages))
    if every:
        sql, bound = "SELECT first, data FROM words WHERE space = %s AND low = %s", (space, low)
        rows = cursor.execute(sql, bound, binary=True).fetchall()
    else:
        terms = sorted({term for passage in passages for term in passage.terms.split()})
        rows = cursor.execute(
            "SELECT DISTINCT ON (c.first) c.first, c.data FROM unnest(%s::text[]) w (term), "
            "LATERAL (SELECT first, data FROM words WHERE space = %s AND low = %s "
            "AND first <= w.term ORDER BY first DESC LIMIT 1) c ORDER BY c.first",
            (terms, space, low),
            binary=True,
        ).fetchall()
    gone = 0
    emptied: list[str] = []
    left: list[Chunk] = []
    for first, data in rows:
        index = read(data)
        goes = np.isin(index.postings["place"], numbers)
        if goes.any():
            gone += int(index.postings["times"][goes].sum(dtype=np.int64))
            emptied.append(first)
            left += chunks_of(index.without(goes))
    if emptied:
        cursor.execute(  # not in place: the first term of a row may be the one that goes
            "DELETE FROM words WHERE space = %s AND low = %s AND first = ANY(%s)",
            (space, low, emptied),
        )
        _write_chunks(cursor, space, low, left)
    return gone


def rebuild(cursor: Cursor, space: SpaceRow) -> int:
    """Make the words of a space anew from the texts; how many passages it has."""
    cursor.execute("DELETE FROM words WHERE space = %s", (space.id,))
    cursor.execute("DELETE FROM segments WHERE space = %s", (space.id,))
    total, after = 0, -1
    while True:
        rows = cursor.execute(
            "SELECT p.number, substr(m.content, p.start + 1, p.stop - p.start) FROM passages p "
            "JOIN memories m ON m.row = p.memory WHERE p.space = %s AND p.number > %s "
            "ORDER BY p.number LIMIT %s",
            (space.id, after, _BATCH),
        ).fetchall()
        if not rows:
            break
        passages = [Worded(number, joined_terms(text)) for number, text in rows]
        add(cursor, space.id, passages)
        cursor.execute(
            "UPDATE passages p SET length = w.length FROM unnest(%s::bigint[], %s::int[]) "
            "AS w (number, length) WHERE p.space = %s AND p.number = w.number",
            ([p.number for p in passages], lengths_of([p.terms for p in passages]), space.id),
        )
        total, after = total + len(rows), rows[-1][0]
    cursor.execute(
        "UPDATE spaces SET length = (SELECT coalesce(sum(p.length), 0) FROM passages p "
        "WHERE p.space = %s) WHERE id = %s",
        (space.id, space.id),
    )
    return total


# Asking


def holding(cursor: Cursor, space: int, terms: Sequence[str]) -> dict[str, Gathered]:
    """What each term of a question means, in all segments; what nobody has is left out."""
    found: dict[str, Gathered] = {}
    plain = [term for term in terms if not stands_for_many(term)]
    if plain:
        rows = cursor.execute(
            "SELECT w.term, s.low, c.data FROM segments s, unnest(%s::text[]) w (term), "
            "LATERAL (SELECT data FROM words WHERE space = %s AND low = s.low "
            "AND first <= w.term ORDER BY first DESC LIMIT 1) c WHERE s.space = %s",
            (plain, space, space),
            binary=True,
        )
        found = gathered(rows)
    for term in terms:
        if stands_for_many(term):
            rows = cursor.execute(
                "SELECT s.low, c.data FROM segments s, LATERAL (SELECT coalesce(max(first), '') "
                "AS first FROM words WHERE space = %s AND low = s.low AND first <= %s) b, "
                "LATERAL (SELECT data FROM words WHERE space = %s AND low = s.low "
                "AND first >= b.first AND first < %s) c WHERE s.space = %s",
                (space, term, space, term + _BEYOND, space),
                binary=True,
            )
            found |= gathered(((term, *row) for row in rows), beginnings=True)
    return found


def occurrences(cursor: Cursor, space: int) -> int:
    """How many words the index holds, counted one by one."""
    total = 0
    with cursor.connection.cursor("every_word") as rows:
        rows.itersize = 1_000
        rows.execute("SELECT data FROM words WHERE space = %s", (space,))
        for (data,) in rows:
            total += int(read(data).postings["times"].sum(dtype=np.int64))
    return total


def frequencies(cursor: Cursor, space: int, terms: Sequence[str]) -> dict[str, int]:
    """How many passages hold each of these; what nobody has is left out."""
    return {term: len(found.numbers) for term, found in holding(cursor, space, terms).items()}


def scored(cursor: Cursor, space: SpaceRow, terms: Sequence[str]) -> tuple[Ints, Floats]:
    """Numbers of the passages that hold any of the terms, with their scores."""
    average = space.length / max(space.passages, 1)
    parts: list[tuple[Ints, Floats]] = []
    for found in holding(cursor, space.id, terms).values():
        rarity = idf(space.passages, len(found.numbers))
        longness = K1 * (1 - B + B * found.lengths / average)
        parts.append((found.numbers, rarity * found.times * (K1 + 1) / (found.times + longness)))
    return _summed(parts, space.numbers)


def _summed(parts: Sequence[tuple[Ints, Floats]], numbers: int) -> tuple[Ints, Floats]:
    """A passage's scores for the terms, together."""
    if sum(len(part) for part, _ in parts) * _SPARSE < numbers:
        every = np.concatenate([part for part, _ in parts]) if parts else np.empty(0, np.int64)
        scores = np.concatenate([score for _, score in parts]) if parts else np.empty(0)
        found, where = np.unique(every, return_inverse=True)
        total = np.bincount(where, weights=scores, minlength=len(found)).astype(np.float64)
        return found, total
    total = np.zeros(numbers + 1)  # a look at each place is quicker than sorting
    for part, score in parts:
        total[part] += score  # a term names no passage twice
    found = np.flatnonzero(total)
    return found, total[found]
