"""Find what holds an identifier of the question exactly, whatever the embedder thinks of it.

An error code, a flag, a setting or a path is not a word among others: `ERR_CONN_1042` is not
`ERR_CONN_1043`, although they share all their parts but one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from recollect.recall.draft import Draft, Kit
from recollect.text.tokenise import identifiers

CHANNEL = "exact"


@dataclass(frozen=True, slots=True)
class SearchExact:
    name: ClassVar[str] = "search_exact"
    candidates: int = 50

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        query = draft.query
        wanted = identifiers(query.text) if query.words and not draft.settled else ()
        if not wanted:
            return draft
        found = kit.store.search_words(
            wanted, spaces=query.spaces, where=query.where, limit=self.candidates
        )
        shown = " ".join(wanted[:6])
        if not found:
            return draft.note(f"exact: nothing holds {shown}")
        return draft.with_channel(CHANNEL, tuple(found)).note(f"exact: {len(found)} hold {shown}")
