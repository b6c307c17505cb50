"""What a score is made of. Parts always add up to the score: that is what `--explain` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter

from bethink.vocabulary import Candidate


def best_first(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """By score; equals keep their order."""
    return tuple(sorted(candidates, key=attrgetter("score"), reverse=True))


def scored(candidate: Candidate, parts: Mapping[str, float], *, ceiling: float) -> Candidate:
    """With these parts as its score, where `ceiling` is the best that they could add up to.
    Parts below 0 weigh against it, but no score is below 0."""
    return _with(candidate, {name: value / ceiling for name, value in parts.items() if value})


def added(candidate: Candidate, name: str, value: float, *, ceiling: float) -> Candidate:
    """With something more in its score."""
    before = candidate.parts or {"relevance": candidate.score}
    told = {part: held / ceiling for part, held in before.items() if held and part != name}
    if value:
        told[name] = value / ceiling
    return _with(candidate, told)


def _with(candidate: Candidate, told: dict[str, float]) -> Candidate:
    total = sum(told.values())
    if total > 0:
        return candidate._replace(score=total, parts=told)
    return candidate._replace(score=0.0, parts={})
