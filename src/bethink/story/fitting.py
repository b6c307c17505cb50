"""A context cut to a number of tokens. What a scene cannot be written without comes first: what
holds, what is open, how the scene before ended; then passages, best first; then what happened,
latest first; last where each fact is from and how it was before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from bethink.errors import InvalidInput
from bethink.story.models import (
    EntityStateSnapshot,
    SceneMemoryContext,
    StateChange,
    StoryMemoryChunk,
)

_FOR_THE_NOTE = 50  # tokens: how much was left out
BEFORE = "the scene before"  # how the reason of that memory begins
M = TypeVar("M", bound=BaseModel)


def checked_budget(budget: object) -> int | None:
    if budget is None:
        return None
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise InvalidInput(f"budget: expected a number of tokens from 1, got {budget!r}")
    return budget


def fitted(
    context: SceneMemoryContext, budget: int, count_tokens: Callable[[str], int]
) -> SceneMemoryContext:
    """As much of the context as fits, measured as JSON; `missing` says how much does not."""
    if count_tokens(context.model_dump_json()) <= budget:
        return context
    purse = _Purse(budget - _FOR_THE_NOTE, count_tokens)
    purse.takes(context.model_copy(update={**{name: [] for name in _LISTS}, _TIMELINE: None}))
    bare = [one.model_copy(update={"changes": [], "sources": {}}) for one in context.entity_states]
    states = purse.those_that_fit(bare)
    threads = purse.those_that_fit(context.open_threads)
    memories = purse.those_that_fit(
        sorted(context.relevant_memories, key=lambda m: not m.reason.startswith(BEFORE))
    )
    happened = purse.those_that_fit(context.events[::-1])[::-1]
    full = {one.entity_id: one for one in context.entity_states}
    told = [purse.with_its_past(state, full[state.entity_id]) for state in states]
    cut = context.model_copy(
        update={
            "entity_states": told,
            "open_threads": threads,
            "relevant_memories": _in_order(context.relevant_memories, memories),
            _TIMELINE: context.timeline_context
            and {
                **context.timeline_context,
                "events": happened,
            },
        }
    )
    left_out = [
        f"{gone} {what}"
        for what, gone in (
            ("states", len(context.entity_states) - len(states)),
            ("threads", len(context.open_threads) - len(threads)),
            ("memories", len(context.relevant_memories) - len(memories)),
            ("events", len(context.events) - len(happened)),
            ("changes", _changes(full[s.entity_id] for s in states) - _changes(told)),
        )
        if gone
    ]
    if left_out:
        note = f"budget: {', '.join(left_out)} did not fit into {budget} tokens"
        cut.missing = [*cut.missing, note]
    return cut


_LISTS = ("entity_states", "open_threads", "relevant_memories")
_TIMELINE = "timeline_context"


class _Purse:
    def __init__(self, tokens: int, count_tokens: Callable[[str], int]) -> None:
        self._left = tokens
        self._count = count_tokens

    def takes(self, part: BaseModel) -> None:
        """Whether or not it fits: without it there is no answer."""
        self._left -= self._count(part.model_dump_json())

    def those_that_fit(self, parts: Sequence[M]) -> list[M]:
        return [part for part in parts if self._pays(part.model_dump_json())]

    def with_its_past(
        self, bare: EntityStateSnapshot, full: EntityStateSnapshot
    ) -> EntityStateSnapshot:
        sources = {
            key: source
            for key, source in full.sources.items()
            if self._pays(f'"{key}": {source.model_dump_json()}')
        }
        changes: list[StateChange] = []
        for change in reversed(full.changes):
            if not self._pays(change.model_dump_json()):
                break  # a past with holes would mislead
            changes.insert(0, change)
        return bare.model_copy(update={"sources": sources, "changes": changes})

    def _pays(self, told: str) -> bool:
        price = self._count(told) + 1  # the comma
        if price > self._left:
            return False
        self._left -= price
        return True


def _in_order(
    all_of_them: Sequence[StoryMemoryChunk], kept: Sequence[StoryMemoryChunk]
) -> list[StoryMemoryChunk]:
    ids = {memory.id for memory in kept}
    return [memory for memory in all_of_them if memory.id in ids]


def _changes(states: Iterable[EntityStateSnapshot]) -> int:
    return sum(len(state.changes) for state in states)
