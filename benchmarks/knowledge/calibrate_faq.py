"""How near must a question be to a negative one of an entry for the entry to give way?

For every entry of benchmarks/sets/faq that has negative questions: how near its `asked` questions
(which it answers) and its `excluded` ones (which it must not) come to its negative questions and to
its own. Chosen, on the half `dev` alone, are the bound and the lead over its own questions that
drop the most `excluded`, while at most one in a hundred of `asked` comes within a margin of being
dropped: the nearest that was seen is not the nearest that there is.

    python -m benchmarks.knowledge.calibrate_faq --embedder use-m --embedder arctic-s

`--held-out` shows the other half too, with the bounds in use. Bounds are not chosen by it.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

from benchmarks.knowledge.faq_sets import HALVES, LANGUAGES, Entry, load
from benchmarks.measure import table

from bethink.embedders.loading import embedder_named
from bethink.embedders.protocol import Embedder, embed_texts
from bethink.recall.faq_nearness import (
    BY_WORDS,
    Bound,
    Nearest,
    alike,
    bound_of,
    excludes,
    nearest,
)
from bethink.settings import Settings

MOST_LOST = 0.01  # of the questions that an entry answers
MARGIN = 0.05


class Case(NamedTuple):
    half: str
    language: str
    wanted: bool  # the entry answers it
    near: Nearest


def cases(language: str, embedder: Embedder | None) -> list[Case]:
    found: list[Case] = []
    for entry in load(language).entries:
        if entry.negative:
            for wanted, questions in ((True, entry.asked), (False, entry.excluded)):
                for question in questions:
                    near = _near(question, entry, embedder)
                    found.append(Case(entry.half, language, wanted, near))
    return found


def _near(question: str, entry: Entry, embedder: Embedder | None) -> Nearest:
    own = [entry.question, *entry.similar]
    if embedder is None:
        return nearest(alike(question, entry.negative), alike(question, own))
    asked = embed_texts(embedder, [question], kind="query")[0]
    lines = embed_texts(embedder, [*own, *entry.negative], kind="document")
    cosines = [float(one) for one in lines @ asked]
    return nearest(cosines[len(own) :], cosines[: len(own)])


def shares(some: list[Case], bound: Bound) -> tuple[float, float]:
    """What is dropped of what should be, and of what should not."""
    told: list[float] = []
    for wanted in (False, True):
        dropped = [excludes(one.near, bound) for one in some if one.wanted is wanted]
        told.append(sum(dropped) / max(1, len(dropped)))
    return told[0], told[1]


def fitted(some: list[Case]) -> Bound:
    """Of bounds that drop as much, the strictest."""
    best, chosen = -1.0, Bound(2.0, 0.0)
    for least in range(98, 19, -2):
        for ahead in (0.0, 0.02, 0.05, 0.08, 0.1, 0.12, 0.15, 0.2):
            bound = Bound(least / 100, ahead)
            right = shares(some, bound)[0]
            lost = shares(some, Bound(bound.least - MARGIN, bound.ahead - MARGIN))[1]
            if lost <= MOST_LOST and right > best:
                best, chosen = right, bound
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--embedder", action="append", default=None)
    parser.add_argument("--held-out", action="store_true", help="show the held-out half too")
    options = parser.parse_args()
    rows: list[list[str]] = []
    for name in options.embedder or ["use-m", "none"]:
        embedder = None if name == "none" else embedder_named(name, Settings())
        every = [case for language in LANGUAGES for case in cases(language, embedder)]
        print(f"{name}: in use {_used(embedder)}")
        for which in (LANGUAGES, *((language,) for language in LANGUAGES)):
            some = [c for c in every if c.half == "dev" and c.language in which]
            fit = fitted(some)
            told = ", ".join(f"{share:.3f}" for share in shares(some, fit))
            print(f"  fitted on {' and '.join(which)}: {fit}, dropped and lost there: {told}")
        for language in LANGUAGES:
            for half in HALVES if options.held_out else HALVES[:1]:
                some = [c for c in every if (c.language, c.half) == (language, half)]
                cells = [f"{share:.3f}" for share in shares(some, _used(embedder))]
                rows.append([name, language, half, str(len(some)), *cells])
    head = ["embedder", "language", "half", "questions", "excluded: dropped", "asked: lost"]
    print(table(head, rows))


def _used(embedder: Embedder | None) -> Bound:
    return BY_WORDS if embedder is None else bound_of(embedder.fingerprint, "") or BY_WORDS


if __name__ == "__main__":
    main()
