"""The file of a large space's vectors: written, erased in and checked under the write lock.

    .f32   a head, then the vectors        .ids   the passage of each row, -1 once forgotten
    .sums  a checksum of each row          .pq    the quantiser, sealed

Other processes have the vectors mapped while rows are erased. The head's first number is odd
during an erasure and another one after it, so a search that was overtaken notices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from recollect.stores.sqlite import large, sidecar
from recollect.stores.sqlite.sidecar import Floats, Ints, Listed, Sums
from recollect.stores.sqlite.writing import VectorTable

_PQ_TRAINING_ROWS = 65_536
_BLOCK_ROWS = 8_192
_HEAD = 4096  # one page: the vectors stay aligned
_SEAL = 24


@dataclass(frozen=True)
class Base:
    """What the file holds. `pids` and `sums` are in memory, the matrix is mapped."""

    generation: str
    seq: int
    matrix: Floats
    pids: Ints
    sums: Sums
    head: Sums  # mapped
    stamp: int

    @property
    def overtaken(self) -> bool:
        """Was something erased since this was loaded?"""
        return int(self.head[0]) != self.stamp


class VectorFiles:
    def __init__(self, folder: Path, table: VectorTable, space: int) -> None:
        self._folder = folder
        self._table = table
        self._space = space

    @property
    def kind(self) -> str:
        return f"vectors_{self._table.id:d}"

    def _path(self, generation: str, suffix: str) -> Path:
        name = sidecar.file_name(self.kind, self._space, generation)
        return self._folder / f"{name}.{suffix}"

    def listed(self, connection: apsw.Connection) -> Listed | None:
        return sidecar.listed(connection, self.kind, self._space)

    def load(self, entry: Listed) -> Base | None:
        """The file as it is listed; None if it is not so. The vectors themselves are only mapped:
        whoever uses a row compares it with its sum."""
        shape = (entry.rows, self._table.dimension)
        try:
            whole = np.memmap(self._path(entry.generation, "f32"), np.uint8, "r")
            # a plain array over the map: np.memmap's own indexing is slow
            data = np.asarray(whole)[: _HEAD + shape[0] * shape[1] * 4]
            head = data[:_HEAD].view(np.uint64)
            stamp = int(head[0])
            matrix = data[_HEAD:].view(np.float32).reshape(shape)
            pids = np.fromfile(self._path(entry.generation, "ids"), np.int64, entry.rows)
            sums = np.fromfile(self._path(entry.generation, "sums"), np.uint64, entry.rows)
        except (OSError, ValueError):  # missing, or shorter than it should be
            return None
        if stamp % 2 or not stamp or not len(pids) == len(sums) == entry.rows:
            return None
        if sidecar.checksum(pids, sums) != entry.checksum:
            return None
        return Base(entry.generation, entry.seq, matrix, pids, sums, head, stamp)

    def maintain(self, connection: apsw.Connection, seq: int) -> None:
        """Bring the file up to date where it is worth it, inside a write transaction."""
        held: int | None = connection.execute(
            "SELECT passages FROM embedded WHERE index_id = ? AND space = ?",
            (self._table.id, self._space),
        ).get
        if held is None or held < large.SIDECAR_FROM:
            return
        self._folder.mkdir(mode=0o700, exist_ok=True)
        entry = self.listed(connection)
        base = None if entry is None else self.load(entry)
        if base is None:
            base = self._write_new(connection, seq)
        else:
            pids, matrix = self._rows(connection, base.seq)
            if len(base.pids) + len(pids) - held > held // 2:  # more than a third is dead
                base = self._write_new(connection, seq)
            elif large.behind(len(pids), len(base.pids)):
                base = self._extend(connection, base, pids, matrix, seq)
        if held >= large.PQ_FROM and can_quantise(self._table):
            self._train(base)

    def _rows(self, connection: apsw.Connection, after: int) -> tuple[Ints, Floats]:
        """Rows that came after this change number. Read in blocks, in the order of their index:
        a million rows, fetched at once and sorted, would be held three times over."""
        chosen = f"FROM {self._table.table} WHERE space = ? AND seq > ?"
        bindings = (self._space, after)
        count: int = connection.execute(f"SELECT count(*) {chosen}", bindings).get
        pids = np.empty(count, np.int64)
        matrix = np.empty((count, self._table.dimension), np.float32)
        rows = connection.execute(f"SELECT pid, data {chosen} ORDER BY seq, pid", bindings)
        done = 0
        while some := list(islice(rows, _BLOCK_ROWS)):
            block = slice(done, done + len(some))
            pids[block], matrix[block] = arrays(some, self._table.dimension)
            done = block.stop
        return pids, matrix

    def _write_new(self, connection: apsw.Connection, seq: int) -> Base:
        """From the rows, not from a former file: what is gone from there must not come back."""
        pids, matrix = self._rows(connection, -1)
        return self._save(
            connection, sidecar.new_generation(), seq, 0, matrix, pids, sidecar.row_sums(matrix)
        )

    def _extend(
        self, connection: apsw.Connection, base: Base, pids: Ints, matrix: Floats, seq: int
    ) -> Base:
        every = np.concatenate([base.pids, pids])
        sums = np.concatenate([base.sums, sidecar.row_sums(matrix)])
        return self._save(connection, base.generation, seq, len(base.pids), matrix, every, sums)

    def _save(
        self,
        connection: apsw.Connection,
        generation: str,
        seq: int,
        offset: int,
        matrix: Floats,
        pids: Ints,
        sums: Sums,
    ) -> Base:
        pieces: list[tuple[int, bytes | memoryview]] = []
        if offset == 0:
            pieces.append((0, (2).to_bytes(8, "little").ljust(_HEAD, b"\0")))
        pieces.append((_HEAD + offset * self._table.dimension * 4, matrix.data))
        sidecar.write_at(self._path(generation, "f32"), *pieces)
        sidecar.write_at(self._path(generation, "ids"), (0, pids.data))
        sidecar.write_at(self._path(generation, "sums"), (0, sums.data))
        entry = Listed(generation, len(pids), seq, sidecar.checksum(pids, sums))
        sidecar.enlist(connection, self.kind, self._space, entry)
        saved = self.load(entry)
        if saved is None:
            raise OSError(f"{self._path(generation, 'f32')} could not be read back")
        return saved

    def _train(self, base: Base) -> None:
        """(Re)train when the space has doubled since; otherwise only encode the new rows."""
        import faiss

        pq = self.read_pq(base)
        if pq is None or len(base.pids) > 2 * max(pq.ntotal, 1):
            dimension = self._table.dimension
            pq = faiss.IndexPQFastScan(dimension, dimension // 4, 4, faiss.METRIC_INNER_PRODUCT)
            living = np.flatnonzero(base.pids >= 0)
            step = max(1, len(living) // _PQ_TRAINING_ROWS)
            pq.train(np.ascontiguousarray(base.matrix[living[::step][:_PQ_TRAINING_ROWS]]))
        if pq.ntotal < len(base.pids):
            pq.add(np.ascontiguousarray(base.matrix[pq.ntotal :]))
            data = faiss.serialize_index(pq)
            sidecar.write_whole(self._path(base.generation, "pq"), bytes(data) + _seal(data, base))

    def has_pq(self, base: Base) -> bool:
        return self._path(base.generation, "pq").exists()

    def read_pq(self, base: Base) -> Any:
        """A quantiser whose seal is whole and that was made of these rows, or None."""
        try:
            data = np.fromfile(self._path(base.generation, "pq"), np.uint8)
        except OSError:
            return None
        body, seal = data[:-_SEAL], bytes(data[-_SEAL:])
        if len(seal) < _SEAL or seal[:8] != sidecar.checksum(body).to_bytes(8, "little"):
            return None
        import faiss

        pq = faiss.deserialize_index(body)
        return pq if seal == _seal(body, base, rows=pq.ntotal) else None

    def erase(self, connection: apsw.Connection, pids: Sequence[int]) -> None:
        """Overwrite forgotten rows in the file, before the transaction that forgets commits."""
        entry = self.listed(connection)
        if entry is None:
            return
        base = self.load(entry)
        if base is None:  # it cannot be read, so nobody can tell what is still in it
            self.shred(connection)
            return
        self._trim(entry)
        at = np.flatnonzero(np.isin(base.pids, np.array(pids, np.int64)))
        if not len(at):
            return
        width = self._table.dimension * 4
        numbers, sums = base.pids.copy(), base.sums.copy()
        numbers[at], sums[at] = -1, 0
        sidecar.shred([self._path(base.generation, "pq")])
        sidecar.write_at(
            self._path(base.generation, "f32"),
            (0, (base.stamp + 1).to_bytes(8, "little")),
            *((_HEAD + int(place) * width, bytes(width)) for place in at),
        )
        sidecar.write_at(self._path(base.generation, "ids"), (0, numbers.data))
        sidecar.write_at(self._path(base.generation, "sums"), (0, sums.data))
        sidecar.write_at(
            self._path(base.generation, "f32"), (0, (base.stamp + 2).to_bytes(8, "little"))
        )
        renewed = entry._replace(checksum=sidecar.checksum(numbers, sums))
        sidecar.enlist(connection, self.kind, self._space, renewed)

    def _trim(self, entry: Listed) -> None:
        """Take off what a writer that was killed had added and the database does not list."""
        width = self._table.dimension * 4
        for suffix, size in (("f32", _HEAD + entry.rows * width), ("ids", entry.rows * 8)):
            sidecar.cut(self._path(entry.generation, suffix), size)
        sidecar.cut(self._path(entry.generation, "sums"), entry.rows * 8)
        pq = self._path(entry.generation, "pq")
        if pq.exists() and int.from_bytes(pq.read_bytes()[-8:], "little") > entry.rows:
            sidecar.shred([pq])

    def shred(self, connection: apsw.Connection) -> None:
        """Throw the files away; the rows remain the source."""
        entry = self.listed(connection)
        if entry is not None:
            sidecar.shred(self._path(entry.generation, s) for s in ("f32", "ids", "sums", "pq"))
            sidecar.strike(connection, self.kind, self._space)

    def check(self, connection: apsw.Connection) -> str | None:
        """Compare every byte of the files with its checksum; what is wrong, or None."""
        entry = self.listed(connection)
        if entry is None:
            return None
        base = self.load(entry)
        if base is None:
            return "missing, cut short or changed"
        if not np.array_equal(sidecar.row_sums(base.matrix), base.sums):
            return "some vectors were changed"
        if self.has_pq(base) and self.read_pq(base) is None:
            return "the quantiser was changed"
        return None


def can_quantise(table: VectorTable) -> bool:
    return table.dimension % 4 == 0


def arrays(rows: Sequence[tuple[int, bytes]], dimension: int) -> tuple[Ints, Floats]:
    """Rows of (pid, vector's bytes) as two arrays."""
    data = b"".join([blob for _, blob in rows])
    pids = np.fromiter((pid for pid, _ in rows), np.int64, len(rows))
    return pids, np.frombuffer(data, np.float32).reshape(len(rows), dimension)


def _seal(body: Any, base: Base, *, rows: int | None = None) -> bytes:
    """Over the bytes, over which passages they stand for, and how many."""
    made_of = base.pids[:rows]
    numbers = sidecar.checksum(body), sidecar.checksum(made_of), len(made_of)
    return b"".join(number.to_bytes(8, "little") for number in numbers)
