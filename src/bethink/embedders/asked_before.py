"""Vectors of questions that were asked a moment ago. Agents ask the same again and again, and with
a model behind an API each time costs a round trip. A vector depends on the question and the
embedder alone, so no write can make it wrong."""

from __future__ import annotations

import threading
from collections import OrderedDict

from bethink.embedders.protocol import Embedder, embed_question
from bethink.vocabulary import Vector

_MOST = 256
_LONGEST = 4_000  # characters; who asks a book will not ask it again


class AskedBefore:
    """Safe between threads. Two that ask the same at once may both embed it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._vectors: OrderedDict[tuple[str, str], Vector] = OrderedDict()

    def vector(self, embedder: Embedder, question: str) -> Vector:
        key = (embedder.fingerprint, question)
        with self._lock:
            known = self._vectors.get(key)
            if known is not None:
                self._vectors.move_to_end(key)
                return known
        vector = embed_question(embedder, question)
        if len(question) <= _LONGEST:
            vector.setflags(write=False)  # shared from now on
            with self._lock:
                self._vectors[key] = vector
                while len(self._vectors) > _MOST:
                    self._vectors.popitem(last=False)
        return vector

    def forget(self) -> None:
        """What is forgotten may have been asked for in its own words."""
        with self._lock:
            self._vectors.clear()
