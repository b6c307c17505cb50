"""At most a set share of an answer may be unverified: heard, and looked at by nobody.

The share holds for the hits that are handed out, after the limit and the budget: what is unverified
and too much gives way, and what is verified further down takes its place. With a share of 1 there
is no bound; with 0 nothing unverified is handed out. Where nothing verified answers, nothing does,
and the answer says what was found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol, TypeVar

from bethink.filters import All, Condition, Not
from bethink.recall.draft import Draft, Kit, Stage
from bethink.vocabulary import TRUST, UNVERIFIED, Candidate, Hit, Query, Status

LABEL = {"zh": "未核实", "en": "unverified"}  # for whoever reads an answer
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


def within_share(draft: Draft, choose: Callable[[int], _C]) -> _C:
    """The choice with the most unverified hits that still keeps to a share below 1. `choose` is
    told how many it may take, fewer every time: what that makes room for, it alone knows."""
    share = draft.query.unverified_share
    verified = sum(map(is_verified, draft.candidates))
    most = min(share * draft.query.limit, share / (1 - share) * verified) + _ROUNDING
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


def noted(draft: Draft, nearest: Hit) -> Draft:
    """How much gave way is said; where nothing else answers, that is the reason."""
    reason = too_many(draft.query)
    count = len({d.memory_id for d in draft.dropped if d.reason == reason})
    if draft.hits:
        return draft.note(f"{count} left out: {reason}")
    return draft._replace(nearest=nearest).fault(
        Status.BELOW_FLOOR,
        f"nothing verified answers this. Found: {count} {reason}. Review what waits ('bethink "
        "digest', 'bethink promote'), or set unverified_share to 1",
    )
