"""The measures, by their usual definitions. Binary relevance; unanswerable questions count only
for `auroc`.

- hit@k: the share of questions with any right document among the first k
- R@k: the mean share of the right documents that are among the first k
- NDCG@10: discounted gain 1 / log2(rank + 1), divided by the best possible
- MRR: the mean of 1 / rank of the first right document, 0 where none is among the first 100
- AUROC: the chance that an answerable question has a higher score than an unanswerable one
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

MEASURES = ("hit@1", "R@5", "R@10", "NDCG@10", "MRR", "AUROC")
_DEPTH = 100


def measures(ranked: Sequence[str], right: Collection[str]) -> dict[str, float]:
    """Of one question: documents best first, and those that answer it."""
    found = [document in right for document in ranked[:_DEPTH]]
    first = found.index(True) + 1 if True in found else 0
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(right))))
    gain = sum(1 / math.log2(rank + 2) for rank, hit in enumerate(found[:10]) if hit)
    return {
        "hit@1": float(any(found[:1])),
        "R@5": sum(found[:5]) / len(right),
        "R@10": sum(found[:10]) / len(right),
        "NDCG@10": gain / ideal,
        "MRR": 1 / first if first else 0.0,
    }


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    if not rows:
        return {}
    return {name: math.fsum(row[name] for row in rows) / len(rows) for name in rows[0]}


def auroc(answerable: Sequence[float], unanswerable: Sequence[float]) -> float | None:
    """None where one side is empty. A tie counts one half."""
    if not answerable or not unanswerable:
        return None
    wins = sum((a > u) + 0.5 * (a == u) for a in answerable for u in unanswerable)
    return float(wins / (len(answerable) * len(unanswerable)))


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile: a value that was measured."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan
