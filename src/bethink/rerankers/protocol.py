"""What a reranker is, and the door that its scores pass."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, Protocol, runtime_checkable

from bethink.breaker import Breaker, left_alone_for
from bethink.errors import RerankerError

_PROOF = "Is anybody there? 有人在吗？"
_PROOF_SECONDS = 10.0  # nobody waits for it


@runtime_checkable
class Reranker(Protocol):
    """Reads the question and a text together, which costs more than comparing two vectors and says
    more. Used on the first few candidates only."""

    @property
    def name(self) -> str: ...

    def score(self, question: str, texts: Sequence[str], *, seconds: float) -> Sequence[float]:
        """One number for each text, in order; larger is better. 0 to 1, or logits of any size.

        Nobody waits longer than `seconds`: whoever can should stop by then.
        """


@runtime_checkable
class ReadsInOrder(Protocol):
    """A reranker that reads one text after the other and may stop at any of them."""

    @property
    def name(self) -> str: ...

    def read(self, question: str, texts: Sequence[str], *, seconds: float) -> Sequence[float]:
        """The logits of the first texts: of as many as could be read in the time."""


class GuardedReranker:
    """A reranker that is left alone after it failed a few times in a row."""

    def __init__(self, reranker: Reranker) -> None:
        self._reranker = reranker
        self._breaker = Breaker(reranker.name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reranker, name)  # what else it can do

    @property
    def name(self) -> str:
        return self._reranker.name

    @property
    def why(self) -> str:
        """Why it is left alone; empty: it is not."""
        why = self._breaker.why
        return left_alone_for(self.name, why) if why else ""

    def score(self, question: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        return self._breaker.call(
            lambda: score_texts(self._reranker, question, texts, seconds=seconds),
            probe=lambda: score_texts(self._reranker, _PROOF, [_PROOF], seconds=_PROOF_SECONDS),
            refusal=RerankerError,
        )


def read_texts(
    reader: ReadsInOrder, question: str, texts: Sequence[str], *, seconds: float
) -> list[float]:
    """Logits of the first texts. Any failure is a `RerankerError` with its cause."""
    try:
        logits = [float(one) for one in reader.read(question, texts, seconds=seconds)]
    except RerankerError:
        raise
    except Exception as e:  # whatever a model throws
        raise RerankerError(f"{reader.name} failed: {type(e).__name__}: {e}") from e
    if len(logits) > len(texts):
        raise RerankerError(f"{reader.name} gave {len(logits)} scores for {len(texts)} texts")
    if not all(map(isfinite, logits)):
        raise RerankerError(f"{reader.name} gave a score that is NaN or infinite")
    return logits


def score_texts(
    reranker: Reranker, question: str, texts: Sequence[str], *, seconds: float
) -> list[float]:
    """Scores through the door. Any failure is a `RerankerError` with its cause."""
    try:
        given = reranker.score(question, texts, seconds=seconds)
        scores = [float(score) for score in given]
    except RerankerError:
        raise
    except Exception as e:  # whatever a model or a user's reranker throws
        raise RerankerError(f"{reranker.name} failed: {type(e).__name__}: {e}") from e
    if len(scores) != len(texts):
        raise RerankerError(f"{reranker.name} gave {len(scores)} scores for {len(texts)} texts")
    if not all(map(isfinite, scores)):
        raise RerankerError(f"{reranker.name} gave a score that is NaN or infinite")
    return scores
