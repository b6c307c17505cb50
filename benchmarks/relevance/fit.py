"""Fit the weights: a logistic regression with bounded signs, on a mixture of sets.

A second loss for the order within a question was tried and changed nothing (benchmarks/LOG.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from benchmarks.relevance.gather import FOREIGN, REMOVED, Asked
from numpy.typing import NDArray

from bethink.recall.signals import SIGNALS

Array = NDArray[np.float64]

# What can only speak for a memory, or only against it, whatever chance says in a set.
_FOR = {
    "words.share", "words.possible", "words.coverage", "meaning.weighed", "meaning.cosine",
    "meaning.z", "meaning.clear", "meaning.ahead", "near words.weighed", "near words.mean",
    "near words.least", "exact.held", "lead.behind", "lead.behind in a turn", "lead.before",
    "lead.both", "question.reply", "neighbours.before", "neighbours.after", "speaker.named",
    "role.asked", "time.day", "time.period", "time.new", "time.new in a turn", "answer type.held",
    "entities.named", "detail.held",
}  # fmt: skip
_AGAINST = {
    "exact.missing", "words.unknown", "question.asks", "question.user asks", "speaker.other",
    "role.assistant", "answer type.missing", "detail.missing", "space.size",
    "length.short",
}  # fmt: skip
_MOST = 3.0  # log-odds: nothing but an identifier may exclude a memory by itself
# What the sets hold too little of to be fitted: see docs/decisions/0027.
FIXED: Mapping[str, float] = {
    "exact.held": 5.0, "exact.missing": -4.0, "entities.named": 0.5, "role.asked": 1.5,
    "speaker.other": -1.0,
}  # fmt: skip
_ONLY_KNOWN_SCALE = (
    "meaning.cosine",
    "near words.mean",
    "near words.least",
)  # another embedder has another scale
_PARTS_OF_MEANING = ("meaning", "near words")


def columns(name: str) -> NDArray[np.bool_]:
    """Which signals a model may weigh: without meaning, or without one embedder's own scale."""
    if name == "words":
        return np.array([signal.split(".")[0] not in _PARTS_OF_MEANING for signal in SIGNALS])
    return np.array([name != "any" or signal not in _ONLY_KNOWN_SCALE for signal in SIGNALS])


def stacked(
    asked: Sequence[Asked], *, top: int = 20, weights: Mapping[str, float] | None = None
) -> tuple[Array, Array, Array]:
    """Rows, labels and weights. Every set weighs the same, and in it every way of asking."""
    rows: list[Array] = []
    labels: list[Array] = []
    weighing: list[Array] = []
    per_set: dict[tuple[str, bool], int] = {}
    for one in asked:
        key = one.data, one.kind in (FOREIGN, REMOVED)
        per_set[key] = per_set.get(key, 0) + 1
    for one in asked:
        fit = fits(one)
        first = np.argsort(-fit)[:top]
        chosen = one.rows[first].astype(np.float64)
        key = one.data, one.kind in (FOREIGN, REMOVED)
        share = (0.4 if key[1] else 1.0) * (weights or {}).get(one.data, 1.0)
        rows.append(chosen)
        labels.append(one.right[first].astype(np.float64))
        weighing.append(np.full(len(first), share / per_set[key]))
    weight = np.concatenate(weighing)
    return np.concatenate(rows), np.concatenate(labels), weight / weight.mean()


def fit(
    asked: Sequence[Asked],
    *,
    name: str = "",
    l2: float = 1e-4,
    weights: Mapping[str, float] | None = None,
    without: Sequence[str] = (),
) -> tuple[float, Array]:
    """The base and the weights, the signs kept."""
    rows, labels, weight = stacked(asked, weights=weights)
    usable = columns(name) & np.array([signal.split(".")[0] not in without for signal in SIGNALS])
    low = np.where([s in _FOR for s in SIGNALS], 0.0, -_MOST)
    high = np.where([s in _AGAINST for s in SIGNALS], 0.0, 2 * _MOST)
    low[~usable] = high[~usable] = 0.0
    for signal, value in FIXED.items():
        low[SIGNALS.index(signal)] = high[SIGNALS.index(signal)] = value
    scale = np.maximum(np.sqrt((rows**2 * weight[:, None]).mean(axis=0)), 1e-3)
    scaled = rows / scale
    count = len(rows)

    def loss(theta: Array) -> tuple[float, Array]:
        odds = scaled @ theta[1:] + theta[0]
        value = (weight * (np.logaddexp(0, odds) - labels * odds)).mean()
        wrong = weight * (1 / (1 + np.exp(-odds)) - labels)
        slope = scaled.T @ wrong / count + 2 * l2 * theta[1:]
        return value + l2 * (theta[1:] ** 2).sum(), np.concatenate([[wrong.mean()], slope])

    from scipy.optimize import minimize  # of the extra `bench`; measuring does not need it

    bounds = [(None, None), *zip(low * scale, high * scale, strict=True)]
    start = np.concatenate([[-3.0], np.clip(0.0, low * scale, high * scale)])
    found = minimize(
        loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 500}
    )
    return float(found.x[0]), found.x[1:] / scale


_FITS = [SIGNALS.index(name) for name in ("words.share", "meaning.weighed", "near words.weighed")]


def fits(one: Asked) -> Array:
    """How well each candidate fits by itself: the order before the relevance."""
    own: Array = one.rows[:, _FITS].sum(axis=1).astype(np.float64)
    return own


def relevances(one: Asked, base: float, weights: Array) -> Array:
    odds: Array = one.rows.astype(np.float64) @ weights + base
    p: Array = 1 / (1 + np.exp(-odds))
    return p
