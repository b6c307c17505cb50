"""Fit how a reader's logit joins the relevance, and measure what it gives.

    python -m benchmarks.relevance.reader --data DIR            measure the committed weights
    python -m benchmarks.relevance.reader --data DIR --fit      fit them anew, into relevance.json

The reader must be pulled (`bethink models pull reader-en`). Questions are asked as in `gather.py`;
candidates are those that the stage `Read` sees, with the relevance that the committed weights
give them. Figures of a fit are those of held-out conversations. Half `b` of the judging sets is
reported and never fitted on.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.quality.progress import Counter
from benchmarks.quality.sets import LabelledSet
from benchmarks.quality.stores import SetClock, opened
from benchmarks.quality.vectors import kept_by_default
from benchmarks.relevance import __main__ as harness
from benchmarks.relevance.fit import Array
from benchmarks.relevance.gather import FOREIGN, REMOVED, Asked, Asking, Recorder, spread
from benchmarks.relevance.measure import (
    Marks,
    calibration_error,
    choose_marks,
    judging,
    ranking,
    separation,
)
from numpy.typing import NDArray
from scipy.optimize import minimize

from bethink.recall import relevance
from bethink.recall.draft import Draft
from bethink.recall.presets import PRESETS, Preset
from bethink.recall.read import Read, english_only, text_of, to_read
from bethink.rerankers.cross_encoder import PulledReader
from bethink.rerankers.models import reader_named
from bethink.settings import Settings
from bethink.text.both_ends import both_ends

SETS = (
    "locomo_turn_dev",
    "lme_dev50_turn",
    "parallel_en",
    "friendsqa",
    "judging_a_en",
    "judging_b_en",
)
MIXTURE: Mapping[str, float] = {"friendsqa": 0.5, "locomo_turn_dev": 1.5}
TITLES = ("base", "prior", "score", "behind", "ahead")
_UNREAD = float("nan")


class AskedAndRead(NamedTuple):
    """One question asked one way: the log-odds before, and the reader's logits (NaN: not read)."""

    data: str
    question: str
    kind: str
    group: str
    fold: int
    before: Array
    logits: Array
    right: NDArray[np.bool_]
    gold: int


def main(arguments: Sequence[str] | None = None) -> int:
    options = _arguments().parse_args(arguments)
    found = reader_named(options.reader)
    if found is None:
        sys.exit(f"there is no reader {options.reader!r}")
    reader = PulledReader(found, options.models or Settings().models_path, seconds=600.0)
    known = harness._sets(options.data)
    asked = {
        name: _gathered(known[name], options, reader)
        for name in options.sets.split(",")
        if name in known
    }
    dev = {name: one for name, one in asked.items() if "judging_b" not in name}
    flat = [one for every in dev.values() for one in every]
    if options.fit:
        models = [fit([one for one in flat if one.fold != fold]) for fold in range(harness.FOLDS)]
        after: Callable[[Any], Array] = lambda one: judged(one, models[one.fold])  # noqa: E731
        marks = choose_marks({k: v for k, v in dev.items() if k in harness.MARKED}, after)  # type: ignore[misc]
    else:
        committed = relevance.readers()[options.reader]
        weights = np.array([getattr(committed, title) for title in TITLES])
        after = lambda one: judged(one, weights)  # noqa: E731
        assert committed.marks is not None
        marks = Marks(**committed.marks._asdict())
    model = relevance.models()["use-multilingual-v3/"]
    old = Marks(model.answered, model.floor, model.keep, model.unasked)
    _report(asked, after, old, marks)
    if options.fit:
        _write(options.reader, fit(flat), marks, dev)
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.relevance.reader",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help="a folder of labelled sets")
    parser.add_argument("--sets", default=",".join(SETS), help="(%(default)s)")
    parser.add_argument("--reader", default="reader-en", help="(%(default)s)")
    parser.add_argument("--models", type=Path, help="the models directory (that of the settings)")
    parser.add_argument("--most", type=int, default=200, help="questions of a set (%(default)s)")
    parser.add_argument("--fit", action="store_true", help="fit anew and write relevance.json")
    parser.add_argument("--cache", type=Path, default=kept_by_default(), help="(%(default)s)")
    return parser


def _gathered(
    data: LabelledSet, options: argparse.Namespace, reader: PulledReader
) -> list[AskedAndRead]:
    """Logits are kept by question and text, so asking again after a change of weights is cheap."""
    place = options.cache / "readers" / f"{options.reader}-{data.name}.pickle"
    kept: dict[tuple[str, str], float] = {}
    if place.is_file():
        kept = pickle.loads(place.read_bytes())
    found = _gather(data, options, reader, kept)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(pickle.dumps(kept))
    return found


def _gather(
    data: LabelledSet,
    options: argparse.Namespace,
    reader: PulledReader,
    kept: dict[tuple[str, str], float],
) -> list[AskedAndRead]:
    stages = PRESETS["balanced"].stages
    at = next(i for i, stage in enumerate(stages) if isinstance(stage, Read))
    stage = stages[at]
    assert isinstance(stage, Read)
    recorder, clock = Recorder(), SetClock()
    preset = Preset("read", (*stages[:at], recorder))
    began, passages = time.perf_counter(), 0
    found: list[AskedAndRead] = []

    def logits_of(draft: Draft) -> dict[tuple[str, int], float]:
        nonlocal passages
        question = both_ends(draft.query.text)
        read: dict[tuple[str, int], float] = {}
        for candidate in to_read(draft, stage.candidates, english_only(reader)):
            text = text_of(candidate, draft)
            if (question, text) not in kept:
                (kept[question, text],) = reader.read(question, [text], seconds=600.0)
                passages += 1
            read[candidate.key] = kept[question, text]
        return read

    def keep(one: Asked, draft: Draft, gold: frozenset[str], without: Sequence[str]) -> None:
        read = logits_of(draft)
        right = gold.difference(without)
        judged_ones = [c for c in draft.candidates if c.relevance is not None]
        found.append(
            AskedAndRead(
                one.data, one.question, one.kind, one.group, one.fold,
                np.array([sum(c.evidence.values()) for c in judged_ones]),
                np.array([read.get(c.key, _UNREAD) for c in judged_ones]),
                np.array([c.memory_id in right for c in judged_ones], np.bool_),
                one.gold,
            )
        )  # fmt: skip

    with opened(data, embedder="use-m", cache=options.cache, clock=clock) as (engine, vectors):
        whole = data.name.startswith("judging")  # small, and all of its kinds are needed
        chosen = spread(data.questions, len(data.questions) if whole else options.most)
        if vectors is not None:
            vectors.embed([question.text.strip() for question in chosen], kind="query")
        asking = Asking(data, engine, clock, preset, recorder, harness.FOLDS, keep)
        counter = Counter(f"{data.name}: asked", len(chosen))
        for question in chosen:
            for _ in asking.ways(question):
                pass
            counter.add(1)
    seconds = time.perf_counter() - began
    print(f"{data.name}: {passages} passages read, {seconds:.0f} s", file=sys.stderr)
    return found


def judged(one: AskedAndRead, weights: Array) -> Array:
    """The relevance after reading; what was not read keeps its own."""
    odds = one.before.copy()
    read = ~np.isnan(one.logits)
    if read.any():
        odds[read] = _rows(one, read) @ weights
    result: Array = 1 / (1 + np.exp(-odds))
    return result


def before(one: AskedAndRead) -> Array:
    result: Array = 1 / (1 + np.exp(-one.before))
    return result


def _rows(one: AskedAndRead, read: NDArray[np.bool_]) -> Array:
    """The terms of `Calibration.log_odds`, which is linear in its weights."""
    logits = one.logits[read]
    best, second = np.sort(logits)[::-1][[0, min(1, len(logits) - 1)]]
    units = [relevance.Calibration(a, b, c, d, e) for a, b, c, d, e in np.eye(5).tolist()]
    return np.array(
        [
            [unit.log_odds(before, logit, best, second) for unit in units]
            for before, logit in zip(one.before[read], logits, strict=True)
        ]
    )


def fit(asked: Sequence[AskedAndRead], l2: float = 1e-4) -> Array:
    """The weights, as `TITLES`; none but the base below 0. Every set weighs the same."""
    counts: dict[tuple[str, bool], int] = {}
    for one in asked:
        key = one.data, one.kind in (FOREIGN, REMOVED)
        counts[key] = counts.get(key, 0) + 1
    rows, labels, weights = [], [], []
    for one in asked:
        read = ~np.isnan(one.logits)
        if not read.any():
            continue
        key = one.data, one.kind in (FOREIGN, REMOVED)
        rows.append(_rows(one, read))
        labels.append(one.right[read].astype(np.float64))
        share = (0.4 if key[1] else 1.0) * MIXTURE.get(one.data, 1.0) / counts[key]
        weights.append(np.full(len(labels[-1]), share))
    x, y, w = np.concatenate(rows), np.concatenate(labels), np.concatenate(weights)
    w = w / w.mean()

    def loss(theta: Array) -> tuple[float, Array]:
        odds = x @ theta
        value = (w * (np.logaddexp(0, odds) - y * odds)).mean() + l2 * (theta[1:] ** 2).sum()
        slope = x.T @ (w * (1 / (1 + np.exp(-odds)) - y)) / len(x)
        slope[1:] += 2 * l2 * theta[1:]
        return value, slope

    bounds = [(None, None), *[(0, None)] * (len(TITLES) - 1)]
    start = np.array([0.0, 1.0, 0.1, 0.1, 0.1])
    found: Array = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x
    return found


def _report(asked: Mapping[str, Sequence[Any]], after: Any, old: Marks, marks: Marks) -> None:
    print(f"marks: before {old}, after {marks}\n")
    print("| set | questions | NDCG@10 | hit@1 | ECE | AUROC |")
    print("|---|---|---|---|---|---|")
    for name, one in asked.items():
        was, now = ranking(one, before), ranking(one, after)  # type: ignore[arg-type]
        apart = "; ".join(
            f"{kind} {value:.3f} → {separation(one, after)[kind]:.3f}"
            for kind, value in separation(one, before).items()  # type: ignore[arg-type]
        )
        print(
            f"| {name} | {was['questions']:.0f} | {was['NDCG@10']:.3f} → {now['NDCG@10']:.3f} | "
            f"{was['hit@1']:.3f} → {now['hit@1']:.3f} | {calibration_error(one, before):.3f} → "  # type: ignore[arg-type]
            f"{calibration_error(one, after):.3f} | {apart} |"
        )
    for name, one in asked.items():
        was, now = judging(one, before, old), judging(one, after, marks)  # type: ignore[arg-type]
        print(f"\n{name}: " + "; ".join(f"{k} {was[k]:.2f} → {now[k]:.2f}" for k in was))


def _write(name: str, weights: Array, marks: Marks, dev: Mapping[str, Sequence[Any]]) -> None:
    read: dict[str, Any] = json.loads(harness.TARGET.read_text("utf-8"))
    read.setdefault("readers", {})[name] = {
        "fitted": f"{datetime.now(UTC):%Y-%m-%d}, python -m benchmarks.relevance.reader --fit",
        "questions": {key: len(one) for key, one in sorted(dev.items())},
        "weights": {key: round(float(w), 4) for key, w in zip(TITLES, weights, strict=True)},
        **marks._asdict(),
    }
    harness.TARGET.write_text(json.dumps(read, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"\nwritten: {name} in {harness.TARGET.name}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
