"""Both thresholds act, each on its own scale, and say what they cut and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine, Status
from bethink.errors import InvalidInput, SettingsError
from bethink.recall.draft import Draft
from bethink.recall.fuse import ReciprocalRanks
from bethink.recall.search_exact import SearchExact
from bethink.recall.search_hot import SearchHot
from bethink.recall.search_meaning import SearchMeaning
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.recall.thresholds import Thresholds
from bethink.recall.widening import how_many
from bethink.settings import Settings, load
from bethink.vocabulary import Found, Query
from tests.embedders_of_tests import Letters
from tests.engines_of_tests import STORES, engine_on
from tests.recall.asking_with_stages import ask, query, step
from tests.recall.kits import kit
from tests.recall.working import add_steps

SEARCH = SideBySide((SearchMeaning(), SearchWords()))
STAGES = (SEARCH, Thresholds(), ReciprocalRanks())

THEMES = {
    "all": "Mei prefers the dark theme",
    "some": "the theme of the talk was Rome",
    "none": "lunch is at noon",
    "全部": "小美喜欢深色主题",
    "一些": "演讲的主题是罗马",
    "没有": "中午吃饭",
}


@pytest.fixture
def letters() -> Letters:
    return Letters(dimension=4096)


@pytest.fixture(params=STORES)
def engine(request: pytest.FixtureRequest, tmp_path: Path, letters: Letters) -> Iterator[Engine]:
    with engine_on(request.param, tmp_path, embedder=letters) as made:
        for name, text in THEMES.items():
            made.remember(text, id=name)
        yield made


# Words


@pytest.mark.parametrize(
    ("question", "least", "expected"),
    [
        ("which dark theme does Mei prefer?", None, {"all", "some"}),
        ("which dark theme does Mei prefer?", 0.0, {"all", "some"}),
        ("which dark theme does Mei prefer?", 0.25, {"all", "some"}),
        ("which dark theme does Mei prefer?", 0.26, {"all"}),
        ("which dark theme does Mei prefer?", 1.0, {"all"}),
        ("小美喜欢什么深色主题？", None, {"全部", "一些"}),
        ("小美喜欢什么深色主题？", 0.25, {"全部", "一些"}),
        ("小美喜欢什么深色主题？", 0.26, {"全部"}),
        ("小美喜欢什么深色主题？", 1.0, {"全部"}),
        ("小美喜欢什么深色主題？", 1.0, {"全部"}),
        ("深色主题 theme", 0.3, {"all", "some", "全部", "一些"}),
        ("深色主题 theme", 0.6, {"全部"}),
    ],
)
def test_the_words_threshold_is_a_share_of_the_question(
    engine: Engine, question: str, least: float | None, expected: set[str]
) -> None:
    answer = ask(engine, question, *STAGES, words_threshold=least)
    assert {hit.id for hit in answer.hits} == expected
    assert answer.status is Status.ANSWERED


def test_what_is_cut_says_by_how_much(engine: Engine) -> None:
    answer = ask(engine, "which dark theme does Mei prefer?", *STAGES, words_threshold=0.5)
    did = step(answer, "thresholds")
    assert did.notes == ("words: 1 of 2 reach 0.5",)
    (dropped,) = did.dropped
    assert dropped == ("some", 0, "words 0.250 is 0.250 below the least of 0.5")


def test_words_that_name_a_time_need_not_be_held(engine: Engine) -> None:
    from bethink.recall.timeline import FindPeriod

    options: Any = {"words_threshold": 0.9}
    question = "which dark theme did Mei prefer last Tuesday?"
    assert not ask(engine, question, *STAGES, **options).hits
    assert [h.id for h in ask(engine, question, FindPeriod(), *STAGES, **options).hits] == ["all"]
    question = "小美上周五喜欢什么深色主题"
    assert [h.id for h in ask(engine, question, FindPeriod(), *STAGES, **options).hits] == ["全部"]


# Meaning


@pytest.mark.parametrize(
    ("question", "same"), [(THEMES["all"], "all"), (THEMES["全部"], "全部")], ids=["en", "zh"]
)
def test_the_meaning_threshold_is_a_cosine(
    engine: Engine, letters: Letters, question: str, same: str
) -> None:
    options: Any = {"embedder": letters, "words": False}
    every = ask(engine, question, *STAGES, **options, meaning_threshold=-1)
    assert {hit.id for hit in every.hits} == set(THEMES)
    only = ask(engine, question, *STAGES, **options, meaning_threshold=1.0)
    assert [hit.id for hit in only.hits] == [same]  # whatever float32 makes of it
    did = step(only, "thresholds")
    assert did.notes == (f"meaning: 1 of {len(THEMES)} reach 1",)
    assert len(did.dropped) == len(THEMES) - 1
    assert all(" below the least of 1" in d.reason for d in did.dropped)


def test_each_channel_is_cut_on_its_own_scale(engine: Engine, letters: Letters) -> None:
    """What fails by meaning may still stand by its words, and the other way round."""
    options: Any = {"embedder": letters, "meaning_threshold": 1.0}
    answer = ask(engine, "dark theme", *STAGES, **options, words_threshold=0.5)
    assert {hit.id: set(hit.channels) for hit in answer.hits} == {
        "all": {"words"},
        "some": {"words"},
    }
    answer = ask(engine, THEMES["全部"], *STAGES, **options, words_threshold=1.0)
    assert {hit.id: set(hit.channels) for hit in answer.hits} == {"全部": {"words", "meaning"}}


def test_the_question_wins_over_the_preset(engine: Engine) -> None:
    stages = (SEARCH, Thresholds(words=0.9), ReciprocalRanks())
    question = "which dark theme does Mei prefer?"
    assert len(ask(engine, question, *stages).hits) == 1
    assert len(ask(engine, question, *stages, words_threshold=0.0).hits) == 2


# Nothing left


@pytest.mark.parametrize(
    ("question", "nearest", "share"),
    [("the theme of Mars", "some", 0.5), ("主题颜色", "一些", 0.5), ("theme 火星", "some", 0.5)],
)
def test_below_the_thresholds_the_nearest_is_shown(
    engine: Engine, question: str, nearest: str, share: float
) -> None:
    answer = ask(engine, question, *STAGES, words_threshold=0.8)
    assert (answer.hits, answer.status) == ((), Status.BELOW_FLOOR)
    assert answer.nearest is not None
    found = {answer.nearest.id, nearest}
    assert found <= {"some", "all", "一些", "全部"}
    assert answer.nearest.text == THEMES[answer.nearest.id]
    assert answer.nearest.parts == {"words": share}
    assert answer.nearest.tokens > 0
    assert f"has words {share:.3f} where 0.8 is the least; lower" in answer.reasons[-1]


def test_the_miss_by_the_least_is_the_nearest(engine: Engine, letters: Letters) -> None:
    options: Any = {"embedder": letters, "meaning_threshold": 0.99, "words_threshold": 1.0}
    answer = ask(engine, "the dark theme and the moon of Rome", *STAGES, **options)
    assert answer.status is Status.BELOW_FLOOR
    drops = [d for s in answer.trace.steps for d in s.dropped if " below the least" in d.reason]
    by = {float(d.reason.split(" is ")[1].split()[0]) for d in drops}
    assert answer.nearest is not None
    ((what, value),) = answer.nearest.parts.items()
    least = {"meaning": 0.99, "words": 1.0}[what]
    assert least - value == pytest.approx(min(by), abs=1e-3)


def test_nothing_found_is_not_below_anything(engine: Engine) -> None:
    answer = ask(engine, "zebra 斑马", *STAGES, words_threshold=0.5)
    assert (answer.status, answer.nearest) == (Status.EMPTY, None)


def test_identifiers_and_what_is_hot_are_not_cut(engine: Engine) -> None:
    engine.remember("ERR_CONN_1042 means that the proxy is down 代理坏了", id="code")
    stages = (SearchExact(), SEARCH, Thresholds(), ReciprocalRanks())
    question = "why did ERR_CONN_1042 ruin breakfast yesterday evening"
    answer = ask(engine, question, *stages, words_threshold=0.9)
    assert {hit.id: set(hit.channels) for hit in answer.hits} == {"code": {"exact"}}
    hot = (SideBySide((SearchHot(count=2), SearchWords())), Thresholds(), ReciprocalRanks())
    add_steps(engine, 3)
    answer = ask(engine, "主题颜色", *hot, words_threshold=0.9, unverified_share=1)
    assert (len(answer.hits), answer.status) == (2, Status.ANSWERED)


def test_what_was_forgotten_meanwhile(engine: Engine) -> None:
    gone = Draft(
        Query(text="theme", words_threshold=0.5, spaces=("global",)),
        channels={"words": (Found("gone", 0, 3.0), Found("all", 0, 2.0))},
    )
    after = Thresholds()(gone, kit(engine.store))
    assert [f.memory_id for f in after.channels["words"]] == ["all"]
    assert after.dropped == (("gone", 0, "forgotten while this question was answered"),)
    only_gone = Draft(
        Query(text="theme", meaning_threshold=0.5), channels={"meaning": (Found("gone", 0, 0.1),)}
    )
    after = Thresholds()(only_gone, kit(engine.store))
    assert (after.faults, after.nearest) == ((), None)
    assert after.notes[-1] == "what came nearest was forgotten meanwhile"


def test_nothing_to_do() -> None:
    asked = Draft(Query(text="?"), channels={"words": (Found("A", 0, 1.0),)})
    assert Thresholds()(asked, kit()) is asked
    settled = Draft(Query(text="?", words_threshold=1.0), channels=asked.channels, settled="route")
    assert Thresholds()(settled, kit()) is settled


# Widening


@pytest.mark.parametrize(
    ("limit", "threshold", "exactly", "expected"),
    [
        (10, None, False, 50),
        (40, None, False, 80),
        (10, 0.0, False, 100),
        (30, 0.5, False, 150),
        (1000, 0.5, False, 1000),
        (10, 0.5, True, 50),
        (1000, None, True, 50),
    ],
)
def test_how_many_candidates(
    limit: int, threshold: float | None, exactly: bool, expected: int
) -> None:
    asked = Query(text="?", limit=limit)
    got = how_many(50, asked, threshold=threshold, per_hit=5, exactly=exactly)
    assert got == expected


def test_a_threshold_widens_the_search_before_it_cuts(letters: Letters) -> None:
    with Engine.in_memory(embedder=letters, settings=Settings()) as engine:
        engine.remember_many([{"text": f"theme 主题 {n}"} for n in range(130)])
        options: Any = {"embedder": letters, "limit": 5}
        for stage in (SearchMeaning(), SearchWords()):
            narrow = ask(engine, "theme 主题", stage, **options)
            wide = ask(
                engine, "theme 主题", stage, **options, meaning_threshold=0.1, words_threshold=0.1
            )
            exact = ask(engine, "theme 主题", type(stage)(candidates=10, exactly=True), **options)
            counts = [a.trace.steps[0].passed_on for a in (narrow, wide, exact)]
            assert counts == [50, 100, 10]


# Through the engine and the settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("meaning_threshold", math.nan),
        ("meaning_threshold", -1.01),
        ("meaning_threshold", math.inf),
        ("meaning_threshold", "0.5"),
        ("meaning_threshold", True),
        ("words_threshold", -0.01),
        ("words_threshold", 1.01),
        ("words_threshold", math.nan),
        ("words_threshold", [0.5]),
    ],
)
def test_a_threshold_must_be_on_its_scale(engine: Engine, name: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=rf"{name}: expected a .* from -?\d to 1, got "):
        engine.recall("theme", **{name: value})


def test_thresholds_from_arguments_and_settings(letters: Letters, tmp_path: Path) -> None:
    variables = {"BETHINK_WORDS_THRESHOLD": "0.25", "BETHINK_MEANING_THRESHOLD": "-1"}
    settings = load(environment=variables, directory=tmp_path).settings
    assert (settings.words_threshold, settings.meaning_threshold) == (0.25, -1.0)
    with Engine.in_memory(embedder=letters, settings=settings) as engine:
        engine.remember("Mei prefers dark mode 小美喜欢深色")
        asked = engine.recall("dark 深色").query
        assert (asked.words_threshold, asked.meaning_threshold) == (0.25, -1.0)
        asked = engine.recall("dark 深色", words_threshold=1, meaning_threshold=0.5).query
        assert (asked.words_threshold, asked.meaning_threshold) == (1.0, 0.5)
    assert query("?").words_threshold is None
    for value in ("nan", "2", "much"):
        with pytest.raises(SettingsError, match="words_threshold must be"):
            load(environment={"BETHINK_WORDS_THRESHOLD": value}, directory=tmp_path)
