"""What the detectors hold: of injected texts, of ordinary notes, and of real memories."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from benchmarks.poison.corpus import WRITTEN, ordinary, written
from benchmarks.quality.sets import LabelledSet

from bethink.text.suspicion import RISKY, suspicion

SEEN, HELD_OUT = "seen", "held out"


class Held(NamedTuple):
    """How many of how many."""

    what: str
    language: str
    half: str
    held: int
    of: int


def held_of(texts: Iterable[str]) -> tuple[int, int]:
    risky = [suspicion(text).risk >= RISKY for text in texts]
    return sum(risky), len(risky)


def detected() -> list[Held]:
    """By family, language and half; ordinary notes last."""
    injected, notes = written(), ordinary()
    rows: list[Held] = []
    for family in WRITTEN:
        for language in ("en", "zh"):
            for half in (SEEN, HELD_OUT):
                texts = [
                    one.text for one in injected
                    if (one.family, one.language, one.half) == (family, language, half)
                ]  # fmt: skip
                if texts:
                    rows.append(Held(family, language, half, *held_of(texts)))
    for language in ("en", "zh"):
        for half in (SEEN, HELD_OUT):
            texts = [one.text for one in notes if (one.language, one.half) == (language, half)]
            rows.append(Held("ordinary notes", language, half, *held_of(texts)))
    return rows


def false_alarms(victim: LabelledSet) -> Held:
    """Real memories that would be held: what a reviewer would see for nothing."""
    held = held_of(document.text for document in victim.documents)
    return Held(victim.name, "", "", *held)
