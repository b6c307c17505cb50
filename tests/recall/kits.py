"""What a stage needs to run alone: a real store, a clock, a deadline, a pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from bethink.recall.draft import Deadline, Draft, Kit, Question
from bethink.recall.workers import Workers
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Store
from bethink.vocabulary import Candidate, Memory, Passage, Place, Query

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def kit(
    store: Store | None = None,
    *,
    question: Callable[[Query], Question | None] = lambda query: None,
    deadline: float = 5.0,
) -> Kit:
    workers = Workers(2)
    return Kit(
        store=store or InMemoryStore(),
        question=question,
        clock=lambda: NOW,
        deadline=Deadline.after(deadline),
        pool=lambda: workers,
        zone=UTC,
    )


def memory(name: str, text: str, *, space: str = "global") -> Memory:
    return Memory(id=name, space=space, text=text, created_at=NOW, updated_at=NOW)


def candidate(
    name: str, text: str = "text", *, score: float = 1.0, ordinal: int = 0, fetched: bool = True
) -> Candidate:
    return Candidate(
        name,
        ordinal,
        score,
        {"words": Place(0, 1.0)},
        memory(name, text) if fetched else None,
        Passage(ordinal, 0, len(text)) if fetched else None,
    )


def draft(candidates: Sequence[Candidate], *, limit: int = 10, budget: int = 1500) -> Draft:
    return Draft(Query(text="?", limit=limit, budget=budget), candidates=tuple(candidates))
