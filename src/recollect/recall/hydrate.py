"""Fetch the memories of the best candidates; only so many as can still be shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import ClassVar

from recollect.recall.draft import Draft, Kit
from recollect.vocabulary import Candidate, Dropped

_PER_MEMORY = 2  # passages: of long memories several are read


@dataclass(frozen=True, slots=True)
class Hydrate:
    name: ClassVar[str] = "hydrate"
    per_hit: float = 1.5  # duplicates and oversized items may take a third
    at_least: int = 24  # memories: what comes after may still lift a candidate
    best: int = 0  # so many of every channel are fetched whatever their score

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled:  # fetched already, and perhaps whole instead of by passages
            return draft
        count = max(self.at_least, ceil(self.per_hit * draft.query.limit))
        wanted: list[Candidate] = []
        memories: set[str] = set()
        for candidate in draft.candidates:
            if len(memories) >= count or len(wanted) >= _PER_MEMORY * count:
                if not self.best:
                    break
                if all(at.rank >= self.best for at in candidate.channels.values()):
                    continue
            wanted.append(candidate)
            memories.add(candidate.memory_id)
        fetched = kit.store.fetch([c.key for c in wanted])
        kept: list[Candidate] = []
        gone: list[Dropped] = []
        for candidate, found in zip(wanted, fetched, strict=True):
            if found is None or found[0].space not in draft.query.spaces:
                gone.append(Dropped(*candidate.key, "forgotten while this question was answered"))
            else:
                memory, passage = found
                kept.append(Candidate(*candidate[:4], memory, passage, candidate.parts))
        beyond = len(draft.candidates) - len(wanted)
        told = (f"{beyond} lower candidates were not fetched",) if beyond else ()
        return replace(
            draft,
            candidates=tuple(kept),
            dropped=tuple(gone),
            notes=(*draft.notes, *told),
        )
