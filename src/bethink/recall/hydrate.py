"""Fetch the memories of the best candidates; only so many as can still be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from bethink.recall.draft import Draft, Kit
from bethink.recall.unverified import too_few_verified
from bethink.text.faq_layout import FAQ
from bethink.vocabulary import Candidate, Dropped, Tier

_PER_MEMORY = 2  # passages: of long memories several are read


@dataclass(frozen=True, slots=True)
class Hydrate:
    name: ClassVar[str] = "hydrate"
    per_hit: float = 1.5  # duplicates and oversized items may take a third
    at_least: int = 24  # memories: what comes after may still lift a candidate
    best: int = 0  # so many of every channel are fetched whatever their score
    exclude: bool = True  # frequent questions that exclude what is asked; off to measure

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled:  # fetched already, and perhaps whole instead of by passages
            return self._with_entries(draft, once=True)
        count = max(self.at_least, ceil(self.per_hit * draft.query.limit))
        wanted: list[Candidate] = []
        memories: set[str] = set()
        for candidate in draft.candidates:
            if len(memories) >= count or len(wanted) >= _PER_MEMORY * count:
                if not self.best:
                    break
                for place in candidate.channels.values():
                    if place.rank < self.best:
                        break
                else:
                    continue
            wanted.append(candidate)
            memories.add(candidate.memory_id)
        kept, gone = _fetched(wanted, draft, kit)
        beyond = len(draft.candidates) - len(wanted)
        if beyond and too_few_verified(kept, draft.query):  # they may stand further down
            kept, gone = _fetched(draft.candidates, draft, kit)
            beyond = 0
        told = (f"{beyond} lower candidates were not fetched",) if beyond else ()
        draft = draft._replace(
            candidates=tuple(kept),
            dropped=tuple(gone),
            notes=(*draft.notes, *told),
        )
        return self._with_entries(draft)

    def _with_entries(self, draft: Draft, *, once: bool = False) -> Draft:
        """Frequent questions as they are shown; see `recall/faq_shown.py`."""
        for candidate in draft.candidates:
            if candidate.memory is not None and candidate.memory.kind == FAQ:
                break
        else:
            return draft
        from bethink.recall.faq_shown import as_entries

        asked = draft.query.text if self.exclude else ""
        kept, gone = as_entries(draft.candidates, asked, once=once)
        return draft._replace(candidates=tuple(kept), dropped=(*draft.dropped, *gone))


def _fetched(
    wanted: Sequence[Candidate], draft: Draft, kit: Kit
) -> tuple[list[Candidate], list[Dropped]]:
    working, spaces = draft.working, draft.query.spaces
    keys = [candidate.key for candidate in wanted]
    fetched = iter(kit.store.fetch([key for key in keys if key not in working]))
    kept: list[Candidate] = []
    gone: list[Dropped] = []
    for candidate, key in zip(wanted, keys, strict=True):
        if key in working:
            kept.append(Candidate(*candidate[:4], *working[key], candidate.parts, Tier.WORKING))
            continue
        found = next(fetched)
        if found is None or found[0].space not in spaces:
            gone.append(Dropped(*key, "damaged, or forgotten while this question was answered"))
        else:
            kept.append(Candidate(*candidate[:4], *found, candidate.parts))
    return kept, gone
