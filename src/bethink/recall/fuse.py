"""Make one list of several. Only ranks cross the border between channels: their scores do not mix.

Reciprocal rank fusion: a passage gets Σ weight / (k + rank + 1) over the channels that found it,
rank from 0, divided by the best sum possible, so that 1 means first in every channel. A channel
that is `graded` says with its scores (0 to 1) which share of its weight each find has.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from bethink.recall.draft import Draft, Kit
from bethink.vocabulary import Candidate, Found, Place

K = 60  # the constant of the RRF paper
Key = tuple[str, int]  # memory id, ordinal


def places_of(channels: Mapping[str, tuple[Found, ...]]) -> dict[Key, dict[str, Place]]:
    """Where every passage stands in every channel that found it."""
    places: dict[Key, dict[str, Place]] = {}
    for name, found in channels.items():
        for rank, (memory_id, ordinal, score) in enumerate(found):
            key = memory_id, ordinal
            if key in places:
                places[key][name] = Place(rank, score)
            else:
                places[key] = {name: Place(rank, score)}
    return places


def reciprocal_ranks(
    channels: Mapping[str, tuple[Found, ...]],
    *,
    k: int = K,
    weights: Mapping[str, float] | None = None,
    graded: Collection[str] = (),
) -> tuple[Candidate, ...]:
    """Fused candidates, best first; ties in the order of the first channel that found them."""
    weights = weights or {}
    searched = [name for name, found in channels.items() if found]
    best = sum(weights.get(name, 1.0) / (k + 1) for name in searched) or 1.0
    places: dict[tuple[str, int], dict[str, Place]] = {}
    sums: dict[tuple[str, int], float] = {}
    for name in searched:
        weight = weights.get(name, 1.0)
        for rank, (memory_id, ordinal, score) in enumerate(channels[name]):
            key = memory_id, ordinal
            places.setdefault(key, {})[name] = Place(rank, score)
            share = score if name in graded else 1.0
            sums[key] = sums.get(key, 0.0) + share * weight / (k + rank + 1)
    candidates = [
        Candidate(memory_id, ordinal, sums[memory_id, ordinal] / best, at)
        for (memory_id, ordinal), at in places.items()
    ]
    candidates.sort(key=lambda c: -c.score)
    return tuple(candidates)


@dataclass(frozen=True, slots=True)
class OrderByWeights:
    """Order the hits by the question's weights; without any the order stays as it is.

    A candidate gets Σ weight / (1 + rank) over meaning and words, the rank counted among the
    candidates that are left. So the best by the heavier search always comes first. What holds an
    identifier of the question exactly stays above the rest. Only the order changes: the relevance
    has decided what is handed out.
    """

    name: ClassVar[str] = "weights"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        weights = draft.query.weights
        if weights is None or not draft.candidates:
            return draft
        sums = dict.fromkeys((c.key for c in draft.candidates), 0.0)
        for name, weight in weights._asdict().items():
            found = [c for c in draft.candidates if name in c.channels]
            found.sort(key=lambda c: c.channels[name].rank)
            for rank, candidate in enumerate(found):
                sums[candidate.key] += weight / (1 + rank)
        ordered = sorted(draft.candidates, key=lambda c: ("exact" not in c.channels, -sums[c.key]))
        return draft._replace(candidates=tuple(ordered)).note(
            f"ordered by {weights.meaning:g} × meaning + {weights.words:g} × words"
        )


@dataclass(frozen=True, slots=True)
class ReciprocalRanks:
    name: ClassVar[str] = "fuse"
    k: int = K
    weights: Mapping[str, float] = field(default_factory=dict)
    graded: tuple[str, ...] = ()

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled and not draft.channels:
            return draft
        candidates = reciprocal_ranks(
            draft.channels, k=self.k, weights=self.weights, graded=self.graded
        )
        both = sum(len(c.channels) > 1 for c in candidates)
        return draft._replace(candidates=candidates, channels={}).note(
            f"{len(candidates)} passages, {both} found by more than one channel"
        )
