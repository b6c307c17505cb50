"""What is usual: how near any passage is to a question. A score says little without it."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

SAMPLE = 128  # evenly spaced passages of each space: a mean within a tenth of a spread


def mean_and_spread(scores: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation; of nothing, 0 and 1."""
    if not scores:
        return 0.0, 1.0
    mean = sum(scores) / len(scores)
    spread = sqrt(sum((score - mean) ** 2 for score in scores) / len(scores))
    return mean, max(spread, 1e-6)
