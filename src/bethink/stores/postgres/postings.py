"""What a row of the words index holds: some terms that follow each other, and for each the passages
that have it. Arrays of NumPy in one piece of bytes; nothing here knows a database.

    number of terms, bytes of their names, names with line ends between, how many postings each
    has, the postings one after the other
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]
    Postings: TypeAlias = NDArray[np.void]

MOST_SPAN = 65536  # passages of a segment: a place has two bytes
_MOST = 65535  # of an occurrence or a length: beyond it, what is indexed is no passage any more
_POSTING = np.dtype([("place", "<u2"), ("times", "<u2"), ("length", "<u2")])
_HEAD = np.dtype("<u4")
# A row is read for each term of a question and segment: it should hold little else.
_CHUNK_POSTINGS = 192
_CHUNK_TERMS = 64


class Worded(NamedTuple):
    """A passage as the words index has it."""

    number: int
    terms: str  # with blanks between


class Chunk(NamedTuple):
    """A row: its first term, and all of it."""

    first: str
    data: bytes


class Inverted(NamedTuple):
    """Terms in order, with the passages that hold each; places count from the segment's first."""

    names: list[str]
    counts: Ints
    postings: Postings

    def without(self, goes: NDArray[np.bool_]) -> Inverted:
        owner = np.repeat(np.arange(len(self.names)), self.counts)[~goes]
        counts = np.bincount(owner, minlength=len(self.names))
        names = [name for name, count in zip(self.names, counts.tolist(), strict=True) if count]
        return Inverted(names, counts[counts > 0], self.postings[~goes])


class Gathered(NamedTuple):
    """The passages that hold what a term of a question means."""

    numbers: Ints
    times: Floats
    lengths: Floats


def inverted(passages: Sequence[Worded], low: int) -> Inverted:
    vocabulary: dict[str, int] = defaultdict(count().__next__)  # each new word gets the next number
    said: list[int] = []
    lengths: list[int] = []
    for passage in passages:
        words = passage.terms.split()
        said += map(vocabulary.__getitem__, words)
        lengths.append(len(words))
    names = sorted(vocabulary)
    rank = np.empty(len(names), np.int64)
    rank[[vocabulary[name] for name in names]] = np.arange(len(names))
    who = np.repeat(np.arange(len(passages)), lengths)
    pairs, times = np.unique(rank[said] * len(passages) + who, return_counts=True)
    term, at = np.divmod(pairs, len(passages))
    postings = np.empty(len(pairs), _POSTING)
    places = np.fromiter((p.number - low for p in passages), np.int64, len(passages))
    postings["place"] = places[at]
    postings["times"] = np.minimum(times, _MOST)
    postings["length"] = np.minimum(np.asarray(lengths, np.int64)[at], _MOST)
    return Inverted(names, np.bincount(term, minlength=len(names)), postings)


def together(rows: Iterable[tuple[int, bytes]], low: int) -> Inverted:
    """Rows of several segments, by the number of each one's first passage, as one segment. Nothing
    is sorted but the names: a term's passages go up from segment to segment, so each part is put
    behind those before it."""
    vocabulary: dict[str, int] = defaultdict(count().__next__)
    segments: dict[int, list[tuple[list[int], Ints, Postings]]] = defaultdict(list)
    for start, data in rows:
        said, counts, postings = read(data)
        segments[start].append(([vocabulary[name] for name in said], counts, postings))
    names = sorted(vocabulary)
    if not names:
        return Inverted([], np.empty(0, np.int64), np.empty(0, _POSTING))
    rank = np.empty(len(names), np.int64)
    rank[[vocabulary[name] for name in names]] = np.arange(len(names))
    parts: list[tuple[Ints, Ints, Postings]] = []
    totals = np.zeros(len(names), np.int64)
    for start, chunks in sorted(segments.items()):
        own = rank[[number for numbers, _, _ in chunks for number in numbers]]
        counts = np.concatenate([counts for _, counts, _ in chunks])
        moved = np.concatenate([postings for _, _, postings in chunks])
        moved["place"] += start - low
        totals[own] += counts  # a term stands once in a segment
        parts.append((own, counts, moved))
    free = np.cumsum(totals) - totals  # where the next passage of each term goes
    every = np.empty(int(totals.sum()), _POSTING)
    for own, counts, moved in parts:
        first = np.cumsum(counts) - counts
        every[np.repeat(free[own] - first, counts) + np.arange(len(moved))] = moved
        free[own] += counts
    return Inverted(names, totals, every)


def chunks_of(index: Inverted) -> list[Chunk]:
    """An index as rows."""
    if not index.names:
        return []
    ends = np.cumsum(index.counts)
    starts = [0]
    began = 0
    for at, end in enumerate(ends.tolist()):
        if end - began > _CHUNK_POSTINGS or at - starts[-1] >= _CHUNK_TERMS:
            if at > starts[-1]:
                starts.append(at)
            began = end - int(index.counts[at])
    edges = np.concatenate([[0], ends])
    every = index.postings.tobytes()
    size = _POSTING.itemsize
    return [
        Chunk(
            index.names[a],
            _packed(index.names[a:b], index.counts[a:b], every[edges[a] * size : edges[b] * size]),
        )
        for a, b in pairwise([*starts, len(index.names)])
    ]


def _packed(names: Sequence[str], counts: Ints, postings: bytes) -> bytes:
    named = "\n".join(names).encode()
    head = np.array([len(names), len(named)], _HEAD).tobytes()
    return head + named + counts.astype(_HEAD).tobytes() + postings


def read(data: bytes) -> Inverted:
    names, counts, start = _opened(data)
    postings = np.frombuffer(data, _POSTING, offset=start)
    return Inverted(names.decode().split("\n"), counts.astype(np.int64), postings)


def _opened(data: bytes) -> tuple[bytes, NDArray[Any], int]:
    """Names, counts, and where the postings begin."""
    terms, size = np.frombuffer(data, _HEAD, 2).tolist()
    counts = np.frombuffer(data, _HEAD, terms, 8 + size)
    return data[8 : 8 + size], counts, 8 + size + terms * _HEAD.itemsize


def gathered(
    rows: Iterable[tuple[str, int, bytes]], *, beginnings: bool = False
) -> dict[str, Gathered]:
    """From rows (term, first number of the segment, data), what each term means: itself, or all
    that begins with it."""
    parts: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
    size = _POSTING.itemsize
    for term, low, data in rows:
        names, counts, start = _opened(data)
        for at in _places(names.split(b"\n"), term.encode(), beginnings):
            before = start + int(counts[:at].sum()) * size
            parts[term].append((low, data[before : before + int(counts[at]) * size]))
    # all of them as one piece: what NumPy does to each term by itself takes longer than its work
    every = [part for held in parts.values() for part in held]
    postings = np.frombuffer(b"".join([piece for _, piece in every]), _POSTING)
    lows = np.repeat([low for low, _ in every], [len(piece) // size for _, piece in every])
    numbers = lows + postings["place"]
    times, lengths = postings["times"].astype(np.float64), postings["length"].astype(np.float64)
    found: dict[str, Gathered] = {}
    end = 0
    for term, held in parts.items():
        start, end = end, end + sum([len(piece) for _, piece in held]) // size
        one = Gathered(numbers[start:end], times[start:end], lengths[start:end])
        found[term] = _each_once(one) if beginnings else one
    return found


def _places(names: Sequence[bytes], wanted: bytes, beginnings: bool) -> list[int]:
    if beginnings:
        return [at for at, name in enumerate(names) if name.startswith(wanted)]
    return [names.index(wanted)] if wanted in names else []


def _each_once(found: Gathered) -> Gathered:
    """A passage may hold several terms that begin so."""
    numbers, first, where = np.unique(found.numbers, return_index=True, return_inverse=True)
    summed = np.bincount(where, weights=found.times).astype(np.float64)
    return Gathered(numbers, summed, found.lengths[first])
