"""What earlier turns of the conversation referred to joins the candidates, for less weight.

Stands after the searches. A memory that they found too is joined at the passage that they found, so
that it has both match types and stands nowhere twice; its place it owes to the searches alone, for
a follow-up asks as often about something else (sick leave, after annual leave) as about the same:
any weight for these cost more first places than it won (benchmarks/LOG.md). One that they did not
find comes by the place that was cited, or else by the passage that holds most of the question. It
counts `WEIGHT` (a search counts 1) and `DECAY` times as much for each turn that came since.

What is outside the question's spaces or filter, forgotten or withheld never comes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from bethink.filters import matches
from bethink.knowledge.turns import Reference, Turn
from bethink.recall.draft import Draft, Kit
from bethink.text.coverage import Asked
from bethink.vocabulary import Found, Memory, Passage

CHANNEL = "history"
WEIGHT = 0.5
DECAY = 0.6
_TURNS = 4  # further back the weight is a tenth
_REFERENCES = 20  # so many are looked at in all, the latest first
_PASSAGES = 16  # of one memory: a section has fewer


@dataclass(frozen=True, slots=True)
class SearchHistory:
    """A stage. `turns` oldest first, as they were spoken."""

    name: ClassVar[str] = "search_history"
    turns: tuple[Turn, ...]

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled:
            return draft
        told = _told(self.turns)
        if not told:
            return draft
        ids = list(dict.fromkeys(reference.memory_id for reference, _ in told))
        query = draft.query
        memories = {
            memory.id: memory
            for memory in kit.store.get(ids, spaces=query.spaces)
            if memory is not None and matches(memory, query.where)
        }
        places = _found_already(draft)
        found: dict[tuple[str, int], float] = {}
        asked = Asked.of(draft.plan.rewritten if draft.plan else query.text)
        for reference, age in told:
            memory = memories.get(reference.memory_id)
            if memory is None:
                continue
            ordinal, grade = places.get(memory.id), 0.0
            if ordinal is None:
                ordinal, grade = _nearest(reference, memory, asked, kit), DECAY**age
            if ordinal is not None:
                found.setdefault((memory.id, ordinal), grade)
        if found:
            kept = tuple(Found(*key, score) for key, score in found.items())
            draft = draft.with_channel(CHANNEL, kept)
        draft = draft.note(f"history: {len(found)} passages that earlier turns referred to")
        gone = len(ids) - len(memories)
        return draft.note(f"history: {gone} are not here any more, or withheld") if gone else draft


def _told(turns: Sequence[Turn]) -> list[tuple[Reference, int]]:
    """The references of the last turns with their age in turns, the latest first."""
    told = [
        (reference, age)
        for age, turn in enumerate(reversed(turns[-_TURNS:]))
        for reference in turn.references
    ]
    return told[:_REFERENCES]


def _found_already(draft: Draft) -> Mapping[str, int]:
    """Which passage of each memory the searches found, the best of them."""
    best: dict[str, tuple[int, int]] = {}
    for found in draft.channels.values():
        for rank, (memory_id, ordinal, _) in enumerate(found):
            if memory_id not in best or rank < best[memory_id][0]:
                best[memory_id] = rank, ordinal
    return {memory_id: ordinal for memory_id, (_, ordinal) in best.items()}


def _nearest(reference: Reference, memory: Memory, asked: Asked, kit: Kit) -> int | None:
    fetched = kit.store.fetch([(memory.id, ordinal) for ordinal in range(_PASSAGES)])
    passages = [one[1] for one in fetched if one is not None]
    if not passages:
        return None
    if reference.start is not None and reference.end is not None:
        start, end = reference.start, reference.end

        def shared(passage: Passage) -> float:
            return min(end, passage.end) - max(start, passage.start)
    else:

        def shared(passage: Passage) -> float:
            return asked.share_in(memory.text[passage.start : passage.end])

    return max(passages, key=shared).ordinal  # the first of equals
