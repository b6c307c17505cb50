"""What is newer leads among what fits alike, more so for a whole turn of a conversation."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pytest import approx

from bethink import Engine
from bethink.recall.draft import Draft, Period
from bethink.recall.recency import Recency
from bethink.testing import FakeClock
from bethink.vocabulary import Candidate, Query
from tests.recall.kits import NOW, candidate, kit

QUESTIONS = ("which database?", "用哪个数据库？")
TURNS = (
    "So the migration to the new database went well, but the nightly backup job still fails with a"
    " timeout, and the release manager wants a written plan before the Thursday review meeting",
    "数据库迁移很顺利，但是夜间备份任务仍然超时失败，发布经理希望在周四评审会议之前看到书面方案，"
    "我们还需要确认磁盘空间是否足够",
)


def aged(name: str, score: float, days: float) -> Candidate:
    one = candidate(name, "the database 数据库", score=score)
    assert one.memory is not None
    return one._replace(memory=replace(one.memory, occurred_at=NOW - timedelta(days=days)))


def after(text: str, *candidates: Candidate, period: Period | None = None) -> Draft:
    draft = Draft(Query(text=text), candidates=candidates, period=period)
    return Recency()(draft, kit())


@pytest.mark.parametrize("text", QUESTIONS)
def test_among_equals_the_newer_leads_and_a_better_one_stays(text: str) -> None:
    assert order(after(text, aged("old", 0.8, 300), aged("new", 0.8, 1))) == ["new", "old"]
    assert order(after(text, aged("old", 0.9, 300), aged("new", 0.8, 1))) == ["old", "new"]


@pytest.mark.parametrize("text", TURNS)
def test_a_whole_turn_goes_on_with_what_was_last_spoken_of(text: str) -> None:
    assert order(after(text, aged("old", 0.9, 300), aged("new", 0.7, 1))) == ["new", "old"]
    assert order(after(text, aged("old", 0.9, 300), aged("new", 0.5, 1))) == ["old", "new"]


@pytest.mark.parametrize("text", [*QUESTIONS, *TURNS])
def test_the_parts_add_up_and_the_same_age_changes_no_order_and_no_score(text: str) -> None:
    same = after(text, aged("a", 0.8, 0), aged("b", 0.6, 0), aged("none", 0.0, 0))
    assert {c.memory_id: c.score for c in same.candidates} == approx(
        {"a": 0.8, "b": 0.6, "none": 0.0}
    )
    for one in after(text, aged("a", 0.8, 3), aged("b", 0.6, 40)).candidates:
        assert sum(one.parts.values()) == approx(one.score)
        assert one.parts["recency"] > 0


def test_a_question_that_names_a_time_has_said_which_age_it_wants() -> None:
    then = Period(NOW - timedelta(days=301), NOW - timedelta(days=299), "which database")
    both = (aged("old", 0.8, 300), aged("new", 0.8, 1))
    assert order(after("which database, last January?", *both, period=then)) == ["old", "new"]
    for turn in TURNS:  # there a time is named by the way
        assert order(after(turn, *both, period=then)) == ["new", "old"]


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("The wifi password is on the blue card.", "The wifi password is on the red card.",
         "wifi password card"),
        ("无线密码写在蓝色卡片上。", "无线密码写在红色卡片上。", "无线密码写在哪张卡片上"),
    ],
)  # fmt: skip
def test_through_the_engine_the_newer_leads_and_the_answer_says_why(
    tmp_path: Path, old: str, new: str, question: str
) -> None:
    clock = FakeClock()
    with Engine(tmp_path / "store.db", clock=clock, embedder="none") as engine:
        told = clock()
        engine.remember(old)
        clock.advance(days=200)
        engine.remember(new, valid_from=told)
        hits = engine.recall(question, floor=0.0, touch=False).hits
        assert [hit.text for hit in hits] == [new, old]
        assert hits[0].parts["recency"] > 0.01 > hits[1].parts["recency"]
        then = engine.recall(question, floor=0.0, as_of=told, touch=False).hits
        one, other = (hit.parts["recency"] for hit in then)
        assert one == approx(other, abs=0.001) and one > 0.05


def order(draft: Draft) -> list[str]:
    return [c.memory_id for c in draft.candidates]
