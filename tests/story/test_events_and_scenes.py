"""An event leads to its scene: ten memories are ten passages, not five and their headlines."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bethink.story import ScenePlan, Story, StoryMemoryChunk
from bethink.story.searching import through_scenes


@pytest.mark.parametrize(
    ("scene", "event", "plan"),
    [
        ("林婉把月剑给了他，一句话也没说。", "林婉交出月剑", "林婉想起交出月剑的那天"),
        ("Lin Wan gave it up at dawn, silent.", "The surrender at dawn", "the surrender at dawn"),
    ],
)
def test_a_scene_is_found_by_its_event(story: Story, scene: str, event: str, plan: str) -> None:
    story.add_scene(1, 1, scene, plan=ScenePlan(characters=["林婉"]), events=[event])
    for number in range(2, 8):
        story.add_scene(number, 1, f"路上无事。Nothing, day {number}.", events=["Rain 下雨"])
    context = story.scene_context(
        ScenePlan(summary=plan, characters=["林婉"]), None, 20, 1, deadline=30
    )
    first = context.relevant_memories[0]
    assert (first.text, first.content_type) == (scene, "scene")
    assert "its event" in first.reason
    assert event not in [one.text for one in context.relevant_memories]
    assert event in [one.text for one in story.timeline(1)]


def memory(name: str, score: float, kind: str, place: tuple[int, int] | None) -> StoryMemoryChunk:
    chapter, scene = place or (None, None)
    return StoryMemoryChunk(
        id=name, text=name, score=score, chapter_index=chapter, scene_index=scene, content_type=kind
    )


def order(memories: Sequence[StoryMemoryChunk]) -> list[tuple[str, float]]:
    return [(one.id, one.score) for one in memories]


def test_the_best_part_of_a_scene_takes_the_score() -> None:
    found = [
        memory("event", 0.9, "event", (1, 1)),
        memory("worse event", 0.8, "event", (1, 1)),
        memory("other scene", 0.7, "scene", (2, 1)),
        memory("part 2", 0.5, "scene", (1, 1)),
        memory("part 1", 0.4, "scene", (1, 1)),
    ]
    assert order(through_scenes(found)) == [("part 2", 1.0), ("other scene", 0.7), ("part 1", 0.4)]


def test_what_has_no_scene_stays() -> None:
    found = [
        memory("event of a scene not found", 0.6, "event", (3, 1)),
        memory("scene", 0.5, "scene", (1, 1)),
        memory("note about the world", 0.4, "note", None),
        memory("event", 0.1, "event", (1, 1)),
    ]
    assert order(through_scenes(found)) == [
        ("event of a scene not found", 0.6),
        ("scene", 0.53),
        ("note about the world", 0.4),
    ]


def test_names_alone_and_the_scene_before_are_no_phrases(story: Story) -> None:
    """They find whatever names them, and drown what the plan asks for."""
    story.add_scene(1, 1, "Lin Wan hid a letter 信 under the floor.")
    story.add_scene(2, 1, "林婉 waited for rain.", events=["Rain 下雨"])
    asked = ScenePlan(summary="林婉要找那封信 the letter", characters=["Lin Wan"])
    context = story.scene_context(asked, None, 3, 1, deadline=30)
    assert context.phrases == ["林婉要找那封信 the letter"]
    assert context.relevant_memories[0].scene == 1 and context.relevant_memories[0].chapter == 1
    somewhere = asked.model_copy(update={"location": "渡口"})
    context = story.scene_context(somewhere, None, 3, 1, deadline=30)
    assert context.phrases[1:] == ["Lin Wan 渡口"]
    nothing_else = ScenePlan(characters=["林婉"])
    context = story.scene_context(nothing_else, None, 3, 1, deadline=30)
    assert context.phrases == ["Lin Wan", "Rain 下雨"]
