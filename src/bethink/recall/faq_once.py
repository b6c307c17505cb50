"""Frequent questions: an entry stands once in every list, as one candidate.

Words may find its answer and meaning one of its questions. As passages these are two candidates,
each with the rank of one list; and the many questions of one entry push others down. By entry, the
ranks of all searches speak for the same thing. Stands before the lists are mixed, and does nothing
where no entry is in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from bethink.recall.draft import Draft, Kit
from bethink.recall.search_exact import CHANNEL as EXACT
from bethink.recall.search_meaning import CHANNEL as MEANING
from bethink.recall.search_words import CHANNEL as WORDS
from bethink.text.faq_layout import IN_ID
from bethink.vocabulary import Found


@dataclass(frozen=True, slots=True)
class FaqOnce:
    name: ClassVar[str] = "faq_once"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled:
            return draft
        lists = draft.channels
        speaks: dict[str, int] = {}  # which line stands for each entry: the nearest in meaning
        for name in dict.fromkeys((MEANING, EXACT, WORDS, *lists)):
            for one in lists.get(name, ()):
                if IN_ID in one.memory_id:
                    speaks.setdefault(one.memory_id, one.ordinal)
        if not speaks:
            return draft
        return draft._replace(
            channels={name: _once(found, speaks) for name, found in lists.items()}
        )


def _once(found: Sequence[Found], speaks: dict[str, int]) -> tuple[Found, ...]:
    seen: set[str] = set()
    kept: list[Found] = []
    for one in found:
        if one.memory_id not in speaks:
            kept.append(one)
        elif one.memory_id not in seen:
            seen.add(one.memory_id)
            kept.append(Found(one.memory_id, speaks[one.memory_id], one.score))
    return tuple(kept)
