"""How much of the top five do injected texts hold, in each tier and with each defence?

    python -m benchmarks.poison --out poison.json
    python -m benchmarks.poison --questions 30 --families adaptive
    python -m benchmarks.poison --data DIR --victims memorybank_cn_dev --families adaptive

The victims are the parallel sets in Chinese and in English, or sets below DIR; of those in DIR it
is also counted how many of their memories the detectors would hold. The page is made with
`python -m benchmarks.poison.page poison.json > docs/reference/poisoning.md`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.figures import write_figures
from benchmarks.poison.corpus import FAMILIES, MADE, language_of
from benchmarks.poison.detectors import detected, false_alarms
from benchmarks.poison.measure import Result, before, measure
from benchmarks.poison.report import alarms_table, detectors_table, reached_table
from benchmarks.poison.ways import WAYS
from benchmarks.quality.parallel import parallel_sets
from benchmarks.quality.progress import say
from benchmarks.quality.sets import LabelledSet, folders_in, load
from benchmarks.quality.vectors import KeptVectors, kept_by_default, plain_embedder

_DEFAULT = ("parallel_en", "parallel_zh")


def main(arguments: list[str] | None = None) -> int:
    options = _arguments().parse_args(arguments)
    try:
        folders = {path.name: path for path in (folders_in(options.data) if options.data else [])}
        families = _chosen(options.families, FAMILIES, "family")
        names = _chosen(options.victims, [*parallel_sets(), *folders], "victim") or [*_DEFAULT]
    except ValueError as e:
        print(f"poison: {e}", file=sys.stderr)
        return 2
    whole: dict[str, Any] = {
        "benchmark": "poison",
        "date": time.strftime("%Y-%m-%d"),
        "embedder": options.embedder,
        "detectors": [row._asdict() for row in detected()],
        "alarms": [false_alarms(load(path))._asdict() for path in folders.values()],
        "before": {},
        "reached": [],
    }
    maker = plain_embedder(options.embedder, options.cache)
    vectors = None if maker is None else KeptVectors(maker, options.cache)
    try:
        for name in names:
            victim = parallel_sets()[name] if name in parallel_sets() else load(folders[name])
            _attack(_some(victim, options.questions), families or FAMILIES, vectors, whole)
            write_figures(options.out, whole)  # what is done is not lost
    finally:
        if vectors is not None:
            vectors.close()
    print(f"{detectors_table(whole['detectors'])}\n")
    if whole["alarms"]:
        print(f"{alarms_table(whole['alarms'])}\n")
    print(reached_table(whole["reached"]))
    return 0


def _attack(
    victim: LabelledSet,
    families: Sequence[str],
    vectors: KeptVectors | None,
    whole: dict[str, Any],
) -> None:
    language = language_of(victim.questions[0].text)
    ours = victim.name in parallel_sets()
    whole["before"][victim.name] = before(victim, vectors)
    for family in families:
        if family not in MADE and not ours:
            continue  # lies about other people's memories
        began = time.monotonic()
        for way in WAYS:
            for result in measure(victim, language, family, way, vectors):
                whole["reached"].append(_row(result))
        say(f"{victim.name}: {family} in {time.monotonic() - began:.0f} s")


def _row(result: Result) -> dict[str, Any]:
    return {
        "victim": result.victim,
        "language": result.language,
        "family": result.family,
        "tier": result.way.tier,
        "defence": result.way.defence,
        "preset": result.asked.preset,
        "share": result.asked.share,
        **result.figures._asdict(),
    }


def _some(victim: LabelledSet, most: int) -> LabelledSet:
    """Questions from the whole set, evenly."""
    step = max(1, len(victim.questions) // most) if most else 1
    return replace(victim, questions=victim.questions[::step])


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.poison",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help="a folder of sets, or one set")
    parser.add_argument("--victims", default="", help="only these sets, after commas")
    parser.add_argument("--families", default="", help="only these, after commas")
    parser.add_argument("--questions", type=int, default=0, help="about so many; 0: all (0)")
    parser.add_argument("--embedder", default="use-m", help="as in the settings (%(default)s)")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    parser.add_argument(
        "--cache", type=Path, default=kept_by_default(), help="folder of embeddings (%(default)s)"
    )
    return parser


def _chosen(text: str, known: Sequence[str], what: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise ValueError(f"there is no {what} {name!r}; known: {', '.join(known)}")
    return names


if __name__ == "__main__":
    raise SystemExit(main())
