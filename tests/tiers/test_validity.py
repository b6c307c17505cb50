"""When something holds is part of what is said: no fact disappears into one that has ended."""

from __future__ import annotations

from typing import Any

import pytest

from bethink import Engine
from bethink.records import offer_record
from bethink.testing import FakeClock
from bethink.vocabulary import Action, Decision, Principal
from tests.engines_of_tests import existing
from tests.tiers.offered import ANNA, BO, BUDGET, CAI, PORT, offered

OVER: list[dict[str, Any]] = [
    {"valid_to": "2021-01-01"},
    {"valid_from": "2020-01-01", "valid_to": "2021-01-01"},
    {"valid_from": "2999-01-01"},
]


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("text", [PORT, BUDGET])
def test_what_holds_at_another_time_swallows_no_honest_telling(
    engine: Engine, text: str, over: dict[str, Any]
) -> None:
    evil = engine.offer(text, by=BO, **over)
    engine.promote(evil.id, by=ANNA)
    assert engine.recall(text).hits == ()
    honest = engine.offer(text, by=CAI)
    (receipt,) = engine.promote(honest.id, by=ANNA)
    assert (receipt.id, receipt.action) == (honest.id, Action.CREATED)
    assert [hit.id for hit in engine.recall(text).hits] == [honest.id]
    assert engine.tiers.held_by(offered(engine, honest.id)) == honest.id
    engine.tiers.undo(honest.id, by=ANNA)
    assert existing(engine, evil.id).reinforcement == 0


@pytest.mark.parametrize("over", OVER)
def test_together_in_one_call(engine: Engine, over: dict[str, Any]) -> None:
    evil = engine.offer(BUDGET, by=BO, **over)
    honest = engine.offer(BUDGET, by=CAI)
    assert [r.action for r in engine.promote([evil.id, honest.id])] == [Action.CREATED] * 2


@pytest.mark.parametrize("text", ["Mei works at Acme.", "小美在甲公司工作。"])
def test_remembered_again_after_its_end_it_holds_again(
    engine: Engine, clock: FakeClock, text: str
) -> None:
    first = engine.remember(text, valid_to=clock().isoformat()).id
    clock.advance(days=1)
    assert engine.recall(text).hits == ()
    again = engine.remember(text)
    assert again.action is Action.CREATED
    assert [hit.id for hit in engine.recall(text).hits] == [again.id]
    third = engine.remember(text)
    assert (third.action, third.id) == (Action.REINFORCED, again.id)
    assert existing(engine, first).reinforcement == 0


@pytest.mark.parametrize("merge", ["words", "meaning"])
def test_remembered_again_before_its_end_it_goes_on(
    engine: Engine, clock: FakeClock, merge: str
) -> None:
    text = "The office in Berlin is open on Saturdays. 柏林的办公室周六开门。"
    engine.remember(text, valid_to="2026-02-01")
    again = engine.remember(text, merge=merge).id
    clock.advance(days=60)
    assert [hit.id for hit in engine.recall(text).hits] == [again]


def test_what_was_superseded_can_be_told_again(engine: Engine, clock: FakeClock) -> None:
    old = engine.remember("The staging database listens on port 5432.").id
    clock.advance(days=1)
    new = engine.remember("The staging database listens on port 5433.", supersedes=old).id
    clock.advance(days=1)
    assert engine.remember("The staging database listens on port 5433.").id == new
    back = engine.remember("The staging database listens on port 5432.")
    assert back.action is Action.CREATED
    assert back.id in {hit.id for hit in engine.recall("staging port 5432").hits}


@pytest.mark.parametrize("over", [*OVER, {"occurred_at": "2020-05-05"}])
def test_who_reviews_sees_when_it_holds(engine: Engine, over: dict[str, Any]) -> None:
    record = offer_record(engine.offer(PORT, by=BO, **over))
    for name, day in over.items():
        assert record[name].startswith(day)
    engine.offer(PORT, by=CAI)
    proposals = engine.tiers.digest("global").proposals
    assert [len(p.offers) for p in proposals] == [1, 1]  # they do not say the same


def test_the_rules_count_no_telling_of_another_time(make: Any) -> None:
    engine = make(promotion="by-rule", promote_sources=2)
    engine.offer(BUDGET, by=BO, source="s1", valid_to="2021-01-01")
    honest = engine.offer(BUDGET, by=CAI, source="s2")
    assert honest.decision is Decision.ADMITTED
    assert engine.tiers.promote_by_rules("global") == []
    again = engine.offer(BUDGET, by=Principal("dan"), source="s3")
    assert again.decision is Decision.PROMOTED
    assert [hit.text for hit in engine.recall(BUDGET, unverified_share=1.0).hits] == [BUDGET]


def test_nobody_vouches_for_another_time(make: Any) -> None:
    engine = make(promotion="by-rule", promote_told=1)
    first = engine.offer(PORT, by=BO)
    assert first.decision is Decision.PROMOTED
    seen = engine.offer(PORT, by=CAI, valid_to="2036-01-01", id="seen")
    (receipt,) = engine.promote(seen.id, by=ANNA)
    assert receipt.id == first.id
    assert "stays unverified" in str(receipt.notes)
    assert not existing(engine, first.id).verified
