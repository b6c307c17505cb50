"""Find what holds an identifier of the question exactly, whatever the embedder thinks of it.

An error code, a flag, a setting or a path is not a word among others: `ERR_CONN_1042` is not
`ERR_CONN_1043`, although they share all their parts but one. With `numbers` a plain number is one
too, from three digits on ("order 1042", 工单1042), unless it may be a year.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from recollect.recall.draft import Draft, Kit
from recollect.text.both_ends import both_ends
from recollect.text.fold import fold_width
from recollect.text.tokenise import identifiers

CHANNEL = "exact"
# By itself: not a part of a word, an identifier, a date or an amount with a point.
_NUMBER = r"(?<![0-9A-Za-z_.,:/@+-])[0-9]{3,}(?![0-9A-Za-z_]|[.,:/@+-][0-9A-Za-z])"
_YEAR = r"(?:19|20)[0-9]{2}"


@dataclass(frozen=True, slots=True)
class SearchExact:
    name: ClassVar[str] = "search_exact"
    candidates: int = 50
    numbers: bool = False  # for presets that hold no confidence against whoever lacks a number

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        query = draft.query
        wanted = identifiers(query.text) if query.words and not draft.settled else ()
        if self.numbers and query.words and not draft.settled:
            wanted = tuple(dict.fromkeys((*wanted, *plain_numbers(query.text))))
        if not wanted:
            return draft
        found = kit.store.search_words(
            wanted, spaces=query.spaces, where=query.where, limit=self.candidates
        )
        shown = " ".join(wanted[:6])
        if not found:
            return draft.note(f"exact: nothing holds {shown}")
        return draft.with_channel(CHANNEL, tuple(found)).note(f"exact: {len(found)} hold {shown}")


def plain_numbers(text: str) -> list[str]:
    """Numbers that stand by themselves and name something: no quantity of two digits, no year."""
    found = re.findall(_NUMBER, fold_width(both_ends(text)))
    return [number for number in found if not re.fullmatch(_YEAR, number)]
