"""Why a memory is not in an answer: at which stage it lost, and by how much.

The question is asked once more, through the same pipeline, while one memory is watched. Nothing is
scored in a second way: what is said here was seen in the lists that the stages handed on, or is
what they wrote down themselves. Only where a search did not bring the memory at all is that search
asked again, for more of its list, to see how far down the memory stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from recollect.clock import from_micros
from recollect.filters import All, Filter, Not, PartOf, ValidAt, in_words, matches
from recollect.recall.draft import Draft, Kit
from recollect.recall.pipeline import run
from recollect.recall.presets import Preset
from recollect.recall.search_hot import CHANNEL as HOT
from recollect.recall.search_meaning import CHANNEL as MEANING
from recollect.recall.search_words import CHANNEL as WORDS
from recollect.recall.what_is_asked import names_nothing
from recollect.text.coverage import held_and_lacking
from recollect.text.tokenise import query_terms
from recollect.vocabulary import Candidate, Found, Memory, Query, Recollection, Tier

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
_DEEP = 10_000  # passages: who stands lower than this is not worth a number
_BATCH = 64
_BY_ORDER = "beyond "  # so begins the reason of a stage that keeps the first few
_REASONS = 3


class Sighting(NamedTuple):
    """The memory's best place after a stage; rank from 1."""

    stage: str
    among: str  # a channel's name, "candidates" or "hits"
    rank: int
    of: int
    score: float


class Looked(NamedTuple):
    """What one search made of the memory. `rank` is from 1, also where it did not get in.

    `score` is the search's own: the cosine for meaning, BM25 for words. `last` is that of the last
    that got in.
    """

    channel: str
    got_in: bool
    rank: int | None  # None: not found at all, or too far down
    score: float | None
    candidates: int
    last: float | None
    holds: tuple[str, ...] = ()  # of the words that are looked for
    lacks: tuple[str, ...] = ()
    note: str = ""  # e.g. why this search was not made


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
    way = tuple(_way(memory.id, stages, seen))
    found = _Found(memory, answer, seen, kit, tier)

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
        if hit.id == memory.id:
            reason = f"it is hit {rank} of {len(answer.hits)}, with a score of {hit.score:.3f}"
            searches = found.searches()
            return because("hit", reason, rank=rank, score=hit.score, searches=searches)
    if memory.space not in query.spaces:
        asked = ", ".join(query.spaces)
        return because(
            "other_space", f"it is in the space {memory.space}; the question looks in {asked}"
        )
    if not matches(memory, query.where):
        return because(*_excluded(memory, query.where))
    at = max((n for n, draft in enumerate(seen) if _holds(draft, memory.id)), default=-1)
    dropping = [n for n, step in enumerate(answer.trace.steps) if _drops(step.dropped, memory.id)]
    if at < 0 and dropping:  # lost in the very stage that looked at it
        return because("dropped", found.reasons(dropping[-1]), stage=stages[dropping[-1]])
    if at < 0 and seen and seen[-1].settled:
        reason = f"nothing was searched, and it is not part of the answer: {seen[-1].settled}"
        return because("not_searched", reason)
    if at < 0 and tier is Tier.WORKING:
        return because("not_found", _not_hot(seen))
    if at < 0:
        searches = found.searches()
        told = "; ".join(described(one) for one in searches) or "this preset searches nothing"
        return because("not_found", f"no search brought it: {told}", searches=searches)
    if at == len(seen) - 1:
        reason = "it was a candidate to the end, but this preset has no stage that makes hits"
        return because("dropped", reason, stage=stages[at], searches=found.searches())
    return because("dropped", searches=found.searches(), **found.loss(at, stages))


class _Found:
    """What can be said of one memory in a run."""

    def __init__(
        self, memory: Memory, answer: Recollection, seen: Sequence[Draft], kit: Kit, tier: Tier
    ) -> None:
        self._memory = memory
        self._answer = answer
        self._seen = seen
        self._kit = kit
        self._tier = tier

    def reasons(self, step: int) -> str:
        """What the stage wrote down; the passages of a long memory may have several reasons."""
        dropped = self._answer.trace.steps[step].dropped
        told = list(dict.fromkeys(d.reason for d in dropped if d.memory_id == self._memory.id))
        more = f"; and {len(told) - _REASONS} more reasons" if len(told) > _REASONS else ""
        return "; ".join(told[:_REASONS]) + more

    def loss(self, at: int, stages: Sequence[str]) -> dict[str, Any]:
        """It was there after stage `at`, and gone after the next."""
        before, after = self._seen[at], self._seen[at + 1]
        reason = self.reasons(at + 1)
        more: dict[str, Any] = {}
        ours = _first(before.candidates, self._memory.id)
        if ours is not None:
            rank, mine = ours
            more |= {"rank": rank, "score": mine.score}
            kept = {c.key for c in after.candidates}
            kept |= {(hit.id, hit.passage.ordinal) for hit in after.hits}
            last = min((c.score for c in before.candidates if c.key in kept), default=None)
            where = f"rank {rank} of {len(before.candidates)} with a score of {mine.score:.3f}"
            by_order = not reason or reason.startswith(_BY_ORDER)
            if by_order and last is not None and last >= mine.score:
                more["needed"] = last
                where += f"; the last that went on has {last:.3f}"
            reason = f"{reason} ({where})" if reason else f"it went no further: {where}"
        reason = reason or "it was found, but not handed on"
        return {"stage": stages[at + 1], "reason": reason, **more}

    def searches(self) -> tuple[Looked, ...]:
        """What every search made of it, also those that did not bring it."""
        lists: dict[str, tuple[Found, ...]] = {}
        for draft in self._seen:
            for name, found in draft.channels.items():
                if len(found) >= len(lists.get(name, ())):
                    lists[name] = found
        if not lists and self._seen and self._seen[-1].settled:
            return ()
        if self._tier is Tier.WORKING:  # no other search looks there
            return tuple(self._looked(HOT, found) for name, found in lists.items() if name == HOT)
        looked = [self._looked(name, found) for name, found in lists.items()]
        others = [name for name in (MEANING, WORDS) if name not in lists]
        return (*looked, *filter(None, map(self._not_asked, others)))

    def _not_asked(self, name: str) -> Looked | None:
        """Why this search was not made, as its stage noted it; None where the preset has none."""
        notes = (note for step in self._answer.trace.steps for note in step.notes)
        about = (f"{name}:", f"{name} ", f"search_{name} ")
        why = next((note for note in notes if note.startswith(about)), None)
        return None if why is None else Looked(name, False, None, None, 0, None, note=why)

    def _looked(self, name: str, found: tuple[Found, ...]) -> Looked:
        holds, lacks = self._held() if name == WORDS else ((), ())
        last = found[-1].score if found else None
        place = _place(found, self._memory.id)
        got_in, note = place is not None, ""
        if name == WORDS and not holds and not lacks:
            note = "the question holds no word to search for"
        if not got_in and name == WORDS and holds:
            place, note = self._deeper_by_words()
        elif not got_in and name == MEANING:
            place, note = self._deeper_by_meaning()
        rank, score = place or (None, None)
        return Looked(name, got_in, rank, score, len(found), last, holds, lacks, note)

    def _asked(self) -> str:
        """What words looked for."""
        plan = next((d.plan for d in reversed(self._seen) if d.plan), None)
        return plan.rewritten if plan else self._answer.query.text

    def _held(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        asked = self._asked()
        return ((), ()) if names_nothing(asked) else held_and_lacking(asked, self._memory.text)

    def _deeper_by_words(self) -> tuple[tuple[int, float] | None, str]:
        query = self._answer.query
        found = self._kit.store.search_words(
            query_terms(self._asked()), spaces=query.spaces, where=query.where, limit=_DEEP
        )
        place = _place(found, self._memory.id)
        return place, "" if place else f"not among the first {_DEEP:,}"

    def _deeper_by_meaning(self) -> tuple[tuple[int, float] | None, str]:
        query = self._answer.query
        question = next((d.question for d in reversed(self._seen) if d.question), None)
        if question is None:
            return None, ""
        store, fingerprint = self._kit.store, question.fingerprint
        found = store.search_meaning(
            question.vector,
            fingerprint=fingerprint,
            spaces=query.spaces,
            where=query.where,
            limit=_DEEP,
        )
        place = _place(found, self._memory.id)
        if place is not None:
            return place, ""
        compared = store.compare(
            question.vector, list(self._passages()), fingerprint=fingerprint, spaces=query.spaces
        )
        cosines = [score for score in compared.scores if score is not None]
        if not cosines:
            return None, "it waits for its vector; 'recollect reindex' fills it in"
        return None, f"cosine {max(cosines):.3f}, not among the first {_DEEP:,}"

    def _passages(self) -> Iterator[tuple[str, int]]:
        start = 0
        while True:
            keys = [(self._memory.id, ordinal) for ordinal in range(start, start + _BATCH)]
            there = [key for key, one in zip(keys, self._kit.store.fetch(keys), strict=True) if one]
            yield from there
            if len(there) < _BATCH:
                return
            start += _BATCH


def _not_hot(seen: Sequence[Draft]) -> str:
    sizes = [len(draft.channels[HOT]) for draft in seen if HOT in draft.channels]
    if sizes:
        return f"it is in working memory, but not among the {sizes[0]} newest there"
    return (
        "it is in working memory, which this preset does not read; 'recollect promote' makes it "
        "long-term memory, which every preset searches"
    )


def _place(found: Sequence[Found], memory_id: str) -> tuple[int, float] | None:
    """Rank from 1 and score of the memory's best passage."""
    places = ((rank, f.score) for rank, f in enumerate(found, 1) if f.memory_id == memory_id)
    return next(places, None)


def _first(candidates: Sequence[Candidate], memory_id: str) -> tuple[int, Candidate] | None:
    return next(((n, c) for n, c in enumerate(candidates, 1) if c.memory_id == memory_id), None)


def _holds(draft: Draft, memory_id: str) -> bool:
    lists: list[Sequence[Found | Candidate]] = [draft.candidates, *draft.channels.values()]
    return any(one.memory_id == memory_id for found in lists for one in found) or any(
        hit.id == memory_id for hit in draft.hits
    )


def _drops(dropped: Sequence[Any], memory_id: str) -> bool:
    return any(one.memory_id == memory_id for one in dropped)


def _way(memory_id: str, stages: Sequence[str], seen: Sequence[Draft]) -> Iterator[Sighting]:
    """Where it stood after each stage; a stage that changed nothing for it is passed over."""
    former: list[Sighting] = []
    for stage, draft in zip(stages, seen, strict=True):
        now = list(_sighted(memory_id, stage, draft))
        if [one[1:] for one in now] != [one[1:] for one in former]:
            yield from now
        former = now


def _sighted(memory_id: str, stage: str, draft: Draft) -> Iterator[Sighting]:
    for name, found in draft.channels.items():
        if (place := _place(found, memory_id)) is not None:
            yield Sighting(stage, name, place[0], len(found), place[1])
    if (ours := _first(draft.candidates, memory_id)) is not None:
        yield Sighting(stage, "candidates", ours[0], len(draft.candidates), ours[1].score)
    for rank, hit in enumerate(draft.hits, start=1):
        if hit.id == memory_id:
            yield Sighting(stage, "hits", rank, len(draft.hits), hit.score)
            return


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
            f"{what} disabled, so no question finds it; 'recollect documents enable' changes that"
        )
    told = " and ".join(in_words(part) for part in failed if part is not None)
    return "filtered", f"the filter asks for {told}"


def _flat(parts: Sequence[Filter | None]) -> Iterator[Filter | None]:
    for part in parts:
        if isinstance(part, All):
            yield from _flat(part.parts)
        else:
            yield part


def described(looked: Looked) -> str:
    """One search as a phrase."""
    name, got_in, rank, score, candidates, last, holds, lacks, note = looked
    if note:
        told = note.removeprefix(f"{name}: ")
    elif name == WORDS and lacks and not holds and not got_in:
        return f"{name}: holds none of: {_some(lacks)}"
    elif rank is None or score is None:
        told = "not in its list"
    elif got_in:
        told = f"rank {rank} of {candidates}, {_scale(name)} {score:.3f}"
    else:
        told = f"rank {rank}, {_scale(name)} {score:.3f}; only {candidates} got in"
        if last is not None:
            told += f", the last with {last:.3f}"
    if holds or lacks:
        told += f" (holds: {_some(holds)}; lacks: {_some(lacks)})"
    return f"{name}: {told}"


def _scale(channel: str) -> str:
    return {MEANING: "cosine", WORDS: "BM25"}.get(channel, "score")


def _some(words: Sequence[str]) -> str:
    return " ".join(words[:12]) + (" …" if len(words) > 12 else "") if words else "none"


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
