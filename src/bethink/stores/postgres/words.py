"""Full text search over an index of our own: exact BM25, as `bethink.text.bm25` says it.

PostgreSQL's ranking knows no rarity of words, and a row for each word of each passage would be
sixty rows for a passage. So a write adds one segment: which of its passages have which terms, how
often, and how long each passage is (`postings.py`), in a few rows. Small segments are merged into
larger ones by whoever adds the eighth of a size, so that a question, which reads its terms from
each, finds a handful. Ranking is done here, with NumPy.

Every function runs inside the caller's transaction; those that write hold the row of the space.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from bethink.stores.postgres.arrays import byte_strings, texts
from bethink.stores.postgres.database import Cursor
from bethink.stores.postgres.postings import (
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
from bethink.stores.postgres.spaces import SpaceRow, check_names, names_of
from bethink.stores.postgres.spaces import of as columns
from bethink.text.bm25 import K1, B, idf
from bethink.text.searched import below_headings
from bethink.text.tokenise import joined_terms, stands_for_many

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
            "SELECT p.number, substr(m.content, p.start + 1, p.stop - p.start), m.kind, m.section "
            "FROM passages p JOIN memories m ON m.row = p.memory "
            "WHERE p.space = %s AND p.number > %s ORDER BY p.number LIMIT %s",
            (space.id, after, _BATCH),
        ).fetchall()
        if not rows:
            break
        passages = [Worded(number, joined_terms(below_headings(*text))) for number, *text in rows]
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


class Asked(NamedTuple):
    """A space, and what each term of a question means there; what nobody has is left out."""

    space: SpaceRow
    terms: Mapping[str, Gathered]


_WHOLE = (
    "SELECT false AS many, w.term, g.low, c.data FROM segments g, unnest(%(whole)b) w (term), "
    "LATERAL (SELECT data FROM words WHERE space = g.space AND low = g.low "
    "AND first <= w.term ORDER BY first DESC LIMIT 1) c WHERE g.space = s.id"
)
_BEGINNINGS = (
    "SELECT true, w.term, g.low, c.data FROM segments g, unnest(%(begin)b) w (term), "
    "LATERAL (SELECT coalesce(max(first), '') AS first FROM words "
    "WHERE space = g.space AND low = g.low AND first <= w.term) b, "
    "LATERAL (SELECT data FROM words WHERE space = g.space AND low = g.low "
    f"AND first >= b.first AND first < w.term || '{_BEYOND}') c WHERE g.space = s.id"
)


def asked(cursor: Cursor, spaces: Sequence[str], terms: Sequence[str]) -> list[Asked]:
    """What a question means in these spaces (or UnknownSpace), by one statement: of one moment,
    with the counts that ranking takes."""
    known = [term for term in dict.fromkeys(terms) if is_term(term)]
    begin = [term for term in known if stands_for_many(term)]
    whole = [term for term in known if not stands_for_many(term)]
    parts = [_WHOLE] * bool(whole) + [_BEGINNINGS] * bool(begin)
    held = " UNION ALL ".join(parts) or "SELECT false, '', 0::bigint, ''::bytea WHERE false"
    rows = cursor.execute(
        f"SELECT {columns('s')}, h.* FROM spaces s LEFT JOIN LATERAL ({held}) h ON true "
        "WHERE s.name = ANY(%(spaces)b)".encode(),
        {"spaces": names_of(spaces), "whole": texts(whole), "begin": texts(begin)},
        prepare=True,
        binary=True,
    ).fetchall()
    width = len(SpaceRow._fields)
    found: dict[str, SpaceRow] = {}
    words: dict[bool, dict[str, list[tuple[str, int, bytes]]]] = {False: {}, True: {}}
    for row in rows:
        name = row[1]
        if name not in found:
            found[name] = SpaceRow(*row[:width])
        many, term, low, data = row[width:]
        if data is not None:
            words[many].setdefault(name, []).append((term, low, data))
    check_names(cursor, spaces, found)
    return [
        Asked(
            found[name],
            gathered(words[False].get(name, ()))
            | gathered(words[True].get(name, ()), beginnings=True),
        )
        for name in dict.fromkeys(spaces)
    ]


def occurrences(cursor: Cursor, space: int) -> int:
    """How many words the index holds, counted one by one."""
    total = 0
    with cursor.connection.cursor("every_word") as rows:
        rows.itersize = 1_000
        rows.execute("SELECT data FROM words WHERE space = %s", (space,))
        for (data,) in rows:
            total += int(read(data).postings["times"].sum(dtype=np.int64))
    return total


def scored(asked: Asked) -> tuple[Ints, Floats]:
    """Numbers of the passages that hold any of the terms, with their scores."""
    space, held = asked.space, list(asked.terms.values())
    if not held:
        return np.empty(0, np.int64), np.empty(0)
    sizes = [len(one.numbers) for one in held]
    rarity = np.repeat([idf(space.passages, size) for size in sizes], sizes)
    numbers = np.concatenate([one.numbers for one in held])
    times = np.concatenate([one.times for one in held])
    lengths = np.concatenate([one.lengths for one in held])
    longness = K1 * (1 - B + B * lengths / (space.length / max(space.passages, 1)))
    return _summed(numbers, rarity * times * (K1 + 1) / (times + longness), space.numbers)


def counted(asked: Asked, numbers: Sequence[int]) -> list[dict[str, int]]:
    """How often each of these passages holds each term."""
    counts: list[dict[str, int]] = [{} for _ in numbers]
    wanted = np.asarray(numbers, np.int64)
    for term, found in asked.terms.items():
        order = np.argsort(found.numbers, kind="stable")
        at = np.searchsorted(found.numbers, wanted, sorter=order)
        place = order.take(at, mode="clip")
        held = np.flatnonzero(found.numbers[place] == wanted)
        for one, times in zip(held.tolist(), found.times[place[held]].tolist(), strict=True):
            counts[one][term] = int(times)
    return counts


def _summed(every: Ints, scores: Floats, numbers: int) -> tuple[Ints, Floats]:
    """A passage's scores for the terms, together."""
    if len(every) * _SPARSE < numbers:
        found, where = np.unique(every, return_inverse=True)
        return found, np.bincount(where, weights=scores).astype(np.float64, copy=False)
    # a look at each place is quicker than sorting
    total = np.bincount(every, weights=scores).astype(np.float64, copy=False)
    # of truths: of numbers it takes five times as long
    found = np.flatnonzero(total != 0.0).astype(np.int64, copy=False)
    return found, total[found]
