"""How well corrections are found when they are told: precision and recall in two tiers.

Each pair is told to an engine of its own, the old text and then the new one. Found is right for a
correction and wrong for anything else: a fact that is added, the same in other words, something
unrelated, or a near miss such as the port of another server. `superseded` counts what takes the old
one's place at the write. `superseded or marked` counts besides what recall would mark as
contradicted by the newer one because it was not sure enough. `strangers` judges every new text
against the old texts of all other pairs of its language: how many it would supersede.

Where the pairs come from: benchmarks/sets/corrections/README.md.

    python -m benchmarks.corrections [--wrong] [--file FILE]
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import table

from bethink import Engine
from bethink.recall.contradictions import comparable
from bethink.remember.sameness import Told, Verdict, judge
from bethink.vocabulary import Action

PAIRS = Path(__file__).parent / "sets" / "corrections"
HALVES = ("development", "development2", "heldout")
LANGUAGES = ("en", "zh")


class Pair(NamedTuple):
    old: str
    new: str
    kind: str


def pairs(half: str, language: str) -> list[Pair]:
    return pairs_of(PAIRS / f"{half}-{language}.json")


def pairs_of(path: Path) -> list[Pair]:
    rows = json.loads(path.read_text("utf-8"))
    return [Pair(row["old"], row["new"], row["kind"]) for row in rows]


def told(pair: Pair) -> str:
    """`superseded`, `marked` or `kept`."""
    with Engine.in_memory(embedder="none") as engine:
        engine.remember(pair.old)
        receipt = engine.remember(pair.new)
        if receipt.action is Action.REVISED:
            return "superseded"
    if not comparable(pair.old, pair.new):
        return "kept"
    judged = judge(Told(pair.old), Told(pair.new), unmarked=False)
    return "marked" if judged.doubt or judged.verdict is Verdict.CORRECTION else "kept"


def strangers(every: list[Pair]) -> int:
    """How many old texts of other pairs would be superseded."""
    own = {(pair.old, pair.new) for pair in every}
    return sum(
        judge(Told(old), Told(pair.new), unmarked=False).verdict is Verdict.CORRECTION
        for old in {pair.old for pair in every}
        for pair in every
        if (old, pair.new) not in own
    )


def row(name: str, every: list[Pair], *, wrong: bool) -> list[str]:
    found = [(pair, told(pair)) for pair in every]
    counts = Counter((pair.kind == "correction", what) for pair, what in found)
    corrections = sum(pair.kind == "correction" for pair in every)
    for pair, what in found if wrong else ():
        if what != ("superseded" if pair.kind == "correction" else "kept"):
            print(f"  {name} {pair.kind} -> {what}: {pair.old} | {pair.new}")
    sure = counts[True, "superseded"], counts[False, "superseded"]
    either = sure[0] + counts[True, "marked"], sure[1] + counts[False, "marked"]
    return [
        name, str(len(every)), *_figures(*sure, corrections), *_figures(*either, corrections),
        f"{strangers(every)} of {len({p.old for p in every}) * len(every) - len(every)}",
    ]  # fmt: skip


def _figures(right: int, false: int, there_are: int) -> tuple[str, str]:
    given = right + false
    precision = f"{right / given:.3f}" if given else "-"
    return f"{precision} ({right}/{given})", f"{right / there_are:.3f} ({right}/{there_are})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrong", action="store_true", help="print what was judged otherwise")
    parser.add_argument("--file", type=Path, action="append", help="measure these pairs instead")
    arguments = parser.parse_args()
    paths = arguments.file or [
        path
        for half in HALVES
        for language in LANGUAGES
        if (path := PAIRS / f"{half}-{language}.json").exists()
    ]
    rows = [row(path.stem, pairs_of(path), wrong=arguments.wrong) for path in paths]
    head = [
        "pairs of", "pairs", "superseded: precision", "recall",
        "superseded or marked: precision", "recall", "strangers",
    ]  # fmt: skip
    print(table(head, rows))


if __name__ == "__main__":
    main()
