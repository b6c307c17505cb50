"""Vectors on their way to pgvector."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from psycopg.types import TypeInfo

from bethink.stores.postgres.arrays import Array, ArrayDumper, bigints, reals
from bethink.stores.postgres.database import Cursor
from bethink.vocabulary import Vector, Vectors

_HEAD = 4


class _Vectors(Array):
    """Each database has its own number for the type."""

    def __init__(self, matrix: Vectors, element: int) -> None:
        self.element = element
        rows, dimension = matrix.shape
        row = np.dtype([("size", ">i4"), ("head", ">i2", 2), ("numbers", ">f4", dimension)])
        made = np.empty(rows, row)
        made["size"] = 4 + 4 * dimension
        made["head"] = (dimension, 0)
        made["numbers"] = matrix
        super().__init__(rows, made.tobytes())


def insert(
    cursor: Cursor, table: str, spaces: Sequence[int], pids: Sequence[int], vectors: Vectors
) -> None:
    if not pids:
        return
    cursor.execute(
        f"INSERT INTO {table} (space, pid, embedding) SELECT * FROM unnest(%b, %b, %b)".encode(),
        (bigints(spaces), bigints(pids), _array(cursor, vectors)),
    )


def _array(cursor: Cursor, matrix: Vectors) -> _Vectors:
    connection = cursor.connection
    info = connection.adapters.types.get("vector")
    if info is None:
        info = TypeInfo.fetch(connection, "vector")
        assert info is not None
        info.register(connection)
        dumper = type("_VectorsDumper", (ArrayDumper,), {"oid": info.array_oid})
        connection.adapters.register_dumper(_Vectors, dumper)
        cursor.adapters.register_dumper(_Vectors, dumper)
    return _Vectors(matrix, info.oid)


def numbers_of(data: bytes) -> Vector:
    """A vector as pgvector sends it: how many numbers, nothing, and the very numbers."""
    return np.frombuffer(data, ">f4", offset=_HEAD).astype(np.float32)


def question(vector: Vector) -> Array:
    """One vector, to be cast from `real[]`: that type has the same number everywhere."""
    return reals(vector)
