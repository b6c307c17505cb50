"""The last door before a vector is stored or compared: one NaN row would rank first for ever."""

from __future__ import annotations

from math import isfinite

from recollect.errors import InvalidVector
from recollect.vocabulary import Vector, Vectors


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


def sound_question(vector: Vector, *, dimension: int) -> Vector:
    import numpy as np

    # every recall comes here twice: the passes over rows take ten times as long for only one
    if vector.shape == (dimension,) and vector.dtype == np.float32 and vector.flags.c_contiguous:
        square = float(vector.dot(vector))
        if isfinite(square) and square > 0.0:
            return vector
    question: Vector = sound_rows(vector[None, :], rows=1, dimension=dimension)[0]
    return question
