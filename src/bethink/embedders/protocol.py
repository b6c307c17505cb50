"""What an embedder is, and the door that every vector passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

from bethink.embedders.watching import watcher
from bethink.errors import EmbedderError, InvalidVector
from bethink.stores.protocol import Embedding
from bethink.vocabulary import Vector, Vectors

Kind = Literal["query", "document"]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors. Questions and documents may need different treatment."""

    @property
    def name(self) -> str:
        """How to load it again, e.g. `use-m`."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text would get another vector. Known without loading."""

    @property
    def dimension(self) -> int: ...

    @property
    def batch(self) -> int:
        """How many texts to hand over at once."""

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        """One row for each text, in order."""


def embedding_of(embedder: Embedder) -> Embedding:
    """Who an embedder is. Asking may load a model or go to a server, and so may fail."""
    try:
        return Embedding(embedder.fingerprint, embedder.dimension, embedder.name)
    except EmbedderError:
        raise
    except Exception as e:  # whatever a model or a user's embedder throws
        raise EmbedderError(f"the embedder cannot be used: {type(e).__name__}: {e}") from e


def unit_rows(vectors: object, *, rows: int, dimension: int, maker: str) -> Vectors:
    """Check vectors at the door and scale them to length 1; refuse what would poison a ranking."""
    import numpy as np

    try:
        with np.errstate(over="ignore"):  # infinity is refused below
            matrix = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        raise InvalidVector(f"{maker} gave something that is not {rows} rows of numbers") from None
    if matrix.shape != (rows, dimension):
        raise InvalidVector(
            f"{maker} gave an array of shape {matrix.shape}; expected ({rows}, {dimension})"
        )
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    if rows and abs(lengths - 1).max() < 1e-6:  # as most embedders give them; NaN is never near
        return np.ascontiguousarray(matrix)
    if not np.isfinite(matrix).all():
        raise InvalidVector(f"{maker} gave a vector with NaN or infinity; it was refused")
    lengths = np.linalg.norm(matrix.astype(np.float64), axis=1)  # no square is too large or small
    if rows and not lengths.min() > 1e-30:
        raise InvalidVector(f"{maker} gave a zero vector, which has no direction; it was refused")
    unit: Vectors = (matrix / lengths[:, None]).astype(np.float32)
    return unit


def embed_texts(embedder: Embedder, texts: Sequence[str], *, kind: Kind) -> Vectors:
    """Embed in batches through the door. Any failure is an `EmbedderError` with its cause."""
    import numpy as np

    pieces: list[Vectors] = []
    tell = watcher() if kind == "document" else None
    for start in range(0, len(texts), embedder.batch):
        some = texts[start : start + embedder.batch]
        try:
            raw = embedder.embed(some, kind=kind)
        except EmbedderError:
            raise
        except Exception as e:  # whatever a model or a user's embedder throws
            raise EmbedderError(f"{embedder.name} failed: {type(e).__name__}: {e}") from e
        try:
            pieces.append(
                unit_rows(raw, rows=len(some), dimension=embedder.dimension, maker=embedder.name)
            )
        except InvalidVector as e:
            raise EmbedderError(str(e)) from e
        if tell is not None:
            tell(start + len(some), len(texts))
    if not pieces:
        return np.empty((0, embedder.dimension), np.float32)
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def embed_question(embedder: Embedder, text: str) -> Vector:
    vector: Vector = embed_texts(embedder, [text], kind="query")[0]
    return vector
