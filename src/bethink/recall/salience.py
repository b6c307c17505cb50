"""How much a memory matters: relevance first, then how often it was told, how new it is, how often
it was asked for. The formulas and worked examples are in docs/reference/salience.md.

Age is counted from when a thing happened, or from when it was told if that is not known; never from
`updated_at`: a mended typo or a new tag makes no fact newer. With `as_of`, from that moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import exp, log
from typing import TYPE_CHECKING, ClassVar

from bethink.errors import InvalidInput
from bethink.recall.contradictions import newer_first
from bethink.recall.draft import Draft, Kit
from bethink.vocabulary import Candidate, Memory

if TYPE_CHECKING:
    from bethink.recall.presets import Preset
    from bethink.settings import Settings

_DAY = 86_400.0


def often(count: int, most: int) -> float:
    """A counter against the largest, by logarithms: the tenth time adds less than the first."""
    return log(max(count, 0) + 1) / log(max(most, 0) + 2)


def fresh(days: float, half_life: float) -> float:
    """1 now, 0.5 after one half-life. What is yet to come is as fresh as can be."""
    return exp(-log(2) / half_life * max(days, 0.0))


@dataclass(frozen=True, slots=True)
class Salience:
    """Mix relevance with the other parts by weight; the result is again 0 to 1.

    Without a `cap` the parts are simply added, so that what is fresh and often told can stand above
    what is more to the point. With one, the others together add at most that share of a memory's
    own relevance: what is not relevant gains nothing, and a memory overtakes another only if
    its relevance is at least 1 / (1 + cap) of the other's.
    """

    name: ClassVar[str] = "salience"
    relevance: float = 0.50
    reinforcement: float = 0.20
    recency: float = 0.20
    access: float = 0.10
    half_life: float = 30.0  # days
    cap: float | None = None

    def __post_init__(self) -> None:
        weights = (self.relevance, self.reinforcement, self.recency, self.access)
        if min(weights) < 0 or not self.relevance > 0:
            raise InvalidInput("salience: no weight may be negative, and relevance needs one")
        if not self.half_life > 0:
            raise InvalidInput("salience: half_life is a number of days above 0")
        if self.cap is not None and not self.cap >= 0:
            raise InvalidInput("salience: cap is a share, 0 or more")

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if not draft.candidates or draft.settled:  # a whole list or a day has its own order
            return draft
        memories = [_memory(candidate) for candidate in draft.candidates]
        told = max(memory.reinforcement for memory in memories)
        asked = max(memory.access_count for memory in memories)
        now = draft.query.as_of or kit.clock()
        others = self.reinforcement + self.recency + self.access
        scale = 1.0
        if self.cap is not None and others:
            scale = self.cap * self.relevance / others
        whole = self.relevance + scale * others  # the best sum possible becomes 1
        mixed: list[Candidate] = []
        for candidate, memory in zip(draft.candidates, memories, strict=True):
            relevant = min(max(candidate.score, 0.0), 1.0)
            share = scale / whole * (1.0 if self.cap is None else relevant)
            parts = {
                "relevance": self.relevance * relevant / whole,
                "reinforcement": self.reinforcement * share * often(memory.reinforcement, told),
                "recency": self.recency * share * fresh(days_old(memory, now), self.half_life),
                "access": self.access * share * often(memory.access_count, asked),
            }
            mixed.append(candidate._replace(score=sum(parts.values()), parts=parts))
        mixed.sort(key=lambda c: -c.score)
        return draft._replace(candidates=newer_first(tuple(mixed)))


def weighted(preset: Preset, settings: Settings) -> Preset:
    """Return the preset with the weights and the half-life of the settings in its salience. A stage
    with values of its own, in a preset of one's own, stays as it is."""
    told = Salience(
        relevance=settings.salience_relevance,
        reinforcement=settings.salience_reinforcement,
        recency=settings.salience_recency,
        access=settings.salience_access,
        half_life=settings.half_life_days,
    )
    if told == _AS_IT_COMES or _AS_IT_COMES not in preset.stages:
        return preset
    stages = tuple(told if stage == _AS_IT_COMES else stage for stage in preset.stages)
    return preset._replace(stages=stages)


_AS_IT_COMES = Salience()


def _memory(candidate: Candidate) -> Memory:
    if candidate.memory is None:
        raise ValueError(f"passage {candidate.key} has not been fetched yet")
    return candidate.memory


def days_old(memory: Memory, now: datetime) -> float:
    """By when it happened; by when it was told if that is not known."""
    return (now - (memory.occurred_at or memory.created_at)).total_seconds() / _DAY
