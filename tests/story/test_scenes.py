"""The write side: what a scene leaves behind, so that nobody ever searches an empty memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from bethink import Engine, Memory
from bethink.errors import InvalidInput, NotFound
from bethink.story import Character, ScenePlan, Story
from bethink.story.splitting import PART_CHARS, first_sentence, parts_of, scenes_of
from tests.story.telling import CAST, small_engine, story_in

TEXT = "林婉在码头受了伤，左臂流血。\n\nShe said: “It is nothing.” 王爷站在雨里。"


def kept(engine: Engine, kind: str, project: str = "river") -> list[Memory]:
    page = engine.list(spaces=project, where={"kind": kind}, newest_first=False, limit=100)
    return page.memories


def test_a_scene_fills_in_who_is_in_it(story: Story, engine: Engine) -> None:
    """Entities that are filtered on must be written: an empty column empties every answer."""
    added = story.add_scene(
        1, 2, TEXT, plan=ScenePlan(location="码头", tags=["雨"]), tags=["draft"]
    )
    assert added.entities == ["lin", "zhao"]
    (part,) = kept(engine, "scene")
    assert part.entities == ("lin", "zhao")
    assert part.tags == ("雨", "draft")
    assert (part.metadata["chapter"], part.metadata["scene"]) == (1, 2)
    (event,) = kept(engine, "event")  # nobody told what happens: it still has its place in time
    assert (event.text, event.metadata["place"]) == ("林婉在码头受了伤，左臂流血。", "码头")
    assert story.search("受伤 injured", entities=["Captain"])[0].id == part.id
    assert story.search("受伤 injured", entities=["sword"]) == []


def test_one_whom_only_the_plan_names_is_in_it(story: Story) -> None:
    added = story.add_scene(1, 1, "我没有回头。I did not look back.", plan={"characters": ["阿婉"]})
    assert added.entities == ["lin"]


def test_a_name_holds_for_the_part_after_it(story: Story, engine: Engine) -> None:
    long = "她走了很久，没有停下来。" * 90
    story.add_scene(1, 1, f"林婉走了。{long}\n\n赵允留下。{'He waited. ' * 120}")
    parts = kept(engine, "scene")
    assert len(parts) > 2
    assert "lin" in parts[1].entities
    assert all(part.entities for part in parts)


def test_told_again_it_replaces_what_was_told(story: Story, engine: Engine) -> None:
    story.add_scene(
        1, 1, "林婉受伤。" * 400, states={"林婉": {"arm": "injured"}}, events=["a fight 打斗"],
        threads=["谁是凶手？"],
    )  # fmt: skip
    assert len(kept(engine, "scene")) > 1
    story.record_state("林婉", 1, 1, {"mood": "by hand"})
    story.add_scene(1, 1, "林婉没有受伤。She is well.")
    assert [part.text for part in kept(engine, "scene")] == ["林婉没有受伤。She is well."]
    assert [event.text for event in kept(engine, "event")] == ["a fight 打斗"]  # not told again
    story.add_scene(1, 1, "林婉没有受伤。", states={"林婉": {"arm": "well"}}, events=[], threads=[])
    assert kept(engine, "event") == kept(engine, "thread") == []
    found = story.state_of("林婉", chapter=1, scene=1)
    assert found is not None
    assert found.facts == {"arm": "well", "mood": "by hand"}
    assert found.contradictions == []
    assert [m.text for m in story.search("打斗 fight 受伤")] == ["林婉没有受伤。"]


def test_a_cast_that_comes_later_finds_who_is_in_what_was_told(engine: Engine) -> None:
    story = story_in(engine, cast=None)
    story.add_scene(1, 1, TEXT, threads=["林婉会回来吗？"])
    assert kept(engine, "scene")[0].entities == ()
    story.set_cast(CAST)
    for kind in ("scene", "event", "thread"):
        assert "lin" in kept(engine, kind)[0].entities, kind
    assert [m.content_type for m in story.search("码头 dock", entities=["Lin Wan"])] == ["scene"]
    story.set_cast([Character(id="x", name="Nobody")])
    assert kept(engine, "scene")[0].entities == ()


def test_a_chapter_is_cut_into_scenes(story: Story, engine: Engine) -> None:
    chapter = (
        "# 第三章 渡口\n\n林婉来了。\n\n***\n\n赵允走了。\n\n## Scene 3: The Ferry\nLin Wan waits."
    )
    added = story.add_chapter(3, chapter)
    assert [(one.scene, one.entities) for one in added] == [
        (1, ["lin"]),
        (2, ["zhao"]),
        (3, ["lin"]),
    ]
    assert [m.section for m in kept(engine, "scene")] == ["", "", "The Ferry"]
    story.record_state("林婉", 3, 3, {"mood": "by hand"})
    story.add_chapter(3, "林婉来了。")
    assert [m.metadata["scene"] for m in kept(engine, "scene")] == [1]
    assert [m.metadata["scene"] for m in kept(engine, "event")] == [1]
    assert len(kept(engine, "entity_state")) == 1  # told by hand, not with a scene


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("第一章\n甲。\n\n＊＊＊\n乙。", ["甲。", "乙。"]),
        ("Chapter One\nA.\n\n* * *\n\nB.\n---\nC.", ["A.", "B.", "C."]),
        ("第一场 码头\n甲。\n第二場：雨夜\n乙。", ["甲。", "乙。"]),
        ("Scene 1\nA.\nscene 2 - Night\nB. The scene 2 ends.", ["A.", "B. The scene 2 ends."]),
        ("# Title\n## One\nA.\n## 二\n乙。", ["A.", "乙。"]),
        ("甲。\r\n⁂\r\n乙。", ["甲。", "乙。"]),
        ("一场大雨。\n第二天她走了。", ["一场大雨。\n第二天她走了。"]),
        ("\n\n***\n", []),
        ("第三章 他是谁？\n甲。\n第二场 谁在敲门？\n乙。", ["甲。", "乙。"]),
        ("Chapter Twenty-One: Rain\nA.\nScene Two\nB.", ["A.", "B."]),
        ("---\ntitle: Rain\ntags:\n  - draft\n---\n# One\nA.", ["A."]),
        ("---\nann: no\nbob: yes\n---\nA.", ["ann: no\nbob: yes", "A."]),
    ],
)  # fmt: skip
def test_where_scenes_part(text: str, texts: list[str]) -> None:
    assert [scene.text for scene in scenes_of(text)] == texts


@pytest.mark.parametrize(
    "text",
    [
        "第一场雪下得很大，他站在院子里。",
        "第一场雪落下来的时候，顾长河站在楼上",
        "第一回见到她，是在江边。\n她笑了。",
        "他推开门。\n第二节课的铃响了，孩子们跑出来。\n雪还在下。",
        "第一场、第二场他都输了。",
        "Chapter house bells rang over the town.\nShe woke.",
        "Chapter one of the book lay open on her knee,\nunread.",
        "Scene 3 of the play bored her.\nShe left.",
    ],
)
def test_prose_that_begins_like_a_heading_is_not_lost(text: str) -> None:
    assert [scene.text for scene in scenes_of(text)] == [text]


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("Mr. Hart came. He left.", "Mr. Hart came."),
        ("Dr. J. R. Pike met St. John. They ate.", "Dr. J. R. Pike met St. John."),
        ("So did I. Then he left.", "So did I."),
        ("# 第1章\n\n雨下了三天。他走了。", "雨下了三天。"),
        ("Scene 3\n***\nHe came. He left.", "He came."),
        ("第一场雪。他走了。", "第一场雪。"),
    ],
)
def test_the_event_of_a_scene_is_a_whole_sentence_of_it(
    story: Story, text: str, event: str
) -> None:
    story.add_scene(1, 1, text)
    assert [entry.text for entry in story.timeline(1)] == [event]


@pytest.mark.parametrize(
    "sentence", ["他来了，又走了。", "He came, and went again. ", "x", "“走！”他说"]
)
def test_parts_end_where_sentences_do(sentence: str) -> None:
    text = sentence * 700
    parts = parts_of(text)
    assert all(0 < len(part) <= PART_CHARS for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())  # nothing is lost
    if sentence.strip()[-1] in "。.":
        assert all(part[-1] in "。." for part in parts)


@pytest.mark.parametrize("text", ["", " \n", None, 7])
def test_nothing_is_added_of_nothing(story: Story, engine: Engine, text: Any) -> None:
    with pytest.raises(InvalidInput, match="nothing to add"):
        story.add_scene(1, 1, text)
    with pytest.raises(InvalidInput, match="nothing to add"):
        story.add_chapter(1, text)
    with pytest.raises(InvalidInput, match="half a character"):
        story.add_scene(1, 1, "林婉 \ud800")
    with pytest.raises(InvalidInput):
        story.add_scene(1, 1, "林婉。", states={"林婉": {}})
    assert kept(engine, "scene") == []  # all of it or nothing


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"states": [1]}, "states: expected an object"),
        ({"states": {"": {"a": "b"}}}, "is no name"),
        ({"threads": "谁？"}, "threads: expected a list"),
        ({"threads": [5]}, "threads: expected a list"),
        ({"tags": "雨"}, "tags: expected a list"),
        ({"events": [{"text": "x", "who": "y"}]}, "an event: who: "),
        ({"events": [7]}, "an event: "),
        ({"plan": {"characters": "林婉"}}, "the plan: characters: "),
    ],
)
def test_what_is_told_with_a_scene_is_checked_first(
    story: Story, engine: Engine, told: Any, said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        story.add_scene(1, 1, TEXT, **told)
    assert kept(engine, "scene") == []


def test_threads_open_and_close_where_they_do(story: Story) -> None:
    first = story.open_thread("谁伤了林婉？", 2, 1)
    other = story.open_thread("Where is the sword?", 3, 1, entities=["月劍", "Captain"])
    assert story.threads(1, 9) == []
    closed = story.close_thread(first, 5, 2, resolution="赵允 did it")
    assert closed.closed_at is not None
    assert (closed.closed_at.chapter, closed.closed_at.scene) == (5, 2)
    assert [t.id for t in story.threads(5, 1)] == [first, other]
    (there, _) = story.threads(4, 0)
    assert (there.closed_at, there.resolution) == (None, "")  # nobody knows it yet
    assert [t.id for t in story.threads(5, 2)] == [other]
    assert [t.resolution for t in story.threads(5, 2, closed=True)] == ["赵允 did it", ""]
    assert [t.id for t in story.threads(entities=["阿婉"])] == [other]
    assert story.open_thread("谁伤了林婉？", 2, 1) == first  # told again, it stays closed
    assert [t.id for t in story.threads()] == [other]
    with pytest.raises(InvalidInput, match=r"opened in 3\.1 and cannot be closed before"):
        story.close_thread(other, 2, 9)
    with pytest.raises(NotFound, match="no thread"):
        story.close_thread("nothing", 5, 1)
    with pytest.raises(InvalidInput):
        story.open_thread("  ", 1, 1)


def test_the_timeline_ends_with_the_scene(story: Story) -> None:
    for chapter in range(1, 8):
        story.add_scene(chapter, 1, f"赵允 tells day {chapter}. 第{chapter}天。", events=[
            {"text": f"day {chapter} 天", "participants": ["王爷"], "place": "老渡口"},
        ])  # fmt: skip
        story.add_scene(chapter, 2, f"night {chapter}.", events=[f"night {chapter} 夜"])
    told = story.timeline(5, 1, window=2)
    assert [e.text for e in told] == [
        "day 3 天", "night 3 夜", "day 4 天", "night 4 夜", "day 5 天",
    ]  # fmt: skip
    assert (told[0].participants, told[0].place) == (["zhao"], "老渡口")
    assert [e.text for e in story.timeline(5, window=0)] == ["day 5 天", "night 5 夜"]
    ahead = story.timeline(5, 1, window=1, allow_future=True)
    assert {e.chapter for e in ahead} == {4, 5, 6}
    story.record_state("林婉", 5, 1, {"臂": "受伤"})
    both = story.timeline(5, 1, window=0, states=True)
    assert [e.content_type for e in both] == ["event", "entity_state"]


def test_what_is_told_of_long_ago_says_so(story: Story) -> None:
    """A look back stands where it is told, and must not be taken for what happens now."""
    story.add_scene(1, 1, "林婉等船。")
    story.add_scene(
        1, 2, "林婉那时还小。She ran.", plan=ScenePlan(time="三年前 three years before")
    )
    story.add_scene(1, 3, "那年林婉病了。", plan={"time": "三年前"}, events=["林婉病了"])
    then = ["", "三年前 three years before", "三年前"]
    assert [entry.time for entry in story.timeline(1)] == then
    context = story.scene_context({"summary": "林婉病了 ran", "characters": ["林婉"]}, None, 2, 1)
    assert [entry.time for entry in context.events] == then
    by_scene = {m.scene: m.time for m in context.relevant_memories}
    assert (by_scene[2], by_scene[3]) == (then[1], then[2])


def test_stories_know_nothing_of_each_other(engine: Engine) -> None:
    one, other = story_in(engine, "one/甲"), story_in(engine, "two/乙")
    one.add_scene(1, 1, TEXT, states={"林婉": {"arm": "injured"}}, threads=["林婉？"])
    assert other.state_of("林婉", chapter=9, scene=9) is None
    assert other.search("林婉 dock") == []
    assert other.timeline(9) == []
    assert other.threads() == []
    context = other.scene_context(ScenePlan(characters=["林婉"]), None, 2, 1)
    assert context.entity_states == []
    assert context.relevant_memories == []
    assert one.remove(1, 1) == 4
    assert one.search("林婉 dock") == []


def test_everything_is_a_memory(story: Story, engine: Engine) -> None:
    """Export, forget, redaction and history hold for stories as for everything else."""
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6"
    added = story.add_scene(1, 1, f"林婉 wrote {key} on the wall.", states={"林婉": {"note": key}})
    exported = json.dumps(list(engine.export(spaces=["river"])), ensure_ascii=False, default=str)
    assert key not in exported
    assert any("redacted" in note for note in added.notes)
    with small_engine() as another:
        another.import_many(engine.export(spaces=["river"]))
        copy = Story(another, "river")
        assert copy.cast() == CAST
        assert [m.text for m in copy.search("wall")] == [m.text for m in story.search("wall")]
    engine.forget(added.memory_ids[0])
    assert story.search("wall") == []
    engine.forget_space("river")
    assert story.cast().characters == []


class Model:
    """Answers as it is told; no class of ours stands behind it."""

    name = "told"

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[Mapping[str, Any]] = []

    def complete(
        self, instructions: str, data: str, *, schema: Mapping[str, Any] | None, seconds: float
    ) -> str:
        self.asked.append(json.loads(data))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer if isinstance(self.answer, str) else json.dumps(self.answer)


def test_a_model_extracts_what_the_cast_knows() -> None:
    model = Model(
        {
            "events": [
                {"text": "林婉 is wounded", "participants": ["阿婉", "Gandalf"], "place": "码头"},
                {"text": "", "participants": [], "place": ""}, "no event",
            ],
            "states": [
                {"entity": "LIN", "key": "左臂", "value": "受伤"},
                {"entity": "Gandalf", "key": "hat", "value": "grey"},
                {"entity": "lin", "key": "", "value": "x"}, 7,
            ],
            "threads": ["谁伤了林婉？", " ", 3],
        }
    )  # fmt: skip
    with small_engine(llm=model) as engine:
        story = story_in(engine)
        added = story.add_scene(1, 1, TEXT, extract=True)
        assert [one["id"] for one in model.asked[0]["cast"]] == ["lin", "zhao", "sword", "ferry"]
        assert (added.events, added.states, len(added.threads)) == (1, 1, 1)
        assert added.notes == ["the language model's 'Gandalf' was left out: nobody of the cast"]
        (event,) = story.timeline(1, 1)
        assert (event.participants, event.place) == (["lin"], "码头")
        found = story.state_of("林婉", chapter=1, scene=1)
        assert found is not None
        assert found.facts == {"左臂": "受伤"}
        # what is told counts more
        again = story.add_scene(1, 1, TEXT, states={}, events=["told"], extract=True)
        assert (again.events, again.states) == (1, 0)
        assert story.state_of("林婉", chapter=1, scene=1) is None


@pytest.mark.parametrize("answer", ["no JSON", {"events": []}, ConnectionError("gone"), {}])
def test_a_model_that_fails_costs_nothing_but_its_findings(answer: Any) -> None:
    with small_engine(llm=Model(answer)) as engine:
        story = story_in(engine)
        added = story.add_scene(1, 1, TEXT, extract=True)
        assert added.entities == ["lin", "zhao"]  # by rules
        assert [note for note in added.notes if note.startswith("nothing was extracted: ")]
        assert [e.text for e in story.timeline(1)] == ["林婉在码头受了伤，左臂流血。"]


LONG = "Tobin stood at the back of the hall with Greywake at his hip and said what"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (f"{LONG}\nthey all thought. Wim smiled.", f"{LONG} they all thought."),
        (f"# One\n\n{LONG}\r\nthey thought.\r\n", f"{LONG} they thought."),
        ("沈大夫就着烛火接骨，用的是两块桶板，嘴里念着三十年前\n师父教的口诀。她说。",
         "沈大夫就着烛火接骨，用的是两块桶板，嘴里念着三十年前师父教的口诀。"),
        ("沈大夫就着烛火接骨，手里是 two old staves from\nthe cooper's yard。",
         "沈大夫就着烛火接骨，手里是 two old staves from the cooper's yard。"),
        # what stands alone stays alone: a title, verses, another paragraph, speech
        ("雨夜\n林雀来了。", "雨夜"),
        ("The Yard\nMara came.", "The Yard"),
        (f"{LONG}\n\nMara came.", LONG),
        (f"{LONG}\n　　林雀来了。", LONG),
        (f"{LONG}\n“No,” said Mara.", LONG),
        ("沈大夫就着烛火接骨，用的是两块桶板，嘴里念着三十年前的口诀。\n林雀来了。",
         "沈大夫就着烛火接骨，用的是两块桶板，嘴里念着三十年前的口诀。"),
        (f"{LONG}\n***\nMara came.", LONG),
    ],
)  # fmt: skip
def test_a_sentence_goes_on_in_the_next_line_where_lines_are_of_one_width(
    text: str, first: str
) -> None:
    assert first_sentence(text) == first
