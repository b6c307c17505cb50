"""States are versions: the state as of a scene, never from the story's future."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.story import EntityStateSnapshot, Story
from tests.story.telling import small_engine, story_in


def state(story: Story, entity: str, chapter: int, scene: int) -> EntityStateSnapshot:
    found = story.state_of(entity, chapter=chapter, scene=scene)
    assert found is not None
    return found


def test_a_wound_heals_and_a_sword_changes_hands(story: Story) -> None:
    story.record_state("林婉", 3, 1, {"left arm": "injured", "where": "the inn 客栈"})
    story.record_state("Lin Wan", 5, 2, {"LEFT ARM": "healed"})
    story.record_state("月劍", 3, 2, {"holder": "林婉"})
    story.record_state("the moon sword", 6, 1, {"holder": "王爷"})
    assert story.state_of("阿婉", chapter=3, scene=0) is None
    assert state(story, "阿婉", 3, 1).facts == {"left arm": "injured", "where": "the inn 客栈"}
    assert state(story, "阿婉", 5, 1).facts["left arm"] == "injured"
    healed = state(story, "captain", 5, 2)
    assert healed.facts == {"LEFT ARM": "healed", "where": "the inn 客栈"}  # the other fact stays
    assert (healed.chapter, healed.scene) == (5, 2)
    assert [(c.key, c.before, c.after) for c in healed.changes] == [
        ("left arm", None, "injured"),
        ("where", None, "the inn 客栈"),
        ("LEFT ARM", "injured", "healed"),
    ]
    assert healed.contradictions == []
    assert (healed.sources["where"].chapter, healed.sources["LEFT ARM"].chapter) == (3, 5)
    assert state(story, "sword", 5, 9).facts == {"holder": "林婉"}
    assert state(story, "sword", 6, 1).facts == {"holder": "王爷"}


def test_nothing_comes_from_the_next_chapter(story: Story) -> None:
    """A window that reaches one chapter further would tell what has not happened yet."""
    story.record_state("林婉", 4, 9, {"secret": "unknown"})
    story.record_state("林婉", 5, 1, {"secret": "she is the heir 她是继承人"})
    assert state(story, "林婉", 4, 99).facts == {"secret": "unknown"}
    later = story.state_of("林婉", chapter=4, scene=99, allow_future=True)
    assert later is not None
    assert later.facts == {"secret": "she is the heir 她是继承人"}


def test_what_contradicts_is_kept_with_its_sources_until_settled(story: Story) -> None:
    story.record_state("赵允", 2, 1, {"eyes": "grey"}, source="draft A")
    story.record_state("王爷", 2, 1, {"eyes": "黑色", "hat": "none"}, source="初稿乙")
    found = state(story, "zhao", 2, 1)
    assert found.facts == {"eyes": "黑色", "hat": "none"}  # what was told last
    (contradiction,) = found.contradictions
    assert contradiction.key == "eyes"
    assert [(c.value, c.source.source) for c in contradiction.claims] == [
        ("grey", "draft A"),
        ("黑色", "初稿乙"),
    ]
    story.record_state("赵允", 3, 1, {"eyes": "grey after all"})
    assert state(story, "zhao", 3, 1).contradictions == []
    assert len(state(story, "zhao", 2, 9).contradictions) == 1


def test_told_again_nothing_changes(story: Story, engine: Engine) -> None:
    first = story.record_state("林婉", 1, 1, {"mood": "calm 平静"})
    again = story.record_state("Captain", 1, 1, {"mood": "calm 平静"})
    assert first == again
    assert state(story, "林婉", 1, 1).contradictions == []
    assert engine.list(spaces="river", where={"kind": "entity_state"}).memories[0].id == first


@pytest.mark.parametrize("source", ["", "second draft 二稿"])
def test_the_last_word_counts_also_when_it_was_the_first(
    story: Story, engine: Engine, source: str
) -> None:
    for mood in ("bitter", "觉得好笑", "bitter", "觉得好笑", "bitter", "bitter"):
        story.record_state("林婉", 2, 1, {"mood": mood}, source=source)
    found = state(story, "林婉", 2, 1)
    assert found.facts == {"mood": "bitter"}
    assert [c.value for c in found.contradictions[0].claims][-2:] == ["觉得好笑", "bitter"]
    told = engine.list(spaces="river", where={"kind": "entity_state"}).memories
    assert len(told) == 5  # the last is no news


def test_an_empty_text_ends_a_fact(story: Story) -> None:
    story.record_state("林婉", 1, 1, {"fever": "high", "age": 19, "alive": True})
    story.record_state("林婉", 2, 1, {"fever": "", "alive": None})
    found = state(story, "林婉", 2, 1)
    assert found.facts == {"age": "19"}
    assert [c.after for c in found.changes if c.chapter == 2] == ["", ""]


@pytest.mark.parametrize(
    "facts", [{}, {"a": ["b"]}, {"a": "长" * 3_000}, "arm", {" ": "x"}, None, {"a": "\u200b"}]
)
def test_facts_are_text(story: Story, facts: object) -> None:
    with pytest.raises(InvalidInput):
        story.record_state("林婉", 1, 1, facts)  # type: ignore[arg-type]
    assert story.state_of("林婉", chapter=9, scene=9) is None


@pytest.mark.parametrize(
    ("chapter", "scene"), [(-1, 0), (0, -1), (1.5, 0), (True, 0), (100_000, 1)]
)
def test_chapters_and_scenes_are_numbers(story: Story, chapter: int, scene: int) -> None:
    with pytest.raises(InvalidInput, match="expected a whole number from 0"):
        story.record_state("林婉", chapter, scene, {"a": "b"})


_facts = st.dictionaries(
    st.sampled_from(["arm", "心情", "place"]), st.sampled_from("甲b丙"), min_size=1
)
_records = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), _facts), max_size=12)


@settings(max_examples=40, deadline=None)
@given(_records, st.integers(0, 5), st.integers(0, 3))
def test_the_state_is_what_was_told_last_of_each_fact_until_then(
    records: list[tuple[int, int, dict[str, str]]], chapter: int, scene: int
) -> None:
    """Whichever order it is told in, only the story's own order counts."""
    with small_engine(embedder="none") as engine:
        story = story_in(engine)
        for number, (at_chapter, at_scene, facts) in enumerate(records):
            # some told by the same source: what is told again after another word counts again
            story.record_state("林婉", at_chapter, at_scene, facts, source=str(number % 2))
        told = sorted(records, key=lambda r: r[:2])  # stable
        truth: dict[str, str] = {}
        for *place, facts in told:
            if tuple(place) <= (chapter, scene):
                truth |= facts
        found = story.state_of("Lin Wan", chapter=chapter, scene=scene)
        assert (found.facts if found is not None else {}) == truth


def test_without_a_scene_it_is_the_state_after_the_last(story: Story) -> None:
    story.record_state("林婉", 3, 1, {"left arm": "injured"})
    story.record_state("Lin Wan", 5, 2, {"left arm": "healed"})
    last = story.state_of("阿婉")
    assert last is not None and last.facts == {"left arm": "healed"}
    third = story.state_of("阿婉", chapter=3)
    assert third is not None and third.facts == {"left arm": "injured"}
    assert story.state_of("阿婉", chapter=2) is None
    with pytest.raises(InvalidInput, match="of which chapter"):
        story.state_of("阿婉", scene=2)
    assert [one.facts for one in story.states()] == [{"left arm": "healed"}]
    assert [one.facts for one in story.states(3)] == [{"left arm": "injured"}]
    assert story.space == story.project


def test_a_timeline_of_the_whole_story(story: Story) -> None:
    assert story.timeline() == []
    for chapter, event in ((1, "林婉找到钥匙"), (6, "The sword is sold"), (9, "林婉回家")):
        story.add_scene(chapter, 1, f"{event}.", events=[event])
    assert [entry.text for entry in story.timeline()] == [
        "林婉找到钥匙",
        "The sword is sold",
        "林婉回家",
    ]
    assert [entry.chapter for entry in story.timeline(9)] == [6, 9]
