"""Vectors of questions that were asked a moment ago, and of what is in working memory. Agents ask
the same again and again, and with a model behind an API each time costs a round trip. A vector
depends on the text and the embedder alone, so no write can make it wrong."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Literal

from bethink.embedders.protocol import Embedder, embed_texts
from bethink.vocabulary import Vector, Vectors

_MOST = 256
_LONGEST = 4_000  # characters; who asks a book will not ask it again


class AskedBefore:
    """Safe between threads. Two that ask the same at once may both embed it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._vectors: OrderedDict[tuple[str, str, str], Vector] = OrderedDict()

    def vector(self, embedder: Embedder, question: str) -> Vector:
        """The vector of a question."""
        found: Vector = self._made(embedder, [question], "query")[0]
        return found

    def vectors(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """One row for each text, as of a document."""
        import numpy as np

        rows = self._made(embedder, texts, "document")
        return np.stack(rows) if rows else np.empty((0, embedder.dimension), np.float32)

    def _made(
        self, embedder: Embedder, texts: Sequence[str], kind: Literal["query", "document"]
    ) -> list[Vector]:
        keys = [(embedder.fingerprint, kind, text) for text in texts]
        known: dict[tuple[str, str, str], Vector] = {}
        with self._lock:
            for key in keys:
                if key in self._vectors:
                    self._vectors.move_to_end(key)
                    known[key] = self._vectors[key]
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        if missing:
            made = embed_texts(embedder, [text for _, _, text in missing], kind=kind)
            for key, vector in zip(missing, made, strict=True):
                vector.setflags(write=False)  # shared from now on
                known[key] = vector
            with self._lock:
                for key in missing:
                    if len(key[2]) <= _LONGEST:
                        self._vectors[key] = known[key]
                while len(self._vectors) > _MOST:
                    self._vectors.popitem(last=False)
        return [known[key] for key in keys]

    def forget(self) -> None:
        """What is forgotten may have been asked for in its own words."""
        with self._lock:
            self._vectors.clear()
