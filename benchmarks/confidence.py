"""Does the floor keep silent where the answer is there?

The confidence of every answerable and unanswerable question of the parallel sets (in quite other
words than the memories, in both languages and across them), and how many fall below the floor of
the embedder (the default one, unless another is named).

    python -m benchmarks.confidence --cache DIR [--embedder use-m+arctic-s]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.measure import table
from benchmarks.quality.ask import filled
from benchmarks.quality.metrics import auroc, percentile
from benchmarks.quality.parallel import parallel_sets
from benchmarks.quality.runs import run_named

from bethink.embedders.loading import embedder_named
from bethink.embedders.measured import measured
from bethink.recall.abstain import MEASURED, WORDS_ALONE
from bethink.settings import Settings


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, required=True, help="folder of embeddings")
    parser.add_argument("--embedder", default="use-m", help="one with a floor (%(default)s)")
    given = parser.parse_args()
    maker = embedder_named(given.embedder, Settings())
    fingerprint = None if maker is None else maker.fingerprint
    (floor,) = {measured(MEASURED, fingerprint, text, WORDS_ALONE).floor for text in ("word", "词")}
    rows: list[list[object]] = []
    for name, data in parallel_sets().items():
        sure: dict[bool, list[float]] = {True: [], False: []}
        with filled(data, embedder=given.embedder, cache=given.cache) as store:
            for answer in store.ask(run_named("balanced", embedder=given.embedder), what=name):
                sure[answer.question.answerable].append(answer.confidence)
        lost = sum(one < floor for one in sure[True]) / len(sure[True])
        rows.append(
            [
                name,
                *(f"{percentile(sure[True], share):.3f}" for share in (0.02, 0.25, 0.50)),
                f"{percentile(sure[False], 0.50):.3f}",
                f"{auroc(sure[True], sure[False]):.3f}",
                f"{lost:.3f}",
            ]
        )
    heads = ["set", "2 %", "25 %", "median", "median, unanswerable", "AUROC", f"below {floor}"]
    print(table(heads, rows))


if __name__ == "__main__":
    main()
