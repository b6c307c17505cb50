"""Vectors of single words, from the table that the USE encoder starts from.

They let a passage answer a question in other words: "purchase" stands near "bought", 预算 near
"budget". Words recur, so each is looked up once; a pair of Chinese characters counts as a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from bethink.one_thread import product
from bethink.vocabulary import Vectors

_DIMENSION = 128
_MOST = 50_000  # words kept, 25 MB; a long-running server sees endless new ones
_FIRST_PIECE = 7  # the pieces before are marks: unknown, begin, end, the word boundary alone
_CHUNKS = 17  # the table is quantised in so many interleaved parts


def prepare(encoder: Any) -> None:
    """Give the encoder what its words need, so that it is kept with everything else."""
    some = _pieces(encoder, np.arange(_FIRST_PIECE, len(encoder.table), 37))
    # what all words share says nothing: without it, unrelated words are at right angles
    encoder.word_mean = some.mean(axis=0)
    some -= encoder.word_mean
    # a quarter of the numbers keeps the order of what is near, at a quarter of the time
    encoder.word_axes = np.ascontiguousarray(np.linalg.eigh(some.T @ some)[1][:, -_DIMENSION:])


def _pieces(encoder: Any, numbers: Any) -> Any:
    """Rows of the table, unpacked as the encoder itself does it."""
    parts = numbers % _CHUNKS
    rows = encoder.table[numbers].astype(np.float32)
    return rows * encoder.scale[parts, None] + encoder.lo[parts, None]


class UseWords:
    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder
        self._places: dict[str, int] = {}
        self._vectors = np.empty((1024, _DIMENSION), np.float32)

    def __call__(self, words: Sequence[str]) -> Vectors:
        """One row of length 1 for each word; 0 for what is no word to the encoder."""
        places = self._places
        missing = [word for word in dict.fromkeys(words) if word not in places]
        if missing:
            if len(places) + len(missing) > _MOST:
                places.clear()
                missing = list(dict.fromkeys(words))
            self._learn(missing)
        return self._vectors[[places[word] for word in words]]

    def _learn(self, words: Sequence[str]) -> None:
        pieces = [self._encoder.sp.encode(word, out_type=int) for word in words]
        start = len(self._places)
        room = start + len(words)
        if room > len(self._vectors):
            grown = np.empty(
                (max(room, 2 * len(self._vectors)), self._vectors.shape[1]), np.float32
            )
            grown[:start] = self._vectors[:start]
            self._vectors = grown
        known = [[number for number in some if number >= _FIRST_PIECE] or [0] for some in pieces]
        starts = np.cumsum([0, *map(len, known[:-1])])
        flat = np.fromiter(chain.from_iterable(known), np.int64)
        sums = np.add.reduceat(
            _pieces(self._encoder, flat) - self._encoder.word_mean, starts, axis=0
        )
        sums = product(sums, self._encoder.word_axes)
        sums[[some == [0] for some in known]] = 0.0
        sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        self._vectors[start:room] = sums
        self._places.update({word: start + n for n, word in enumerate(words)})
