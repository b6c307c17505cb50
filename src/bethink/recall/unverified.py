"""At most a set share of an answer may be unverified: heard, and looked at by nobody.

The share holds for the hits that are handed out, after the limit and the budget: what is unverified
and too much gives way, and what is verified further down takes its place. It must be relevant by
itself: likely enough to be an answer, or at least half as likely as the best unverified candidate.
Where nothing verified is, the unverified hits stay, marked as such, as many as the share is of the
limit; otherwise a right answer would be swapped for a wrong one. With a share of 1 there is no
bound; with 0 nothing unverified is handed out. What was left out is said in the reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol, TypeVar

from bethink.filters import All, Condition, Not
from bethink.recall.draft import Draft, Kit, Stage
from bethink.vocabulary import TRUST, UNVERIFIED, Candidate, Hit, Query, Status

LABEL = {"zh": "未核实", "en": "unverified"}  # for whoever reads an answer
_AS_LIKELY = 0.5  # of the best unverified candidate's relevance
_UNCERTAIN_HITS = 3  # as many as `relevance.Cut` leaves in an uncertain answer
_ROUNDING = 1e-9  # 0.29 × 100 is 28.999999999999996


class _Choice(Protocol):
    @property
    def hits(self) -> Sequence[Hit]: ...


_C = TypeVar("_C", bound=_Choice)


def is_verified(candidate: Candidate) -> bool:
    return candidate.memory is None or candidate.memory.verified


def outranks(candidate: Candidate, better: Candidate) -> bool:
    """Verified, where one that stands above it is not."""
    return not is_verified(better) and is_verified(candidate)


def share_of(hits: Sequence[Hit]) -> float:
    """How much of an answer is unverified."""
    return sum(not hit.memory.verified for hit in hits) / len(hits) if hits else 0.0


def relevant_by_itself(draft: Draft) -> list[Candidate]:
    """The verified candidates that may take the place of an unverified one. Where nothing is
    judged, all may."""
    verified = [c for c in draft.candidates if is_verified(c)]
    heard = [c.relevance or 0.0 for c in draft.candidates if not is_verified(c)]
    if not heard or not any(c.relevance is not None for c in draft.candidates):
        return verified
    least = min(_sure_from(draft), _AS_LIKELY * max(heard))
    return [c for c in verified if c.relevance is None or c.relevance >= least]


def within_share(draft: Draft, choose: Callable[[int], _C]) -> _C:
    """The choice with the most unverified hits that still keeps to a share below 1. `choose` is
    told how many it may take, fewer every time: what that makes room for, it alone knows."""
    share, limit = draft.query.unverified_share, draft.query.limit
    alone = max(1, int(share * limit + _ROUNDING)) if share else 0
    if not relevant_by_itself(draft):
        return choose(alone)
    verified = sum(map(is_verified, draft.candidates))
    most = min(share * limit, share / (1 - share) * verified) + _ROUNDING
    for unverified in range(min(int(most), len(draft.candidates) - verified), 0, -1):
        chosen = choose(unverified)
        if share_of(chosen.hits) <= share:
            return chosen
    return choose(0)


def too_few_verified(candidates: Sequence[Candidate], query: Query) -> bool:
    """Must something unverified perhaps give way, with not enough to take its place?"""
    for candidate in candidates:  # of every question: nearly all have nothing to say here
        memory = candidate.memory
        if memory is not None and memory.provenance and not memory.verified:
            break
    else:
        return False
    if query.unverified_share >= 1:
        return False
    return len({c.memory_id for c in candidates if is_verified(c)}) < query.limit


def share_is_exceeded(candidates: Sequence[Candidate], query: Query) -> bool:
    """Would handing out all of these exceed the share? Only then others must be looked for."""
    if not too_few_verified(candidates, query):
        return False
    heard = {c.memory_id for c in candidates if not is_verified(c)}
    every = {c.memory_id for c in candidates}
    return len(every) > query.limit or len(heard) > query.unverified_share * len(every)


@dataclass(frozen=True, slots=True)
class SearchVerified:
    """Ask once more for what is verified alone: however much was heard, it hides nothing known.

    What is unverified may have filled the lists of the searches, or taken the first ranks.
    """

    name: ClassVar[str] = "search_verified"
    stages: tuple[Stage, ...]  # those that led here

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        verified = Not(Condition("provenance", TRUST, "=", UNVERIFIED))
        where = draft.query.where
        where = verified if where is None else All((where, verified))
        again = Draft(replace(draft.query, where=where, unverified_share=0.0))
        if (question := draft.question) is not None:  # embedded once
            kit = kit._replace(question=lambda query: question)
        for stage in self.stages:
            again = stage(again, kit)
        known = {candidate.key for candidate in draft.candidates}
        more = [c for c in again.candidates if c.key not in known and is_verified(c)]
        draft = draft._replace(candidates=(*draft.candidates, *more))
        return draft.note(f"unverified memories stood before them: {len(more)} verified ones more")


def too_many(query: Query) -> str:
    return f"unverified, and at most {query.unverified_share:.0%} of an answer may be"


def noted(draft: Draft, wanted: Sequence[Hit]) -> Draft:
    """Say what the share did to the answer. The confidence is that of what is handed out."""
    reason = too_many(draft.query)
    count = len({d.memory_id for d in draft.dropped if d.reason == reason})
    if not draft.hits:
        return draft._replace(nearest=wanted[0]).fault(
            Status.BELOW_FLOOR,
            f"nothing verified answers this. Found: {count} {reason}. Review what waits ('bethink "
            "digest', 'bethink promote'), or set unverified_share to 1",
        )
    if count:
        draft = draft.fault(Status.ANSWERED, f"{count} left out: {reason}")
    if not any(hit.memory.verified for hit in draft.hits):
        draft = draft.fault(
            Status.ANSWERED, "nothing verified answers this: all hits are unverified"
        )
    return _with_their_confidence(draft)


def _with_their_confidence(draft: Draft) -> Draft:
    best = _best(draft, draft.hits)
    if best is None or best == draft.confidence:
        return draft
    sure = _sure_from(draft)
    draft = draft._replace(confidence=best)
    if best >= sure or any(fault.status is Status.UNCERTAIN for fault in draft.faults):
        return draft
    return draft.fault(
        Status.UNCERTAIN,
        f"the best hit has a relevance of {best:.2f}; an answer is sure from {sure:.2f}",
    )


def of_uncertain_answer(draft: Draft, hits: Sequence[Hit]) -> Draft | None:
    """The draft with the limit of an uncertain answer, if these hits make one; else None."""
    best = _best(draft, hits)
    if best is None or len(hits) <= _UNCERTAIN_HITS or draft.query.floor == 0:
        return None
    if best >= _sure_from(draft):
        return None
    return draft._replace(query=replace(draft.query, limit=_UNCERTAIN_HITS))


def _best(draft: Draft, hits: Sequence[Hit]) -> float | None:
    """The highest relevance; None where something was found for another reason."""
    judged = [hit.relevance for hit in hits if hit.relevance is not None]
    if draft.confidence is None or not judged or len(judged) < len(hits):
        return None
    return round(max(judged), 4)


def _sure_from(draft: Draft) -> float:
    from bethink.recall.relevance import model_for  # it makes hits as the budget does

    return model_for(draft).answered
