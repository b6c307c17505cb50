"""Find by meaning: the nearest vectors to the question's.

Where a threshold will cut the list (`recall/thresholds.py`), at least 100 and at most 1,000 are
looked at, five for each hit that is wanted; see `recall/widening.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from recollect.errors import EmbedderError
from recollect.recall.draft import Draft, Kit
from recollect.recall.widening import how_many
from recollect.vocabulary import Status

CHANNEL = "meaning"


@dataclass(frozen=True, slots=True)
class SearchMeaning:
    name: ClassVar[str] = "search_meaning"
    candidates: int = 50
    exactly: bool = False  # no more for a larger limit or a threshold

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        query = draft.query
        if not query.meaning:
            return draft.note("meaning: switched off by the caller")
        try:
            question = kit.question(query)
        except EmbedderError as e:
            return draft.fault(Status.DEGRADED, f"meaning is unavailable: {e}")
        if question is None:
            return draft.note("meaning: no embedder is set")
        found = kit.store.search_meaning(
            question.vector,
            fingerprint=question.fingerprint,
            spaces=query.spaces,
            where=query.where,
            limit=how_many(
                self.candidates,
                query,
                threshold=query.meaning_threshold,
                per_hit=5,
                exactly=self.exactly,
            ),
        )
        draft = replace(draft, question=question).with_channel(CHANNEL, tuple(found))
        draft = draft.note(f"meaning: {len(found)} nearest")
        if question.note:
            draft = draft.fault(Status.STALE, question.note)
        waiting = kit.store.pending(query.spaces)
        if waiting:
            draft = draft.fault(
                Status.STALE,
                f"{waiting} passages wait for their vectors and are found by words only; "
                "'recollect reindex' fills them in",
            )
        return draft
