"""Scenes and chapters that go or move, with everything that hangs on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bethink import Engine
from bethink.errors import InvalidInput, NotFound, StoreError
from bethink.settings import Settings
from bethink.stores.in_memory import InMemoryStore
from bethink.story import Story
from tests.story.telling import story_in


def told(story: Story) -> str:
    """A thread of 1.1, closed in 3.1; an arm that breaks in 2.1 and heals in 3.1."""
    story.add_scene(1, 1, "林婉走在桥上。", threads=["谁伤了林婉？"])
    story.add_scene(
        2, 1, "The bridge broke, and 林婉的手臂断了。", states={"林婉": {"arm 臂": "broken"}}
    )
    story.record_state("林婉", 2, 1, {"mood": "afraid"})
    story.add_scene(3, 1, "手臂好了。", states={"林婉": {"arm 臂": "healed"}}, events=["痊愈"])
    (thread,) = story.threads()
    story.close_thread(thread.id, 3, 1, resolution="赵允")
    return thread.id


def facts(story: Story, chapter: int) -> dict[str, str]:
    found = story.state_of("林婉", chapter=chapter, scene=99)
    return {} if found is None else found.facts


@pytest.mark.parametrize("scene", [1, None])
def test_a_scene_that_goes_takes_everything_along(
    story: Story, engine: Engine, scene: int | None
) -> None:
    thread = told(story)
    other = told(story_in(engine, "other"))
    assert story.remove(2, scene) == 4
    assert facts(story, 2) == {}
    assert story.search("The bridge broke") == []
    assert story.search("林婉走在桥上")[0].chapter == 1
    assert [e.chapter for e in story.timeline(9, window=9)] == [1, 3]
    assert story.threads() == []
    assert story.remove(3, scene) == 3
    (open_again,) = story.threads()
    assert (open_again.id, open_again.closed_at, open_again.resolution) == (thread, None, "")
    assert story.remove(3, scene) == 0
    found = Story(engine, "other").threads(closed=True)
    assert [(t.id, t.resolution) for t in found] == [(other, "赵允")]


@pytest.mark.parametrize("whole", [True, False])
def test_a_scene_that_moves_takes_everything_along(story: Story, whole: bool) -> None:
    told(story)
    place: dict[str, Any] = {} if whole else {"scene": 1}
    to: dict[str, Any] = {} if whole else {"to_scene": 1}
    assert story.move(3, **place, to_chapter=7, **to) == 3
    assert facts(story, 6) == {"arm 臂": "broken", "mood": "afraid"}
    assert facts(story, 7) == {"arm 臂": "healed", "mood": "afraid"}
    assert [t.text for t in story.threads(6)] == ["谁伤了林婉？"]
    assert story.threads(7) == []
    assert story.search("手臂好了")[0].chapter == 7
    entry = story.timeline(7, window=0, states=True)[-1]
    assert (entry.chapter, entry.text) == (7, "Lin Wan (7.1): arm 臂: healed")
    story.move(1, **place, to_chapter=6, **to)  # the thread itself
    assert story.threads(5) == []
    assert [t.opened_at.chapter for t in story.threads(6)] == [6]


def test_two_chapters_change_places_and_are_told_again(story: Story, engine: Engine) -> None:
    """What is told of the old place from now on has nothing to do with what was moved away."""
    told(story)
    for chapter, to in ((2, 900), (3, 2), (900, 3)):
        story.move(chapter, to_chapter=to)
    assert [e.text for e in story.timeline(3)] == [
        "林婉走在桥上。",
        "痊愈",
        "The bridge broke, and 林婉的手臂断了。",
    ]
    assert facts(story, 3)["arm 臂"] == "broken"
    story.add_scene(2, 1, "手臂好了，又下雨了。", states={"林婉": {"arm 臂": "healed"}})
    story.add_scene(3, 1, "The bridge broke once more.")
    assert facts(story, 2) == {"arm 臂": "healed"}
    assert facts(story, 3) == {"arm 臂": "broken", "mood": "afraid"}
    scenes = engine.list(spaces="river", where={"kind": "scene"}).memories
    assert len(scenes) == 3
    assert len(engine.list(spaces="river", where={"kind": "event"}).memories) == 3


def test_what_makes_no_sense_is_refused_and_nothing_is_lost(story: Story) -> None:
    told(story)
    with pytest.raises(InvalidInput, match="something was told of chapter 3 already"):
        story.move(2, to_chapter=3)
    with pytest.raises(InvalidInput, match=r"something was told of scene 3\.1 already"):
        story.move(2, 1, to_chapter=3, to_scene=1)
    with pytest.raises(NotFound, match=r"nothing was told of scene 2\.9"):
        story.move(2, 9, to_chapter=5, to_scene=1)
    with pytest.raises(InvalidInput, match="a scene moves to a scene"):
        story.move(2, 1, to_chapter=5)
    with pytest.raises(InvalidInput, match="there already"):
        story.move(2, to_chapter=2)
    wrong: list[Any] = [-1, 100_000, True, "2"]
    for bad in wrong:
        with pytest.raises(InvalidInput, match="whole number"):
            story.move(2, to_chapter=bad)
        with pytest.raises(InvalidInput, match="whole number"):
            story.remove(2, bad)
    assert facts(story, 3) == {"arm 臂": "healed", "mood": "afraid"}


class Stubborn(InMemoryStore):
    """A store that takes and shows, and will not let go."""

    stubborn = False

    def delete(self, ids: Sequence[str]) -> list[bool]:
        if self.stubborn:
            raise StoreError("not now")
        return super().delete(ids)


def test_a_move_that_was_cut_short_is_completed() -> None:
    store = Stubborn()
    with Engine(store, embedder="hashing", settings=Settings()) as engine:
        story = story_in(engine)
        told(story)
        store.stubborn = True
        with pytest.raises(StoreError):
            story.move(3, to_chapter=7)
        store.stubborn = False
        assert story.move(3, to_chapter=7) == 3
        assert [e.chapter for e in story.timeline(9, window=9)] == [1, 2, 7]
        assert story.threads(7) == []
