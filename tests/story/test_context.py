"""The context of a scene: what must be in it, what must never be, and what fails alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.settings import Settings
from bethink.story import Cast, Character, SceneMemoryContext, ScenePlan, Story
from tests.story.telling import CAST, story_in
from tests.story.test_scenes import Model

PLAN = ScenePlan(
    title="Back at the ferry",
    summary="林婉 returns to the old ferry and meets 赵允.",
    location="老渡口",
    characters=["阿婉", "王爷"],
    beats=["her arm still hurts", "他问起月剑的下落"],
)


def told(story: Story) -> Story:
    """Five chapters; the fifth is the future of what is asked for."""
    story.add_scene(
        1, 1, "林婉在码头受了伤，左臂流血。The blade was poisoned.",
        plan={"location": "码头", "summary": "林婉 is wounded at the dock"},
        states={"林婉": {"left arm": "injured"}, "月剑": {"holder": "Lin Wan"}},
        threads=["谁在刀上下了毒？ Who poisoned the blade that hit Lin Wan?"],
    )  # fmt: skip
    story.add_scene(
        2, 1, "Zhao Yun hid a letter under the floor of the old ferry. 赵允没有告诉任何人。",
        plan={"location": "老渡口"}, states={"赵允": {"secret": "the letter"}},
    )  # fmt: skip
    story.add_scene(3, 1, "Two gardeners argued about turnips all afternoon.")
    story.add_scene(4, 1, "雨停了。Lin Wan slept badly, and her arm ached.")
    story.add_scene(
        5, 1, "FUTURE 未来: Lin Wan's arm is healed; 月剑 belongs to the prince at the old ferry.",
        plan={"location": "老渡口"},
        states={"林婉": {"left arm": "healed"}, "月剑": {"holder": "赵允"}},
        threads=["FUTURE 林婉?"],
    )  # fmt: skip
    return story


def test_what_an_author_must_know(story: Story) -> None:
    told(story)
    context = story.scene_context(PLAN, CAST, 4, 2)
    states = {state.entity_id: state.facts for state in context.entity_states}
    assert states == {
        "lin": {"left arm": "injured"},
        "zhao": {"secret": "the letter"},
        "sword": {"holder": "Lin Wan"},  # named in a beat
    }
    texts = [memory.text for memory in context.relevant_memories]
    assert any("letter under the floor" in text for text in texts)
    assert any("左臂流血" in text for text in texts)
    assert not any("turnips" in text for text in texts)  # of nobody in the scene
    previous = [m for m in context.relevant_memories if "the scene before" in m.reason]
    assert [(m.chapter, m.scene) for m in previous] == [(4, 1)]
    assert [e.chapter for e in context.events] == [1, 2, 3, 4]
    assert [t.opened_at.chapter for t in context.open_threads] == [1]
    assert (context.project_id, context.chapter_index, context.scene_index) == ("river", 4, 2)
    assert 2 <= len(context.phrases) <= 5
    assert context.status == "answered"  # complete; who wants a model is told that there is none
    assert context.missing == []
    assert context.notes == ["language model: none is set; the phrases are made by rules"]


def test_nothing_is_from_the_future_unless_it_is_asked_for(story: Story) -> None:
    told(story)
    for chapter, scene in ((4, 2), (5, 0), (5, 1)):  # the scene itself is not its own past
        now = story.scene_context(PLAN, None, chapter, scene)
        assert "FUTURE" not in now.model_dump_json()
        assert "healed" not in now.model_dump_json()
    ahead = story.scene_context(PLAN, None, 4, 2, allow_future=True)
    assert any("FUTURE" in memory.text for memory in ahead.relevant_memories)
    assert ahead.entity_states[0].facts == {"left arm": "healed"}
    assert ahead.events[-1].chapter == 5
    assert len(ahead.open_threads) == 2


def test_what_is_in_their_hands_comes_with_them(story: Story) -> None:
    told(story)
    plan = ScenePlan(characters=["Captain"])
    assert [s.entity_id for s in story.scene_context(plan, None, 4, 2).entity_states] == [
        "lin",
        "sword",
    ]


def test_scores_order_the_memories_not_the_phrases(engine: Engine) -> None:
    story = story_in(engine)
    story.add_scene(1, 1, "Lin Wan buys bread.")
    story.add_scene(1, 2, "林婉把毒药藏在井里 under the temple bell.")
    story.add_scene(1, 3, "Lin Wan sleeps.")
    plan = ScenePlan(
        title="bread and rain", characters=["林婉"], beats=["毒药 井 temple bell", "毒药 the bell"]
    )
    context = story.scene_context(plan, None, 2, 1)
    scores = [memory.score for memory in context.relevant_memories]
    assert scores == sorted(scores, reverse=True)
    assert context.relevant_memories[0].scene == 2  # though the first phrase finds the first scene
    ids = [memory.id for memory in context.relevant_memories]
    assert len(ids) == len(set(ids))


def test_what_is_of_others_fills_up_and_pushes_nothing_out(engine: Engine) -> None:
    story = story_in(engine)
    story.add_scene(1, 1, "赵允 hides the poison 毒药 in the well 井.")
    story.add_scene(1, 2, "林婉 talks of the poison 毒药 in the well 井, idly.")
    story.add_scene(1, 3, "Rain.")
    plan = ScenePlan(title="the poison 毒药 in the well 井", characters=["林婉"])
    mine, other = (
        [m for m in story.scene_context(plan, None, 2, 1).relevant_memories if m.scene == scene]
        for scene in (2, 1)
    )
    assert mine[0].score > other[0].score
    assert other[0].reason.endswith("(of others)")


def test_the_scene_before_is_always_there(story: Story) -> None:
    for scene in range(1, 15):
        story.add_scene(1, scene, f"林婉在渡口等船，第{scene}次。The ferry, the ferry, {scene}.")
    story.add_scene(1, 15, "Quite another thing: 两个陌生人下棋。")
    context = story.scene_context({"title": "渡口 ferry", "characters": ["林婉"]}, None, 1, 16)
    assert len(context.relevant_memories) == 10
    (before,) = [m for m in context.relevant_memories if m.scene == 15]
    assert before.reason.startswith("the scene before")


def test_notes_about_the_world_belong_to_no_scene(story: Story, engine: Engine) -> None:
    engine.remember("The old ferry 老渡口 has no light since the war.", space="river", kind="world")
    told(story)
    found = story.scene_context({"title": "the old ferry light"}, None, 1, 2).relevant_memories
    assert [m.content_type for m in found if m.chapter is None] == ["world"]
    assert [m.text for m in story.search("ferry light", content_type="world")] == [
        "The old ferry 老渡口 has no light since the war."
    ]


def test_search_is_filtered(story: Story) -> None:
    story.add_scene(1, 1, "林婉 at the dock 码头.", tags=["draft"], events=["码头 dock burns"])
    story.add_scene(2, 1, "赵允 at the dock 码头.")
    assert {m.chapter for m in story.search("dock 码头")} == {1, 2}
    assert {m.chapter for m in story.search("dock 码头", before=(2, 1))} == {1}
    assert {m.content_type for m in story.search("dock", content_type="event")} == {"event"}
    assert [m.chapter for m in story.search("dock", tags=["draft"])] == [1]
    assert {m.chapter for m in story.search("dock", entities=["王爺", "sword"])} == {2}
    assert len(story.search("dock 码头", top_k=1)) == 1
    with pytest.raises(InvalidInput):
        story.search("")
    for wrong in (
        {"content_type": ""}, {"tags": "draft"}, {"entities": "林婉"}, {"before": (1,)},
        {"top_k": 0}, {"entities": [5]},
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            story.search("dock", **wrong)


def test_a_story_that_is_not_begun(story: Story) -> None:
    assert Story(story.engine, "nothing-yet").search("anything") == []
    context = Story(story.engine, "nothing-yet").scene_context(PLAN, None, 1, 1)
    assert (context.entity_states, context.relevant_memories, context.events) == (
        [],
        [],
        [],
    )
    assert (context.status, context.missing) == ("empty", [])


def test_a_name_of_two_is_said_and_the_rest_goes_on(story: Story) -> None:
    cast = Cast(
        characters=[*CAST.characters, Character(id="li", name="李和", titles=["王爷", "大人"])]
    )
    told(story)
    context = story.scene_context(PLAN, cast, 4, 2)
    assert any("'王爷' is the title of zhao, li" in one for one in context.missing)
    assert {"lin", "zhao"} <= {state.entity_id for state in context.entity_states}  # by the summary


def test_a_cast_of_the_caller_joins_the_one_that_is_kept(story: Story) -> None:
    told(story)
    own = [Character(id="other-id", name="林婉", aliases=["小林"]), Character(name="阿福")]
    story.record_state("阿福", 1, 1, {"job": "cook 厨子"}, allow_new=True)
    context = story.scene_context(ScenePlan(characters=["小林", "阿福"]), own, 4, 2)
    assert [s.entity_id for s in context.entity_states if s.entity_id != "sword"] == ["lin", "阿福"]
    by_name = story.scene_context(ScenePlan(), ["小林", "阿婉", "Captain"], 4, 2)
    assert "lin" in {s.entity_id for s in by_name.entity_states}


def test_it_survives_json(story: Story) -> None:
    told(story)
    context = story.scene_context(PLAN.model_dump(), CAST.model_dump(), 4, 2)
    assert SceneMemoryContext.model_validate_json(context.model_dump_json()) == context


# With a language model


def test_a_model_names_who_and_what_to_look_for() -> None:
    answer = {
        "entities": ["月剑", "Lin Wan", "Sauron"],
        "events": ["the wound at the dock"],
        "phrases": ["who poisoned the blade 毒", "  ", "the letter under the floor", "毒药"],
    }
    model = Model(answer)
    with Engine.in_memory(embedder="hashing", settings=Settings(), llm=model) as engine:
        story = told(story_in(engine))
        context = story.scene_context(ScenePlan(title="Night 夜", characters=["林婉"]), None, 4, 2)
    asked = model.asked[-1]
    assert asked["plan"]["title"] == "Night 夜"
    assert asked["in_the_scene"] == ["lin"]
    assert asked["scene_before"].startswith("雨停了。")
    assert context.phrases == [
        "who poisoned the blade 毒", "the letter under the floor", "毒药",
    ]  # fmt: skip
    assert {"lin", "sword"} <= {s.entity_id for s in context.entity_states}
    assert context.notes == ["the language model's 'Sauron' was left out: nobody of the cast"]
    assert (context.status, context.missing) == ("answered", [])


def test_a_model_may_use_titles() -> None:
    model = Model(
        {"entities": ["the captain", "王爷大人"], "events": [], "phrases": ["雨", "rain"]}
    )
    with Engine.in_memory(embedder="hashing", settings=Settings(), llm=model) as engine:
        context = told(story_in(engine)).scene_context({"title": "Night 夜"}, None, 4, 2)
    assert {"lin", "zhao"} <= {state.entity_id for state in context.entity_states}
    assert context.missing == []


def test_answered_with_a_model_nothing_is_missing() -> None:
    model = Model({"entities": ["lin"], "events": [], "phrases": [f"phrase {n}" for n in range(9)]})
    with Engine.in_memory(embedder="hashing", settings=Settings(), llm=model) as engine:
        story = story_in(engine)
        empty = story.scene_context(PLAN, None, 4, 2)
        assert (empty.status, empty.missing) == ("empty", [])
        context = told(story).scene_context(PLAN, None, 4, 2)
    assert (context.status, context.missing) == ("answered", [])
    assert context.phrases == [f"phrase {n}" for n in range(5)]


@pytest.mark.parametrize(
    "answer",
    ["nonsense", {"phrases": "one"}, {"entities": [], "phrases": ["  ", 7]}, TimeoutError("slow"),
     {"entities": None, "phrases": ["x"]}],
)  # fmt: skip
def test_a_model_that_fails_is_replaced_by_rules(answer: Any) -> None:
    with Engine.in_memory(embedder="hashing", settings=Settings(), llm=Model(answer)) as engine:
        context = told(story_in(engine)).scene_context(PLAN, None, 4, 2)
    assert_rest_answers(context)
    assert context.relevant_memories
    assert [one for one in context.missing if one.startswith("language model: ")]
    assert context.status == "degraded"


class HungModel(Model):
    def __init__(self) -> None:
        super().__init__("{}")
        self.released = threading.Event()

    def complete(
        self, instructions: str, data: str, *, schema: Mapping[str, Any] | None, seconds: float
    ) -> str:
        self.released.wait(60)
        return "{}"


def test_a_model_that_hangs_leaves_time_for_the_rest() -> None:
    model = HungModel()
    with Engine.in_memory(embedder="hashing", settings=Settings(), llm=model) as engine:
        story = told(story_in(engine))
        began = time.monotonic()
        context = story.scene_context(PLAN, None, 4, 2, deadline=2.0)
        took = time.monotonic() - began
        model.released.set()
    assert took < 30  # it waits for a minute
    assert_rest_answers(context)
    assert context.relevant_memories
    assert any("told: it did not answer within" in one for one in context.missing)


def assert_rest_answers(context: SceneMemoryContext) -> None:
    assert {"lin", "zhao"} <= {state.entity_id for state in context.entity_states}
    assert context.events
    assert context.open_threads


@pytest.mark.parametrize("deadline", [0, -1, float("nan"), "soon", True])
def test_a_deadline_is_a_time(story: Story, deadline: Any) -> None:
    with pytest.raises(InvalidInput, match="deadline"):
        story.scene_context(PLAN, None, 1, 1, deadline=deadline)


def test_input_that_makes_no_sense_is_refused(story: Story) -> None:
    with pytest.raises(InvalidInput, match=r"the plan: beats: .*its fields are title"):
        story.scene_context({"beats": 7}, None, 1, 1)
    with pytest.raises(InvalidInput, match="the cast"):
        story.scene_context(PLAN, {"characters": [{"id": "x"}]}, 1, 1)
    with pytest.raises(InvalidInput, match="chapter"):
        story.scene_context(PLAN, None, -1, 1)
