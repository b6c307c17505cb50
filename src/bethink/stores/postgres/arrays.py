"""Whole columns on their way to PostgreSQL, as arrays in its binary form: thousands of rows go in
by one statement, `INSERT … SELECT * FROM unnest(…)`. Row-level security forbids COPY into a table,
and by psycopg's own lists it would take ten times as long."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import pq
from psycopg.adapt import Dumper

from bethink.clock import to_micros

_SIZE = struct.Struct(">i")
_NULL = _SIZE.pack(-1)
_EPOCH = to_micros(datetime(2000, 1, 1, tzinfo=UTC))  # PostgreSQL's


class Array:
    """One dimension, from 1 on. `element` and `oid` are numbers of types, the same everywhere."""

    element = 0
    oid = 0

    def __init__(self, count: int, body: bytes, *, nulls: bool = False) -> None:
        head = struct.pack(">iiIii", 1, nulls, self.element, count, 1)
        # of an empty one only that it has no dimension
        self.data = head + body if count else struct.pack(">iiI", 0, 0, self.element)


class ArrayDumper(Dumper):
    format = pq.Format.BINARY

    def dump(self, obj: Any) -> bytes:
        return bytes(obj.data)


def _array(name: str, element: int, oid: int) -> type[Array]:
    made = type(name, (Array,), {"element": element, "oid": oid})
    psycopg.adapters.register_dumper(made, type(f"{name}Dumper", (ArrayDumper,), {"oid": oid}))
    return made


_Texts = _array("_Texts", 25, 1009)
_Bytes = _array("_Bytes", 17, 1001)
_Jsons = _array("_Jsons", 3802, 3807)
_Bigints = _array("_Bigints", 20, 1016)
_Integers = _array("_Integers", 23, 1007)
_Floats = _array("_Floats", 701, 1022)
_Reals = _array("_Reals", 700, 1021)
_Moments = _array("_Moments", 1184, 1185)


def texts(values: Iterable[str]) -> Array:
    return _pieces(_Texts, [value.encode() for value in values])


def byte_strings(values: Sequence[bytes]) -> Array:
    return _pieces(_Bytes, values)


def jsons(values: Iterable[str]) -> Array:
    return _pieces(_Jsons, [b"\x01" + value.encode() for value in values])


def _pieces(kind: type[Array], pieces: Sequence[bytes]) -> Array:
    body: list[bytes] = []
    for piece in pieces:
        body.append(_SIZE.pack(len(piece)))
        body.append(piece)
    return kind(len(pieces), b"".join(body))


def bigints(values: Sequence[int]) -> Array:
    return _numbers(_Bigints, values, ">i8")


def integers(values: Sequence[int]) -> Array:
    return _numbers(_Integers, values, ">i4")


def floats(values: Sequence[float]) -> Array:
    return _numbers(_Floats, values, ">f8")


def reals(values: NDArray[np.float32]) -> Array:
    return _numbers(_Reals, values, ">f4")


def _numbers(kind: type[Array], values: Sequence[float] | NDArray[np.float32], form: str) -> Array:
    made = np.empty(len(values), [("size", ">i4"), ("value", form)])
    made["size"] = np.dtype(form).itemsize
    made["value"] = values
    return kind(len(values), made.tobytes())


def moments(values: Sequence[datetime | None]) -> Array:
    body: list[bytes] = []
    for value in values:
        body.append(_NULL if value is None else struct.pack(">iq", 8, to_micros(value) - _EPOCH))
    return _Moments(len(values), b"".join(body), nulls=None in values)
