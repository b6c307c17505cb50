"""Nearest passages of one space, in process.

The rows in the database are the source. Here they stand as one matrix: a memory-mapped base (the
sidecar) and a tail of what came since, in memory. A search catches up by change number, so it sees
every committed row, of other processes too, and nothing that is not committed.

Small spaces are scanned exactly. Above `PQ_FROM` rows a product quantiser (faiss fast-scan) picks
candidates that are then scored exactly. Filters choose rows first and score those exactly. Every
row that is used is compared with its checksum; at the first doubt the index is made anew.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from bethink.one_thread import dots
from bethink.stores.background import SAMPLE
from bethink.stores.sqlite import large, sidecar
from bethink.stores.sqlite.sidecar import Floats, Ints, Listed
from bethink.stores.sqlite.vector_files import Base, VectorFiles, arrays, can_quantise
from bethink.stores.sqlite.vector_tables import VectorTable

# Candidates scored exactly for each result wanted: recall@10 ≥ .99 up to 1M, by recall_speed.py.
_RESCORED_PER_HIT = 10
_RESCORED_AT_LEAST = 300
# With fewer that may be used among them, the index is no help: every row is scored.
_USABLE_PER_HIT = 5
_GATHER_AT_MOST = 20_000


class Damaged(Exception):
    """A sidecar does not say what the database says."""


class Outrun(Exception):
    """The index has seen changes that came after this question's snapshot."""


class VectorIndex:
    """All vectors of one space by one embedder, kept up with the rows for whoever reads."""

    def __init__(
        self, folder: Path, table: VectorTable, space: int, *, use_files: bool = True
    ) -> None:
        self._files = VectorFiles(folder, table, space)
        self._use_files = use_files
        self._table = table
        self._space = space
        self._lock = threading.Lock()
        self._base: Base | None = None
        self._listed: Listed | None = None  # what the database said when the base was opened
        self._verified: tuple[str, int] = ("", 0)  # generation and rows that were compared
        self._seq = -1  # the change number up to which we know the rows
        self._tail: Floats = np.empty((0, table.dimension), np.float32)
        self._tail_pids: Ints = np.empty(0, np.int64)
        self._tail_rows = 0
        self._places: Places | None = None  # made when asked for
        self._alive: NDArray[np.bool_] | None = None  # None: all
        self._pq: Any = None
        self._scans = 0

    def at(self, connection: apsw.Connection, seq: int) -> View:
        """All rows as this snapshot has them."""
        with self._lock:
            entry = self._files.listed(connection) if self._use_files else None
            if self._seq < 0 or (entry != self._listed and seq >= self._seq):
                self._open_base(entry)
            if seq < self._seq:
                raise Outrun
            if seq > self._seq:
                self._catch_up(connection, seq)
            if self._places is None:
                tail = self._tail_pids[: self._tail_rows]
                pids = tail if self._base is None else np.concatenate([self._base.pids, tail])
                self._places = Places(pids)
            return View(self, self._base, self._tail[: self._tail_rows], self._places, self._alive)

    def _open_base(self, entry: Listed | None) -> None:
        former = "" if self._base is None else self._base.generation
        self._listed, self._base, self._alive, self._seq = entry, None, None, 0
        self._tail = np.empty((0, self._table.dimension), np.float32)
        self._tail_pids, self._tail_rows = np.empty(0, np.int64), 0
        self._places = None
        # unreadable: everything comes from the rows instead; maintenance writes a new file
        base = None if entry is None else self._files.load(entry)
        if base is None or base.generation != former:
            self._pq, self._scans = None, 0
        if base is not None:
            self._base, self._seq = base, base.seq
            if (base.pids < 0).any():
                self._alive = base.pids >= 0

    def _catch_up(self, connection: apsw.Connection, seq: int) -> None:
        span = (self._space, self._seq, seq)
        rows: list[Any] = connection.execute(
            f"SELECT pid, data FROM {self._table.table} WHERE space = ? AND seq > ? AND seq <= ?",
            span,
        ).fetchall()
        gone: list[Any] = connection.execute(
            "SELECT pid FROM gone WHERE space = ? AND seq > ? AND seq <= ?", span
        ).fetchall()
        if rows:
            pids, matrix = arrays(rows, self._table.dimension)
            self._append(matrix, pids)
        if gone:
            self._bury(np.array([pid for (pid,) in gone], np.int64))
        self._seq = seq

    def _append(self, matrix: Floats, pids: Ints) -> None:
        needed = self._tail_rows + len(pids)
        if needed > len(self._tail):  # a new array: a search may be using the old one
            grown = np.empty((max(needed, 2 * len(self._tail), 256), matrix.shape[1]), np.float32)
            grown[: self._tail_rows] = self._tail[: self._tail_rows]
            numbers = np.empty(len(grown), np.int64)
            numbers[: self._tail_rows] = self._tail_pids[: self._tail_rows]
            self._tail, self._tail_pids = grown, numbers
        self._tail[self._tail_rows : needed] = matrix
        self._tail_pids[self._tail_rows : needed] = pids
        self._tail_rows = needed
        self._places = None
        if self._alive is not None:
            self._alive = np.concatenate([self._alive, np.ones(len(pids), np.bool_)])

    def _bury(self, gone: Ints) -> None:
        """Mark passages dead. Some may not be here: they never had a vector, or are erased."""
        tail = np.isin(self._tail_pids[: self._tail_rows], gone)
        base = np.empty(0, np.bool_) if self._base is None else np.isin(self._base.pids, gone)
        dead = np.concatenate([base, tail])
        if dead.any():  # a new array: a search may be using the old one
            self._alive = ~dead if self._alive is None else self._alive & ~dead

    def wants_maintenance(self) -> bool:
        """Is there enough that is not in the file?"""
        with self._lock:
            base_rows = 0 if self._base is None else len(self._base.pids)
            rows = base_rows + self._tail_rows
            dead = 0 if self._alive is None else int((~self._alive).sum())
            if rows - dead < large.SIDECAR_FROM:
                return False
            if self._base is None or large.behind(self._tail_rows, base_rows) or dead > rows // 3:
                return True
            return (
                rows - dead >= large.PQ_FROM
                and can_quantise(self._table)
                and not self._files.has_pq(self._base)
            )

    def quantiser(self, base: Base) -> Any:
        """The quantiser, once it pays; None until then or when there is none on disk."""
        with self._lock:
            self._scans += 1
            if self._pq is None and self._scans > large.SCANS_BEFORE_PQ:
                self._pq = self._files.read_pq(base)
                self._scans = 0 if self._pq is None else self._scans
            return self._pq if self._base is base else None

    def verify(self, base: Base) -> None:
        """Compare every vector of the file with its checksum, once."""
        generation, rows = self._verified
        if generation == base.generation and rows >= len(base.pids):
            return
        if not base.sound:
            raise Damaged
        self._verified = base.generation, len(base.pids)


class Places:
    """Which passage stands where."""

    def __init__(self, pids: Ints) -> None:
        self.pids = pids
        self.sample: tuple[Ints, Floats] | None = None  # some places with their rows, once asked

    @cached_property
    def _ordered(self) -> tuple[Ints, Ints | None]:
        """Ascending, and where each stands; None: where it stands there, as in most spaces."""
        if (self.pids[1:] >= self.pids[:-1]).all():
            return self.pids, None
        order = np.argsort(self.pids, kind="stable")
        return self.pids[order], order

    def of(self, pids: Ints) -> Ints:
        """Where these passages stand; those that are not here are left out."""
        ordered, order = self._ordered
        at = sidecar.places_of(pids, ordered)
        return at if order is None else np.asarray(order[at])


@dataclass(frozen=True)
class View:
    """The rows at one change number. Nothing in it changes, except what is erased in the file."""

    index: VectorIndex
    base: Base | None
    tail: Floats
    places: Places
    alive: NDArray[np.bool_] | None

    def search(
        self, vector: Floats, limit: int, *, only: Ints | None = None, but: Ints | None = None
    ) -> list[tuple[float, int]]:
        """(cosine, pid), best first. `only` restricts to passages, `but` leaves some out."""
        alive = self.alive
        if but is not None:
            alive = self._everyone() if alive is None else alive.copy()
            alive[self.places.of(but)] = False
        best = self._search(vector, limit, alive, only)
        if self.base is not None and self.base.overtaken:
            raise Damaged  # rows were erased under our hands: look again
        return best

    def scores_of(self, vector: Floats, pids: list[int]) -> dict[int, float]:
        """Cosines of those passages that are here."""
        places = self.places.of(np.array(pids, np.int64))
        if self.alive is not None:
            places = places[self.alive[places]]
        scores = self._exact(places, vector).tolist()
        return dict(zip(self.places.pids[places].tolist(), scores, strict=True))

    def usual(self, vector: Floats) -> list[float]:
        """Cosines of evenly spaced passages. Their rows are kept: every question wants them."""
        if self.places.sample is None:
            rows = len(self.places.pids)
            chosen = np.unique(np.linspace(0, rows - 1, min(SAMPLE, rows)).astype(np.int64))
            if self.alive is not None:
                chosen = chosen[self.alive[chosen]]
            self.places.sample = chosen, self._rows(chosen)
        chosen, matrix = self.places.sample
        if self.alive is not None:
            matrix = matrix[self.alive[chosen]]
        scores: list[float] = dots(matrix, vector).tolist()
        return scores

    def _everyone(self) -> NDArray[np.bool_]:
        return np.ones(len(self.places.pids), np.bool_)

    def _search(
        self, vector: Floats, limit: int, alive: NDArray[np.bool_] | None, only: Ints | None
    ) -> list[tuple[float, int]]:
        if only is not None:
            chosen = self.places.of(only)
            if alive is not None:
                chosen = chosen[alive[chosen]]
            if len(chosen) <= _GATHER_AT_MOST:
                return self._best(self._exact(chosen, vector), chosen, limit)
            alive = np.zeros(len(self.places.pids), np.bool_)
            alive[chosen] = True
            return self._scan(vector, alive, limit)
        if self.base is not None and len(self.places.pids) >= large.PQ_FROM:
            pq = self.index.quantiser(self.base)
            if pq is not None:
                return self._quick(pq, vector, alive, limit)
        return self._scan(vector, alive, limit)

    def _scan(
        self, vector: Floats, alive: NDArray[np.bool_] | None, limit: int
    ) -> list[tuple[float, int]]:
        scores = dots(self.tail, vector)
        if self.base is not None:
            self.index.verify(self.base)
            scores = np.concatenate([dots(self.base.matrix, vector), scores])
        if alive is not None:
            scores[~alive] = -np.inf
        top = _top(scores, limit)
        top = top[scores[top] > -np.inf]
        return self._best(scores[top], top, limit)

    def _exact(self, places: Ints, vector: Floats) -> Floats:
        return dots(self._rows(places), vector)

    def _rows(self, places: Ints) -> Floats:
        """These rows; each of the file is compared with its checksum before it is believed."""
        if self.base is None:
            return self.tail[places]
        border = len(self.base.pids)
        inside = places < border if len(self.tail) else None
        of_base = places if inside is None else places[inside]
        rows = self.base.matrix[of_base]
        if not (sidecar.row_sums(rows) == self.base.sums[of_base]).all():
            raise Damaged
        if inside is None or len(of_base) == len(places):
            return rows
        mixed = np.empty((len(places), rows.shape[1]), np.float32)
        mixed[inside] = rows
        mixed[~inside] = self.tail[places[~inside] - border]
        return mixed

    def _quick(
        self, pq: Any, vector: Floats, alive: NDArray[np.bool_] | None, limit: int
    ) -> list[tuple[float, int]]:
        wanted = max(_RESCORED_PER_HIT * limit, _RESCORED_AT_LEAST)
        if alive is not None:
            usable = int(np.count_nonzero(alive))
            if usable <= _GATHER_AT_MOST:
                chosen = np.flatnonzero(alive)
                return self._best(self._exact(chosen, vector), chosen, limit)
            wanted = wanted * len(alive) // usable
        _, found = pq.search(vector[None, :], min(wanted, pq.ntotal))
        places = found[0][found[0] >= 0]
        rest = np.arange(pq.ntotal, len(self.places.pids))  # rows that came after the quantiser
        places = np.concatenate([places, rest])
        if alive is not None:
            places = places[alive[places]]
            if len(places) < _USABLE_PER_HIT * limit:  # what may not be used is what is near
                return self._scan(vector, alive, limit)
        return self._best(self._exact(places, vector), places, limit)

    def _best(self, scores: Floats, places: Ints, limit: int) -> list[tuple[float, int]]:
        """The best places as (score, pid); equal scores in the order told."""
        top = _top(scores, limit)
        numbers = self.places.pids[places[top]]
        order = np.lexsort((numbers, -scores[top]))[:limit]
        return list(zip(scores[top][order].tolist(), numbers[order].tolist(), strict=True))


def _top(scores: Floats, limit: int) -> Ints:
    """Where the best scores stand, with all that tie with the last of them."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    return np.flatnonzero(scores >= least)
