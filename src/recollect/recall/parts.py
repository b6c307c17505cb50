"""What a score is made of. Parts always add up to the score: that is what `--explain` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter

from recollect.vocabulary import Candidate


def best_first(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """By score; equals keep their order."""
    return tuple(sorted(candidates, key=attrgetter("score"), reverse=True))


def scored(candidate: Candidate, parts: Mapping[str, float], *, ceiling: float) -> Candidate:
    """With these parts as its score, where `ceiling` is the best that they could add up to.
    Parts below 0 weigh against it, but no score is below 0."""
    told = {name: value / ceiling for name, value in parts.items() if value}
    total = sum(told.values())
    # built in full: `_replace` takes twice the time, and this is done for every candidate
    return Candidate(
        candidate.memory_id,
        candidate.ordinal,
        total if total > 0 else 0.0,
        candidate.channels,
        candidate.memory,
        candidate.passage,
        told if total > 0 else {},
        candidate.tier,
    )


def added(candidate: Candidate, name: str, value: float, *, ceiling: float) -> Candidate:
    """With something more in its score."""
    before = candidate.parts or {"relevance": candidate.score}
    return scored(candidate, {**before, name: value}, ceiling=ceiling)
