"""Choose what fits: best first, within the number of hits, of tokens, and of what is unverified.

What does not fit is skipped and noted; something smaller behind it may still fit. What is left then
goes to what stands around the hits (`around.py`): a hit cut out of a long text reads better so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import ClassVar, NamedTuple

from bethink.recall.draft import Draft, Kit
from bethink.recall.unverified import (
    is_verified,
    noted,
    of_uncertain_answer,
    share_of,
    too_many,
    within_share,
)
from bethink.vocabulary import Candidate, Dropped, Hit, Status

NEIGHBOUR = "neighbour"


@dataclass(frozen=True, slots=True)
class Widen:
    """Hits of fewer than `below` characters are shown with what stands around them, `up_to` so many
    in all."""

    below: int
    up_to: int


@dataclass(frozen=True, slots=True)
class Budget:
    name: ClassVar[str] = "budget"
    count: Callable[[str], int] | None = None  # None: as the engine counts
    fill: bool = False  # show hits with the passages next to them
    widen: Widen | None = None  # what is short, also by the sections beside it

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        count = self.count or kit.count_tokens
        share = draft.query.unverified_share
        chosen = wanted = _chosen(draft, count)
        if share < 1 and share_of(chosen.hits) > share:
            count = cache(count)  # chosen from again and again
            chosen = within_share(draft, partial(_chosen, draft, count))
            if (fewer := of_uncertain_answer(draft, chosen.hits)) is not None:
                chosen = within_share(fewer, partial(_chosen, fewer, count))
        hits, dropped, skipped, left = chosen
        notes: list[str] = []
        if (self.fill or self.widen) and left > 0:
            from bethink.recall.around import with_surroundings  # few presets show more

            hits, notes = with_surroundings(
                hits, left, draft.query, kit, count, fill=self.fill, widen=self.widen
            )
        draft = draft._replace(
            candidates=(),
            hits=tuple(hits),
            dropped=tuple(dropped),
            notes=(*draft.notes, *notes),
        )
        if wanted is not chosen:
            draft = noted(draft, wanted.hits)
        if skipped and not hits:
            # neither empty nor answered: there is something, and the caller can have it
            draft = draft.fault(
                Status.DEGRADED,
                f"{len(skipped)} hits were found but none fits in {draft.query.budget} tokens; "
                "raise the budget",
            )
        return draft


class _Chosen(NamedTuple):
    hits: list[Hit]
    dropped: list[Dropped]
    skipped: list[str]  # what did not fit
    left: int  # tokens


def _chosen(draft: Draft, count: Callable[[str], int], unverified: int | None = None) -> _Chosen:
    """With at most so many unverified; None: as many as come."""
    left = draft.query.budget
    hits: list[Hit] = []
    dropped: list[Dropped] = []
    skipped: list[str] = []
    limit = draft.query.limit
    beyond = f"beyond the limit of {limit} hits"
    for candidate in draft.candidates:
        if len(hits) == limit:
            dropped.append(Dropped(candidate.memory_id, candidate.ordinal, beyond))
            continue
        doubted = unverified is not None and not is_verified(candidate)
        if doubted and not unverified:
            dropped.append(Dropped(*candidate.key, too_many(draft.query)))
            continue
        tokens = count(candidate.text)
        if tokens > left:
            reason = f"{tokens} tokens do not fit in the {left} left"
            dropped.append(Dropped(*candidate.key, reason))
            skipped.append(f"{candidate.memory_id}: {reason}")
            continue
        left -= tokens
        hits.append(hit_of(candidate, tokens, tuple(skipped)))
        if unverified is not None and doubted:
            unverified -= 1
    return _Chosen(hits, dropped, skipped, left)


def hit_of(candidate: Candidate, tokens: int, displaced: tuple[str, ...] = ()) -> Hit:
    assert candidate.memory is not None and candidate.passage is not None
    parts = candidate.parts or {"relevance": candidate.score}
    return Hit(
        memory=candidate.memory,
        passage=candidate.passage,
        text=candidate.text,
        score=round(candidate.score, 6),
        tokens=tokens,
        channels=candidate.channels,
        parts={name: round(value, 6) for name, value in parts.items()},
        displaced=displaced,
        tier=candidate.tier,
        relevance=None if candidate.relevance is None else round(candidate.relevance, 6),
        evidence={name: round(value, 4) for name, value in candidate.evidence.items()},
        contradicted_by=candidate.contradicted_by,
    )
