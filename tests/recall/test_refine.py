"""Reading the best candidates: words by memory, near words, firmness, and the confidence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine, Status
from bethink.embedders.use_multilingual import UseMultilingual
from bethink.errors import InvalidInput
from bethink.recall.abstain import ANY_EMBEDDER, MEASURED, WORDS_ALONE, Calibration
from bethink.recall.draft import Evidence
from bethink.settings import Settings
from bethink.vocabulary import Recollection, Step
from tests.embedders_of_tests import every_measured
from tests.engines_of_tests import STORES, engine_on

_MODEL = UseMultilingual()  # loaded once for this file
SETTINGS = Settings(timezone="UTC")

FILLERS = {
    "English": [
        f"Note {n}: the weekly report on item {n} was filed by desk {n}." for n in range(40)
    ],
    "Chinese": [f"第{n}条：第{n}号窗口的周报已经归档。" for n in range(40)],
}


@pytest.fixture(params=STORES)
def words_alone(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    with engine_on(request.param, tmp_path, embedder="none", settings=SETTINGS) as made:
        yield made


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(tmp_path / "m.db", embedder=_MODEL, settings=SETTINGS) as made:
        yield made


def step(answer: Recollection, name: str) -> Step:
    return next(step for step in answer.trace.steps if step.stage == name)


@pytest.mark.parametrize(
    ("short", "long", "question"),
    [
        (
            "My mortgage was approved by the bank in May.",
            "About mortgages in general. The mortgage of a bank is approved in steps. " * 3
            + "There is much to say about houses, gardens, roofs and cellars of all kinds. " * 30,
            "when was my mortgage approved by the bank",
        ),
        (
            "我的房贷五月由银行批准了。",
            "房贷的一般说明。银行批准房贷要分几步。" * 3
            + "关于房子、花园、屋顶和地下室，可以说的还有很多。" * 60,
            "我的房贷什么时候被银行批准的",
        ),
    ],
    ids=["English", "Chinese"],
)
def test_a_short_memory_about_it_comes_before_a_long_one_that_touches_it(
    words_alone: Engine, short: str, long: str, question: str
) -> None:
    words_alone.remember(long, id="long")
    for text in FILLERS["English"] + FILLERS["Chinese"]:
        words_alone.remember(text)
    words_alone.remember(short, id="short")
    assert [hit.id for hit in words_alone.recall(question).hits][:2] == ["short", "long"]


@pytest.mark.parametrize(
    ("near", "far", "question"),
    [
        ("Tom bought an acoustic guitar.", "Tom sold an empty bottle.", "what did Tom purchase"),
        ("小王购买了一把吉他。", "小王打碎了一个瓶子。", "小王买了什么乐器"),
    ],
    ids=["English", "Chinese"],
)
def test_near_words_count(engine: Engine, near: str, far: str, question: str) -> None:
    engine.remember_many([{"text": far, "id": "far"}, {"text": near, "id": "near"}])
    for text in FILLERS["English"][:10] + FILLERS["Chinese"][:10]:
        engine.remember(text)
    answer = engine.recall(question)
    assert answer.hits[0].id == "near"
    assert answer.hits[0].parts["near words"] > answer.hits[1].parts.get("near words", 0.0)
    assert "near words" in " ".join(step(answer, "refine").notes)


def test_parts_add_up_to_the_score(engine: Engine) -> None:
    engine.remember_many([{"text": text} for text in FILLERS["English"] + FILLERS["Chinese"]])
    engine.remember("ERR_CONN_1042 appears when the proxy is down")
    for question in ("who filed the report on item 7", "第7号窗口的周报", "what is ERR_CONN_1042"):
        for hit in engine.recall(question, floor=0).hits:
            assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-5)
            assert 0 <= hit.score <= 1


def test_an_exact_identifier_leads_and_is_certain(engine: Engine) -> None:
    engine.remember_many([{"text": text} for text in FILLERS["English"]])
    engine.remember("ERR_CONN_1043 means that the cable is out", id="other")
    engine.remember("见过 ERR_CONN_1042 一次", id="right")
    answer = engine.recall("how do I get rid of the cable problem ERR_CONN_1042")
    assert answer.hits[0].id == "right"
    assert answer.confidence is not None and answer.confidence >= 0.9


@pytest.mark.parametrize(
    ("told", "asked", "nonsense"),
    [
        ("Mei's cat is called Momo.", "what is Mei's cat called", "zebra quantum xylophone"),
        ("小美的猫叫墨墨。", "小美的猫叫什么", "斑马量子木琴"),
    ],
    ids=["English", "Chinese"],
)
def test_confidence_tells_what_is_there_from_what_is_not(
    engine: Engine, told: str, asked: str, nonsense: str
) -> None:
    engine.remember_many([{"text": text} for text in FILLERS["English"] + FILLERS["Chinese"]])
    engine.remember(told, id="told")
    sure = engine.recall(asked)
    assert sure.status is Status.ANSWERED
    assert sure.hits[0].id == "told"
    unsure = engine.recall(nonsense, floor=0)
    assert unsure.confidence is not None and sure.confidence is not None
    assert unsure.confidence < 0.3 < 0.5 < sure.confidence
    silent = engine.recall(nonsense, floor=0.5)
    assert silent.status is Status.BELOW_FLOOR
    assert silent.hits == ()
    assert silent.nearest is not None and silent.nearest.tokens > 0
    assert "lower the floor" in silent.reasons[0]
    assert all("below the floor" in d.reason for d in step(silent, "abstain").dropped)


def test_words_alone_keep_silent_too(words_alone: Engine) -> None:
    words_alone.remember_many([{"text": text} for text in FILLERS["English"] + FILLERS["Chinese"]])
    answer = words_alone.recall("who repaired the espresso machine near desk 7", floor=0.6)
    assert answer.status is Status.BELOW_FLOOR
    assert words_alone.recall("第7号窗口的周报归档了吗", floor=0.6).status is Status.ANSWERED


def test_a_small_space_has_no_floor_of_its_own(words_alone: Engine) -> None:
    words_alone.remember("dark mode, please 深色模式")
    assert words_alone.recall("which colours and fonts, and which mode").status is Status.ANSWERED


@pytest.mark.parametrize("floor", [-0.1, 1.1, float("nan"), "high", True])
def test_a_floor_is_a_confidence(words_alone: Engine, floor: Any) -> None:
    with pytest.raises(InvalidInput, match="floor: expected a confidence from 0 to 1"):
        words_alone.recall("anything", floor=floor)


def test_calibrations_rise_with_the_evidence() -> None:
    for calibration in (WORDS_ALONE, ANY_EMBEDDER, *every_measured(MEASURED)):
        assert isinstance(calibration, Calibration)
        nothing = calibration.confidence(Evidence(0.0, 0.0, 0.0, 100))
        something = calibration.confidence(Evidence(0.5, 3.0, 0.5, 100))
        everything = calibration.confidence(Evidence(1.0, 6.0, 0.9, 100))
        assert 0 < nothing < something < everything < 1
        assert nothing < 0.2


@pytest.mark.parametrize(
    ("question", "day"),
    [("what did I do on 2026-04-07?", "seventh"), ("2026年4月7日我做了什么", "seventh")],
)
def test_a_day_that_is_asked_for_is_answered_by_the_day(
    engine: Engine, question: str, day: str
) -> None:
    engine.remember_many([{"text": text} for text in FILLERS["English"] + FILLERS["Chinese"]])
    engine.remember("Walked along the river 沿河散步", id=day, occurred_at="2026-04-07T09:00:00Z")
    engine.remember(
        "I did what I do 我做了什么都不知道", id="chatter", occurred_at="2026-04-08T09:00:00Z"
    )
    assert [hit.id for hit in engine.recall(question).hits] == [day]


def test_a_wrong_identifier_is_no_answer(engine: Engine) -> None:
    engine.remember_many([{"text": text} for text in FILLERS["English"] + FILLERS["Chinese"]])
    engine.remember("CVE-2024-3094 is the xz back door 后门")
    assert engine.recall("CVE-2024-3094").status is Status.ANSWERED
    wrong = engine.recall("CVE-2024-3095", floor=0.1)
    assert wrong.status is Status.BELOW_FLOOR
    assert "nothing holds cve-2024-3095 exactly" in wrong.reasons[0]


def test_another_language_is_not_held_against_an_answer(engine: Engine) -> None:
    engine.remember_many([{"text": text} for text in FILLERS["English"]])
    engine.remember("Anna is the product manager.", id="anna")
    answer = engine.recall("产品经理是谁")
    assert answer.status is Status.ANSWERED
    assert answer.hits[0].id == "anna"


def test_a_floor_needs_a_preset_that_knows_a_confidence(engine: Engine) -> None:
    engine.remember("dark mode")
    with pytest.raises(InvalidInput, match="'notebook' has no confidence"):
        engine.recall("dark mode", preset="notebook", floor=0.5)


def test_things_told_in_a_row_do_not_speak_for_each_other(engine: Engine) -> None:
    engine.remember_many(
        [{"text": "Never push on a Friday"}, {"text": "Li Lei is in charge of payments 支付"}]
    )
    for hit in engine.recall("谁负责支付 who is in charge of payments").hits:
        assert "neighbours" not in hit.parts
