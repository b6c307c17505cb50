"""What was told last, whatever is asked: the newest memories of the spaces.

In a workflow or a conversation the last few things are the context of everything, and need share no
word with the question. They come as channel `hot`; `HotFirst` puts them before all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from recollect.filters import All, Filter
from recollect.recall.draft import Draft, Kit
from recollect.recall.fuse import Key, places_of
from recollect.recall.fuse_union import cosines, exact_first
from recollect.recall.search_exact import CHANNEL as EXACT
from recollect.recall.search_meaning import CHANNEL as MEANING
from recollect.recall.search_words import CHANNEL as WORDS
from recollect.vocabulary import Candidate, Dropped, Found, Status

CHANNEL = "hot"


@dataclass(frozen=True, slots=True)
class SearchHot:
    """The `count` newest memories, never one more; `where` narrows to a tier or kind."""

    name: ClassVar[str] = "search_hot"
    count: int = 10
    where: Filter | None = None

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled:
            return draft
        query = draft.query
        conditions = tuple(c for c in (query.where, self.where) if c is not None)
        damaged: list[str] = []
        page = kit.store.scan(
            spaces=query.spaces,
            where=All(conditions) if len(conditions) > 1 else next(iter(conditions), None),
            newest_first=True,
            limit=self.count,
            damaged=damaged,
        )
        newest = page.memories[: self.count]
        draft = draft.with_channel(CHANNEL, tuple(Found(m.id, 0, 1.0) for m in newest))
        draft = draft.note(f"hot: the {len(newest)} newest")
        if damaged:
            draft = draft.fault(
                Status.DEGRADED,
                f"{len(damaged)} of the newest memories cannot be read; run 'recollect doctor'",
            )
        return draft


@dataclass(frozen=True, slots=True)
class HotFirst:
    """Hot memories at 1.0, the newest first; then the nearest others, each at its cosine.

    A memory is in the answer once. One that is hot is shown by its passage nearest to the question,
    if that is known. Without meaning, the others come by words, each at 1 / (1 + rank). Whoever
    of them holds an identifier of the question exactly comes first.
    """

    name: ClassVar[str] = "fuse"
    cold: int = 5

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled and not draft.channels:
            return draft
        places = places_of(draft.channels)
        best = {key[0]: key for key in reversed(list(_cold_order(draft)))}
        hot: dict[str, Candidate] = {}
        for found in draft.channels.get(CHANNEL, ()):
            key = best.get(found.memory_id, (found.memory_id, found.ordinal))
            at = {**places.get(key, {}), **places[found.memory_id, found.ordinal]}
            hot[found.memory_id] = Candidate(*key, 1.0, at, parts={CHANNEL: 1.0})
        others = self._others(draft, kit, [key for key in places if key[0] not in hot])
        dropped = [
            Dropped(*key, "another passage of a memory that is among the newest")
            for key in places
            if key[0] in hot and key != hot[key[0]].key and CHANNEL not in places[key]
        ]
        cold: dict[str, Candidate] = {}
        for candidate in others:
            if candidate.memory_id not in cold and len(cold) == self.cold:
                last = next(reversed(cold.values()))
                reason = f"beyond the {self.cold} nearest: {candidate.score:.3f}, the last has "
                dropped.append(Dropped(*candidate.key, reason + f"{last.score:.3f}"))
            elif cold.setdefault(candidate.memory_id, candidate) is not candidate:
                reason = f"another passage of {candidate.memory_id} stands higher"
                dropped.append(Dropped(*candidate.key, reason))
        candidates = (*hot.values(), *cold.values())
        draft = replace(
            draft, candidates=candidates, channels={}, dropped=(*draft.dropped, *dropped)
        )
        return draft.note(f"{len(hot)} newest first, then {len(cold)} others")

    @staticmethod
    def _others(draft: Draft, kit: Kit, keys: list[Key]) -> list[Candidate]:
        places = places_of(draft.channels)
        near = cosines(draft, kit, keys)
        scored: list[Candidate] = []
        for key in keys:
            if MEANING in draft.channels:
                what, score = MEANING, min(max(near.get(key, 0.0), 0.0), 1.0)
            else:
                what, place = next(iter(places[key].items()))
                score = 1 / (1 + place.rank)
            scored.append(Candidate(*key, score, places[key], parts={what: round(score, 6)}))
        return exact_first(draft, sorted(scored, key=lambda c: -c.score))


def _cold_order(draft: Draft) -> Iterator[Key]:
    for channel in (EXACT, MEANING, WORDS):
        for found in draft.channels.get(channel, ()):
            yield found.memory_id, found.ordinal
