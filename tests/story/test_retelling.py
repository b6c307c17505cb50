"""A scene told again: what stays, what goes, and what its author is told of."""

from __future__ import annotations

from typing import Any

import pytest

from bethink import Engine
from bethink.story import Character, ScenePlan, Story
from tests.story.telling import small_engine, story_in
from tests.story.test_scenes import Model, kept

FIRST = "林婉在码头等船。雨下了一夜。He did not come. She counted the lamps."
REVISED = "林婉在码头等船。雨下了一夜。He did not come. She counted the stars."
OTHER = "三个孩子在田里放风筝。Nobody called them home."


def facts(story: Story, chapter: int, scene: int) -> dict[str, str]:
    found = story.state_of("林婉", chapter=chapter, scene=scene)
    return {} if found is None else found.facts


def test_a_plan_that_is_left_out_stays(story: Story, engine: Engine) -> None:
    plan = ScenePlan(
        title="雨夜",
        summary="Zhao 没有来",
        location="老渡口",
        characters=["赵允"],
        tags=["rain"],
        time="三更",
    )
    story.add_scene(1, 1, FIRST, plan=plan, tags=["draft"])
    before = kept(engine, "scene")[0]
    story.add_scene(1, 1, REVISED)
    (part,) = kept(engine, "scene")
    assert "stars" in part.text
    assert (part.section, part.tags, part.entities, part.metadata) == (
        before.section,
        before.tags,
        before.entities,
        before.metadata,
    )
    (event,) = story.timeline(1)
    assert (event.text, event.place) == ("Zhao 没有来", "老渡口")
    story.add_scene(1, 1, FIRST, plan=ScenePlan(), tags=["二稿"])  # an empty one is told
    (part,) = kept(engine, "scene")
    assert (part.section, part.tags, part.entities) == ("", ("二稿",), ("lin",))
    assert [event.text for event in story.timeline(1)] == ["林婉在码头等船。"]


def test_a_chapter_told_again_keeps_the_plans_of_its_scenes(story: Story, engine: Engine) -> None:
    story.add_scene(1, 1, FIRST, plan=ScenePlan(summary="等船", location="老渡口"))
    story.add_chapter(1, f"{REVISED}\n***\n{OTHER}")
    assert [(e.text, e.place) for e in story.timeline(1)] == [
        ("等船", "老渡口"),
        ("三个孩子在田里放风筝。", ""),
    ]
    story.add_chapter(1, f"## 风筝\n{OTHER}\n***\n{REVISED}")  # another scene is the first one now
    first = story.timeline(1)[0]
    assert (first.text, first.place) == ("风筝", "")


def test_another_text_is_noted_where_states_stay(story: Story) -> None:
    """A scene is put in before another: what was told with the number is of another text."""
    story.add_scene(1, 2, FIRST, states={"林婉": {"臂": "断了"}}, threads=["赵允在哪里？"])
    assert story.add_scene(1, 2, REVISED).notes == []
    added = story.add_chapter(1, f"A.\n***\n{OTHER}\n***\n{REVISED}")
    assert added[0].notes == added[2].notes == []
    (note,) = added[1].notes
    assert note.startswith("1.2 has quite another text than before; ")
    assert "(1 state, 1 thread)" in note
    assert facts(story, 1, 2) == {"臂": "断了"}  # nothing is thrown away
    told = story.add_scene(1, 2, FIRST, states={}, threads=[])
    assert (told.notes, facts(story, 1, 2)) == ([], {})


def test_a_scene_that_grows_or_shrinks_is_the_same(story: Story) -> None:
    story.add_scene(1, 1, FIRST, states={"林婉": {"臂": "断了"}})
    grown = FIRST + "".join(f"第{number}盏灯灭了。" for number in range(30))
    assert story.add_scene(1, 1, grown).notes == []
    assert story.add_scene(1, 1, FIRST).notes == []
    assert len(story.add_scene(1, 1, OTHER).notes) == 1


def test_a_scene_that_a_chapter_no_longer_has(story: Story) -> None:
    story.add_chapter(1, f"A.\n***\n{FIRST}")
    story.record_state("林婉", 1, 2, {"臂": "断了"})
    story.record_state("林婉", 1, 9, {"mood": "of a scene that nobody told yet"})
    (added,) = story.add_chapter(1, "A.")
    assert added.notes == [
        "1.2 is gone; what was recorded there by hand stays, until you remove it"
    ]
    assert story.remove(1, 2) == 1
    assert facts(story, 1, 8) == {}


def answer(state: str, *more: str) -> dict[str, Any]:
    states = [{"entity": "lin", "key": "knows", "value": value} for value in (state, *more)]
    event = {"text": f"she learns {state}", "participants": ["lin"], "place": ""}
    return {"events": [event], "states": states, "threads": [f"why {state}?"]}


def test_what_a_model_found_goes_with_its_text() -> None:
    model = Model(answer("甲"))
    with small_engine(llm=model) as engine:
        story = story_in(engine)
        story.add_scene(1, 1, FIRST, extract=True)
        story.add_scene(1, 1, REVISED)  # a word is changed: still what was found
        assert facts(story, 1, 1) == {"knows": "甲"}
        (note,) = story.add_scene(1, 1, OTHER).notes
        assert note == "1.1: what a language model found in the text before is left out"
        assert (facts(story, 1, 1), story.threads()) == ({}, [])
        assert [event.text for event in story.timeline(1)] == ["三个孩子在田里放风筝。"]

        story.add_scene(1, 1, FIRST, extract=True)
        model.answer = {"events": [], "states": [], "threads": []}
        story.add_scene(1, 1, FIRST, extract=True)  # asked again, it finds nothing
        assert (facts(story, 1, 1), story.threads()) == ({}, [])
        assert [event.text for event in story.timeline(1)] == ["林婉在码头等船。"]

        model.answer = answer("乙")
        story.add_scene(1, 1, FIRST, extract=True)
        model.answer = ConnectionError("gone")
        story.add_scene(1, 1, OTHER, extract=True)  # who cannot ask throws nothing away
        assert facts(story, 1, 1) == {"knows": "乙"}


def test_a_model_does_not_replace_what_was_told_before() -> None:
    with small_engine(llm=Model(answer("甲"))) as engine:
        story = story_in(engine)
        story.add_scene(1, 1, FIRST, states={"林婉": {"臂": "断了"}}, events=["她等船"])
        added = story.add_scene(1, 1, REVISED, extract=True)
        assert (added.states, added.events, len(added.threads)) == (0, 0, 1)
        assert facts(story, 1, 1) == {"臂": "断了"}
        assert [event.text for event in story.timeline(1)] == ["她等船"]


def test_two_findings_of_one_key_both_hold() -> None:
    with small_engine(llm=Model(answer("甲", "who set the fire", "甲"))) as engine:
        story = story_in(engine)
        story.add_scene(1, 1, FIRST, extract=True)
        assert facts(story, 1, 1) == {"knows": "甲; who set the fire"}


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("林碗婉", "林婉"),
        ("Lin Wna", "Lin Wan"),
        ("Capitain", "Captain"),
        ("Zhao Yung", "Zhao Yun"),
    ],
)
def test_a_slip_of_the_pen_is_noted(story: Story, told: str, meant: str) -> None:
    note = f"'{told}' is nobody of the cast; did you mean '{meant}'?"
    event = {"text": "走", "participants": [told]}
    for given in (
        {"plan": {"characters": [told]}},
        {"states": {told: {"a": "b"}}, "allow_new": True},
    ):
        assert story.add_scene(1, 1, OTHER, **given).notes == [note]
    assert story.add_scene(1, 1, OTHER, states={}, plan={}, events=[event]).notes == [note]
    context = story.scene_context({"characters": [told]}, None, 2, 1)
    assert f"characters: {note}" in context.missing
    assert story.doubts([told, "Mr. Quite Another", "路人", "林婉", "captain"]) == [note]


def test_a_scene_is_of_its_place(story: Story) -> None:
    """A place of the cast that the plan names and the text does not."""
    story.add_scene(1, 1, "They ate. 他们睡了。", plan={"location": "老渡口，屋里"})
    assert story.timeline(1)[0].participants == ["ferry"]
    assert [m.text for m in story.search("ate 睡", entities=["Old Ferry"])] == [
        "They ate. 他们睡了。"
    ]
    story.set_cast([Character(id="dock", name="老渡口")])
    assert story.timeline(1)[0].participants == ["dock"]
    assert story.search("ate 睡", entities=["dock"])[0].entities == ["dock"]
