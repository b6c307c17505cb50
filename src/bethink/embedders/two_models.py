"""Two models in one vector: one that reads every language, and one that is better at English.

The vectors stand one behind the other, so cosines add up, and no store need know of it:

- a text in English has a part of each. From the second model's part is taken what all its vectors
  have in common (`Model.usual`): any two texts would seem alike by it, and what only the first
  model reads would always lose;
- a text that the second model cannot read has, in that place, the direction that was taken out.
  So its first part is as long as anybody's, and a Chinese question finds Chinese and English alike;
- a question in English leans towards that direction a little: a text in another language gets what
  one in English would have got from the second model, on average.

Questions in both languages then have cosines on one scale, up to `scale`. Measured in
benchmarks/LOG.md; why so, in docs/decisions/0023-two-models.md.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from hashlib import sha256
from math import sqrt
from typing import Any, NamedTuple

from bethink.embedders.models import Model, model_named
from bethink.embedders.protocol import Embedder, Kind, unit_rows
from bethink.errors import InvalidInput
from bethink.text.scripts import mostly_latin
from bethink.vocabulary import Vectors

SIGN = "+"
_VERSION = 1  # of how the two are put together


class Weights(NamedTuple):
    second: float  # how many times as much as the first model's the second's cosine counts
    across: float  # the second's cosine that a text it cannot read is taken to have


# Chosen on meaning alone (benchmarks/LOG.md). A pair that nobody measured gets the plain sum.
UNMEASURED = Weights(second=1.0, across=0.0)
MEASURED = {"use-m+arctic-s": Weights(second=4.0, across=0.25)}


def is_pair(name: str) -> bool:
    return SIGN in name and ":" not in name


def models_of(name: str) -> tuple[Model, Model]:
    """The two models of a name like `use-m+arctic-s`."""
    parts = name.split(SIGN)
    if len(parts) != 2 or parts[0] == parts[1]:
        raise InvalidInput(f"{name!r}: two different models can be joined, like use-m+arctic-s")
    first, second = map(model_named, parts)
    if first.english_only:
        raise InvalidInput(
            f"{name!r}: {first.id} reads English only; put one that reads every language first, "
            "like use-m+arctic-s"
        )
    return first, second


def joined(name: str, load: Callable[[str], Embedder | None]) -> TwoModels:
    first, second = models_of(name)
    one, other = load(first.id), load(second.id)
    assert one is not None and other is not None  # only `none` is nobody
    return TwoModels(one, other, second, MEASURED.get(name, UNMEASURED))


class TwoModels:
    def __init__(self, first: Embedder, second: Embedder, model: Model, weights: Weights) -> None:
        """`model` says what the second one can read."""
        self._first = first
        self._second = second
        self._model = model
        self._weights = weights
        self._usual: Any = None
        self.name = f"{first.name}{SIGN}{second.name}"
        self.dimension = first.dimension + second.dimension
        self.batch = min(first.batch, second.batch)

    @property
    def fingerprint(self) -> str:
        usual = sha256(self._model.usual.encode()).hexdigest()[:8]
        second, across = self._weights
        return (
            f"{self.name}/{_VERSION}/{second:g}/{across:g}/{usual}/"
            f"{self._first.fingerprint}/{self._second.fingerprint}"
        )

    @property
    def scale(self) -> float:
        """The cosine of a question and a text that both models find the same."""
        second = self._weights.second
        return sqrt((second + 2) / (2 * second + 2))

    @property
    def word_vectors(self) -> Callable[[Sequence[str]], Vectors] | None:
        """Of the first model that has any."""
        for one in (self._first, self._second):
            vectors: Callable[[Sequence[str]], Vectors] | None = getattr(one, "word_vectors", None)
            if vectors is not None:
                return vectors
        return None

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.dimension), np.float32)
        read = np.array([not self._model.english_only or mostly_latin(text) for text in texts])
        theirs = [text for text, is_read in zip(texts, read, strict=True) if is_read]
        first = _unit(self._first, texts, kind)
        second = np.zeros((len(texts), self._second.dimension), np.float32)
        if theirs:
            second[read] = self._without_usual(_unit(self._second, theirs, kind))
        usual = self._usual_direction()
        own = self.scale
        rest = sqrt(1 - own**2)
        if kind == "document":
            second[~read] = usual
            return np.hstack([own * first, rest * second])
        second[read] += self._weights.across * usual
        return np.hstack([first, self._weights.second * own / rest * second])

    def _usual_direction(self) -> Any:
        """Of length 1, or 0 where nobody measured it; at right angles to `_without_usual`."""
        import numpy as np

        if self._usual is None:
            usual = np.zeros(self._second.dimension, np.float32)
            if self._model.usual:
                usual += np.frombuffer(base64.b85decode(self._model.usual), "<f2")
                usual /= np.linalg.norm(usual)
            self._usual = usual
        return self._usual

    def _without_usual(self, vectors: Vectors) -> Vectors:
        import numpy as np

        usual = self._usual_direction()
        rest = vectors - (vectors @ usual)[:, None] * usual
        lengths = np.linalg.norm(rest, axis=1, keepdims=True)
        plain: Vectors = rest / np.maximum(lengths, 1e-9)  # nothing is left of what is all usual
        return plain


def _unit(embedder: Embedder, texts: Sequence[str], kind: Kind) -> Vectors:
    rows = embedder.embed(texts, kind=kind)
    return unit_rows(rows, rows=len(texts), dimension=embedder.dimension, maker=embedder.name)
