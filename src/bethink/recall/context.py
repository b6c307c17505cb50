"""What was told just before and just after speaks for a memory too.

In a conversation the question and its answer, or a remark and its subject, stand next to each
other, and only one of them may share words with what is asked. Each candidate gets a share of what
its neighbours score, if they were told in the same breath.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from operator import add
from typing import ClassVar

from bethink.recall.draft import Draft, Kit
from bethink.recall.parts import added, best_first
from bethink.vocabulary import Memory

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
        memories = {c.memory_id: c.memory for c in draft.candidates if c.memory is not None}
        support = dict.fromkeys(scores, 0.0)
        asked = _near_another(memories.values())
        for name, beside in zip(asked, kit.store.neighbours(asked) if asked else (), strict=True):
            support[name] = self.share * sum(
                scores[one]
                for one in beside
                if one in memories and _together(memories[name], memories[one])
            )
        ceiling = max([1.0, *map(add, scores.values(), support.values())])
        if ceiling == 1.0 and not any(support.values()):
            return draft
        raised = [
            added(one, "neighbours", support[one.memory_id], ceiling=ceiling)
            for one in draft.candidates
        ]
        return draft._replace(candidates=best_first(raised))


def _near_another(memories: Iterable[Memory]) -> list[str]:
    """The ids of those that were told in one breath with another of them. Only these can have a
    neighbour that counts, and looking for neighbours takes time."""
    placed = (one for one in memories if one.source or one.occurred_at is not None)
    told = sorted(placed, key=lambda one: (one.source, _moment(one)))
    together = [pair for pair in pairwise(told) if _together(*pair)]
    return list(dict.fromkeys(one.id for pair in together for one in pair))


def _together(one: Memory, other: Memory) -> bool:
    """Told in one breath: the same source, and close in time. What has neither a source nor a
    time of its own was perhaps told in a row, but need have nothing to do with its neighbour."""
    if one.source != other.source:
        return False
    if not one.source and (one.occurred_at is None or other.occurred_at is None):
        return False
    return abs(_moment(one) - _moment(other)) <= _SAME_BREATH


def _moment(memory: Memory) -> datetime:
    return memory.occurred_at or memory.created_at
