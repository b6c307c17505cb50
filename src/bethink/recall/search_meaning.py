"""Find by meaning: the nearest vectors to the question's.

Where a threshold will cut the list (`recall/thresholds.py`), at least 100 and at most 1,000 are
looked at, five for each hit that is wanted; see `recall/widening.py`. Of a question that names
nothing it is not asked, unless that speaks of somebody; see `recall/what_is_asked.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bethink.errors import EmbedderError
from bethink.recall.draft import Draft, Kit
from bethink.recall.partly import told_if_partly
from bethink.recall.what_is_asked import (
    NAMES_NOTHING,
    by_meaning_only,
    names_nothing,
    told_if_too_long,
    told_once,
)
from bethink.recall.widening import how_many
from bethink.text.both_ends import MAX_MEANING_CHARS
from bethink.vocabulary import Status

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
        nothing_named = query.words and names_nothing(query.text)
        if nothing_named and not by_meaning_only(query):
            kit.store.pending(query.spaces)  # a space that does not exist is an error all the same
            draft = told_once(draft.with_channel(CHANNEL, ()), NAMES_NOTHING)
            return draft.note("meaning: not asked, because everything would be as near")
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
        draft = draft._replace(question=question).with_channel(CHANNEL, tuple(found))
        draft = told_if_partly(draft, found)
        draft = draft.note(f"meaning: {len(found)} nearest")
        if nothing_named and query.vector is None:
            draft = told_once(draft, "it was asked by meaning alone, which may be far off")
        if query.vector is None:
            if len(query.text.strip()) > MAX_MEANING_CHARS:
                half = MAX_MEANING_CHARS // 2
                draft = draft.note(f"meaning: the first and the last {half:,} characters are read")
            draft = told_if_too_long(draft)
        if question.note:
            draft = draft.fault(Status.STALE, question.note)
        waiting = kit.store.pending(query.spaces)
        if waiting:
            draft = draft.fault(
                Status.STALE,
                f"{waiting} passages wait for their vectors and are found by words only; "
                "'bethink reindex' fills them in",
            )
        return draft
