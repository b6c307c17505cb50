"""The last door before a vector is stored or compared: one NaN row would rank first for ever."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Protocol

from bethink.errors import FingerprintMismatch, InvalidVector
from bethink.vocabulary import Entry, Vector, Vectors


def sound_rows(vectors: Vectors, *, rows: int, dimension: int) -> Vectors:
    """The same as float32, or InvalidVector: wrong shape, NaN, infinity, no direction."""
    import numpy as np

    if vectors.shape != (rows, dimension):
        raise InvalidVector(
            f"expected {rows} vectors of {dimension} numbers, got an array of shape {vectors.shape}"
        )
    matrix = np.ascontiguousarray(vectors, np.float32)
    squares = np.einsum("ij,ij->i", matrix, matrix)
    if np.isfinite(squares).all() and squares.all():  # one pass; the passes below say what is wrong
        return matrix
    if not np.isfinite(matrix).all():
        raise InvalidVector("a vector has NaN or infinity; it was refused. Embed the text again")
    if not matrix.any(axis=1).all():
        raise InvalidVector("a vector is zero, which has no direction; it was refused")
    return matrix


class Maker(Protocol):
    """Whose vectors an index holds."""

    @property
    def fingerprint(self) -> str: ...
    @property
    def dimension(self) -> int: ...


def check_maker(fingerprint: str | None, index: Maker | None) -> Maker:
    """These vectors are by whoever made the index, or FingerprintMismatch."""
    if index is None or fingerprint != index.fingerprint:
        held = "none" if index is None else index.fingerprint
        raise FingerprintMismatch(
            f"these vectors are by {fingerprint}, the index is by {held}; "
            "vectors of two embedders are never mixed. Run 'bethink reindex'"
        )
    return index


def vectors_of(
    entries: Sequence[Entry], fingerprint: str | None, index: Maker | None
) -> Vectors | None:
    """All vectors of these entries, one after the other, checked together; None if there are
    none."""
    every = [entry.vectors for entry in entries if entry.vectors is not None]
    if not every:
        return None
    index = check_maker(fingerprint, index)
    import numpy as np

    for entry in entries:
        if entry.vectors is not None and len(entry.vectors) != len(entry.passages):
            raise InvalidVector(
                f"{entry.memory.id}: {len(entry.passages)} passages need as many vectors, "
                f"got an array of shape {entry.vectors.shape}"
            )
    try:
        matrix = np.concatenate(every)
    except ValueError:
        raise InvalidVector("the vectors of one batch have different sizes") from None
    return sound_rows(matrix, rows=len(matrix), dimension=index.dimension)


def sound_question(vector: Vector, *, dimension: int) -> Vector:
    import numpy as np

    # every recall comes here twice: the passes over rows take ten times as long for only one
    if vector.shape == (dimension,) and vector.dtype == np.float32 and vector.flags.c_contiguous:
        square = float(vector.dot(vector))
        if isfinite(square) and square > 0.0:
            return vector
    question: Vector = sound_rows(vector[None, :], rows=1, dimension=dimension)[0]
    return question
