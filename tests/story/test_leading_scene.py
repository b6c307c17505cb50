"""The scene that a plan is about leads its context, whoever is named in that scene."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.settings import Settings
from bethink.story import SceneMemoryContext, Story


class Novel(NamedTuple):
    cast: list[dict[str, Any]]
    scenes: list[str]  # of chapters 1 to 3, three each; the letter is in 3.2
    plan: dict[str, Any]
    words: str  # of the text: whom the teller can link
    name: str


ENGLISH = Novel(
    [
        {"id": "mara", "name": "Mara Venn", "aliases": ["Mara"]},
        {"id": "tobin", "name": "Tobin Hale", "aliases": ["Tobin"]},
        {"id": "corin", "name": "Corin"},
        {"id": "who", "name": "Tamsin Reed", "aliases": ["Tamsin"]},
    ],
    [
        "Mara counted the crates on the quay. Tobin said the tide would not wait.",
        "At the inn Tobin sang of the drowned king, and Mara paid for the beer.",
        "Mara and Tobin rowed out to the wreck. They found rope and a lantern.",
        "Tobin mended the net. Mara watched the harbour and thought of her father.",
        "Rain. Mara sat with Tobin under the sailcloth; they shared the last bread.",
        "Tobin caught two eels in the morning and Mara would not eat them.",
        "Mara quarrelled with Tobin about the price of tar.",
        "Corin swept the stairs. Above him the widow took out a letter with a black seal. Her "
        "husband had written the night he died, and hid it again behind the loose brick.",
        "Mara slept badly, and Tobin did not sleep at all.",
    ],
    {
        "title": "The letter with the black seal",
        "summary": "Mara finds the letter that the husband wrote the night he died.",
        "characters": ["Mara", "Tobin"],
        "beats": ["Tobin keeps watch at the door"],
    },
    "the widow",
    "Tamsin",
)
CHINESE = Novel(
    [
        {"id": "shen", "name": "沈青"},
        {"id": "liu", "name": "柳三"},
        {"id": "corin", "name": "老魏"},
        {"id": "who", "name": "阿灵"},
    ],
    [
        "沈青在码头清点货物。柳三说潮水不等人。",
        "客栈里柳三唱起了老歌，沈青付了酒钱。",
        "沈青和柳三划船去看沉船，只找到绳子和一盏灯。",
        "柳三补网。沈青望着海港，想起父亲。",
        "下雨了。沈青和柳三躲在帆布下，分吃最后一块饼。",
        "早上柳三钓了两条鳗鱼，沈青不肯吃。",
        "沈青和柳三为桐油的价钱吵了一架。",
        "老魏在扫楼梯。楼上，小姑娘从砖缝里取出一封盖着黑印的信，那是她爹临死那夜写的，看完又藏了回去。",
        "沈青睡得不安稳，柳三一夜没睡。",
    ],
    {
        "title": "黑印的信",
        "summary": "沈青找到那封她爹临死那夜写下的信。",
        "characters": ["沈青", "柳三"],
        "beats": ["柳三守在门口"],
    },
    "小姑娘",
    "阿灵",
)
NOVELS = pytest.mark.parametrize("novel", [ENGLISH, CHINESE], ids=["en", "zh"])


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory(embedder="use-m", settings=Settings()) as one:
        yield one


def told(engine: Engine, novel: Novel, **with_the_letter: Any) -> Story:
    story = Story(engine, "p")
    story.set_cast(novel.cast)
    for number, text in enumerate(novel.scenes):
        beside = with_the_letter if number == 7 else {}
        story.add_scene(number // 3 + 1, number % 3 + 1, text, **beside)
    return story


def places(context: SceneMemoryContext) -> list[tuple[int | None, int | None]]:
    return [(one.chapter, one.scene) for one in context.relevant_memories]


@NOVELS
def test_a_scene_of_others_leads_when_the_plan_is_about_it(engine: Engine, novel: Novel) -> None:
    """Scene 3.2 names nobody of the plan. A filter by entity would leave it out."""
    context = told(engine, novel).scene_context(novel.plan, None, 4, 1)
    assert places(context)[0] == (3, 2)
    assert context.relevant_memories[0].reason.endswith("(of others)")


@NOVELS
def test_words_of_the_text_are_linked_by_the_teller(engine: Engine, novel: Novel) -> None:
    story = told(engine, novel, mentions={novel.words: novel.name})
    (letter,) = story.search(novel.plan["title"], entities=[novel.name], content_type="scene")
    assert ((letter.chapter, letter.scene), letter.entities) == ((3, 2), ["corin", "who"])
    # Told again, the scene keeps the link; a new cast finds the same one under its new id.
    story.add_scene(3, 2, novel.scenes[7] + "!")
    story.set_cast([one if one["id"] != "who" else {**one, "id": "new"} for one in novel.cast])
    (letter,) = story.search(novel.plan["title"], entities=[novel.name], content_type="scene")
    assert letter.entities == ["corin", "new"]


@NOVELS
def test_whoever_has_a_state_or_an_event_in_a_scene_is_in_it(engine: Engine, novel: Novel) -> None:
    ways: tuple[dict[str, Any], ...] = (
        {"states": {novel.name: {"secret": "the letter 信"}}},
        {"events": [{"text": "A letter is read. 信。", "participants": [novel.name]}]},
    )
    for number, way in enumerate(ways):
        story = Story(engine, f"way-{number}")
        story.set_cast(novel.cast)
        assert "who" in story.add_scene(3, 2, novel.scenes[7], **way).entities
        assert "who" in story.add_scene(3, 2, novel.scenes[7] + "!").entities  # it still holds
    later = Story(engine, "later")
    later.set_cast(novel.cast)
    later.add_scene(3, 2, novel.scenes[7])
    later.record_state(novel.name, 3, 2, {"secret": "the letter 信"})
    found = later.search(novel.plan["title"], entities=[novel.name], content_type="scene")
    assert [one.entities for one in found] == [["corin", "who"]]
    later.set_cast(novel.cast)  # looks through everything told before
    found = later.search(novel.plan["title"], entities=[novel.name], content_type="scene")
    assert [one.entities for one in found] == [["corin", "who"]]


def test_links_that_make_no_sense_are_said(engine: Engine) -> None:
    story = told(engine, ENGLISH)
    added = story.add_scene(3, 2, ENGLISH.scenes[7], mentions={"the widower": "Tamsin"})
    assert added.notes == [
        "'the widower' is linked to 'Tamsin', but does not occur in the text of 3.2"
    ]
    assert "who" not in added.entities
    for wrong in ({"the widow": 5}, ["the widow"], {"the widow": " "}):
        with pytest.raises(InvalidInput, match="mentions: expected an object"):
            story.add_scene(3, 2, "x", mentions=wrong)  # type: ignore[arg-type]
