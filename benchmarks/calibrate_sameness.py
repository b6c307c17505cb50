"""Where an embedder's bounds of sameness lie, and how well the judge does with them.

Pairs of sentences (benchmarks/sets/sameness/pairs.tsv: label, language, old, new), written for it:
the same in other words, a correction, related but different, unrelated. Every second pair of a
label and language is held out. The bound for "the same in other words" is the least that no pair
of the first half which is not the same reaches, with a margin; the held-out half is judged with
it.

    python -m benchmarks.calibrate_sameness --embedder use-m --embedder arctic-s [--wrong]
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import table

from bethink.embedders.loading import embedder_named
from bethink.embedders.protocol import embed_texts
from bethink.remember.sameness import Bounds, Told, Verdict, bounds_of, judge
from bethink.settings import Settings

PAIRS = Path(__file__).parent / "sets" / "sameness" / "pairs.tsv"
UNSEEN = PAIRS.with_name("unseen.tsv")  # written after the rules, and no rule was changed for it
MARGIN = 0.05  # the nearest that was seen is not the nearest that there is


class Pair(NamedTuple):
    label: str
    language: str
    old: str
    new: str
    held_out: bool

    @property
    def wanted(self) -> Verdict:
        known = {"same": Verdict.SAME, "correction": Verdict.CORRECTION}
        return known.get(self.label, Verdict.NEW)


def pairs(path: Path = PAIRS) -> list[Pair]:
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for line in path.read_text("utf-8").splitlines():
        label, language, old, new = line.split("\t")
        seen[label, language] += 1
        found.append(Pair(label, language, old, new, seen[label, language] % 2 == 0))
    return found


def cosines(every: list[Pair], name: str) -> tuple[list[float | None], str | None]:
    embedder = None if name == "none" else embedder_named(name, Settings())
    if embedder is None:
        return [None] * len(every), None
    old = embed_texts(embedder, [p.old for p in every], kind="document")
    new = embed_texts(embedder, [p.new for p in every], kind="document")
    return [float(a @ b) for a, b in zip(old, new, strict=True)], embedder.fingerprint


def reads_chinese(every: list[Pair], near: list[float | None]) -> bool:
    """An embedder that knows no Chinese finds all of it alike."""

    def gap(language: str) -> float:
        """How much nearer what is the same is than what is unrelated."""
        middles = []
        for label in ("same", "unrelated"):
            of_label = sorted(
                cosine
                for pair, cosine in zip(every, near, strict=True)
                if (pair.language, pair.label) == (language, label) and cosine is not None
            )
            middles.append(of_label[len(of_label) // 2])
        return middles[0] - middles[1]

    return gap("zh") >= gap("en") / 2


def fitted(every: list[Pair], near: list[float | None], name: str) -> Bounds:
    """From the half that is not held out. What differs are its pairs, and besides every sentence
    with every other of its language."""
    chinese = reads_chinese(every, near)
    some = [
        (p, c)
        for p, c in zip(every, near, strict=True)
        if not p.held_out and c is not None and (chinese or (p.old + p.new).isascii())
    ]
    wide_open = Bounds(same=-1.0, near=-1.0, note=2.0, chinese=chinese)
    alike = {frozenset((p.old, p.new)) for p, _ in some if p.wanted is Verdict.SAME}
    differ = [
        c for p, c in some if p.wanted is not Verdict.SAME and _taken(p.old, p.new, wide_open)
    ]
    embedder = embedder_named(name, Settings())
    assert embedder is not None
    for is_ascii in (True, False) if chinese else (True,):
        texts = sorted({t for p, _ in some for t in (p.old, p.new) if t.isascii() is is_ascii})
        vectors = embed_texts(embedder, texts, kind="document")
        for at, one in enumerate(texts):
            for before, cosine in zip(texts[:at], vectors[:at] @ vectors[at], strict=True):
                if frozenset((one, before)) not in alike and _taken(before, one, wide_open):
                    differ.append(float(cosine))
    corrections = sorted(c for p, c in some if p.wanted is Verdict.CORRECTION)
    known = sorted(c for p, c in some if p.label in ("same", "correction"))
    return Bounds(
        same=min(1.0, round(max(differ) + MARGIN, 2)),
        near=round(corrections[0] - MARGIN, 2),
        note=round(known[len(known) // 4], 2),
        chinese=chinese,
    )


def _taken(old: str, new: str, bounds: Bounds) -> bool:
    """Would they be the same in other words if only they were near enough?"""
    judged = judge(Told(old), Told(new), cosine=1.0, bounds=bounds)
    return judged.verdict is Verdict.SAME and "cosine" in judged.why


def figures(every: list[Pair], near: list[float | None], bounds: Bounds, wanted: Verdict) -> str:
    judged = [
        (p.wanted, judge(Told(p.old), Told(p.new), cosine=c, bounds=bounds).verdict)
        for p, c in zip(every, near, strict=True)
    ]
    right = sum(w is g is wanted for w, g in judged)
    given = sum(g is wanted for _, g in judged)
    true = sum(w is wanted for w, _ in judged)
    precision = f"{right / given:.3f}" if given else "-"
    recall = f"{right / true:.3f}" if true else "-"
    return f"{precision} · {recall} ({right}/{given}/{true})"


def row(
    name: str, part: str, some: list[Pair], near: list[float | None], bounds: Bounds
) -> list[str]:
    return [
        name,
        part,
        str(len(some)),
        figures(some, near, bounds, Verdict.SAME),
        figures(some, near, bounds, Verdict.CORRECTION),
    ]


def wrong(some: list[Pair], near: list[float | None], bounds: Bounds) -> None:
    for p, c in zip(some, near, strict=True):
        got = judge(Told(p.old), Told(p.new), cosine=c, bounds=bounds)
        if got.verdict is not p.wanted:
            shown = "" if c is None else f"{c:.2f}"
            print(f"  {p.label:10} -> {got.verdict:10} {shown} {p.old} | {p.new}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--embedder", action="append", default=None)
    parser.add_argument("--wrong", action="store_true", help="show what of the first half is wrong")
    options = parser.parse_args()
    every, unseen = pairs(), pairs(UNSEEN)
    rows = []
    for name in options.embedder or ["none", "use-m", "arctic-s", "hashing"]:
        near, fingerprint = cosines(every, name)
        used = bounds_of(fingerprint)
        fit = fitted(every, near, name) if fingerprint else used
        print(f"{name}: fitted {fit}\n{' ' * len(name)}  in use {used}")
        for part, held_out in (("first half", False), ("held out", True)):
            chosen = [i for i, p in enumerate(every) if p.held_out is held_out]
            some, their = [every[i] for i in chosen], [near[i] for i in chosen]
            rows.append(row(name, part, some, their, used))
            if options.wrong and not held_out:
                wrong(some, their, used)
        rows.append(row(name, "unseen", unseen, cosines(unseen, name)[0], used))
    head = ["embedder", "part", "pairs", "SAME: precision · recall", "CORRECTION"]
    print(table(head, rows))


if __name__ == "__main__":
    main()
