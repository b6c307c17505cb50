"""Where one memory stands in the lists that the stages of a run handed on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bethink.recall.draft import Draft
from bethink.vocabulary import Candidate, Found


class Sighting(NamedTuple):
    """The memory's best place after a stage; rank from 1."""

    stage: str
    among: str  # a channel's name, "candidates" or "hits"
    rank: int
    of: int
    score: float


def way_of(memory_id: str, stages: Sequence[str], seen: Sequence[Draft]) -> Iterator[Sighting]:
    """Where it stood after each stage; a stage that changed nothing for it is passed over."""
    former: list[Sighting] = []
    for stage, draft in zip(stages, seen, strict=True):
        now = list(_sighted(memory_id, stage, draft))
        if [one[1:] for one in now] != [one[1:] for one in former]:
            yield from now
        former = now


def _sighted(memory_id: str, stage: str, draft: Draft) -> Iterator[Sighting]:
    for name, found in draft.channels.items():
        if (place := place_of(found, memory_id)) is not None:
            yield Sighting(stage, name, place[0], len(found), place[1])
    if (ours := first_candidate(draft.candidates, memory_id)) is not None:
        yield Sighting(stage, "candidates", ours[0], len(draft.candidates), ours[1].score)
    for rank, hit in enumerate(draft.hits, start=1):
        if memory_id in hit.memory_ids:
            yield Sighting(stage, "hits", rank, len(draft.hits), hit.score)
            return


def holds(draft: Draft, memory_id: str) -> bool:
    lists: list[Sequence[Found | Candidate]] = [draft.candidates, *draft.channels.values()]
    return any(one.memory_id == memory_id for found in lists for one in found) or any(
        memory_id in hit.memory_ids for hit in draft.hits
    )


def place_of(found: Sequence[Found], memory_id: str) -> tuple[int, float] | None:
    """Rank from 1 and score of the memory's best passage."""
    places = ((rank, f.score) for rank, f in enumerate(found, 1) if f.memory_id == memory_id)
    return next(places, None)


def first_candidate(
    candidates: Sequence[Candidate], memory_id: str
) -> tuple[int, Candidate] | None:
    return next(((n, c) for n, c in enumerate(candidates, 1) if c.memory_id == memory_id), None)
