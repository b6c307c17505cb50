"""How well corrections are found when they are told: precision and recall of superseding.

Each pair is told to an engine of its own, the old text and then the new one. Superseded is right
for a correction and wrong for anything else: a fact that is added, the same in other words,
something unrelated, or a near miss such as the port of another server. `marked` counts what recall
marks as contradicted because it was not sure enough to be superseded. Besides, every new text is
judged against the old texts of all other pairs of its language: `strangers` counts how many of
those it would supersede.

The development half was written before the rules. The held-out half was written by somebody else,
without sight of the rules, and was looked at after they were finished.

    python -m benchmarks.corrections [--wrong]
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import table

from bethink import Engine
from bethink.remember.sameness import Told, Verdict, judge
from bethink.vocabulary import Action

PAIRS = Path(__file__).parent / "sets" / "corrections"
HALVES = ("development", "heldout")
LANGUAGES = ("en", "zh")


class Pair(NamedTuple):
    old: str
    new: str
    kind: str


def pairs(half: str, language: str) -> list[Pair]:
    rows = json.loads((PAIRS / f"{half}-{language}.json").read_text("utf-8"))
    return [Pair(row["old"], row["new"], row["kind"]) for row in rows]


def told(pair: Pair) -> str:
    """`superseded`, `marked` or `kept`."""
    with Engine.in_memory(embedder="none") as engine:
        engine.remember(pair.old)
        receipt = engine.remember(pair.new)
        if receipt.action is Action.REVISED:
            return "superseded"
    judged = judge(Told(pair.old), Told(pair.new), unmarked=False)
    return "marked" if judged.doubt else "kept"


def strangers(every: list[Pair]) -> int:
    """How many old texts of other pairs would be superseded."""
    own = {(pair.old, pair.new) for pair in every}
    return sum(
        judge(Told(old), Told(pair.new), unmarked=False).verdict is Verdict.CORRECTION
        for old in {pair.old for pair in every}
        for pair in every
        if (old, pair.new) not in own
    )


def row(half: str, language: str, *, wrong: bool) -> list[str]:
    every = pairs(half, language)
    found = [(pair, told(pair)) for pair in every]
    counts = Counter((pair.kind == "correction", what) for pair, what in found)
    right, false = counts[True, "superseded"], counts[False, "superseded"]
    corrections = sum(pair.kind == "correction" for pair in every)
    if wrong:
        for pair, what in found:
            if (pair.kind == "correction") != (what == "superseded"):
                print(f"  {half} {pair.kind} -> {what}: {pair.old} | {pair.new}")
    precision = f"{right / (right + false):.3f}" if right + false else "-"
    return [
        half, language, str(len(every)),
        f"{precision} ({right}/{right + false})",
        f"{right / corrections:.3f} ({right}/{corrections})",
        f"{counts[True, 'marked']}", f"{counts[False, 'marked']}",
        f"{strangers(every)} of {len({p.old for p in every}) * len(every) - len(every)}",
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrong", action="store_true", help="print what was judged otherwise")
    arguments = parser.parse_args()
    rows = [row(half, one, wrong=arguments.wrong) for half in HALVES for one in LANGUAGES]
    head = [
        "half", "language", "pairs", "precision", "recall", "marked, a correction",
        "marked, none", "strangers",
    ]  # fmt: skip
    print(table(head, rows))


if __name__ == "__main__":
    main()
