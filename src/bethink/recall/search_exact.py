"""Find what holds an identifier of the question exactly, whatever the embedder thinks of it.

An error code, a flag, a setting or a path is not a word among others: `ERR_CONN_1042` is not
`ERR_CONN_1043`, although they share all their parts but one, and `getUserNames` is not
`getUserName`, although the index takes their stems for the same. With `numbers` a plain number is
one too, from three digits on ("order 1042", 工单1042), unless it may be a year.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from bethink.recall.draft import Draft, Kit
from bethink.recall.partly import told_if_partly
from bethink.text.both_ends import both_ends
from bethink.text.fold import fold_width
from bethink.text.searched import searched_text
from bethink.text.tokenise import identifiers, terms
from bethink.text.verbatim import holds, verbatim_names
from bethink.vocabulary import Found

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
        names = verbatim_names(both_ends(query.text)) if query.words and not draft.settled else ()
        if not wanted and not names:
            return draft
        found: Sequence[Found] = ()
        if wanted:
            found = kit.store.search_words(
                wanted, spaces=query.spaces, where=query.where, limit=self.candidates
            )
            draft = told_if_partly(draft, found)
        if names:
            found = _together(found, self._holding(names, draft, kit))
        shown = " ".join((*wanted, *names)[:6])
        if not found:
            return draft.note(f"exact: nothing holds {shown}")
        return draft.with_channel(CHANNEL, tuple(found)).note(f"exact: {len(found)} hold {shown}")

    def _holding(self, names: Sequence[str], draft: Draft, kit: Kit) -> list[Found]:
        """Who holds one of these names as it is written: the index knows only what they are made
        of, so what it finds is read."""
        query = draft.query
        found = kit.store.search_words(
            list(dict.fromkeys(term for name in names for term in terms(name, ends=False))),
            spaces=query.spaces,
            where=query.where,
            limit=self.candidates,
        )
        fetched = kit.store.fetch([(f.memory_id, f.ordinal) for f in found])
        return [
            one
            for one, read in zip(found, fetched, strict=True)
            if read is not None and any(holds(searched_text(*read), name) for name in names)
        ]


def _together(some: Sequence[Found], others: Sequence[Found]) -> list[Found]:
    """Both lists as one, best first; who is in both has both scores."""
    scores: dict[tuple[str, int], float] = {}
    for memory_id, ordinal, score in (*some, *others):
        scores[memory_id, ordinal] = scores.get((memory_id, ordinal), 0.0) + score
    return sorted((Found(*key, score) for key, score in scores.items()), key=lambda f: -f.score)


def plain_numbers(text: str) -> list[str]:
    """Numbers that stand by themselves and name something: no quantity of two digits, no year."""
    found = re.findall(_NUMBER, fold_width(both_ends(text)))
    return [number for number in found if not re.fullmatch(_YEAR, number)]
