"""The file of a large space's vectors: written, erased in and checked under the write lock.

    .f32   a head, then the vectors        .ids   the passage of each row, -1 once forgotten
    .sums  a checksum of each row          .pq    the quantiser, sealed

The vectors grow in place; the others are made anew with every change and carry the checksum that
the database lists in their name, so that a writer may be killed at any moment. Forgetting marks
rows in the transaction (`erase`) and overwrites them after it (`scrub`).

Other processes have the vectors mapped while rows are overwritten. The head's first number is odd
meanwhile and another one afterwards, so a search that was overtaken notices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from bethink.stores.sqlite import large, own_files, sidecar
from bethink.stores.sqlite.sidecar import Floats, Ints, Listed, Sums
from bethink.stores.sqlite.vector_tables import VectorTable

_PQ_TRAINING_ROWS = 65_536
_BLOCK_ROWS = 8_192
_HEAD = 4096  # one page: the vectors stay aligned
_SEAL = 8


@dataclass(frozen=True)
class Base:
    """What the file holds. `pids` and `sums` are in memory, the matrix is mapped."""

    entry: Listed
    matrix: Floats
    pids: Ints
    sums: Sums
    head: Sums  # mapped
    stamp: int

    @property
    def generation(self) -> str:
        return self.entry.generation

    @property
    def seq(self) -> int:
        return self.entry.seq

    @property
    def sound(self) -> bool:
        """Do all vectors have their checksums? Forgotten ones are not asked."""
        same = sidecar.row_sums(self.matrix) == self.sums
        return bool((same | (self.pids < 0)).all())

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

    def _vectors(self, entry: Listed) -> Path:
        return self._folder / f"{sidecar.names(self.kind, self._space, entry)[0]}.f32"

    def _path(self, entry: Listed, suffix: str) -> Path:
        return self._folder / f"{sidecar.names(self.kind, self._space, entry)[1]}.{suffix}"

    def listed(self, connection: apsw.Connection) -> Listed | None:
        return sidecar.listed(connection, self.kind, self._space)

    def load(self, entry: Listed) -> Base | None:
        """The file as it is listed; None if it is not so, or if rows are being overwritten. The
        vectors themselves are only mapped: whoever uses a row compares it with its sum."""
        base = self._open(entry)
        return None if base is None or base.stamp % 2 else base

    def _open(self, entry: Listed) -> Base | None:
        shape = (entry.rows, self._table.dimension)
        try:
            whole = np.memmap(self._vectors(entry), np.uint8, "r")
            # a plain array over the map: np.memmap's own indexing is slow
            data = np.asarray(whole)[: _HEAD + shape[0] * shape[1] * 4]
            head = data[:_HEAD].view(np.uint64)
            stamp = int(head[0])
            matrix = data[_HEAD:].view(np.float32).reshape(shape)
            pids = np.fromfile(self._path(entry, "ids"), np.int64)
            sums = np.fromfile(self._path(entry, "sums"), np.uint64)
        except (OSError, ValueError):  # missing, or shorter than it should be
            return None
        if not stamp or not len(pids) == len(sums) == entry.rows:
            return None
        if sidecar.checksum(pids, sums) != entry.checksum:
            return None
        return Base(entry, matrix, pids, sums, head, stamp)

    def maintain(self, connection: apsw.Connection, seq: int) -> None:
        """Bring the file up to date where it is worth it, inside a write transaction."""
        held: int | None = connection.execute(
            "SELECT passages FROM embedded WHERE index_id = ? AND space = ?",
            (self._table.id, self._space),
        ).get
        if held is None or held < large.SIDECAR_FROM:
            return
        own_files.make_folder(self._folder)
        entry = self.listed(connection)
        base = former = None if entry is None else self.load(entry)
        if base is None:
            base = self._write_new(connection, seq)
        else:
            pids, matrix = self._rows(connection, base.seq)
            if len(base.pids) + len(pids) - held > held // 2:  # more than a third is dead
                base = self._write_new(connection, seq)
            elif large.behind(len(pids), len(base.pids)):
                try:
                    base = self._extend(connection, base, pids, matrix, seq)
                except own_files.NotOurs:  # e.g. a hard link to it was made: begin another file
                    base = self._write_new(connection, seq)
        if held >= large.PQ_FROM and can_quantise(self._table):
            self._train(base, former)

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
        sums = sidecar.row_sums(matrix)
        entry = Listed(sidecar.new_generation(), len(pids), seq, sidecar.checksum(pids, sums))
        head = (2).to_bytes(8, "little").ljust(_HEAD, b"\0")
        sidecar.write_at(self._vectors(entry), (0, head), (_HEAD, matrix.data))
        return self._save(connection, entry, pids, sums)

    def _extend(
        self, connection: apsw.Connection, base: Base, pids: Ints, matrix: Floats, seq: int
    ) -> Base:
        every = np.concatenate([base.pids, pids])
        sums = np.concatenate([base.sums, sidecar.row_sums(matrix)])
        entry = Listed(base.generation, len(every), seq, sidecar.checksum(every, sums))
        at = _HEAD + len(base.pids) * self._table.dimension * 4
        sidecar.write_at(self._vectors(entry), (at, matrix.data))
        return self._save(connection, entry, every, sums)

    def _save(self, connection: apsw.Connection, entry: Listed, pids: Ints, sums: Sums) -> Base:
        sidecar.write_whole(self._path(entry, "ids"), pids.data)
        sidecar.write_whole(self._path(entry, "sums"), sums.data)
        sidecar.enlist(connection, self.kind, self._space, entry)
        saved = self._open(entry)
        if saved is None:
            raise OSError(f"{self._vectors(entry)} could not be read back")
        return saved

    def _train(self, base: Base, former: Base | None) -> None:
        """(Re)train when the space has doubled since; otherwise only encode the new rows."""
        import faiss

        if self.has_pq(base):
            return
        grown = former is not None and former.generation == base.generation
        pq = self.read_pq(former) if former is not None and grown else None
        if pq is None or len(base.pids) > 2 * max(pq.ntotal, 1):
            dimension = self._table.dimension
            pq = faiss.IndexPQFastScan(dimension, dimension // 4, 4, faiss.METRIC_INNER_PRODUCT)
            living = np.flatnonzero(base.pids >= 0)
            step = max(1, len(living) // _PQ_TRAINING_ROWS)
            pq.train(np.ascontiguousarray(base.matrix[living[::step][:_PQ_TRAINING_ROWS]]))
        pq.add(np.ascontiguousarray(base.matrix[pq.ntotal :]))
        data = faiss.serialize_index(pq)
        sidecar.write_whole(self._path(base.entry, "pq"), bytes(data) + _seal(data))

    def has_pq(self, base: Base) -> bool:
        return self._path(base.entry, "pq").exists()

    def read_pq(self, base: Base) -> Any:
        """A quantiser whose seal is whole and that was made of these rows, or None."""
        try:
            data = np.fromfile(self._path(base.entry, "pq"), np.uint8)
        except OSError:
            return None
        body, seal = data[:-_SEAL], bytes(data[-_SEAL:])
        if len(data) <= _SEAL or seal != _seal(body):
            return None
        import faiss

        return faiss.deserialize_index(body)

    def erase(self, connection: apsw.Connection, pids: Sequence[int]) -> None:
        """Mark rows as forgotten, inside the transaction that forgets. `scrub` must follow it."""
        entry = self.listed(connection)
        if entry is None:
            return
        base = self._open(entry)
        if base is None:  # it cannot be read, so nobody can tell what is still in it
            sidecar.strike(connection, self.kind, self._space)
            return
        at = np.flatnonzero(np.isin(base.pids, np.array(pids, np.int64)))
        if len(at):
            numbers, sums = base.pids.copy(), base.sums.copy()
            numbers[at], sums[at] = -1, 0
            renewed = entry._replace(checksum=sidecar.checksum(numbers, sums))
            try:
                self._save(connection, renewed, numbers, sums)
            except own_files.NotOurs:
                sidecar.strike(connection, self.kind, self._space)

    def scrub(self, connection: apsw.Connection) -> None:
        """Overwrite forgotten rows, and what a killed writer left beyond the listed ones. A file
        that is not ours alone any more is not touched, and not used."""
        entry = self.listed(connection)
        base = None if entry is None else self._open(entry)
        if entry is None or base is None:
            return
        try:
            self._overwrite(entry, base)
        except own_files.NotOurs:
            sidecar.strike(connection, self.kind, self._space)

    def _overwrite(self, entry: Listed, base: Base) -> None:
        width = self._table.dimension * 4
        sidecar.cut(self._vectors(entry), _HEAD + entry.rows * width)
        dead = np.flatnonzero(base.pids < 0)
        full = dead[base.matrix[dead].any(axis=1)]
        if not len(full) and not base.stamp % 2:
            return
        busy = base.stamp | 1
        sidecar.write_at(
            self._vectors(entry),
            (0, busy.to_bytes(8, "little")),
            *((_HEAD + int(place) * width, bytes(width)) for place in full),
        )
        sidecar.write_at(self._vectors(entry), (0, (busy + 1).to_bytes(8, "little")))

    def check(self, connection: apsw.Connection) -> str | None:
        """Compare every byte of the files with its checksum; what is wrong, or None."""
        entry = self.listed(connection)
        if entry is None:
            return None
        base = self._open(entry)
        if base is None:
            return "missing, cut short or changed"
        if not base.sound:
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


def _seal(body: Any) -> bytes:
    return sidecar.checksum(body).to_bytes(_SEAL, "little")
