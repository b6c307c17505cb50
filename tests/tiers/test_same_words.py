"""The same words however they are set: kept out, erased, and nobody's place taken."""

from __future__ import annotations

from typing import Any

import pytest

from bethink import Engine
from bethink.testing import FakeClock
from bethink.text.bare import bare
from bethink.vocabulary import Decision
from tests.tiers.offered import ANNA, BO, BUDGET, CAI, MIXED, PORT, offered

SET_OTHERWISE: list[tuple[str, dict[str, Any]]] = [
    (PORT, {"kind": "fact"}),
    (PORT, {"section": "ops"}),
    (PORT, {"occurred_at": "2026-01-01"}),
    (PORT, {"valid_to": "2036-01-01"}),
    (PORT.replace(" ", "  ", 1), {}),
    (PORT.replace(" ", "\u00a0", 1), {}),
    (PORT.replace("service", "ser\u200bvice"), {}),
    (PORT.upper(), {}),
    (PORT + ".", {}),
    (PORT[:-1], {}),
    (PORT.replace("5433", "５４３３"), {}),
    (PORT.replace(" since", ",\nsince"), {}),
    (f"“{PORT}”", {}),
]
SET_OTHERWISE_ZH: list[tuple[str, dict[str, Any]]] = [
    (BUDGET, {"kind": "decision"}),
    (BUDGET.replace("，", ", "), {}),
    (BUDGET[:-1], {}),
    (BUDGET.replace("财务部", "財務部"), {}),
    (BUDGET.replace("市场", "市 场"), {}),
    (BUDGET.replace("预算", "预\u2060算"), {}),
]


@pytest.mark.parametrize(
    ("told", "again"),
    [(PORT, again) for again in SET_OTHERWISE] + [(BUDGET, again) for again in SET_OTHERWISE_ZH],
)
def test_rejected_or_forgotten_however_it_is_set(
    engine: Engine, told: str, again: tuple[str, dict[str, Any]]
) -> None:
    text, fields = again
    first = engine.offer(told, by=BO)
    engine.reject(first.id, by=ANNA)
    second = engine.offer(text, by=CAI, **fields)
    assert second.decision is Decision.HELD
    assert first.id in second.reason
    engine.forget(first.id)
    assert engine.tiers.quarantine().offers == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("3.5", "35"), ("-5", "5"), ("12:30", "1230"), ("a > b", "a < b"), ("5%", "5"), ("c++", "c"),
     ("1 2", "12"), ("2026-01-02", "20260102"), ("预算 3.5 万", "预算 35 万"),
     ("任务 ✅", "任务 ❌"), ("!!!", "???")],
)  # fmt: skip
def test_what_can_change_a_fact_is_kept(one: str, other: str) -> None:
    assert bare(one) != bare(other)


def test_other_words_are_not_erased_with_them(engine: Engine) -> None:
    first, other = engine.offer(PORT, by=BO), engine.offer(PORT.replace("5433", "5434"), by=BO)
    engine.forget(first.id)
    assert [o.id for o in engine.tiers.quarantine().offers] == [other.id]


def test_each_setting_of_the_words_is_promoted_as_it_stands(engine: Engine) -> None:
    """Alike for keeping out, but long-term memory is told the very words."""
    one, other = engine.offer(PORT, by=BO), engine.offer(PORT + ".", by=CAI)
    engine.promote([one.id, other.id], by=ANNA)
    assert sorted(m.text for m in engine.list().memories) == sorted([PORT, PORT + "."])
    engine.tiers.undo(one.id, by=ANNA)
    assert [m.text for m in engine.list().memories] == [PORT + "."]


@pytest.mark.parametrize("text", [PORT, BUDGET, MIXED])
@pytest.mark.parametrize("way", ["reject", "rollback"])
def test_who_said_the_same_stays_recent(engine: Engine, text: str, way: str) -> None:
    honest = engine.offer(text, by=BO, source="honest")
    evil = engine.offer(text, by=CAI, source="evil")
    assert [m.id for m in engine.tiers.working(spaces=["global"])] == [evil.id]
    if way == "reject":
        engine.reject(evil.id, by=ANNA)
    else:
        engine.tiers.roll_back("evil", by=ANNA)
    assert offered(engine, honest.id).decision is Decision.ADMITTED
    assert [m.id for m in engine.tiers.working(spaces=["global"])] == [honest.id]
    engine.tiers.undo(evil.id, by=ANNA)
    assert [m.id for m in engine.tiers.working(spaces=["global"])] == [evil.id]


def test_what_comes_back_goes_when_its_own_day_is_over(engine: Engine, clock: FakeClock) -> None:
    engine.offer(PORT, by=BO, id="honest")
    clock.advance(hours=20)
    engine.offer(PORT, by=CAI, id="evil")
    engine.reject("evil", by=ANNA)
    assert [m.id for m in engine.tiers.working(spaces=["global"])] == ["honest"]
    clock.advance(hours=5)
    assert engine.tiers.working(spaces=["global"]) == []
    engine.offer(BUDGET, by=BO, id="old")
    clock.advance(hours=25)
    engine.offer(BUDGET, by=CAI, id="late")
    engine.reject("late", by=ANNA)
    assert engine.tiers.working(spaces=["global"]) == []


def test_the_trusted_one_comes_back_first(make: Any) -> None:
    engine = make(trusted="anna")
    for who in (ANNA, BO, CAI):
        engine.offer(PORT, by=who, id=who.name)
    assert [m.id for m in engine.tiers.working(spaces=["global"])] == ["anna"]
    engine.reject("anna", by=CAI)
    assert [m.id for m in engine.tiers.working(spaces=["global"])] == ["cai"]
    engine.reject("cai", by=CAI)
    assert [m.id for m in engine.tiers.working(spaces=["global"])] == ["bo"]


def test_what_has_ended_takes_nobodys_place(engine: Engine) -> None:
    """The same words, said of another time, are another telling."""
    engine.offer(BUDGET, by=BO, id="holds")
    engine.offer(BUDGET, by=CAI, id="ended", valid_to="2021-01-01")
    assert {m.id for m in engine.tiers.working(spaces=["global"])} == {"holds", "ended"}
