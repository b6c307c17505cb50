"""What was told just before and just after speaks for a memory too.

In a conversation the question and its answer, or a remark and its subject, stand next to each
other, and only one of them may share words with what is asked. Each candidate gets a share of what
its neighbours score, if they were told in the same breath.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import ClassVar

from recollect.recall.draft import Draft, Kit
from recollect.recall.parts import added
from recollect.vocabulary import Memory

# Notes of different days that stand next to each other need have nothing to do with each other.
_SAME_BREATH = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Context:
    name: ClassVar[str] = "context"
    share: float = 0.1  # of a neighbour's score; see benchmarks/LOG.md

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled:  # nothing was searched, so nothing needs support
            return draft
        scores = {c.memory_id: c.score for c in draft.candidates}
        memories = {c.memory_id: c.memory for c in draft.candidates}
        beside = kit.store.neighbours(list(scores))
        support = [
            self.share
            * sum(
                scores[one]
                for one in neighbours
                if one in scores and _together(candidate.memory, memories[one])
            )
            for candidate, neighbours in zip(draft.candidates, beside, strict=True)
        ]
        pairs = list(zip(draft.candidates, support, strict=True))
        ceiling = max([1.0, *(candidate.score + more for candidate, more in pairs)])
        raised = [added(one, "neighbours", more, ceiling=ceiling) for one, more in pairs]
        raised.sort(key=lambda c: -c.score)
        return replace(draft, candidates=tuple(raised))


def _together(one: Memory | None, other: Memory | None) -> bool:
    """Told in one breath: the same source, and close in time. What has neither a source nor a
    time of its own was perhaps told in a row, but need have nothing to do with its neighbour."""
    if one is None or other is None or one.source != other.source:
        return False
    if not one.source and (one.occurred_at is None or other.occurred_at is None):
        return False
    apart = (one.occurred_at or one.created_at) - (other.occurred_at or other.created_at)
    return abs(apart) <= _SAME_BREATH
