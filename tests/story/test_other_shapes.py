"""The names and shapes of programs that write novels: accepted, kept and used."""

from __future__ import annotations

from typing import Any

import pytest

from bethink.story import (
    CharactersConfig,
    EntityStateSnapshot,
    ScenePlan,
    Story,
    StoryMemoryChunk,
    StoryTools,
)
from tests.story.telling import small_engine

CONFIG = {
    "protagonist": {
        "name": "Mara Venn",
        "aliases": ["Mara"],
        "personality": "she fears deep water",
    },
    "supporting_characters": [{"name": "沈青", "background": "早年在海边当过渔夫"}],
    "setting": "a harbour town 海港",
}


def test_chapter_index_and_scene_index_in_python() -> None:
    here: dict[str, Any] = {"chapter_index": 1, "scene_index": 1}
    with small_engine() as engine:
        story = Story(engine, **{"project_id": "river"})
        story.set_cast(CONFIG)
        story.add_scene(text="Mara waits at the dock 码头.", **here)
        story.record_state("Mara", facts={"arm": "broken"}, **here)
        state = story.state_of("Mara", **here)
        assert isinstance(state, EntityStateSnapshot)
        assert (state.chapter_index, state.scene_index) == (1, 1)
        tools = StoryTools(story, **{"chapter_index": 2, "scene_index": 1})
        (found,) = tools.search_story_memory_tool("dock 码头", top_k=1)
        assert isinstance(found, StoryMemoryChunk)
        assert (found.chapter_index, found.scene_index) == (1, 1)
        later: dict[str, Any] = {"chapter_index": 2, "scene_index": 1}
        context = story.scene_context({}, None, **later)
        assert isinstance(context.timeline_context, dict)
        assert [one.text for one in context.timeline_context["events"]]


def test_further_fields_are_kept_and_used() -> None:
    with small_engine() as engine:
        story = Story(engine, "river")
        story.set_cast(CONFIG)
        cast = story.cast()
        assert isinstance(cast, CharactersConfig)
        assert [one.further for one in cast.characters] == [
            {"role": "protagonist", "personality": "she fears deep water"},
            {"role": "supporting_characters", "background": "早年在海边当过渔夫"},
        ]
        assert story.search("fears deep water", content_type="cast")
        plan = {
            "title": "Night",
            "characters": [{"name": "Mara"}],
            "conflict": "沈青要她把旧灯塔的钥匙交出来",
            "word_count": 1200,
        }
        read = ScenePlan.model_validate(plan)
        assert read.characters == ["Mara"]
        context = story.scene_context(plan, None, 1, 1)
        assert plan["conflict"] in context.phrases
        story.add_scene(1, 1, "Mara keeps the key.", plan=plan)
        story.add_scene(1, 1, "Mara keeps the key. 夜。")  # the plan stays as it was told
        (scene,) = story.search("key", content_type="scene", top_k=1)
        kept = engine.get(scene.id, space="river")
        assert kept is not None
        assert kept.metadata["plan"] == {"conflict": plan["conflict"], "word_count": 1200}


@pytest.mark.parametrize("wrong", [{"characters": 7}, {"beats": "x"}])
def test_what_has_the_wrong_kind_is_still_refused(wrong: dict[str, Any]) -> None:
    from bethink.errors import InvalidInput

    with small_engine() as engine, pytest.raises(InvalidInput, match="the plan: "):
        Story(engine, "river").scene_context(wrong, None, 1, 1)
