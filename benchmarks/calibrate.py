"""Fit the line behind the confidence: what tells an answerable question from one asked in vain?

Every question of the sets is asked of its own space, and of another group's, which has no answer.
What `refine` found out about the best candidates is the evidence; a logistic line is fitted through
it, every set weighing the same. With parallel sets the unanswerable questions are the ones in vain.

    python -m benchmarks.calibrate --data DIR --cache DIR --sets memorybank_cn_dev,locomo_turn_dev
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from benchmarks.measure import table
from benchmarks.quality.ask import Filled, filled
from benchmarks.quality.metrics import auroc
from benchmarks.quality.parallel import parallel_sets
from benchmarks.quality.runs import Run
from benchmarks.quality.sets import LabelledSet, Question, load

from bethink.embedders.loading import embedder_named
from bethink.embedders.measured import measured
from bethink.recall.abstain import ANY_EMBEDDER, MEASURED, WORDS_ALONE, Abstain, Calibration
from bethink.recall.draft import Draft, Evidence, Kit
from bethink.recall.presets import BALANCED, Preset
from bethink.settings import Settings

_NEAR = ("coverage", "cosine")
Line = tuple[Calibration, Sequence[str]]


def lines(embedder: str) -> dict[str, Line]:
    """By what they are for: the embedder's own, by language where it has several, and the rest."""
    maker = embedder_named(embedder, Settings())
    fingerprint = None if maker is None else maker.fingerprint
    own = {
        label: measured(MEASURED, fingerprint, text, ANY_EMBEDDER)
        for label, text in ((f"{embedder}, English", "words"), (f"{embedder}, Chinese", "词"))
    }
    if len(set(own.values())) == 1:
        own = {embedder: next(iter(own.values()))}
    return {
        **{label: (line, _NEAR) for label, line in own.items()},
        "any other embedder": (ANY_EMBEDDER, ("coverage", "standing")),
        "words alone": (WORDS_ALONE, ("coverage",)),
    }


@dataclass(slots=True)
class _Keep:
    """A stage that keeps what was found out, and goes no further."""

    name: ClassVar[str] = "keep"
    evidence: list[Evidence | None] = field(default_factory=list)

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        self.evidence.append(draft.evidence)
        return draft._replace(candidates=())


def gathered(store: Filled, data: LabelledSet, most: int) -> tuple[list[Evidence], list[Evidence]]:
    """Evidence of questions with an answer, and of questions in vain."""
    keep = _Keep()
    stages = BALANCED.stages[: [type(s) for s in BALANCED.stages].index(Abstain)]
    run = Run(preset=Preset("evidence", (*stages, keep)))

    def of(question: Question) -> list[Evidence]:
        keep.evidence.clear()
        store._recall(question, run)
        return [one for one in keep.evidence if one is not None]

    groups = sorted({document.group for document in data.documents})
    answered: list[Evidence] = []
    in_vain: list[Evidence] = []
    step = max(1, len(data.questions) // most)
    for question in data.questions[::step]:
        if not question.answerable:
            in_vain += of(question)
            continue
        answered += of(question)
        if len(groups) > 1:
            other = groups[(groups.index(question.group) + 1) % len(groups)]
            in_vain += of(replace(question, group=other, asof=None))
    return answered, in_vain


def fitted(rows: Any, answers: Any, weights: Any) -> Any:
    """Offset and slopes of a logistic line, by Newton's method with a little restraint."""
    table_of = np.c_[np.ones(len(rows)), rows]
    line = np.zeros(table_of.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-table_of @ line))
        slope = table_of.T @ (weights * (answers - chance)) - 0.01 * line
        curve = (table_of * (weights * chance * (1 - chance))[:, None]).T @ table_of
        line += np.linalg.solve(curve + 0.01 * np.eye(len(line)), slope)
    return line


def _column(evidence: Sequence[Evidence], names: Sequence[str]) -> Any:
    return np.array([[getattr(one, name) or 0.0 for name in names] for one in evidence])


def _auroc(line: Calibration, pair: tuple[list[Evidence], list[Evidence]]) -> float | None:
    return auroc(*([line.confidence(one) for one in some] for some in pair))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a folder of sets")
    parser.add_argument("--cache", type=Path, required=True, help="folder of embeddings")
    parser.add_argument("--sets", required=True, help="which, after commas; parallel_* too")
    parser.add_argument("--most", type=int, default=200, help="questions of each set (200)")
    parser.add_argument("--embedder", default="use-m", help="as in the settings (%(default)s)")
    given = parser.parse_args()
    parallel = parallel_sets()
    found: dict[str, tuple[list[Evidence], list[Evidence]]] = {}
    for name in given.sets.split(","):
        data = parallel[name] if name in parallel else load(given.data / name)
        with filled(data, embedder=given.embedder, cache=given.cache) as store:
            found[name] = gathered(store, data, given.most)
    answers = np.concatenate([[1.0] * len(yes) + [0.0] * len(no) for yes, no in found.values()])
    weights = np.concatenate(
        [[100 / len(yes)] * len(yes) + [100 / len(no)] * len(no) for yes, no in found.values()]
    )
    rows = []
    for label, (used, names) in lines(given.embedder).items():
        pooled = _column([one for yes, no in found.values() for one in (*yes, *no)], names)
        offset, *slopes = fitted(pooled, answers, weights)
        best = Calibration(offset, **dict(zip(names, slopes, strict=True)))
        rows.append(
            [
                label,
                f"{offset:.2f} "
                + " ".join(f"{s:+.2f} {n}" for n, s in zip(names, slopes, strict=True)),
                *(
                    f"{_auroc(best, pair):.3f} ({_auroc(used, pair):.3f})"
                    for pair in found.values()
                ),
            ]
        )
    print("AUROC of the fitted line, and in brackets of the one in use\n")
    print(table(["embedder", "fitted line", *found], rows))


if __name__ == "__main__":
    main()
