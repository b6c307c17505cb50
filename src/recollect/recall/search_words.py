"""Find by words: BM25 over the question's telling terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from recollect.recall.draft import Draft, Kit
from recollect.recall.widening import how_many
from recollect.text.tokenise import query_terms

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
        terms = query_terms(draft.plan.rewritten if draft.plan else query.text)
        if not terms:
            kit.store.pending(query.spaces)  # a space that does not exist is an error all the same
            return draft.with_channel(CHANNEL, ()).note(
                "words: the question has no word to look for"
            )
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
        shown = " ".join(terms[:12]) + (" …" if len(terms) > 12 else "")
        return draft.with_channel(CHANNEL, tuple(found)).note(f"words: {len(found)} for: {shown}")
