"""Embedders that a user could have written, with the faults that users' embedders have."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from bethink.embedders.measured import ByScript
from bethink.embedders.protocol import Kind
from bethink.text.tokenise import terms
from bethink.vocabulary import Vectors

T = TypeVar("T")


def every_measured(table: Mapping[str, T | ByScript[T]]) -> list[T]:
    """Return all values of a table of measurements, of both scripts."""
    found: list[T] = []
    for one in table.values():
        found += one if isinstance(one, ByScript) else [one]
    return found


class Letters:
    """Small and exact: each term adds to one of the dimensions. Counts what it is given."""

    batch = 8

    def __init__(self, name: str = "letters", *, salt: int = 1, dimension: int = 64) -> None:
        self.name = name
        self.fingerprint = f"{name}/{salt}"
        self.dimension = dimension
        self.salt = salt
        self.texts: list[str] = []
        self.fails = False
        self.fails_after: int | None = None  # this many texts

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        if self.fails:
            raise ConnectionError("the model is on holiday")
        if self.fails_after is not None and len(self.texts) + len(texts) > self.fails_after:
            raise ConnectionError("the line went dead")
        self.texts += texts
        rows = np.full((len(texts), self.dimension), 0.01, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in terms(text):
                row[sum(map(ord, term)) * self.salt % self.dimension] += 1
        return rows


class Hung(Letters):
    """Never answers, until it is let go."""

    def __init__(self) -> None:
        super().__init__("hung")
        self.released = threading.Event()
        self.entered = threading.Event()

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        if kind == "query":
            self.entered.set()
            self.released.wait(30)
        return super().embed(texts, kind=kind)
