"""Fit the relevance and measure it.

    python -m benchmarks.relevance --data DIR                     measure
    python -m benchmarks.relevance --data DIR --fit               fit and write relevance.json
    python -m benchmarks.relevance --data DIR --without words     what a part gives (an ablation)
    python -m benchmarks.relevance --data DIR --plot FILE.png     draw how well it is calibrated

DIR holds labelled sets (see benchmarks/README.md). The judging sets in benchmarks/sets/judging are
always used: half `a` to fit; half `b`, written independently and never fitted on, to report.
Figures of a fit are those of held-out conversations: five folds by conversation.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.quality.parallel import parallel_sets
from benchmarks.quality.sets import LabelledSet, folders_in, load
from benchmarks.quality.vectors import kept_by_default
from benchmarks.relevance.fit import Array, fit, fits, relevances
from benchmarks.relevance.gather import Asked, gather, judging_set
from benchmarks.relevance.measure import (
    Judge,
    Marks,
    calibration_error,
    choose_marks,
    judging,
    ranking,
    separation,
)
from benchmarks.relevance.plot import plot, report

from bethink.recall import presets, relevance, replies, signals
from bethink.recall.signals import SIGNALS
from bethink.text import questions

JUDGING = Path(__file__).parents[1] / "sets" / "judging"
TARGET = Path(relevance.__file__).with_name("relevance.json")
# Kinds of talk and text in the mixture; those that are alike share a place.
MIXTURE: Mapping[str, float] = {
    "parallel_zh_en": 0.4, "parallel_en_zh": 0.4, "parallel_mixed": 0.4,
    "cmrc_500": 0.6, "drcd_500": 0.6, "friendsqa": 0.3, "realmem_dev": 1.5, "locomo_turn_dev": 1.5,
    "lme_dev50_turn": 0.6, "lme_dev50_session": 0.4, "judging_a_en_8": 0.5, "judging_a_zh_8": 0.5,
    "judging_a_en_2": 0.3, "judging_a_zh_2": 0.3,
}  # fmt: skip
# Where the marks are chosen: memories of one person or conversation, asked on topic and off it.
MARKED = ("judging_a_en", "judging_a_zh", "judging_a_en_8", "judging_a_zh_8", "parallel_en",
          "parallel_zh", "locomo_turn_dev", "lme_dev50_turn", "memorybank_cn_dev")  # fmt: skip
FOLDS = 5
_SMALL = (8, 2)  # memories: what somebody has who began yesterday, or just now


def main(arguments: Sequence[str] | None = None) -> int:
    options = _arguments().parse_args(arguments)
    sets = _sets(options.data)
    if options.sets:
        sets = {name: sets[name] for name in options.sets.split(",")}
    asked = {
        name: _gathered(data, options.embedder, options.cache, options.most)
        for name, data in sets.items()
    }
    name = {"none": relevance.WORDS_ALONE}.get(options.embedder, options.model)
    dev = {key: one for key, one in asked.items() if "judging_b" not in key}
    without = tuple(part for part in options.without.split(",") if part)
    if options.fit or without:
        judge = _held_out(dev, name, without)
        marks = choose_marks({key: dev[key] for key in MARKED if key in dev}, judge)
    else:
        judge, marks = _committed(name)
    _report(asked, judge, marks)
    report(asked, judge)
    if options.plot:
        plot(asked, judge, options.plot)
    if options.fit:
        base, weights = fit(_flat(dev), name=name, weights=MIXTURE)
        _write(name, base, weights, marks, dev)
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.relevance",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help="a folder of labelled sets")
    parser.add_argument("--sets", default="", help="only these, after commas")
    parser.add_argument("--embedder", default="use-m", help="as in the settings (%(default)s)")
    parser.add_argument(
        "--model", default="use-multilingual-v3/",
        help="the model's name: the beginning of a fingerprint, or 'any' (%(default)s)",
    )  # fmt: skip
    parser.add_argument("--most", type=int, default=400, help="questions of a set (%(default)s)")
    parser.add_argument("--fit", action="store_true", help="fit anew and write relevance.json")
    parser.add_argument("--without", default="", help="parts to leave out, after commas")
    parser.add_argument("--plot", type=Path, help="draw reliability curves into this PNG")
    parser.add_argument("--cache", type=Path, default=kept_by_default(), help="(%(default)s)")
    return parser


def _sets(data: Path | None) -> dict[str, LabelledSet]:
    found = dict(parallel_sets())
    for folder in folders_in(data) if data else []:
        found[folder.name] = load(folder)
    for path in sorted(JUDGING.glob("*/*.json")):
        for size in (None, *_SMALL):
            one = judging_set(path, size=size)
            found[one.name] = one
    return found


def _gathered(data: LabelledSet, embedder: str, cache: Path, most: int) -> list[Asked]:
    """Kept for as long as the code that computes the signals is the same."""
    place = cache / "signals" / f"{data.name}-{embedder}-{most}-{_code()}.pickle"
    if place.is_file():
        with place.open("rb") as file:
            kept: list[Asked] = pickle.load(file)
            return kept
    found = gather(data, embedder=embedder, cache=cache, most=most, folds=FOLDS)
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as file:
        pickle.dump(found, file)
    return found


def _code() -> str:
    """A short hash of the modules that decide about candidates and their signals."""
    digest = sha256()
    for module in (signals, replies, questions, presets):
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()[:8]


def _flat(sets: Mapping[str, Sequence[Asked]]) -> list[Asked]:
    return [one for every in sets.values() for one in every]


def _held_out(dev: Mapping[str, Sequence[Asked]], name: str, without: Sequence[str]) -> Judge:
    """Each question is judged by a model that has not seen its conversation."""
    every = _flat(dev)
    models = [
        fit([one for one in every if one.fold != fold], name=name, weights=MIXTURE, without=without)
        for fold in range(FOLDS)
    ]
    return lambda one: relevances(one, *models[one.fold])


def _committed(name: str) -> tuple[Judge, Marks]:
    model = relevance.models()[name]
    weights = np.array(model.weights)
    marks = Marks(model.answered, model.floor, model.keep, model.unasked)
    return (lambda one: relevances(one, model.base, weights)), marks


def _report(asked: Mapping[str, Sequence[Asked]], judge: Judge, marks: Marks) -> None:
    print(f"marks: {marks}\n")
    print("| set | questions | NDCG@10 before | NDCG@10 | hit@1 | R@10 | ECE | AUROC |")
    print("|---|---|---|---|---|---|---|---|")
    for name, one in asked.items():
        row, before = ranking(one, judge), ranking(one, fits)
        apart = ", ".join(f"{kind} {value:.3f}" for kind, value in separation(one, judge).items())
        print(
            f"| {name} | {row['questions']:.0f} | {before['NDCG@10']:.3f} | {row['NDCG@10']:.3f} | "
            f"{row['hit@1']:.3f} | {row['R@10']:.3f} | {calibration_error(one, judge):.3f} | "
            f"{apart} |"
        )
    for name, one in asked.items():
        if name.startswith("judging") or name in MARKED:
            figures = judging(one, judge, marks)
            print(f"\n{name}: " + "; ".join(f"{k} {v:.2f}" for k, v in figures.items()))


def _write(
    name: str, base: float, weights: Array, marks: Marks, dev: Mapping[str, Sequence[Asked]]
) -> None:
    read: dict[str, Any] = json.loads(TARGET.read_text("utf-8")) if TARGET.is_file() else {}
    made = {
        "fitted": f"{datetime.now(UTC):%Y-%m-%d}, python -m benchmarks.relevance --fit",
        "questions": {key: len(one) for key, one in sorted(dev.items())},
        "base": round(base, 3),
        "weights": {
            signal: round(float(weight), 3)
            for signal, weight in zip(SIGNALS, weights, strict=True)
            if abs(weight) >= 0.0005
        },
        **marks._asdict(),
    }
    read.setdefault("models", {})[name] = made
    TARGET.write_text(json.dumps(read, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"\nwritten: {name} in {TARGET.name}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
