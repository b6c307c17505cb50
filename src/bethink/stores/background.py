"""What is usual: how near any passage is to a question. A score says little without it."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

SAMPLE = 128  # evenly spaced passages of each space: a mean within a tenth of a spread


_EXPECTED = 0.1  # the spread of an encoder's cosines, before any is seen
_WEIGHT = 4  # in scores: of two memories, the nearer must not seem to stand out far


def mean_and_spread(scores: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation, the latter leaning on what is expected while scores are few;
    of nothing, 0 and 1."""
    if not scores:
        return 0.0, 1.0
    mean = sum(scores) / len(scores)
    squares = sum([(score - mean) ** 2 for score in scores]) + _WEIGHT * _EXPECTED**2
    return mean, sqrt(squares / (len(scores) + _WEIGHT))
