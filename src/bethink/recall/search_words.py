"""Find by words: BM25 over the question's telling terms.

A question that names nothing is not looked for; see `recall/what_is_asked.py`. Of one with more
than 64 such terms, the first half and the last are looked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bethink.recall.draft import Draft, Kit
from bethink.recall.partly import told_if_partly
from bethink.recall.what_is_asked import (
    NAMES_NOTHING,
    names_nothing,
    shown_words,
    told_if_too_long,
    told_once,
)
from bethink.recall.widening import how_many
from bethink.text.tokenise import MAX_QUERY_TERMS, query_terms

CHANNEL = "words"


@dataclass(frozen=True, slots=True)
class SearchWords:
    name: ClassVar[str] = "search_words"
    candidates: int = 50  # more than any answer shows: fusion needs the depth
    exactly: bool = False  # no more for a larger limit or a threshold

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        query = draft.query
        if not query.words:
            return draft.note("words: switched off by the caller")
        text = draft.plan.rewritten if draft.plan else query.text
        if names_nothing(text):
            kit.store.pending(query.spaces)  # a space that does not exist is an error all the same
            return told_once(draft.with_channel(CHANNEL, ()), NAMES_NOTHING)
        terms = query_terms(text)
        found = kit.store.search_words(
            terms,
            spaces=query.spaces,
            where=query.where,
            limit=how_many(
                self.candidates,
                query,
                threshold=query.words_threshold,
                per_hit=2,  # each is read before it is cut; reading is dearer than a cosine
                exactly=self.exactly,
            ),
        )
        draft = told_if_partly(draft.with_channel(CHANNEL, tuple(found)), found)
        draft = draft.note(f"words: {len(found)} for: {shown_words(text)}")
        if len(terms) == MAX_QUERY_TERMS:
            half = MAX_QUERY_TERMS // 2
            draft = draft.note(f"words: of so many terms the first {half} and the last {half}")
        return told_if_too_long(draft)
