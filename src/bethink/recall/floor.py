"""The least score that a candidate needs, after the lists are mixed.

What holds an identifier of the question exactly is left alone. Where nothing is left, the answer is
`below_floor` and shows the nearest miss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bethink.recall.draft import Draft, Kit
from bethink.recall.search_exact import CHANNEL as EXACT
from bethink.recall.thresholds import ROUNDING, Miss, nothing_left
from bethink.vocabulary import Candidate


@dataclass(frozen=True, slots=True)
class Floor:
    name: ClassVar[str] = "floor"
    least: float = 0.35

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled:
            return draft
        if not draft.candidates:
            return draft.note("nothing was found that could be below the floor")
        kept: list[Candidate] = []
        missed: list[Miss] = []
        for c in draft.candidates:
            if c.score >= self.least - ROUNDING or EXACT in c.channels:
                kept.append(c)
            else:
                missed.append(Miss(c, "score", c.score, self.least))
        draft = draft._replace(
            candidates=tuple(kept), dropped=(*draft.dropped, *(m.dropped for m in missed))
        )
        draft = draft.note(f"{len(kept)} of {len(kept) + len(missed)} score {self.least:g} or more")
        if kept:
            return draft
        return nothing_left(draft, kit, missed, "the preset's floor")
