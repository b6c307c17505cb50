"""Synthetic data for every benchmark: bilingual passages, clustered vectors, questions.

The same seed gives the same data everywhere. Row `n` does not depend on how many rows are made, so
a small run is the beginning of a large one. Rows come in blocks; nothing holds a million at once.

Words follow Zipf's law over a made-up vocabulary; every third passage is Chinese. Vectors lie in
clusters, and their variance falls off from direction to direction as that of real embeddings does.
A question is some words of a passage and a vector near the passage's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

DIMENSION = 384
BLOCK = 4096
_CLUSTERS = 2_000
_ENGLISH_WORDS = 30_000
_CHINESE_WORDS = 20_000
_ENGLISH_LENGTH = 72  # words at most; about 340 characters on average
_CHINESE_LENGTH = 110  # words at most; about 150 characters, which say as much
_PASSAGE_CHARS = 490  # one row is one passage: no text is long enough to be split
_STOP = "the of and to in is that it was for on are with as at be this by from or".split()
_STOP_HAN = "的 是 了 在 和 有 不 我 他 就".split()


class Block(NamedTuple):
    """Consecutive rows, from `start`."""

    start: int
    texts: list[str]
    vectors: Floats


class Question(NamedTuple):
    text: str
    vector: Floats


class Corpus:
    """Rows and questions of one seed."""

    def __init__(self, seed: int = 7, dimension: int = DIMENSION) -> None:
        self.seed = seed
        self.dimension = dimension

    def blocks(self, rows: int) -> Iterator[Block]:
        for start in range(0, rows, BLOCK):
            count = min(BLOCK, rows - start)
            yield Block(start, self._texts(start)[:count], self._vectors(start)[:count])

    def matrix(self, rows: int) -> Floats:
        """All vectors at once, for the exact answer."""
        every = np.empty((rows, self.dimension), np.float32)
        for start in range(0, rows, BLOCK):
            count = min(BLOCK, rows - start)
            every[start : start + count] = self._vectors(start)[:count]
        return every

    def questions(self, count: int, rows: int) -> list[Question]:
        """Questions about passages among the first `rows`, spread over them."""
        chance = np.random.default_rng((self.seed, 2, rows))
        blocks = min((rows + BLOCK - 1) // BLOCK, 20)  # enough to be spread, few enough to make
        asked: list[Question] = []
        for number in range(blocks):
            start = number * (rows // blocks) // BLOCK * BLOCK
            words, vectors = self._words(start), self._vectors(start)
            for _ in range(number, count, blocks):
                row = int(chance.integers(min(BLOCK, rows - start)))
                near = vectors[row] + 0.6 * self._noise(chance, 1)[0]
                asked.append(Question(_excerpt(words[row], chance), near / np.linalg.norm(near)))
        return [asked[i] for i in chance.permutation(len(asked))]

    # Words

    @cached_property
    def _english(self) -> list[str]:
        chance = np.random.default_rng((self.seed, 10))
        onsets = "b c d f g h j k l m n p r s t v w br ch cl dr fl gr pl sh st th tr".split()
        rimes = "a e i o u an en in on ar er or al el ist ment ing ous ate".split()
        words: dict[str, None] = dict.fromkeys(_STOP)
        while len(words) < _ENGLISH_WORDS:
            parts = int(chance.integers(1, 4))
            word = "".join(
                onsets[chance.integers(len(onsets))] + rimes[chance.integers(len(rimes))]
                for _ in range(parts)
            )
            words[word] = None
        return list(words)

    @cached_property
    def _chinese(self) -> list[str]:
        chance = np.random.default_rng((self.seed, 11))
        # the 3,000 common characters of GB 2312; the first is 2 % of all, as in real text
        common = [bytes((0xB0 + i // 94, 0xA1 + i % 94)).decode("gb2312") for i in range(3000)]
        weights = 1.0 / np.arange(9, 3009)
        codes = chance.choice(3000, (3 * _CHINESE_WORDS, 2), p=weights / weights.sum())
        words: dict[str, None] = dict.fromkeys(_STOP_HAN)
        for first, second in codes.tolist():
            words[common[first] + common[second]] = None
            if len(words) == _CHINESE_WORDS:
                break
        return list(words)

    def _words(self, start: int) -> list[list[str]]:
        chance = np.random.default_rng((self.seed, 0, start))
        english = _zipf(chance, len(self._english), (BLOCK, _ENGLISH_LENGTH))
        chinese = _zipf(chance, len(self._chinese), (BLOCK, _CHINESE_LENGTH))
        lengths = chance.uniform(0.4, 1.0, BLOCK)
        rows: list[list[str]] = []
        for number, length in enumerate(lengths.tolist()):
            if number % 3 == 2:
                chosen, vocabulary = chinese[number], self._chinese
            else:
                chosen, vocabulary = english[number], self._english
            wanted = int(length * len(chosen))
            rows.append([vocabulary[i] for i in chosen[:wanted].tolist()])
        return rows

    def _texts(self, start: int) -> list[str]:
        return [
            ("" if _is_han(words[0]) else " ").join(words)[:_PASSAGE_CHARS]
            + ("。" if _is_han(words[0]) else ".")
            for words in self._words(start)
        ]

    # Vectors

    @cached_property
    def _scales(self) -> Floats:
        """Standard deviation by direction: a power law, about 60 directions that matter."""
        scales = np.arange(1, self.dimension + 1, dtype=np.float32) ** -0.5
        return np.asarray(scales / np.linalg.norm(scales), np.float32)

    @cached_property
    def _rotation(self) -> Floats:
        """No axis is special in a real embedding; without this a product quantiser would gain."""
        chance = np.random.default_rng((self.seed, 12))
        square = chance.standard_normal((self.dimension, self.dimension))
        return np.asarray(np.linalg.qr(square)[0], np.float32)

    def _noise(self, chance: np.random.Generator, rows: int) -> Floats:
        plain = chance.standard_normal((rows, self.dimension), np.float32)
        return np.asarray((plain * self._scales) @ self._rotation, np.float32)

    @cached_property
    def _centres(self) -> Floats:
        return self._noise(np.random.default_rng((self.seed, 13)), _CLUSTERS)

    def _vectors(self, start: int) -> Floats:
        chance = np.random.default_rng((self.seed, 1, start))
        centres = self._centres[chance.integers(_CLUSTERS, size=BLOCK)]
        rows = centres + 0.7 * self._noise(chance, BLOCK)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def _zipf(chance: np.random.Generator, size: int, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Ranks from 0 with probability 1 / (rank + 3): the slope of real text in both languages."""
    weights = np.cumsum(1.0 / (np.arange(size) + 3.0))
    return np.asarray(np.searchsorted(weights, chance.random(shape) * weights[-1]), np.int64)


def _excerpt(words: list[str], chance: np.random.Generator) -> str:
    picked = chance.choice(len(words), 8, replace=False)
    return ("" if _is_han(words[0]) else " ").join(words[i] for i in sorted(picked))


def _is_han(word: str) -> bool:
    return not word.isascii()


class GivenVectors:
    """An embedder that hands out vectors made before, so that no model is measured."""

    name = "given"
    fingerprint = "given/v1"
    batch = 8192

    def __init__(self, dimension: int = DIMENSION) -> None:
        self.dimension = dimension
        self._rows: dict[str, int] = {}
        self._vectors: Floats = np.empty((0, dimension), np.float32)

    def give(self, texts: Sequence[str], vectors: Floats) -> None:
        """These from now on; what was given before is forgotten."""
        self._rows = {text: row for row, text in enumerate(texts)}
        self._vectors = vectors

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "document"]) -> Floats:
        return self._vectors[[self._rows[text] for text in texts]]


def exact_nearest(matrix: Floats, vectors: Floats, count: int) -> NDArray[np.int64]:
    """The rows nearest to each vector, best first, by brute force in blocks."""
    best = np.empty((len(vectors), 0), np.int64)
    scores = np.empty((len(vectors), 0), np.float32)
    for start in range(0, len(matrix), 65_536):
        some = vectors @ matrix[start : start + 65_536].T
        scores = np.concatenate([scores, some], axis=1)
        numbers = np.arange(start, start + some.shape[1])
        best = np.concatenate([best, np.broadcast_to(numbers, some.shape)], axis=1)
        keep = np.argsort(-scores, axis=1, kind="stable")[:, :count]
        scores = np.take_along_axis(scores, keep, axis=1)
        best = np.take_along_axis(best, keep, axis=1)
    return best
