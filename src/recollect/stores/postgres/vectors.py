"""Vectors on their way to pgvector, in its binary form: as text they would take ten times as
long."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from psycopg import pq
from psycopg.adapt import Dumper
from psycopg.types import TypeInfo

from recollect.stores.postgres.database import Cursor
from recollect.vocabulary import Vector, Vectors


class _Array:
    """Rows of a matrix as an array of `vector`, in the form that PostgreSQL receives."""

    def __init__(self, matrix: Vectors, element: int) -> None:
        rows, dimension = matrix.shape
        row = np.dtype([("size", ">i4"), ("head", ">i2", 2), ("numbers", ">f4", dimension)])
        made = np.empty(rows, row)
        made["size"] = 4 + 4 * dimension
        made["head"] = (dimension, 0)
        made["numbers"] = matrix
        self.data = struct.pack(">iiiii", 1, 0, element, rows, 1) + made.tobytes()


class _ArrayDumper(Dumper):
    format = pq.Format.BINARY

    def dump(self, obj: Any) -> bytes:
        return bytes(obj.data)


def insert(
    cursor: Cursor, table: str, spaces: Sequence[int], pids: Sequence[int], vectors: Vectors
) -> None:
    if not pids:
        return
    cursor.execute(
        f"INSERT INTO {table} (space, pid, embedding) "
        "SELECT * FROM unnest(%b::bigint[], %b::bigint[], %b::vector[])".encode(),
        (list(spaces), list(pids), _array(cursor, vectors)),
    )


def _array(cursor: Cursor, matrix: Vectors) -> _Array:
    adapters = cursor.connection.adapters
    info = adapters.types.get("vector")
    if info is None:
        info = TypeInfo.fetch(cursor.connection, "vector")
        assert info is not None
        info.register(cursor.connection)
        dumper = type("_OfThisServer", (_ArrayDumper,), {"oid": info.array_oid})
        adapters.register_dumper(_Array, dumper)
        cursor.adapters.register_dumper(_Array, dumper)
    return _Array(matrix, info.oid)


def literal(vector: Vector) -> str:
    """One vector as text, to be cast: a question has only one."""
    return "[" + ",".join(map(repr, vector.tolist())) + "]"
