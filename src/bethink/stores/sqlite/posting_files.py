"""The file of a large space's words: a term's passages as one slice of an array.

Terms are kept as 64-bit hashes. The file is made anew as a whole, and shredded as a whole when
anything in it is forgotten: not even a hash of a forgotten word is left.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import numpy as np
from numpy.typing import NDArray

from bethink.stores.sqlite import large, own_files, sidecar, words
from bethink.stores.sqlite.sidecar import Ints, Listed

_BLOCK_ROWS = 8_192
_HEADER = 4  # counts of terms, postings and passages, and one to spare


def hash_term(term: str) -> int:
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "little")


class Postings(NamedTuple):
    hashes: NDArray[np.uint64]  # sorted
    starts: Ints  # where each term's slice begins; one more at the end
    places: NDArray[np.int32]  # which passage, by its place in `pids`
    counts: NDArray[np.uint16]  # how often
    pids: Ints  # ascending
    lengths: NDArray[np.int32]  # terms in each passage

    def slice_of(self, term: str) -> slice:
        wanted = np.uint64(hash_term(term))
        at = int(np.searchsorted(self.hashes, wanted))
        if at == len(self.hashes) or self.hashes[at] != wanted:
            return slice(0, 0)
        return slice(int(self.starts[at]), int(self.starts[at + 1]))


class _Block(NamedTuple):
    """Some passages on their way into the file, one entry for each of their distinct terms."""

    terms: NDArray[np.int32]
    places: NDArray[np.int32]
    counts: NDArray[np.uint16]


class Prepared(NamedTuple):
    """A file that is not written yet."""

    entry: Listed
    data: NDArray[np.uint8]


class PostingFiles:
    def __init__(self, folder: Path, space: int) -> None:
        self._folder = folder
        self._space = space

    def _path(self, entry: Listed) -> Path:
        return self._folder / f"{sidecar.names(large.WORDS, self._space, entry)[1]}.postings"

    def listed(self, connection: apsw.Connection) -> Listed | None:
        return sidecar.listed(connection, large.WORDS, self._space)

    def load(self, entry: Listed) -> Postings | None:
        """The file as it is listed, or None."""
        return _read(self._path(entry), entry)

    def prepare(self, connection: apsw.Connection, seq: int, passages: int) -> Prepared | None:
        """The file anew where it is worth it, made in memory from a reader's snapshot: at a million
        passages this takes a minute or more, and writers must not wait for it."""
        if passages < large.POSTINGS_FROM:
            return None
        entry = self.listed(connection)
        former = None if entry is None else self.load(entry)
        if former is not None:
            last = int(former.pids[-1]) if len(former.pids) else 0
            fresh: int = connection.execute(
                "SELECT count(*) FROM passages WHERE space = ? AND pid > ?", (self._space, last)
            ).get
            dead = len(former.pids) + fresh - passages
            if not large.behind(fresh + dead, len(former.pids)):
                return None
        base = _build(connection, self._space)
        if len(base.pids) != passages:  # FTS5's table is damaged: nothing is made of it
            raise words.Unsound(self._space)
        data = np.concatenate([array.view(np.uint8) for array in _flat(base)])
        new = Listed(sidecar.new_generation(), len(base.pids), seq, sidecar.checksum(data))
        return Prepared(new, data)

    def save(self, connection: apsw.Connection, made: Prepared) -> None:
        """Write and list it, inside a write transaction; not if anything was forgotten since the
        snapshot, for it would be in the file."""
        gone = connection.execute(
            "SELECT 1 FROM gone WHERE space = ? AND seq > ? LIMIT 1",
            (self._space, made.entry.seq),
        ).get
        if gone is None:
            own_files.make_folder(self._folder)
            sidecar.write_whole(self._path(made.entry), made.data.data)
            sidecar.enlist(connection, large.WORDS, self._space, made.entry)

    def check(self, connection: apsw.Connection) -> str | None:
        """What is wrong with the file, or None."""
        entry = self.listed(connection)
        if entry is None or self.load(entry) is not None:
            return None
        return "missing, cut short or changed"


def _build(connection: apsw.Connection, space: int) -> Postings:
    number_of: defaultdict[str, int] = defaultdict()
    number_of.default_factory = number_of.__len__  # a new term gets the next number
    pids: list[int] = []
    lengths: list[int] = []
    blocks: list[_Block] = []
    rows = connection.execute(f"SELECT rowid, terms FROM {words.table(space)} ORDER BY rowid")
    while some := list(islice(rows, _BLOCK_ROWS)):
        terms: list[int] = []
        counts: list[int] = []
        sizes: list[int] = []
        for pid, joined in some:
            split = joined.split()
            counted = Counter(split)
            pids.append(pid)
            lengths.append(len(split))
            terms.extend(map(number_of.__getitem__, counted))
            counts.extend(counted.values())
            sizes.append(len(counted))
        first = len(pids) - len(some)
        places = np.repeat(np.arange(first, len(pids), dtype=np.int32), sizes)
        held = np.minimum(counts, 65_535).astype(np.uint16)
        blocks.append(_Block(np.array(terms, np.int32), places, held))
    hashes = np.fromiter((hash_term(t) for t in number_of), np.uint64, len(number_of))
    ranks = np.argsort(hashes)
    position = np.empty(len(ranks), np.int32)
    position[ranks] = np.arange(len(ranks), dtype=np.int32)
    starts, all_places, all_counts = _by_term(
        [block._replace(terms=position[block.terms]) for block in blocks], len(ranks)
    )
    return Postings(
        hashes=hashes[ranks],
        starts=starts,
        places=all_places,
        counts=all_counts,
        pids=np.array(pids, np.int64),
        lengths=np.array(lengths, np.int32),
    )


def _by_term(
    blocks: Sequence[_Block], terms: int
) -> tuple[Ints, NDArray[np.int32], NDArray[np.uint16]]:
    """All blocks in the order of their terms. Sorted block by block: sorting a million rows at
    once takes gigabytes, and several times as long."""
    starts = np.zeros(terms + 1, np.int64)
    for block in blocks:
        starts[1:] += np.bincount(block.terms, minlength=terms)
    np.cumsum(starts, out=starts)
    places = np.empty(starts[-1], np.int32)
    counts = np.empty(starts[-1], np.uint16)
    free = starts[:-1].copy()  # where the next passage of each term goes
    for block in blocks:
        order = np.argsort(block.terms, kind="stable")
        ordered = block.terms[order]
        here = np.bincount(block.terms, minlength=terms)
        nth = np.arange(len(ordered)) - np.repeat(np.cumsum(here) - here, here)
        to = free[ordered] + nth
        places[to] = block.places[order]
        counts[to] = block.counts[order]
        free += here
    return starts, places, counts


def _flat(base: Postings) -> list[NDArray[np.generic]]:
    header = np.array([len(base.hashes), len(base.places), len(base.pids), 0], np.int64)
    return [header, base.hashes, base.starts, base.pids, base.places, base.lengths, base.counts]


def _read(path: Path, entry: Listed) -> Postings | None:
    """The arrays of a file whose checksum holds, or None."""
    try:
        data = np.fromfile(path, np.uint8)
    except OSError:
        return None
    if len(data) < 8 * _HEADER or sidecar.checksum(data) != entry.checksum:
        return None
    terms, postings, passages, _ = data[: 8 * _HEADER].view(np.int64).tolist()
    at = 8 * _HEADER

    def take(count: int, kind: type[np.generic]) -> NDArray[Any]:
        nonlocal at
        size = count * np.dtype(kind).itemsize
        piece = data[at : at + size].view(kind)
        at += size
        return piece

    return Postings(
        hashes=take(terms, np.uint64),
        starts=take(terms + 1, np.int64),
        pids=take(passages, np.int64),
        places=take(postings, np.int32),
        lengths=take(passages, np.int32),
        counts=take(postings, np.uint16),
    )
