"""Relevance: the signals, the weights, the cut and the status."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine, Status
from bethink.embedders.use_multilingual import UseMultilingual
from bethink.errors import InvalidInput
from bethink.recall.relevance import models, probability
from bethink.recall.signals import SIGNALS
from bethink.settings import Settings
from bethink.vocabulary import Recollection, Step
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
    answer = words_alone.recall(question, floor=0)
    assert [hit.id for hit in answer.hits][:2] == ["short", "long"]


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
    assert answer.hits[0].evidence["near words"] > 0
    assert "near words" in " ".join(step(answer, "signals").notes)


def test_the_relevance_can_be_recomputed_from_its_parts(engine: Engine) -> None:
    engine.remember_many([{"text": text} for text in FILLERS["English"] + FILLERS["Chinese"]])
    engine.remember("ERR_CONN_1042 appears when the proxy is down")
    for question in ("who filed the report on item 7", "第7号窗口的周报", "what is ERR_CONN_1042"):
        for hit in engine.recall(question, floor=0).hits:
            assert hit.score == hit.relevance
            assert probability(sum(hit.evidence.values())) == pytest.approx(hit.score, abs=1e-3)
            assert hit.parts == {"relevance": hit.score}
            assert 0 <= hit.score <= 1


def test_an_exact_identifier_leads_and_is_certain(engine: Engine) -> None:
    engine.remember_many([{"text": text} for text in FILLERS["English"]])
    engine.remember("ERR_CONN_1043 means that the cable is out", id="other")
    engine.remember("见过 ERR_CONN_1042 一次", id="right")
    answer = engine.recall("how do I get rid of the cable problem ERR_CONN_1042")
    assert answer.hits[0].id == "right"
    assert (answer.status, answer.confidence) == (Status.ANSWERED, round(answer.hits[0].score, 4))
    assert answer.hits[0].evidence["exact"] == 5.0


@pytest.mark.parametrize(
    ("told", "asked", "nonsense"),
    [
        (
            "Mei's cat is called Momo.",
            "what is Mei's cat called",
            "equations of quantum chromodynamics",
        ),
        ("小美的猫叫墨墨。", "小美的猫叫什么", "量子色动力学的公式"),
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
    assert unsure.status is not Status.ANSWERED
    assert unsure.confidence < 0.5 * sure.confidence
    silent = engine.recall(nonsense, floor=0.5)
    assert silent.status is Status.BELOW_FLOOR
    assert silent.hits == ()
    assert silent.nearest is not None and silent.nearest.tokens > 0
    assert "lower the floor" in silent.reasons[0]
    assert all("below the floor" in d.reason for d in step(silent, "cut").dropped)


def test_words_alone_keep_silent_too(words_alone: Engine) -> None:
    words_alone.remember_many([{"text": text} for text in FILLERS["English"] + FILLERS["Chinese"]])
    answer = words_alone.recall("who repaired the espresso machine near desk 7", floor=0.6)
    assert answer.status is Status.BELOW_FLOOR
    assert words_alone.recall("第7号窗口的周报归档了吗", floor=0.5).hits


@pytest.mark.parametrize(
    ("told", "asked", "unrelated"),
    [
        (
            ["Mei prefers dark mode.", "We chose PostgreSQL for row-level security.",
             "Ben plays the cello in the city orchestra.", "The API timeout is 30 seconds."],
            {"which theme does Mei prefer?": 0, "what does Ben play": 2, "api timeout": 3},
            ["how tall is mount everest", "who won the world cup in 1998"],
        ),
        (
            ["小美喜欢深色主题。", "我们选了PostgreSQL，因为有行级安全。",
             "小本在市交响乐团拉大提琴。", "接口超时时间是30秒。"],
            {"小美喜欢什么主题": 0, "小本拉什么琴": 2, "接口超时是多少": 3},
            ["珠穆朗玛峰多高", "1998年世界杯冠军是谁"],
        ),
    ],
    ids=["English", "Chinese"],
)  # fmt: skip
def test_a_handful_of_memories_is_judged_as_well_as_many(
    engine: Engine, told: list[str], asked: dict[str, int], unrelated: list[str]
) -> None:
    for at, text in enumerate(told):
        engine.remember(text, id=f"m{at}")
    for question, right in asked.items():
        answer = engine.recall(question)
        assert answer.status is Status.ANSWERED, question
        assert [hit.id for hit in answer.hits] == [f"m{right}"], question
    for question in unrelated:
        assert engine.recall(question).status is not Status.ANSWERED, question
        answer = engine.recall(question, floor=0.3)
        assert (answer.status, answer.hits) == (Status.BELOW_FLOOR, ()), question
        assert answer.nearest is not None and answer.nearest.relevance is not None


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("The gym near the harbour closes at nine on weekdays.", "is there somewhere to swim late"),
        ("港口旁的健身房工作日九点关门。", "晚上去哪里运动"),
    ],
)
def test_an_uncertain_answer_has_at_most_three_hits_and_says_so_in_every_form(
    engine: Engine, told: str, question: str
) -> None:
    from bethink.recall.render import FORMATS

    engine.remember_many([{"text": text} for text in FILLERS["English"] + FILLERS["Chinese"]])
    for number in range(5):
        engine.remember(f"{told} ({number})", id=f"gym{number}")
    model = next(one for name, one in models().items() if name.startswith("use-multilingual"))
    answer = engine.recall(question)
    best = engine.recall(question, floor=0).hits[0]
    assert best.relevance is not None and model.floor <= best.relevance < model.answered
    assert answer.status is Status.UNCERTAIN
    assert 1 <= len(answer.hits) <= 3
    assert "an answer is sure from" in answer.reasons[0]
    for form in ("text", "markdown", "brief", "history", "model"):
        shown = FORMATS[form](answer, False, "en")
        assert isinstance(shown, str) and shown.count("uncertain") >= len(answer.hits), form
    assert "不确定" in str(FORMATS["history"](answer, False, "zh"))
    for form in ("json", "search-response"):
        assert "uncertain" in str(FORMATS[form](answer, False, "en")), form


def test_only_an_answer_counts_as_an_access(engine: Engine) -> None:
    engine.remember("The gym near the harbour closes at nine on weekdays.", id="gym")
    engine.remember("Mei prefers dark mode. 小美喜欢深色主题。", id="mei")
    assert engine.recall("is there somewhere to swim late").status is not Status.ANSWERED
    assert engine.recall("which theme does Mei prefer").status is Status.ANSWERED
    engine._settle()
    counts = {name: memory.access_count for name in ("gym", "mei") if (memory := engine.get(name))}
    assert counts == {"gym": 0, "mei": 1}


@pytest.mark.parametrize("floor", [-0.1, 1.1, float("nan"), "high", True])
def test_a_floor_is_a_relevance(words_alone: Engine, floor: Any) -> None:
    with pytest.raises(InvalidInput, match="floor: expected a relevance from 0 to 1"):
        words_alone.recall("anything", floor=floor)


def test_the_weights_are_of_signals_that_exist_and_marks_are_in_order() -> None:
    assert {"words", "any"} < models().keys()
    for name, model in models().items():
        assert len(model.weights) == len(SIGNALS)
        assert 0 < model.floor <= model.unasked <= 1, name
        assert 0 < model.floor < model.answered < 1, name
        by_name = dict(zip(SIGNALS, model.weights, strict=True))
        assert by_name["exact.held"] > 0 > by_name["exact.missing"]
        assert max(by_name[one] for one in SIGNALS if one.startswith("words")) > 0
        meaning = [by_name[one] for one in SIGNALS if one.startswith(("meaning", "near words"))]
        assert any(meaning) == (name != "words")


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
    wrong = engine.recall("CVE-2024-3095")
    assert wrong.status is Status.BELOW_FLOOR
    assert "nothing holds cve-2024-3095 exactly" in wrong.reasons[0]


def test_another_language_is_not_held_against_an_answer(engine: Engine) -> None:
    engine.remember_many([{"text": text} for text in FILLERS["English"]])
    engine.remember("Anna is the product manager.", id="anna")
    answer = engine.recall("产品经理是谁")
    assert answer.status is Status.ANSWERED
    assert answer.hits[0].id == "anna"


def test_a_floor_needs_a_preset_that_judges(engine: Engine) -> None:
    engine.remember("dark mode")
    with pytest.raises(InvalidInput, match="'ranks' does not judge relevance"):
        engine.recall("dark mode", preset="ranks", floor=0.5)


def test_things_told_in_a_row_do_not_speak_for_each_other(engine: Engine) -> None:
    engine.remember_many(
        [{"text": "Never push on a Friday"}, {"text": "Li Lei is in charge of payments 支付"}]
    )
    for hit in engine.recall("谁负责支付 who is in charge of payments").hits:
        assert "neighbours" not in hit.evidence


@pytest.mark.parametrize(
    ("told", "known", "unknown"),
    [
        (
            [
                "Edie has swimming lessons at Horfield on Saturdays.",
                "Edie paid £120 for the piano.",
            ],
            "When are Edie's swimming lessons at Horfield?",
            "How much do Edie's swimming lessons at Horfield cost?",
        ),
        (
            ["豆豆每周六在少年宫上轮滑课。", "豆豆的钢琴花了 1200 元。"],
            "豆豆什么时候在少年宫上轮滑课？",
            "豆豆在少年宫的轮滑课一节多少钱？",
        ),
    ],
)
def test_a_known_subject_without_the_asked_detail_is_uncertain(
    tmp_path: Path, told: list[str], known: str, unknown: str
) -> None:
    with Engine(tmp_path / "memory.db") as engine:
        engine.remember_many([{"text": text} for text in (told[0], *FILLERS["English"][:20])])
        assert engine.recall(known).status is Status.ANSWERED
        answer = engine.recall(unknown)
        assert answer.status in (Status.UNCERTAIN, Status.BELOW_FLOOR)
        asked = engine.recall(unknown, floor=0)
        assert asked.hits[0].text == told[0] and asked.hits[0].evidence["detail"] < 0


@pytest.mark.parametrize(
    ("told", "asked", "others"),
    [
        (
            "The staging server listens on port 5433.",
            "which port is staging on",
            ["who is the CEO", "capital of Mongolia"],
        ),
        ("小美住在上海", "小美住在哪里", ["蒙古的首都是哪里", "谁是首席执行官"]),
    ],
)
def test_a_space_of_one_memory_refuses_what_it_does_not_know(
    tmp_path: Path, told: str, asked: str, others: list[str]
) -> None:
    with Engine(tmp_path / "memory.db") as engine:
        engine.remember(told)
        assert engine.recall(asked).status is Status.ANSWERED
        for other in others:
            assert engine.recall(other).status is not Status.ANSWERED


@pytest.mark.parametrize(
    ("one", "other", "asked"),
    [
        (
            "The API timeout is 30 seconds.",
            "The API timeout is now 60 seconds.",
            "What is the API timeout?",
        ),
        ("接口超时时间是 30 秒。", "接口超时时间现在是 60 秒。", "接口超时时间是多少？"),
    ],
)
def test_two_that_say_the_same_do_not_doubt_each_other(
    tmp_path: Path, one: str, other: str, asked: str
) -> None:
    with Engine(tmp_path / "memory.db") as engine:
        engine.remember_many([{"text": text} for text in FILLERS["English"][:20]])
        engine.remember(one)
        # told with merge="words", the newer does not take the place of the older
        alone = engine.recall(asked, touch=False).hits[0].relevance
        engine.remember(other, merge="words")
        both = engine.recall(asked, touch=False)
    assert alone is not None
    assert {hit.text for hit in both.hits} >= {one, other}
    assert all((hit.relevance or 0) > alone - 0.15 for hit in both.hits[:2])
