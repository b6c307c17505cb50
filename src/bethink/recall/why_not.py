"""Why a memory is not in an answer: at which stage it lost, and by how much.

The question is asked once more, through the same pipeline, while one memory is watched. Nothing is
scored in a second way: what is said here was seen in the lists that the stages handed on, or is
what they wrote down themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from bethink.clock import from_micros
from bethink.filters import All, Filter, Not, PartOf, ValidAt, in_words, matches
from bethink.recall.draft import Draft, Kit
from bethink.recall.pipeline import run
from bethink.recall.presets import Preset
from bethink.recall.search_hot import CHANNEL as HOT
from bethink.recall.search_hot import SearchWorking
from bethink.recall.searches_for_one import Looked, SearchesForOne, described
from bethink.recall.sightings import Sighting, first_candidate, holds, way_of
from bethink.vocabulary import Memory, Query, Step, Tier

Outcome = Literal[
    "hit",  # it is in the answer
    "other_space",  # the question does not look where it is
    "not_valid",  # it did not hold at that moment
    "withheld",  # it, or its document, is disabled
    "filtered",  # the question's `where` excludes it
    "not_searched",  # a route or a time answered, and it is not part of that
    "not_found",  # no search brought it
    "dropped",  # found, and lost at a stage
]
_BY_ORDER = "beyond "  # so begins the reason of a stage that keeps the first few
_REASONS = 3


@dataclass(frozen=True, slots=True)
class WhyNot:
    memory_id: str
    outcome: Outcome
    reason: str
    preset: str
    stage: str = ""  # where it was lost
    rank: int | None = None  # from 1: among the hits, or among the candidates before that stage
    score: float | None = None
    needed: float | None = None  # the score of the last that went on, where the order decided
    searches: tuple[Looked, ...] = ()
    way: tuple[Sighting, ...] = ()
    status: str = ""  # of the answer
    reasons: tuple[str, ...] = ()

    @property
    def by(self) -> float | None:
        """How much it lacked."""
        if self.needed is None or self.score is None:
            return None
        return self.needed - self.score


def why_not(
    memory: Memory, query: Query, preset: Preset, kit: Kit, *, tier: Tier = Tier.LONG_TERM
) -> WhyNot:
    seen: list[Draft] = []
    answer = run(query, preset, kit, watch=lambda stage, draft: seen.append(draft))
    stages = [step.stage for step in answer.trace.steps]
    way = tuple(way_of(memory.id, stages, seen))
    searches = SearchesForOne(memory, answer, seen, kit, tier)

    def because(outcome: Outcome, reason: str, **more: Any) -> WhyNot:
        return WhyNot(
            memory.id,
            outcome,
            reason,
            preset.name,
            way=way,
            status=answer.status.value,
            reasons=answer.reasons,
            **more,
        )

    for rank, hit in enumerate(answer.hits, start=1):
        if memory.id in hit.memory_ids:
            reason = f"it is hit {rank} of {len(answer.hits)}, with a score of {hit.score:.3f}"
            return because("hit", reason, rank=rank, score=hit.score, searches=searches.all())
    if memory.space not in query.spaces:
        asked = ", ".join(query.spaces)
        return because(
            "other_space", f"it is in the space {memory.space}; the question looks in {asked}"
        )
    if not matches(memory, query.where):
        return because(*_excluded(memory, query.where))
    at = max((n for n, draft in enumerate(seen) if holds(draft, memory.id)), default=-1)
    dropping = [step for step in answer.trace.steps if _drops(step, memory.id)]
    if at < 0 and dropping:  # lost in the very stage that looked at it
        return because("dropped", _reasons(memory.id, dropping[-1]), stage=dropping[-1].stage)
    if at < 0 and seen and seen[-1].settled:
        reason = f"nothing was searched, and it is not part of the answer: {seen[-1].settled}"
        return because("not_searched", reason)
    if at < 0 and tier is Tier.WORKING:
        return because("not_found", _not_hot(seen, preset))
    if at < 0:
        looked = searches.all()
        told = "; ".join(described(one) for one in looked) or "this preset searches nothing"
        return because("not_found", f"no search brought it: {told}", searches=looked)
    if at == len(seen) - 1:
        reason = "it was a candidate to the end, but this preset has no stage that makes hits"
        return because("dropped", reason, stage=stages[at], searches=searches.all())
    lost = _loss(memory.id, seen[at], seen[at + 1], answer.trace.steps[at + 1])
    return because("dropped", searches=searches.all(), **lost)


def _reasons(memory_id: str, step: Step) -> str:
    """What the stage wrote down; the passages of a long memory may have several reasons."""
    told = list(dict.fromkeys(d.reason for d in step.dropped if d.memory_id == memory_id))
    more = f"; and {len(told) - _REASONS} more reasons" if len(told) > _REASONS else ""
    return "; ".join(told[:_REASONS]) + more


def _loss(memory_id: str, before: Draft, after: Draft, step: Step) -> dict[str, Any]:
    """It was there before this stage, and gone after it."""
    reason = _reasons(memory_id, step)
    more: dict[str, Any] = {}
    ours = first_candidate(before.candidates, memory_id)
    if ours is not None:
        rank, mine = ours
        more |= {"rank": rank, "score": mine.score}
        kept = {c.key for c in after.candidates}
        kept |= {(one, hit.passage.ordinal) for hit in after.hits for one in hit.memory_ids}
        last = min((c.score for c in before.candidates if c.key in kept), default=None)
        where = f"rank {rank} of {len(before.candidates)} with a score of {mine.score:.3f}"
        by_order = not reason or reason.startswith(_BY_ORDER)
        if by_order and last is not None and last >= mine.score:
            more["needed"] = last
            where += f"; the last that went on has {last:.3f}"
        reason = f"{reason} ({where})" if reason else f"it went no further: {where}"
    reason = reason or "it was found, but not handed on"
    return {"stage": step.stage, "reason": reason, **more}


def _not_hot(seen: Sequence[Draft], preset: Preset) -> str:
    if any(stage.name == SearchWorking.name for stage in preset.stages):
        return (
            "it is in working memory, and shares no word and no meaning with the question; or the "
            "question looks back or excludes what is unverified"
        )
    sizes = [len(draft.channels[HOT]) for draft in seen if HOT in draft.channels]
    if sizes:
        return f"it is in working memory, but not among the {sizes[0]} newest there"
    return (
        "it is in working memory, which this preset does not read; 'bethink promote' makes it "
        "long-term memory, which every preset searches"
    )


def _drops(step: Step, memory_id: str) -> bool:
    return any(one.memory_id == memory_id for one in step.dropped)


def _excluded(memory: Memory, where: Filter | None) -> tuple[Outcome, str]:
    parts = where.parts if isinstance(where, All) else (where,)
    failed = [part for part in _flat(parts) if not matches(memory, part)]
    for part in failed:
        if isinstance(part, ValidAt):
            since = memory.valid_from and memory.valid_from.isoformat()
            until = memory.valid_to and memory.valid_to.isoformat()
            bounds = [f"from {since}"] * bool(since) + [f"until {until}"] * bool(until)
            moment = from_micros(part.micros).isoformat()
            return "not_valid", f"it is valid {' '.join(bounds)}, which {moment} is not"
    if any(isinstance(part, Not) and isinstance(part.part, PartOf) for part in failed):
        what = "its document is" if "document" in memory.metadata else "it is"
        return "withheld", (
            f"{what} disabled, so no question finds it; 'bethink documents enable' changes that"
        )
    told = " and ".join(in_words(part) for part in failed if part is not None)
    return "filtered", f"the filter asks for {told}"


def _flat(parts: Sequence[Filter | None]) -> Iterator[Filter | None]:
    for part in parts:
        if isinstance(part, All):
            yield from _flat(part.parts)
        else:
            yield part


def as_lines(why: WhyNot) -> Iterator[str]:
    """For people."""
    where = f", lost at {why.stage}" if why.stage else ""
    yield f"{why.memory_id}: {why.outcome}{where}"
    yield f"  {why.reason}"
    if why.by is not None:
        yield f"  it lacked {why.by:.3f}"
    if why.outcome != "not_found":  # there the reason has them
        for looked in why.searches:
            yield f"  {described(looked)}"
    for one in why.way:
        yield f"  after {one.stage}: {one.among} #{one.rank} of {one.of}, {one.score:.3f}"
    yield f"the answer: {why.status}, preset {why.preset}"


def as_record(why: WhyNot) -> dict[str, Any]:
    """As JSON-ready values."""
    record = asdict(why)
    record["searches"] = [one._asdict() for one in why.searches]
    record["way"] = [one._asdict() for one in why.way]
    record["by"] = why.by
    return record
