"""Is a question near enough to one that an entry excludes? By meaning, else by words.

An entry gives way where its nearest negative question reaches the bound and is nearer than each of
its own questions: "how do I cancel an order" and "how do I cancel my account" are near to each
other in any embedder, so nearness alone would take away good answers. What an embedder's cosines
mean is measured for each (benchmarks/knowledge/calibrate_faq.py); for one that nobody measured, and
where meaning is off, the words of the two questions are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bethink.embedders.measured import ByScript, measured
from bethink.text.tokenise import query_terms


class Bound(NamedTuple):
    least: float  # how near a negative question must be
    ahead: float  # and how much nearer than the entry's own questions
    chinese: bool = True  # False: it finds all Chinese alike; there, words decide


# The fit goes lower, because paraphrases that were written as such share few words; but two short
# questions of which less than half is the same need have nothing to do with each other.
BY_WORDS = Bound(least=0.6, ahead=0.1)
# By the beginning of the fingerprint: another version of a model is measured anew.
MEASURED: Mapping[str, Bound | ByScript[Bound]] = {
    "use-multilingual-v3/": Bound(least=0.52, ahead=0.05),
    "arctic-s/": Bound(least=0.66, ahead=0.05, chinese=False),
    "use-m+arctic-s/": ByScript(Bound(least=0.32, ahead=0.05), Bound(least=0.4, ahead=0.05)),
}


def bound_of(fingerprint: str | None, question: str) -> Bound | None:
    """The bound of this embedder's cosines; None: by words."""
    bound = measured(MEASURED, fingerprint, question, BY_WORDS)
    if bound is BY_WORDS or not (bound.chinese or question.isascii()):
        return None
    return bound


class Nearest(NamedTuple):
    """How near the best of each came, and which negative question that is."""

    negative: float
    positive: float
    at: int


def nearest(negative: Sequence[float], positive: Sequence[float]) -> Nearest:
    at = max(range(len(negative)), key=negative.__getitem__)
    return Nearest(negative[at], max(positive, default=-1.0), at)


def excludes(near: Nearest, bound: Bound) -> bool:
    return near.negative >= bound.least and near.negative - near.positive > bound.ahead


def alike(question: str, lines: Sequence[str]) -> list[float]:
    """How many of their words two questions share: twice what both hold, of all that they hold."""
    asked = set(query_terms(question))
    shares: list[float] = []
    for line in lines:
        held = set(query_terms(line))
        shares.append(2 * len(asked & held) / (len(asked) + len(held) or 1))
    return shares
