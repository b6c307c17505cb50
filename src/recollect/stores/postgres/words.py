"""Full text search over postings of our own: exact BM25, as `recollect.text.bm25` says it.

PostgreSQL's ranking knows no rarity of words, and a row for each word of each passage would be
sixty rows for a passage. So a row holds a block: which of 4096 passages (numbered within their
space) have a term, how often, and how long each passage is. A question reads the blocks of its
terms, some tens of kilobytes for each, and ranks them here with NumPy. Whatever the number of
passages, a write changes one row for each of its terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from recollect.stores.postgres.database import Cursor
from recollect.stores.postgres.spaces import SpaceRow
from recollect.text.bm25 import K1, B, idf
from recollect.text.tokenise import joined_terms, stands_for_many

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]

BLOCK = 4096  # passages; more makes single writes rewrite longer rows, fewer makes more rows
_MOST = 65535  # of an occurrence or a length: beyond it, what is indexed is no passage any more
_POSTING = np.dtype([("place", "<u2"), ("times", "<u2"), ("length", "<u2")])
_SPARSE = 30  # so many times more passages than postings: then sorting is quicker
_BEYOND = "\U0010ffff"  # sorts after whatever may follow a term's beginning


class Worded(NamedTuple):
    """A passage as the words index has it."""

    number: int
    terms: str  # with blanks between


class Postings(NamedTuple):
    """Which passages hold what a term of a question means."""

    numbers: Ints
    times: Floats
    lengths: Floats


def is_term(text: str) -> bool:
    """Nothing else is ever indexed."""
    return text.isprintable() and text.split() == [text]


# Writing


def lengths_of(passages: Sequence[str]) -> list[int]:
    return [len(terms.split()) for terms in passages]


def add(cursor: Cursor, space: int, passages: Sequence[Worded]) -> None:
    terms, blocks, data = _blocks(passages)
    if not terms:
        return
    cursor.execute(
        "INSERT INTO postings (space, term, block, data) "
        "SELECT %s, * FROM unnest(%b::text[], %b::int[], %b::bytea[]) "
        "ON CONFLICT (space, term, block) DO UPDATE SET data = postings.data || excluded.data",
        (space, terms, blocks, data),
    )


def _blocks(passages: Sequence[Worded]) -> tuple[list[str], list[int], list[bytes]]:
    """The postings of some passages as rows of the table."""
    vocabulary: dict[str, int] = {}
    said: list[int] = []
    lengths: list[int] = []
    for passage in passages:
        words = passage.terms.split()
        said += [vocabulary.setdefault(word, len(vocabulary)) for word in words]
        lengths.append(len(words))
    if not said:
        return [], [], []
    names = sorted(vocabulary)  # in the order of the index: neighbours go to the same pages
    rank = np.empty(len(names), np.int64)
    rank[[vocabulary[name] for name in names]] = np.arange(len(names))
    who = np.repeat(np.arange(len(passages)), lengths)
    pairs, times = np.unique(rank[said] * len(passages) + who, return_counts=True)
    term, passage_at = np.divmod(pairs, len(passages))
    numbers = np.fromiter((p.number for p in passages), np.int64, len(passages))[passage_at]
    rows = np.empty(len(pairs), _POSTING)
    rows["place"] = numbers % BLOCK
    rows["times"] = np.minimum(times, _MOST)
    rows["length"] = np.minimum(np.asarray(lengths)[passage_at], _MOST)
    block = numbers // BLOCK
    # passages come in the order of their numbers, so that each group is in one piece
    starts = np.flatnonzero(np.diff(term, prepend=-1) | np.diff(block, prepend=-1))
    every, size = rows.tobytes(), _POSTING.itemsize
    edges = [*starts.tolist(), len(rows)]
    return (
        [names[at] for at in term[starts].tolist()],
        block[starts].tolist(),
        [every[size * a : size * b] for a, b in pairwise(edges)],
    )


def remove(cursor: Cursor, space: int, passages: Sequence[Worded], length: int) -> None:
    """Take passages out, whose lengths together are known. Their terms say which rows to change;
    where those do not account for all of it (another tokeniser made the row), every row of their
    blocks is looked at."""
    numbers = np.fromiter((p.number for p in passages), np.int64, len(passages))
    wanted = {
        (term, passage.number // BLOCK) for passage in passages for term in passage.terms.split()
    }
    rows = cursor.execute(
        "SELECT p.term, p.block, p.data FROM unnest(%b::text[], %b::int[]) AS w (term, block) "
        "JOIN postings p ON p.space = %s AND p.term = w.term AND p.block = w.block",
        ([term for term, _ in wanted], [block for _, block in wanted], space),
    ).fetchall()
    if _take_out(cursor, space, rows, numbers) == length:
        return
    rows = cursor.execute(
        "SELECT term, block, data FROM postings WHERE space = %s AND block = ANY(%s)",
        (space, sorted(set((numbers // BLOCK).tolist()))),
    ).fetchall()
    _take_out(cursor, space, rows, numbers)


def _take_out(
    cursor: Cursor, space: int, rows: Iterable[tuple[str, int, bytes]], numbers: Ints
) -> int:
    """Of these rows; how many occurrences went."""
    gone = 0
    changed: dict[tuple[str, int], bytes] = {}
    for term, block, data in rows:
        held = np.frombuffer(data, _POSTING)
        goes = np.isin(held["place"] + np.int64(block) * BLOCK, numbers)
        if goes.any():
            gone += int(held["times"][goes].sum())
            changed[term, block] = held[~goes].tobytes()
    terms, blocks = [term for term, _ in changed], [block for _, block in changed]
    cursor.execute(
        "UPDATE postings p SET data = w.data "
        "FROM unnest(%b::text[], %b::int[], %b::bytea[]) AS w (term, block, data) "
        "WHERE p.space = %s AND p.term = w.term AND p.block = w.block",
        (terms, blocks, list(changed.values()), space),
    )
    cursor.execute(
        "DELETE FROM postings p USING unnest(%b::text[], %b::int[]) AS w (term, block) "
        "WHERE p.space = %s AND p.term = w.term AND p.block = w.block AND p.data = ''",
        (terms, blocks, space),
    )
    return gone


def rebuild(cursor: Cursor, space: SpaceRow) -> int:
    """Make the words of a space anew from the texts; how many passages it has."""
    cursor.execute("DELETE FROM postings WHERE space = %s", (space.id,))
    total, after = 0, -1
    while True:
        rows = cursor.execute(
            "SELECT p.number, substr(m.content, p.start + 1, p.stop - p.start) FROM passages p "
            "JOIN memories m ON m.row = p.memory WHERE p.space = %s AND p.number > %s "
            "ORDER BY p.number LIMIT %s",
            (space.id, after, BLOCK),
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


def holding(cursor: Cursor, space: int, terms: Sequence[str]) -> dict[str, Postings]:
    """The postings of each term of a question; of those that nobody has, none."""
    plain = [term for term in terms if not stands_for_many(term)]
    parts: dict[str, list[tuple[int, bytes]]] = {}
    if plain:
        rows = cursor.execute(
            "SELECT term, block, data FROM postings WHERE space = %s AND term = ANY(%s)",
            (space, plain),
            binary=True,
        )
        for term, block, data in rows:
            parts.setdefault(term, []).append((block, data))
    for term in terms:
        if stands_for_many(term):
            found = cursor.execute(
                "SELECT block, data FROM postings WHERE space = %s AND term >= %s AND term < %s",
                (space, term, term + _BEYOND),
                binary=True,
            ).fetchall()
            if found:
                parts[term] = found
    return {term: _merged(rows, stands_for_many(term)) for term, rows in parts.items()}


def _merged(rows: Sequence[tuple[int, bytes]], several: bool) -> Postings:
    held = np.frombuffer(b"".join(data for _, data in rows), _POSTING)
    sizes = [len(data) // _POSTING.itemsize for _, data in rows]
    numbers = np.repeat([block * BLOCK for block, _ in rows], sizes) + held["place"]
    times, lengths = held["times"].astype(np.float64), held["length"].astype(np.float64)
    if not several:
        return Postings(numbers, times, lengths)
    numbers, first, where = np.unique(numbers, return_index=True, return_inverse=True)
    together = np.bincount(where, weights=times).astype(np.float64)
    return Postings(numbers, together, lengths[first])


def occurrences(cursor: Cursor, space: int) -> int:
    """How many words the index holds, counted one by one."""
    total = 0
    with cursor.connection.cursor("every_posting") as rows:
        rows.itersize = 10_000
        rows.execute("SELECT data FROM postings WHERE space = %s", (space,))
        for (data,) in rows:
            total += int(np.frombuffer(data, _POSTING)["times"].sum())
    return total


def frequencies(cursor: Cursor, space: int, terms: Sequence[str]) -> dict[str, int]:
    """How many passages hold each of these; what nobody has is left out."""
    many = [term for term in terms if stands_for_many(term)]
    rows = cursor.execute(
        "SELECT term, sum(octet_length(data)) FROM postings WHERE space = %s AND term = ANY(%s) "
        "GROUP BY term",
        (space, [term for term in terms if not stands_for_many(term)]),
    )
    found = {term: int(size) // _POSTING.itemsize for term, size in rows}
    return found | {t: len(p.numbers) for t, p in holding(cursor, space, many).items()}


def scored(cursor: Cursor, space: SpaceRow, terms: Sequence[str]) -> tuple[Ints, Floats]:
    """Numbers of the passages that hold any of the terms, with their scores."""
    found = holding(cursor, space.id, terms)
    average = space.length / max(space.passages, 1)
    parts: list[tuple[Ints, Floats]] = []
    for postings in found.values():
        rarity = idf(space.passages, len(postings.numbers))
        longness = K1 * (1 - B + B * postings.lengths / average)
        weight = postings.times * (K1 + 1) / (postings.times + longness)
        parts.append((postings.numbers, rarity * weight))
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
