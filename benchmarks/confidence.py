"""Does the floor keep silent where the answer is there?

The confidence of every answerable and unanswerable question of the parallel sets (in quite other
words than the memories, in both languages and across them), and how many fall below the floor of
the default embedder.

    python -m benchmarks.confidence --cache DIR
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.measure import table
from benchmarks.quality.ask import filled
from benchmarks.quality.metrics import auroc, percentile
from benchmarks.quality.parallel import parallel_sets
from benchmarks.quality.runs import run_named

from recollect.recall.abstain import MEASURED

_FLOOR = MEASURED["use-multilingual-v3/"].floor


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, required=True, help="folder of embeddings")
    given = parser.parse_args()
    rows: list[list[object]] = []
    for name, data in parallel_sets().items():
        sure: dict[bool, list[float]] = {True: [], False: []}
        with filled(data, embedder="use-m", cache=given.cache) as store:
            for answer in store.ask(run_named("balanced", embedder="use-m"), what=name):
                sure[answer.question.answerable].append(answer.confidence)
        lost = sum(one < _FLOOR for one in sure[True]) / len(sure[True])
        rows.append(
            [
                name,
                *(f"{percentile(sure[True], share):.3f}" for share in (0.02, 0.25, 0.50)),
                f"{percentile(sure[False], 0.50):.3f}",
                f"{auroc(sure[True], sure[False]):.3f}",
                f"{lost:.3f}",
            ]
        )
    heads = ["set", "2 %", "25 %", "median", "median, unanswerable", "AUROC", f"below {_FLOOR}"]
    print(table(heads, rows))


if __name__ == "__main__":
    main()
