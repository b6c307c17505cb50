"""How well a model ranks and judges, on what was gathered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from benchmarks.quality.metrics import auroc
from benchmarks.relevance.fit import Array
from benchmarks.relevance.gather import FOREIGN, OWN, REMOVED, Asked

ON = (OWN, "on")
OFF = (FOREIGN, REMOVED, "unrelated", "never_told", "near_miss")
Judge = Callable[[Asked], Array]
LIMIT = 10


class Marks(NamedTuple):
    """On the scale of a model's relevance."""

    answered: float
    floor: float
    keep: float
    unasked: float


def ndcg(one: Asked, p: Array) -> float:
    order = np.argsort(-p, kind="stable")[:LIMIT]
    gains = one.right[order] / np.log2(np.arange(2, len(order) + 2))
    best = (1 / np.log2(np.arange(2, min(one.gold, LIMIT) + 2))).sum()
    return float(gains.sum() / best)


def ranking(asked: Sequence[Asked], judge: Judge) -> dict[str, float]:
    own = [(one, judge(one)) for one in asked if one.kind in ON and one.gold]
    return {
        "questions": len(own),
        "NDCG@10": _mean(ndcg(one, p) for one, p in own),
        "hit@1": _mean(one.right[np.argmax(p)] if len(p) else 0.0 for one, p in own),
        "R@10": _mean(
            one.right[np.argsort(-p, kind="stable")[:LIMIT]].sum() / one.gold for one, p in own
        ),
    }


def separation(asked: Sequence[Asked], judge: Judge) -> dict[str, float]:
    """AUROC of the best relevance between questions on topic and each kind of others."""
    best: dict[str, list[float]] = {}
    for one in asked:
        best.setdefault(one.kind, []).append(_best(judge(one)))
    on = [value for kind in ON for value in best.get(kind, [])]
    found = {kind: auroc(on, best[kind]) for kind in OFF if kind in best}
    return {kind: value for kind, value in found.items() if value is not None}


def calibration_error(asked: Sequence[Asked], judge: Judge, bins: int = 10) -> float:
    """ECE of the relevance of the first ten candidates of every question."""
    found = reliability(asked, judge, bins)
    total = sum(one.candidates for one in found)
    return sum(abs(one.said - one.right) * one.candidates for one in found) / max(total, 1)


class Bin(NamedTuple):
    said: float  # the mean relevance
    right: float  # the share of candidates that were right
    candidates: int


def reliability(asked: Sequence[Asked], judge: Judge, bins: int = 10) -> list[Bin]:
    """Bins of equal width over the relevance of the first ten candidates; empty ones left out."""
    said, true = calibration_pairs(asked, judge)
    place = np.minimum((said * bins).astype(int), bins - 1)
    return [
        Bin(float(said[chosen].mean()), float(true[chosen].mean()), int(chosen.sum()))
        for chosen in (place == one for one in range(bins))
        if chosen.any()
    ]


def calibration_pairs(asked: Sequence[Asked], judge: Judge) -> tuple[Array, Array]:
    said: list[Array] = []
    true: list[Array] = []
    for one in asked:
        p = judge(one)
        first = np.argsort(-p, kind="stable")[:LIMIT]
        said.append(p[first])
        true.append(one.right[first].astype(np.float64))
    return np.concatenate(said), np.concatenate(true)


class Outcome(NamedTuple):
    """What a question gets by the marks."""

    kind: str
    status: str
    handed_out: int
    right: int
    right_in_ten: int


def outcome(one: Asked, p: Array, marks: Marks, *, unasked: bool = False) -> Outcome:
    order = np.argsort(-p, kind="stable")
    best = _best(p)
    in_ten = int(one.right[order[:LIMIT]].sum())
    floor = marks.unasked if unasked else marks.floor
    if best < floor:
        return Outcome(one.kind, "below_floor", 0, 0, in_ten)
    status = "answered" if best >= marks.answered else "uncertain"
    most = LIMIT if status == "answered" else 3
    if unasked:
        most = 3
    taken = [at for at in order[:most] if p[at] >= max(floor, marks.keep * best)]
    return Outcome(one.kind, status, len(taken), int(one.right[taken].sum()), in_ten)


def judging(asked: Sequence[Asked], judge: Judge, marks: Marks) -> dict[str, Any]:
    """The figures that a user feels."""
    found = [outcome(one, judge(one), marks) for one in asked]
    on = [one for one in found if one.kind in ON]
    result: dict[str, Any] = {
        f"on: {status}": _mean(one.status == status for one in on)
        for status in ("answered", "uncertain", "below_floor")
    }
    for kind in OFF:
        of_kind = [one for one in found if one.kind == kind]
        if of_kind:
            result[f"{kind}: answered"] = _mean(one.status == "answered" for one in of_kind)
            result[f"{kind}: below_floor"] = _mean(one.status == "below_floor" for one in of_kind)
    answered = [one for one in on if one.status == "answered"]
    result["answered holds a right one"] = _mean(one.right > 0 for one in answered)
    handed_out = sum(one.handed_out for one in on)
    result["precision"] = sum(one.right for one in on) / max(handed_out, 1)
    result["recall kept of ten hits"] = sum(one.right for one in on) / max(
        sum(one.right_in_ten for one in on), 1
    )
    result["hits a question"] = handed_out / max(len(on), 1)
    prompts = [
        outcome(one, judge(one), marks, unasked=True)
        for one in asked
        if one.kind.startswith("prompt")
    ]
    if prompts:
        wanted = [one for one in prompts if one.kind == "prompt_on"]
        others = [one for one in prompts if one.kind == "prompt_off"]
        result["prompts served"] = _mean(one.right > 0 for one in wanted)
        result["prompts disturbed"] = _mean(one.handed_out > 0 for one in others)
    return result


def choose_marks(asked: Mapping[str, Sequence[Asked]], judge: Judge) -> Marks:
    """The marks on this model's scale; every set weighs the same.

    - answered: the lowest from which 85 % of the answers to questions on topic or of other spaces
      hold a right memory, and at most 5 % of the questions about things never told are answered;
    - floor: at most 4 % of the questions on topic are below it;
    - keep: as high as 96 % of the right memories among the first ten allow;
    - unasked: at most 4 % of what an agent is told for nothing to do with the memories is above it.
    """
    rows: list[tuple[float, float, float]] = []  # best, right, weight
    on_best: list[tuple[float, float]] = []
    for one_set in asked.values():
        by_on = {True: 0, False: 0}
        chosen = [one for one in one_set if one.kind in ON or one.kind in OFF]
        for one in chosen:
            by_on[one.kind in ON] += 1
        for one in chosen:
            p = judge(one)
            on = one.kind in ON
            weight = (1.0 if on else 0.4) / by_on[on]
            top = np.argsort(-p, kind="stable")[:3]
            rows.append((_best(p), float(one.right[top].any()), weight))
            if on:
                on_best.append((_best(p), weight))
    strangers = [
        (_best(judge(one)), 1.0)
        for one_set in asked.values()
        for one in one_set
        if one.kind in ("unrelated", "never_told")
    ]
    answered = max(_lowest(rows, 0.85), _quantile(strangers, 0.95))
    floor = _quantile(on_best, 0.04)
    keeping = [0.05 * step for step in range(1, 19)]
    every = [one for one_set in asked.values() for one in one_set if one.kind in ON]
    keep = keeping[0]
    for share in keeping:
        marks = Marks(answered, floor, share, 1.0)
        found = [outcome(one, judge(one), marks) for one in every]
        there = sum(one.right_in_ten for one in found if one.status != "below_floor")
        if sum(one.right for one in found) >= 0.96 * there:
            keep = share
    prompts = [
        (_best(judge(one)), 1.0)
        for one_set in asked.values()
        for one in one_set
        if one.kind == "prompt_off"
    ]
    unasked = max(_quantile(prompts, 0.96), floor) if prompts else answered
    return Marks(round(answered, 3), round(floor, 3), round(keep, 2), round(unasked, 3))


def _lowest(rows: Sequence[tuple[float, float, float]], share: float) -> float:
    ordered = sorted(rows, reverse=True)
    right = total = 0.0
    lowest = 1.0
    for best, was_right, weight in ordered:
        right += was_right * weight
        total += weight
        if right / total >= share:
            lowest = best
    return lowest


def _quantile(values: Sequence[tuple[float, float]], share: float) -> float:
    ordered = sorted(values)
    total = sum(weight for _, weight in ordered)
    passed = 0.0
    for value, weight in ordered:
        passed += weight
        if passed >= share * total:
            return value
    return 0.0


def _best(p: Array) -> float:
    return float(p.max()) if len(p) else 0.0


def _mean(values: Iterable[float]) -> float:
    listed = [float(value) for value in values]
    return sum(listed) / len(listed) if listed else 0.0
