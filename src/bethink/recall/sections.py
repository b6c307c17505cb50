"""Memories that are handed over without a search: whole, or in sections where that is too much.

A journal of a long day may be larger than the whole budget. Then its sections stand for it, so
that an answer is never empty because something large was found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bethink.recall.draft import Kit
from bethink.vocabulary import Candidate, Memory, Passage, Place, Query


def fit(memories: Collection[Memory], query: Query, kit: Kit) -> bool:
    """Return True if the budget holds all of these whole. The limit counts what is searched for."""
    return sum(kit.count_tokens(memory.text) for memory in memories) <= query.budget


def sections(memory: Memory, query: Query, kit: Kit) -> tuple[Passage, ...]:
    """The memory as one piece if the budget can hold it, else its passages."""
    if kit.count_tokens(memory.text) <= query.budget:
        return (Passage(0, 0, len(memory.text)),)
    from bethink.text.split import split  # compiles patterns, and is rarely needed

    return split(memory.text)


def in_order(
    pieces: Iterable[tuple[Memory, Passage]], *, channel: str, falling: bool
) -> tuple[Candidate, ...]:
    """Candidates in this order. `falling` scores keep the order in whatever sorts later; without
    it all are equally what was asked for."""
    listed = list(pieces)
    step = 0.5 / len(listed) if falling and listed else 0.0
    return tuple(
        Candidate(
            memory.id,
            passage.ordinal,
            1.0 - step * rank,
            {channel: Place(rank, 1.0 - step * rank)},
            memory,
            passage,
        )
        for rank, (memory, passage) in enumerate(listed)
    )
