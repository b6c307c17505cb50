"""A question about a time gets what happened then, newest first, without a search."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine, Recollection, Status
from bethink.filters import parse_filter
from bethink.recall.budget import Budget
from bethink.recall.draft import Draft, Kit
from bethink.recall.presets import BALANCED, Preset
from bethink.recall.render import reason_line
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.recall.timeline import CHANNEL, FindPeriod
from bethink.recall.timeline_path import TimelinePath
from bethink.settings import Settings
from bethink.testing import FakeClock
from bethink.vocabulary import Query
from tests.engines_of_tests import STORES, engine_on
from tests.recall.kits import kit

NOW = datetime(2026, 5, 14, 10, 30, tzinfo=UTC)  # a Thursday


@pytest.fixture(params=STORES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    settings = Settings(timezone="UTC")
    with engine_on(
        request.param, tmp_path, embedder="none", clock=FakeClock(NOW), settings=settings
    ) as made:
        yield made


def tell(engine: Engine, **days: Any) -> None:
    """Journal entries by how many days ago they happened, told in the order given."""
    engine.remember_many(
        {
            "id": name,
            "text": text,
            "kind": "journal",
            "occurred_at": (NOW - timedelta(days=ago)).isoformat(),
        }
        for name, (ago, text) in days.items()
    )


def ask(engine: Engine, question: str, stage: TimelinePath | None = None, **options: Any) -> Draft:
    own = kit(engine.store)._replace(clock=lambda: NOW)
    draft = FindPeriod()(Draft(Query(text=question, **options)), own)
    return (stage or TimelinePath())(draft, own)


def ids(draft: Draft) -> list[str]:
    return [candidate.memory_id for candidate in draft.candidates]


WEEK = {
    "today": (0, "写了周报 wrote the report"),
    "month": (30, "booked the flight 订了机票"),
    "yesterday": (1, "和 Anna 讨论预算, a budget talk"),
    "three": (3, "fixed ERR_CONN_1042 修好了登录"),
    "six": (6, "周五聚餐 dinner with the team"),
}


@pytest.mark.parametrize(
    ("question", "got"),
    [
        ("最近在忙什么？", ["today", "yesterday", "three", "six"]),
        ("what's recent?", ["today", "yesterday", "three", "six"]),
        ("what did I do today", ["today"]),
        ("昨天做了什么", ["yesterday"]),
        ("what happened yesterday?", ["yesterday"]),
        ("past 3 days", ["today", "yesterday", "three"]),
        ("过去三天的 journal", ["today", "yesterday", "three"]),
        ("这几天发生了什么", ["today", "yesterday", "three", "six"]),
        ("last Friday", ["six"]),
        ("上周五", ["six"]),
        ("三天前", ["three"]),
        ("in April", ["month"]),
    ],
)
def test_the_words_that_name_a_time(engine: Engine, question: str, got: list[str]) -> None:
    tell(engine, **WEEK)
    draft = ask(engine, question)
    assert ids(draft) == got
    assert draft.settled == f"{len(got)} memories of the time that the question names"
    assert draft.channels == {}
    assert f"timeline: {len(got)} happened then, newest first" in draft.notes
    scores = [candidate.score for candidate in draft.candidates]
    assert scores == sorted(scores, reverse=True)
    assert all(set(candidate.channels) == {CHANNEL} for candidate in draft.candidates)


def test_what_has_no_day_of_its_own_happened_when_it_was_told(engine: Engine) -> None:
    engine.remember("told today 今天说的", id="told")
    tell(engine, old=(40, "long ago"))
    assert ids(ask(engine, "今天有什么")) == ["told"]


@pytest.mark.parametrize(
    ("question", "when"),
    [
        ("what happened last Christmas?", "2025-12-25"),
        ("去年国庆做了什么", "2025-10-01 to 2025-10-07"),
        ("5月1日 what happened", "2026-05-01"),
        ("what happened this afternoon?", "2026-05-14 12:00 to 2026-05-14 18:00"),
    ],
)
def test_nothing_then_is_said_and_searched(engine: Engine, question: str, when: str) -> None:
    tell(engine, **WEEK)
    draft = ask(engine, question)
    assert draft.settled == ""
    assert draft.candidates == ()
    (fault,) = draft.faults
    assert fault.reason == (
        f"there is nothing of {when}; it was searched by words and meaning instead, so what is "
        "found is of other times"
    )


@pytest.mark.parametrize("preset", ["balanced", "notebook"])
@pytest.mark.parametrize(
    "question", ["what did I do on 2 March?", "3月2日做了什么", "在3月2日 I did"]
)
def test_the_answer_says_that_a_day_has_nothing(engine: Engine, preset: str, question: str) -> None:
    tell(engine, one=(1, "what I did in March, on a day"), two=(2, "3月做了什么"))
    answer = engine.recall(question, preset=preset, floor=0)
    assert answer.reasons[0].startswith("there is nothing of 2026-03-02; it was searched ")
    assert answer.status in (Status.ANSWERED, Status.UNCERTAIN)
    assert answer.hits


def test_no_journal_of_a_day_is_nothing_to_warn_of(engine: Engine) -> None:
    engine.remember("Mei came 小美来了", id="it", occurred_at="2026-05-13")
    answer = engine.recall("what happened yesterday? 昨天", preset="notebook")
    assert ([hit.id for hit in answer.hits], answer.reasons) == (["it"], ())
    notes = [note for step in answer.trace.steps for note in step.notes]
    assert "timeline: no such entry of that time" in notes


@pytest.mark.parametrize("preset", ["balanced", "notebook"])
@pytest.mark.parametrize("question", ["what happened today?", "今天做了什么"])
def test_told_then_is_not_happened_then(engine: Engine, preset: str, question: str) -> None:
    engine.remember("told in passing 顺便说的", id="told")
    engine.remember("dated 有日期的", id="dated", occurred_at=NOW.isoformat())
    answer = engine.recall(question, preset=preset)
    lines = {hit.id: reason_line(hit) for hit in answer.hits}
    assert lines["told"].endswith("; told then, when it happened is not known")
    assert lines["dated"].endswith("; happened then")
    notes = [note for step in answer.trace.steps for note in step.notes]
    assert (
        "timeline: 2 happened then, newest first; 1 of them were told then, and when they "
        "happened is not known"
    ) in notes


def test_a_question_without_a_time_goes_on(engine: Engine) -> None:
    draft = Draft(Query(text="谁负责支付 the payments?"))
    assert TimelinePath()(draft, kit(engine.store)) is draft


def test_what_is_settled_stays(engine: Engine) -> None:
    tell(engine, **WEEK)
    own = kit(engine.store)._replace(clock=lambda: NOW)
    draft = FindPeriod()(Draft(Query(text="yesterday"), settled="by a route"), own)
    assert TimelinePath()(draft, own) is draft


def test_a_filter_of_the_stage_and_of_the_query(engine: Engine) -> None:
    tell(engine, **WEEK)
    engine.remember("今天的偏好 a preference of today", id="other", kind="preference")
    assert ids(ask(engine, "today")) == ["other", "today"]
    journal = parse_filter({"kind": "journal"})
    assert ids(ask(engine, "today", TimelinePath(only=journal))) == ["today"]
    assert ids(ask(engine, "today", where=parse_filter({"kind": "preference"}))) == ["other"]


def test_the_wall_holds(engine: Engine) -> None:
    tell(engine, **WEEK)
    engine.remember("elsewhere 别处", space="work")
    assert ids(ask(engine, "昨天", spaces=("work",))) == []


@pytest.mark.parametrize(
    ("entry", "about", "question"),
    [
        ("a walk in the park", "the budget was cut", "what about the budget in the past 30 days?"),
        ("在公园散步", "预算被砍了", "最近一个月预算怎么了"),
    ],
    ids=["English", "Chinese"],
)
def test_where_not_all_fit_the_questions_words_choose(
    engine: Engine, entry: str, about: str, question: str
) -> None:
    entries = {f"d{n}": (n, f"{entry} {n}") for n in range(20)}
    tell(engine, **{**entries, "d7": (7, about), "d15": (15, about + "!")})
    draft = ask(engine, question, budget=45)
    assert {"d0", "d7", "d15"} < set(ids(draft))
    assert "2 hold words of the question and go first" in " ".join(draft.notes)
    assert len(draft.dropped) == 20 - len(draft.candidates) > 10
    (fault,) = draft.faults
    assert fault.reason == (
        f"{len(draft.dropped)} of 20 entries of that time do not fit in 45 tokens; raise the "
        "budget to read all"
    )
    every = ask(engine, question, limit=4)  # the limit counts what a search finds
    assert ids(every) == [f"d{n}" for n in range(20)]
    assert (every.dropped, every.faults) == ((), ())


@pytest.mark.parametrize("question", ["what happened in the past 30 days", "最近一个月怎么样"])
def test_a_plain_question_gets_the_newest(engine: Engine, question: str) -> None:
    tell(engine, **{f"d{n}": (n, f"散步 a walk {n}") for n in range(20)})
    assert ids(ask(engine, question, budget=30))[:4] == ["d0", "d1", "d2", "d3"]
    answer = engine.recall(question, preset="notebook", budget=30)
    assert [hit.id for hit in answer.hits] == [f"d{n}" for n in range(len(answer.hits))]
    cut = 20 - len(answer.hits)
    assert answer.reasons == (
        f"{cut} of 20 entries do not fit in 30 tokens; raise the budget to read all",
    )
    assert len(engine.recall(question, preset="notebook", limit=4).hits) == 20


@pytest.mark.parametrize("line", ["Wrote code and drank tea. ", "写代码，喝绿茶，开会。"])
def test_a_journal_larger_than_the_budget_is_no_empty_answer(engine: Engine, line: str) -> None:
    tell(engine, big=(1, line * 300))
    draft = ask(engine, "昨天", budget=600)
    assert len(draft.candidates) > 5
    answer = Budget()(draft, kit(engine.store))
    assert answer.hits
    assert answer.hits[0].passage.start == 0
    assert sum(hit.tokens for hit in answer.hits) <= 600
    (fault,) = answer.faults
    assert re.fullmatch(r"\d+ of \d+ entries do not fit in 600 tokens; .*", fault.reason)


def test_of_a_very_long_time_those_told_last(engine: Engine) -> None:
    tell(engine, **{f"d{n}": (n, f"散步 {n}") for n in reversed(range(8))})
    draft = ask(engine, "past 30 days", TimelinePath(most=5))
    assert ids(draft) == ["d0", "d1", "d2", "d3", "d4"]
    assert "timeline: only the 5 told last were looked at" in draft.notes


@pytest.mark.parametrize("question", ["what happened yesterday?", "昨天发生了什么？"])
def test_no_search_is_made(engine: Engine, question: str) -> None:
    tell(engine, **WEEK)

    def never(draft: Draft, kit: Kit) -> Draft:
        raise AssertionError("searched")

    never.name = "never"  # type: ignore[attr-defined]
    searches: Any = SideBySide((never, SearchWords()))  # type: ignore[arg-type]
    stages: Any = (FindPeriod(), TimelinePath(), searches, *BALANCED.stages)
    answer: Recollection = engine.recall(question, preset=Preset("timed", stages))
    assert [hit.id for hit in answer.hits] == ["yesterday"]
    assert answer.status is Status.ANSWERED
