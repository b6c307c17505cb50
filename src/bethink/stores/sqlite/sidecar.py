"""Files beside the database that make searches fast: derived, checked, thrown away at any doubt.

A sidecar is a handful of flat arrays that grow only at their end. The database lists it
(`sidecars`: generation, rows, change number, checksum), so the file is never believed further than
a committed row says. Data is flushed to disk before that row is written. Forgetting overwrites in
place. Only who holds the write lock changes files, and only files that are ours (`own_files`).
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import numpy as np
from numpy.typing import NDArray

from bethink.stores.sqlite import own_files

Ints = NDArray[np.int64]
Sums = NDArray[np.uint64]
Floats = NDArray[np.float32]

_BLOCK = 4096


class Listed(NamedTuple):
    """What the database says of a sidecar."""

    generation: str
    rows: int
    seq: int
    checksum: int


def names(kind: str, space: int, entry: Listed) -> tuple[str, str]:
    """What its files are called: those that grow, and those that are made anew every time."""
    name = f"{kind}-{space:d}-{entry.generation}"
    return name, f"{name}-{entry.checksum:x}"


def listed(connection: apsw.Connection, kind: str, space: int) -> Listed | None:
    row = connection.execute(
        "SELECT generation, rows, seq, checksum FROM sidecars WHERE kind = ? AND space = ?",
        (kind, space),
    ).get
    return None if row is None else Listed(*row)


def enlist(connection: apsw.Connection, kind: str, space: int, entry: Listed) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO sidecars VALUES (?, ?, ?, ?, ?, ?)", (kind, space, *entry)
    )


def strike(connection: apsw.Connection, kind: str, space: int) -> None:
    connection.execute("DELETE FROM sidecars WHERE kind = ? AND space = ?", (kind, space))


def sweep(connection: apsw.Connection, folder: Path) -> None:
    """Shred files that the database does not list: former generations, and what a process that
    was killed left behind. They hold what may have been forgotten since."""
    rows = connection.execute("SELECT kind, space, generation, rows, seq, checksum FROM sidecars")
    known = {name for kind, space, *entry in rows for name in names(kind, space, Listed(*entry))}
    # drafts too: whoever wrote one is gone, for we hold the lock
    own_files.shred(
        folder, lambda name: name.endswith(".new") or name.partition(".")[0] not in known
    )


def new_generation() -> str:
    return os.urandom(6).hex()


def places_of(pids: Ints, ordered: Ints) -> Ints:
    """Where those of these numbers that are there stand in an ascending list. Numbers are given in
    a row, so most often each stands as far from the first as it is larger: that is one look, where
    searching takes seventeen in a list of 100,000 that no cache holds."""
    if not len(ordered) or not len(pids):
        return np.empty(0, np.int64)
    at: Ints = pids - ordered[0]
    # behind a gap the last number is found too by a place beyond the end, which is clipped to it
    if at.max() < len(ordered) and (ordered.take(at, mode="clip") == pids).all():
        return at
    at = np.minimum(ordered.searchsorted(pids), len(ordered) - 1)
    there: Ints = at[ordered[at] == pids]
    return there


def row_sums(matrix: Floats) -> Sums:
    """A checksum for each row: the sum of its bytes as 64-bit words, as fast as memory is read."""
    words = matrix.view(np.uint64) if matrix.shape[1] % 2 == 0 else matrix.view(np.uint32)
    return np.asarray(np.add.reduce(words, axis=1, dtype=np.uint64))


def checksum(*arrays: NDArray[Any]) -> int:
    """CRC over the sums of 4 kB blocks: a changed byte changes its block's sum, at memory speed."""
    value = 0
    for array in arrays:
        data = np.ascontiguousarray(array).view(np.uint8).reshape(-1)
        whole = len(data) // _BLOCK * _BLOCK
        sums = data[:whole].view(np.uint64).reshape(-1, _BLOCK // 8).sum(axis=1, dtype=np.uint64)
        value = zlib.crc32(data[whole:].data, zlib.crc32(sums.data, value))
    return value


def write_at(path: Path, *pieces: tuple[int, bytes | memoryview]) -> None:
    """Write (offset, data) pieces into a file, in order, and see them safely to the disk."""
    with own_files.open_own(path, create=True) as handle:
        for offset, data in pieces:
            view = memoryview(data).cast("B")
            done = 0
            while done < len(view):
                done += os.pwrite(handle, view[done:], offset + done)
        os.fsync(handle)


def write_whole(path: Path, data: bytes | memoryview) -> None:
    """Replace a file in one step."""
    draft = path.with_name(path.name + ".new")
    own_files.discard(draft)  # of a process that was killed, and perhaps longer than ours
    write_at(draft, (0, data))
    own_files.put_in_place(draft, path)


def cut(path: Path, size: int) -> None:
    """Overwrite and take off whatever is beyond this size."""
    surplus = path.stat().st_size - size
    if surplus > 0:
        write_at(path, (size, bytes(surplus)))
        with own_files.open_own(path) as handle:
            os.ftruncate(handle, size)
