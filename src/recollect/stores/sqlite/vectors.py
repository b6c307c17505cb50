"""Nearest passages of one space, in process.

The rows in the database are the source. Here they stand as one matrix: a memory-mapped base (the
sidecar) and a tail of what came since, in memory. A search catches up by change number, so it sees
every committed row, of other processes too.

Small spaces are scanned exactly. Above `PQ_FROM` rows a product quantiser (faiss fast-scan) picks
candidates that are then scored exactly. Filters choose rows first and score those exactly. Every
row that is used is compared with its checksum; at the first doubt the index is made anew.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from recollect.stores.sqlite import sidecar
from recollect.stores.sqlite.sidecar import Floats, Ints, Listed, Sums
from recollect.stores.sqlite.writing import VectorTable

# Loading rows from the database costs about 2 µs each: a file only pays above this.
SIDECAR_FROM = 8_192
# Exact scan of 30k × 384 takes about 3 ms; below, quantising is not worth its training.
PQ_FROM = 30_000
# One-shot processes never earn back the 100 ms that importing faiss costs; scan exactly at first.
SCANS_BEFORE_PQ = 3
_PQ_TRAINING_ROWS = 65_536
# Candidates scored exactly for each result wanted: recall@10 ≥ .99 up to 1M (benchmarks/LOG.md).
_RESCORED_PER_HIT = 10
_RESCORED_AT_LEAST = 300
_GATHER_AT_MOST = 20_000


class Damaged(Exception):
    """A sidecar does not say what the database says."""


@dataclass(frozen=True)
class _Base:
    """The mapped part. `pids` and `sums` are in memory, the matrix is in the file."""

    generation: str
    seq: int
    matrix: Floats
    pids: Ints
    sums: Sums


class VectorIndex:
    """All vectors of one space by one embedder."""

    def __init__(self, folder: Path, table: VectorTable, space: int) -> None:
        self._folder = folder
        self._table = table
        self._space = space
        self._lock = threading.Lock()
        self._base: _Base | None = None
        self._listed: Listed | None = None  # what the database said when the base was opened
        self._seq = -1  # the change number up to which we know the rows
        self._tail: Floats = np.empty((0, table.dimension), np.float32)
        self._tail_pids: Ints = np.empty(0, np.int64)
        self._tail_rows = 0
        self._pids: Ints | None = None  # base and tail together, made when asked for
        self._alive: NDArray[np.bool_] | None = None  # None: all
        self._order: tuple[Ints, Ints] | None = None  # sorted pids and where they stand
        self._pq: Any = None
        self._pq_rows = 0
        self._scans = 0
        self._verified = False

    @property
    def kind(self) -> str:
        return f"vectors_{self._table.id:d}"

    def _path(self, generation: str, suffix: str) -> Path:
        return self._folder / f"{self.kind}-{self._space:d}-{generation}.{suffix}"

    # Keeping up with the rows

    def catch_up(self, connection: apsw.Connection, seq: int) -> None:
        """See every row up to this change number."""
        with self._lock:
            self._catch_up(connection, seq)

    def _catch_up(self, connection: apsw.Connection, seq: int) -> None:
        if self._seq < 0:
            self._open_base(connection)
        if seq <= self._seq:
            return
        rows: list[Any] = connection.execute(
            f"SELECT pid, data FROM {self._table.table} WHERE space = ? AND seq > ? AND seq <= ?",
            (self._space, self._seq, seq),
        ).fetchall()
        gone: list[Any] = connection.execute(
            "SELECT pid FROM gone WHERE space = ? AND seq > ? AND seq <= ?",
            (self._space, self._seq, seq),
        ).fetchall()
        if rows:
            data = b"".join([blob for _, blob in rows])
            matrix = np.frombuffer(data, np.float32).reshape(len(rows), -1)
            self._append(matrix, np.fromiter((pid for pid, _ in rows), np.int64, len(rows)))
        self._bury([pid for (pid,) in gone])
        self._seq = seq

    def _open_base(self, connection: apsw.Connection) -> None:
        self._seq, self._base, self._alive, self._verified = 0, None, None, False
        self._forget_tail()
        self._listed = sidecar.listed(connection, self.kind, self._space)
        if self._listed is not None:
            # unreadable: everything comes from the rows instead; maintain() writes a new file
            self._base = self._load(self._listed)
            if self._base is not None:
                self._seq = self._listed.seq

    def _forget_tail(self) -> None:
        self._tail = np.empty((0, self._table.dimension), np.float32)
        self._tail_pids, self._tail_rows = np.empty(0, np.int64), 0
        self._order = self._pids = None

    def _refresh(self, connection: apsw.Connection, seq: int) -> None:
        """Before the files are changed: start from what another process may have made of them."""
        if sidecar.listed(connection, self.kind, self._space) != self._listed:
            self._seq, self._pq = -1, None
        self._catch_up(connection, seq)

    def _load(self, entry: Listed) -> _Base | None:
        width = self._table.dimension
        try:
            pids = np.fromfile(self._path(entry.generation, "ids"), np.int64, entry.rows)
            sums = np.fromfile(self._path(entry.generation, "sums"), np.uint64, entry.rows)
            if len(pids) != entry.rows or len(sums) != entry.rows:
                return None
            if sidecar.checksum(pids, sums) != entry.checksum:
                return None
            matrix = np.memmap(
                self._path(entry.generation, "f32"), np.float32, "r", shape=(entry.rows, width)
            )
        except (OSError, ValueError):  # missing, or shorter than it should be
            return None
        # a plain array over the map: np.memmap's own indexing is slow
        return _Base(entry.generation, entry.seq, np.asarray(matrix), pids, sums)

    def _append(self, matrix: Floats, pids: Ints) -> None:
        needed = self._tail_rows + len(pids)
        if needed > len(self._tail):
            grown = np.empty((max(needed, 2 * len(self._tail), 256), matrix.shape[1]), np.float32)
            grown[: self._tail_rows] = self._tail[: self._tail_rows]
            numbers = np.empty(len(grown), np.int64)
            numbers[: self._tail_rows] = self._tail_pids[: self._tail_rows]
            self._tail, self._tail_pids = grown, numbers
        self._tail[self._tail_rows : needed] = matrix
        self._tail_pids[self._tail_rows : needed] = pids
        self._tail_rows = needed
        self._order = self._pids = None
        if self._alive is not None:
            self._alive = np.concatenate([self._alive, np.ones(len(pids), np.bool_)])

    def _bury(self, pids: Sequence[int]) -> None:
        """Mark passages dead. Some may not be here: they never had a vector."""
        places = self._places(np.array(pids, np.int64)) if pids else np.empty(0, np.int64)
        if len(places):
            alive = self._alive if self._alive is not None else np.ones(len(self), np.bool_)
            alive = alive.copy()  # a search may be using the old one
            alive[places] = False
            self._alive = alive

    def __len__(self) -> int:
        return self._base_rows + self._tail_rows

    @property
    def _base_rows(self) -> int:
        return 0 if self._base is None else len(self._base.pids)

    def _all_pids(self) -> Ints:
        if self._pids is None:
            tail = self._tail_pids[: self._tail_rows]
            self._pids = tail if self._base is None else np.concatenate([self._base.pids, tail])
        return self._pids

    def _places(self, pids: Ints) -> Ints:
        """Where these passages stand; those that are not here are left out."""
        if self._order is None:
            every = self._all_pids()
            order = np.argsort(every, kind="stable")
            self._order = every[order], order
        ordered, order = self._order
        if not len(ordered):
            return np.empty(0, np.int64)
        at = np.minimum(np.searchsorted(ordered, pids), len(ordered) - 1)
        return np.asarray(order[at[ordered[at] == pids]])

    # Searching

    def search(
        self, vector: Floats, limit: int, *, only: Ints | None = None, but: Ints | None = None
    ) -> list[tuple[float, int]]:
        """(cosine, pid), best first. `only` restricts to passages, `but` leaves some out."""
        with self._lock:
            base, tail = self._base, self._tail[: self._tail_rows]
            pids, alive, pq = self._all_pids(), self._alive, self._pq
            chosen = None if only is None else self._places(only)
            if but is not None and len(but):
                alive = np.ones(len(self), np.bool_) if alive is None else alive.copy()
                alive[self._places(but)] = False
            if chosen is None and len(self) >= PQ_FROM and base is not None:
                self._scans += 1
                pq = self._quantised(base)
        if chosen is not None:
            if alive is not None:
                chosen = chosen[alive[chosen]]
            if len(chosen) <= _GATHER_AT_MOST:
                return _best(self._exact(base, tail, chosen, vector), chosen, pids, limit)
            alive_only = np.zeros(len(pids), np.bool_)
            alive_only[chosen] = True
            return self._scan(base, tail, vector, alive_only, pids, limit)
        if pq is not None and base is not None:
            return self._quick(pq, base, tail, vector, alive, pids, limit)
        return self._scan(base, tail, vector, alive, pids, limit)

    def _scan(
        self,
        base: _Base | None,
        tail: Floats,
        vector: Floats,
        alive: NDArray[np.bool_] | None,
        pids: Ints,
        limit: int,
    ) -> list[tuple[float, int]]:
        if base is not None:
            if not self._verified:
                if not np.array_equal(sidecar.row_sums(base.matrix), base.sums):
                    raise Damaged(self.kind)
                self._verified = True
            scores = np.concatenate([base.matrix @ vector, tail @ vector])
        else:
            scores = tail @ vector
        if alive is not None:
            scores[~alive] = -np.inf
        top = _top(scores, limit)
        top = top[scores[top] > -np.inf]
        return _best(scores[top], top, pids, limit)

    def _exact(self, base: _Base | None, tail: Floats, places: Ints, vector: Floats) -> Floats:
        """Scores of these rows, each row compared with its checksum before it is believed."""
        border = 0 if base is None else len(base.pids)
        scores = np.empty(len(places), np.float32)
        inside = places < border
        if base is not None and inside.any():
            rows = base.matrix[places[inside]]
            if not np.array_equal(sidecar.row_sums(rows), base.sums[places[inside]]):
                raise Damaged(self.kind)
            scores[inside] = rows @ vector
        scores[~inside] = tail[places[~inside] - border] @ vector
        return scores

    def _quick(
        self,
        pq: Any,
        base: _Base,
        tail: Floats,
        vector: Floats,
        alive: NDArray[np.bool_] | None,
        pids: Ints,
        limit: int,
    ) -> list[tuple[float, int]]:
        wanted = min(max(_RESCORED_PER_HIT * limit, _RESCORED_AT_LEAST), pq.ntotal)
        _, found = pq.search(vector[None, :], wanted)
        places = found[0][found[0] >= 0]
        rest = np.arange(pq.ntotal, len(pids))  # rows that came after the quantiser
        places = np.concatenate([places, rest])
        if alive is not None:
            places = places[alive[places]]
        return _best(self._exact(base, tail, places, vector), places, pids, limit)

    def _quantised(self, base: _Base) -> Any:
        """The quantiser, once it pays; None until then or when there is none on disk."""
        if self._pq is None and self._scans > SCANS_BEFORE_PQ:
            self._pq = _read_pq(self._path(base.generation, "pq"), len(base.pids))
            self._scans = 0 if self._pq is None else self._scans
        return self._pq

    # Files

    def wants_maintenance(self) -> bool:
        """Is there enough that is not in the file?"""
        with self._lock:
            rows = len(self)
            if rows < SIDECAR_FROM:
                return False
            if self._tail_rows > max(1024, self._base_rows // 10) or self._mostly_dead():
                return True
            return rows >= PQ_FROM and self._base is not None and not self._pq_on_disk()

    def _pq_on_disk(self) -> bool:
        assert self._base is not None
        return self._path(self._base.generation, "pq").exists()

    def _mostly_dead(self) -> bool:
        return self._alive is not None and int((~self._alive).sum()) > len(self) // 3

    def maintain(self, connection: apsw.Connection, seq: int) -> None:
        """Write the tail to the file and train the quantiser, inside a write transaction."""
        with self._lock:
            self._refresh(connection, seq)
            rows = len(self)
            if rows < SIDECAR_FROM:
                return
            self._folder.mkdir(mode=0o700, exist_ok=True)
            if self._base is None or self._mostly_dead():
                self._write_new(connection)
            elif self._tail_rows:
                self._extend(connection, self._base)
            if rows >= PQ_FROM and self._base is not None and self._table.dimension % 4 == 0:
                self._train(self._base)

    def _write_new(self, connection: apsw.Connection) -> None:
        old = self._base
        keep = self._alive if self._alive is not None else np.ones(len(self), np.bool_)
        parts = [] if old is None else [old.matrix]
        matrix = np.concatenate([*parts, self._tail[: self._tail_rows]])[keep]
        pids = self._all_pids()[keep]
        self._save(connection, sidecar.new_generation(), 0, matrix, pids, sidecar.row_sums(matrix))
        if old is not None:
            sidecar.shred(self._path(old.generation, s) for s in ("f32", "ids", "sums", "pq"))

    def _extend(self, connection: apsw.Connection, base: _Base) -> None:
        matrix = self._tail[: self._tail_rows]
        pids = self._all_pids()
        sums = np.concatenate([base.sums, sidecar.row_sums(matrix)])
        self._save(connection, base.generation, len(base.pids), matrix, pids, sums)

    def _save(
        self,
        connection: apsw.Connection,
        generation: str,
        offset: int,
        matrix: Floats,
        pids: Ints,
        sums: Sums,
    ) -> None:
        width = self._table.dimension * 4
        data = np.ascontiguousarray(matrix)
        sidecar.write_at(self._path(generation, "f32"), offset * width, data.data)
        sidecar.write_at(self._path(generation, "ids"), 0, np.ascontiguousarray(pids).data)
        sidecar.write_at(self._path(generation, "sums"), 0, np.ascontiguousarray(sums).data)
        entry = Listed(generation, len(pids), self._seq, sidecar.checksum(pids, sums))
        sidecar.enlist(connection, self.kind, self._space, entry)
        loaded = self._load(entry)
        if loaded is None:
            raise OSError(f"{self._path(generation, 'f32')} could not be read back")
        if offset == 0:  # a new file leaves the dead behind; else they keep their places
            self._alive, self._pq = None, None
        self._base, self._listed, self._verified = loaded, entry, False
        self._forget_tail()

    def _train(self, base: _Base) -> None:
        """(Re)train when the space has doubled since; otherwise only encode the new rows."""
        import faiss

        path = self._path(base.generation, "pq")
        pq = self._pq if self._pq is not None else _read_pq(path, len(base.pids))
        if pq is None or len(base.pids) > 2 * max(pq.ntotal, 1):
            pq = faiss.IndexPQFastScan(
                self._table.dimension, self._table.dimension // 4, 4, faiss.METRIC_INNER_PRODUCT
            )
            step = max(1, len(base.pids) // _PQ_TRAINING_ROWS)
            pq.train(np.ascontiguousarray(base.matrix[::step][:_PQ_TRAINING_ROWS]))
        else:
            pq = faiss.clone_index(pq)
        if pq.ntotal < len(base.pids):
            pq.add(np.ascontiguousarray(base.matrix[pq.ntotal :]))
            data = faiss.serialize_index(pq)
            sidecar.write_whole(path, _sealed(data))
        self._pq = pq

    def erase(self, connection: apsw.Connection, seq: int, pids: Sequence[int]) -> None:
        """Overwrite forgotten rows in the file, before the transaction that forgets commits."""
        with self._lock:
            self._refresh(connection, seq)
            base = self._base
            if base is None:
                return
            at = np.flatnonzero(np.isin(base.pids, np.array(pids, np.int64)))
            if not len(at):
                return
            width = self._table.dimension * 4
            numbers, sums = base.pids.copy(), base.sums.copy()
            numbers[at], sums[at] = -1, 0
            for place in at:
                sidecar.write_at(
                    self._path(base.generation, "f32"), int(place) * width, bytes(width)
                )
            sidecar.write_at(self._path(base.generation, "ids"), 0, numbers.data)
            sidecar.write_at(self._path(base.generation, "sums"), 0, sums.data)
            sidecar.shred([self._path(base.generation, "pq")])
            assert self._listed is not None
            self._listed = self._listed._replace(checksum=sidecar.checksum(numbers, sums))
            sidecar.enlist(connection, self.kind, self._space, self._listed)
            self._base = replace(base, pids=numbers, sums=sums)
            self._pq = self._order = self._pids = None
            alive = self._alive if self._alive is not None else np.ones(len(self), np.bool_)
            self._alive = alive.copy()
            self._alive[at] = False

    def shred(self, connection: apsw.Connection) -> None:
        """Throw the files away; the rows remain the source."""
        with self._lock:
            entry = sidecar.listed(connection, self.kind, self._space)
            if entry is not None:
                sidecar.shred(self._path(entry.generation, s) for s in ("f32", "ids", "sums", "pq"))
                sidecar.strike(connection, self.kind, self._space)

    def check_files(self, connection: apsw.Connection) -> str | None:
        """Compare every byte of the files with its checksum; what is wrong, or None."""
        entry = sidecar.listed(connection, self.kind, self._space)
        if entry is None:
            return None
        base = self._load(entry)
        if base is None:
            return "missing, cut short or changed"
        if not np.array_equal(sidecar.row_sums(base.matrix), base.sums):
            return "some vectors were changed"
        return None


_SEAL = 8


def _sealed(data: NDArray[np.uint8]) -> bytes:
    return bytes(data) + sidecar.checksum(data).to_bytes(_SEAL, "little")


def _read_pq(path: Path, rows: int) -> Any:
    """A quantiser whose seal is whole and that fits these rows, or None."""
    try:
        data = np.fromfile(path, np.uint8)
    except OSError:
        return None
    body = data[:-_SEAL]
    if len(data) <= _SEAL or sidecar.checksum(body).to_bytes(_SEAL, "little") != bytes(
        data[-_SEAL:]
    ):
        return None
    import faiss

    pq = faiss.deserialize_index(body)
    return pq if pq.ntotal <= rows else None


def _top(scores: Floats, limit: int) -> Ints:
    """Where the best scores stand, with all that tie with the last of them."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    return np.flatnonzero(scores >= least)


def _best(scores: Floats, places: Ints, pids: Ints, limit: int) -> list[tuple[float, int]]:
    """The best places as (score, pid); equal scores in the order told."""
    top = _top(scores, limit)
    numbers = pids[places[top]]
    order = np.lexsort((numbers, -scores[top]))[:limit]
    return list(zip(scores[top][order].tolist(), numbers[order].tolist(), strict=True))
