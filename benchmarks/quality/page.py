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
    python -m benchmarks.quality --data DIR --out PAIR --sets MOST \\
        --runs meaning@use-m+arctic-s,balanced@use-m+arctic-s
    python -m benchmarks.quality.page OUT/quality.json MORE/quality.json ENCODERS/quality.json \\
        PAIR/quality.json > docs/reference/quality.md

BM25 is the reference value that comes with the sets. Sets of some fifty questions (`lme`,
`memorybank`) carry an uncertainty of about ten points. What was tried on the way, with what did not
help, is in `benchmarks/LOG.md`.
"""

_TAIL = """
`workflow` hands out the five nearest by meaning behind what is recent (here nothing is), `skill`
three at most: as they are specified, not as search engines. A blank was not measured since a stage
of that preset changed."""

_ENCODERS = """
`arctic-s` reads English only; `hashing` knows shared words only. Neither pulls an answer far below
words alone. On short paraphrases (`parallel_en`) `arctic-s` would do better without words."""

Runs = Mapping[str, Mapping[str, Mapping[str, Any]]]
_PAIR = "use-m+arctic-s"
_PAIR_TAIL = """
`use-m+arctic-s` is [two models in one vector](../decisions/0023-two-models.md): English by both,
everything else by `use-m`. A blank: not measured with `arctic-s`, which reads no Chinese. `lme` was
measured in part only, and is better without `arctic-s`: see `benchmarks/LOG.md`."""

_MAIN = ("words", "meaning", "balanced", "ranks", "balanced@random")


def page(runs: Runs) -> str:
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
            _by_run(runs, ["balanced", *variants], blanks=1),
            _TAIL,
        ]
    encoders = [n for n in runs if n not in _MAIN and "@" in n and not n.endswith(f"@{_PAIR}")]
    if encoders:
        parts += [
            "\n## Other encoders, NDCG@10\n",
            _by_run(runs, [*encoders, "words", "balanced"]),
            _ENCODERS,
        ]
    if f"balanced@{_PAIR}" in runs:
        parts += ["\n## Two models in one vector\n", _pair(runs), _PAIR_TAIL]
    return "\n".join(parts) + "\n"


def _by_run(runs: Runs, names: Sequence[str], *, blanks: int = 0) -> str:
    """A line for each run, a column for each set that all, or but a few, were measured on."""
    least = len(names) - blanks
    sets = [name for name in runs["balanced"] if sum(name in runs[run] for run in names) >= least]
    rows = [[run, *(_found(runs, run, name, "NDCG@10") for name in sets)] for run in names]
    return markdown(["run", *sets], rows)


def _pair(runs: Runs) -> str:
    """NDCG@10 by meaning alone and by the default preset, then what else the default gives."""
    rows = []
    for name in runs[f"balanced@{_PAIR}"]:
        ndcg = [
            _found(runs, f"{run}{model}", name, "NDCG@10")
            for run in ("meaning", "balanced")
            for model in ("", "@arctic-s", f"@{_PAIR}")
        ]
        others = [
            " → ".join(_found(runs, f"balanced{model}", name, what) for model in ("", f"@{_PAIR}"))
            for what in ("hit@1", "R@10", "AUROC")
        ]
        rows.append([name, *ndcg, *(cell.strip(" →") for cell in others)])
    models = ["use-m", "arctic-s", "both"]
    heads = ["set", *(f"meaning: {m}" for m in models), *(f"default: {m}" for m in models)]
    return markdown([*heads, "hit@1, use-m → both", "R@10", "AUROC"], rows)


def _found(runs: Runs, run: str, name: str, measure: str) -> str:
    return share(runs.get(run, {}).get(name, {}).get(measure))


def main() -> None:
    runs: dict[str, dict[str, dict[str, Any]]] = {}
    for path in sys.argv[1:]:
        for name, figures in json.loads(Path(path).read_text("utf-8"))["runs"].items():
            runs.setdefault(name, {}).update(figures)
    sys.stdout.write(page(runs))


if __name__ == "__main__":
    main()
