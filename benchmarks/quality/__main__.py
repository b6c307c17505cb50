"""Measure retrieval quality on labelled sets, through `Engine.recall`.

    python -m benchmarks.quality --data DIR
    python -m benchmarks.quality --data DIR --runs words,meaning,balanced --out DIR
    python -m benchmarks.quality --data DIR --sets locomo_turn_dev --against OLD/quality.json

DIR holds folders with corpus.jsonl, queries.jsonl, qrels.tsv. The parallel Chinese and English
sets are always measured beside them, unless --sets leaves them out. The time of a recall is given
without the encoder: vectors come from the cache.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.figures import write_figures
from benchmarks.quality.ask import measure
from benchmarks.quality.parallel import parallel_sets
from benchmarks.quality.report import differences, faults, table
from benchmarks.quality.runs import RUNS, Run, run_named
from benchmarks.quality.sets import LabelledSet, folders_in, load
from benchmarks.quality.stores import SERVER
from benchmarks.quality.vectors import kept_by_default

Result = tuple[str, dict[str, dict[str, Any]]]


def main(arguments: list[str] | None = None) -> int:
    options = _arguments().parse_args(arguments)
    if options.store:
        os.environ[SERVER] = options.store  # for the processes that ask, too
    try:
        runs = {name: run_named(name, embedder=options.embedder) for name in _names(options.runs)}
        chosen = _sets(options.data, _names(options.sets), options.qrels)
    except ValueError as e:
        print(f"quality: {e}", file=sys.stderr)
        return 2
    before = json.loads(options.against.read_text("utf-8"))["runs"] if options.against else {}
    results: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in runs}
    for data, found in _measured(chosen, runs, options.cache, options.out, options.jobs):
        for name, figures in found.items():
            results[name][data] = figures
        _save(options.out, runs, results)  # what is done is not lost
    for name, figures_by_set in results.items():
        print(f"\n### {name} ({runs[name].embedder})\n\n{table(figures_by_set)}")
        for fault in faults(figures_by_set):
            print(f"\nNot whole: {fault}")
        if name in before:
            print(f"\nChange in points:\n\n{differences(figures_by_set, before[name])}")
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.quality",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help="a folder of sets, or one set")
    parser.add_argument("--sets", default="", help="only these, after commas")
    parser.add_argument(
        "--runs",
        default="words,meaning,balanced",
        help=f"names of runs ({', '.join(RUNS)}) or presets (%(default)s)",
    )
    parser.add_argument(
        "--embedder", default="use-m", help="as in the settings, or random (%(default)s)"
    )
    parser.add_argument("--qrels", default="qrels.tsv", help="labels to use where a set has them")
    parser.add_argument("--store", help="postgresql://…: keep the stores there, a tenant for each")
    parser.add_argument("--out", type=Path, help="folder for quality.json and the run files")
    parser.add_argument("--against", type=Path, help="an earlier quality.json to compare with")
    parser.add_argument(
        "--cache", type=Path, default=kept_by_default(), help="folder of embeddings (%(default)s)"
    )
    parser.add_argument(
        "--jobs", type=int, default=1, help="sets measured side by side; times suffer (1)"
    )
    return parser


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _sets(data: Path | None, wanted: list[str], qrels: str) -> list[LabelledSet]:
    """The parallel sets first: they take seconds."""
    folders = {path.name: path for path in (folders_in(data) if data else [])}
    parallel = parallel_sets()
    known = [*parallel, *folders]
    if data and not folders:
        raise ValueError(f"{data} holds no set (a folder with corpus.jsonl)")
    for name in wanted:
        if name not in known:
            raise ValueError(f"there is no set {name!r}; known: {', '.join(known)}")
    return [
        parallel[name] if name in parallel else load(folders[name], qrels=qrels)
        for name in wanted or known
    ]


def _measured(
    chosen: Sequence[LabelledSet], runs: Mapping[str, Run], cache: Path, out: Path | None, jobs: int
) -> Iterator[Result]:
    one = partial(measure, runs=runs, cache=cache, out=out)
    names = [data.name for data in chosen]
    if jobs <= 1:
        yield from zip(names, map(one, chosen), strict=True)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from zip(names, pool.map(one, chosen), strict=True)


def _save(
    out: Path | None,
    runs: Mapping[str, Run],
    results: Mapping[str, Mapping[str, Any]],
) -> None:
    whole = {
        "benchmark": "quality",
        "date": time.strftime("%Y-%m-%d"),
        "embedders": {name: run.embedder for name, run in runs.items()},
        "runs": results,
    }
    write_figures(None if out is None else out / "quality.json", whole)


if __name__ == "__main__":
    raise SystemExit(main())
