"""A context within a budget: the most needed first, and what does not fit is said."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bethink.errors import InvalidInput
from bethink.story import SceneMemoryContext, Story

PLAN = {"summary": "the ferry 渡口, at night", "characters": ["林婉", "赵允"]}


def told(story: Story) -> Story:
    for chapter in range(1, 13):
        story.add_scene(
            chapter,
            1,
            f"林婉在渡口等船，第{chapter}次。The ferry did not come, {chapter}. " * 4,
            states={
                "林婉": {"mood": f"tired {chapter} 倦", "days": str(chapter)},
                "赵允": {"where": f"town {chapter}"},
            },
            threads=[f"林婉 waits for whom, {chapter}?"],
        )
    return story


def tokens(story: Story, context: SceneMemoryContext) -> int:
    return story.engine.count_tokens(context.model_dump_json())


def ask(story: Story, budget: Any = None) -> SceneMemoryContext:
    return story.scene_context(PLAN, None, 13, 1, budget=budget)


@pytest.mark.parametrize("budget", [600, 1_000, 1_500, 2_500, 3_000])
def test_it_fits_and_says_what_did_not(story: Story, budget: int) -> None:
    whole = ask(told(story))
    cut = ask(story, budget)
    note = cut.missing[-1]
    assert re.fullmatch(rf"budget: .*\d+ changes did not fit into {budget} tokens", note)
    assert budget - 400 < tokens(story, cut) <= budget
    assert cut.status == whole.status
    # what holds is there before everything else, and no passage was told of without what it says
    assert [state.facts for state in cut.entity_states] == [s.facts for s in whole.entity_states]
    assert [m for m in whole.relevant_memories if m in cut.relevant_memories] == (
        cut.relevant_memories
    )
    if cut.relevant_memories:
        assert any(m.reason.startswith("the scene before") for m in cut.relevant_memories)
    ends = len(whole.events) - len(cut.events)
    assert whole.events[ends:] == cut.events  # the latest


def test_of_the_past_the_latest_is_kept(story: Story) -> None:
    whole = ask(told(story))
    enough = tokens(story, whole)
    cut = ask(story, enough - 300)
    for state, full in zip(cut.entity_states, whole.entity_states, strict=True):
        assert full.changes[len(full.changes) - len(state.changes) :] == state.changes
    assert sum(len(s.changes) for s in cut.entity_states) > 0


def test_more_than_enough_changes_nothing(story: Story) -> None:
    whole = ask(told(story))
    for budget in (tokens(story, whole) * 2, 10**12):
        cut = ask(story, budget)
        assert cut.model_copy(update={"retrieval_timestamp": whole.retrieval_timestamp}) == whole


def test_with_next_to_nothing_it_still_answers(story: Story) -> None:
    cut = ask(told(story), 1)
    assert (cut.entity_states, cut.relevant_memories, cut.events) == ([], [], [])
    assert cut.missing[-1].startswith("budget: 2 states, 12 threads, 10 memories, 3 events ")


@pytest.mark.parametrize("budget", [0, -5, 1.5, True, "1000"])
def test_a_budget_is_a_number_of_tokens(story: Story, budget: Any) -> None:
    with pytest.raises(InvalidInput, match="budget: expected a number of tokens"):
        ask(story, budget)
