"""The page of docs/ from measured files.

python -m benchmarks.quality.page OUT/quality.json [MORE/quality.json] > docs/reference/quality.md
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.quality.report import BM25, markdown, share

_HEAD = """# Quality

How well the right memory is found, measured through `Engine.recall` with the defaults (ten hits),
on public questions over real memories, and on a parallel set of 100 memories and 120 questions that
say the same in Chinese and in English. The floor is off while the ranking is measured.

    python -m benchmarks.quality --data DIR --out OUT \\
        --runs words,meaning,balanced,ranks,balanced@random
    python -m benchmarks.quality --data DIR --out MORE --runs fuse-ranks,without-time,knowledge,…
    python -m benchmarks.quality --data DIR --out ENCODERS --sets SOME \\
        --runs meaning@arctic-s,balanced@arctic-s,balanced@hashing
    python -m benchmarks.quality.page OUT/quality.json MORE/quality.json ENCODERS/quality.json \\
        > docs/reference/quality.md

BM25 is the reference value that comes with the sets. Sets of some fifty questions (`lme`,
`memorybank`) carry an uncertainty of about ten points. What was tried on the way, with what did not
help, is in `benchmarks/LOG.md`.
"""

_TAIL = """
`workflow` hands out the five nearest by meaning behind what is recent (here nothing is), `skill`
three at most: as they are specified, not as search engines."""

_ENCODERS = """
`arctic-s` reads English only; `hashing` knows shared words only. Neither pulls an answer far below
words alone. On short paraphrases (`parallel_en`) `arctic-s` would do better without words."""

_MAIN = ("words", "meaning", "balanced", "ranks", "balanced@random")


def page(runs: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    balanced = runs["balanced"]
    parts = [_HEAD, "## The default preset\n"]
    measures = ["hit@1", "R@5", "R@10", "NDCG@10", "MRR", "AUROC"]
    rows = [
        [
            name,
            str(found["questions"]),
            *(share(found.get(measure)) for measure in measures),
            share(BM25[name][2]) if name in BM25 else "",
        ]
        for name, found in balanced.items()
    ]
    parts.append(markdown(["set", "questions", *measures, "BM25 NDCG@10"], rows))
    main_runs = [name for name in runs if name in _MAIN]
    parts.append("\n## NDCG@10 by channel and fusion\n")
    rows = [[name, *(share(runs[run][name]["NDCG@10"]) for run in main_runs)] for name in balanced]
    parts.append(markdown(["set", *main_runs], rows))
    variants = [name for name in runs if name not in _MAIN and "@" not in name]
    if variants:
        parts += [
            "\n## Ablations and presets, NDCG@10\n",
            _by_run(runs, ["balanced", *variants]),
            _TAIL,
        ]
    encoders = [name for name in runs if name not in _MAIN and "@" in name]
    if encoders:
        parts += [
            "\n## Other encoders, NDCG@10\n",
            _by_run(runs, [*encoders, "words", "balanced"]),
            _ENCODERS,
        ]
    return "\n".join(parts) + "\n"


def _by_run(runs: Mapping[str, Mapping[str, Mapping[str, Any]]], names: Sequence[str]) -> str:
    """A line for each run, a column for each set that all of them were measured on."""
    sets = [name for name in runs["balanced"] if all(name in runs[run] for run in names)]
    rows = [[run, *(share(runs[run][name]["NDCG@10"]) for name in sets)] for run in names]
    return markdown(["run", *sets], rows)


def main() -> None:
    runs: dict[str, dict[str, dict[str, Any]]] = {}
    for path in sys.argv[1:]:
        for name, figures in json.loads(Path(path).read_text("utf-8"))["runs"].items():
            runs.setdefault(name, {}).update(figures)
    sys.stdout.write(page(runs))


if __name__ == "__main__":
    main()
