"""Promote, reject, restore, undo: every step can be repeated and taken back."""

from __future__ import annotations

from typing import Any

import pytest

from bethink import Engine
from bethink.errors import Conflict, InvalidInput, NotFound
from bethink.testing import FakeClock
from bethink.vocabulary import Action, Decision, Principal, Tier
from tests.engines_of_tests import existing
from tests.tiers.offered import ANNA, BO, BUDGET, CAI, LURE, MIXED, PORT, offered, recalled


def texts_of(engine: Engine) -> list[str]:
    return [memory.text for memory in engine.list().memories]


@pytest.mark.parametrize("text", [PORT, BUDGET, MIXED])
def test_promoted_it_is_remembered_and_verified(engine: Engine, text: str) -> None:
    offer = engine.offer(text, by=BO, source="meeting.md", tags=["q3"])
    (receipt,) = engine.promote(offer.id, by=ANNA, reason="checked with finance")
    assert (receipt.id, receipt.action, receipt.embedded) == (offer.id, Action.CREATED, True)
    memory = existing(engine, offer.id)
    assert memory.text == text
    assert memory.tags == ("q3",)
    assert memory.verified
    assert memory.provenance["who"] == "bo"
    assert offered(engine, offer.id).decision is Decision.PROMOTED
    assert engine.tiers.rulings(offer.id)[-1].by == "anna"
    assert text in recalled(engine, text)


def test_promoting_again_changes_nothing(engine: Engine) -> None:
    offer = engine.offer(PORT)
    engine.promote(offer.id)
    (again,) = engine.promote(offer.id)
    assert (again.id, again.action) == (offer.id, Action.UNCHANGED)
    assert existing(engine, offer.id).reinforcement == 0
    assert len(engine.tiers.rulings(offer.id)) == 2


def test_a_crash_between_memory_and_ruling_is_mended_by_promoting_again(engine: Engine) -> None:
    offer = engine.offer(PORT)
    engine._parts.writer.take_over([offer.memory])  # and then the process ended
    (receipt,) = engine.promote(offer.id)
    assert receipt.id == offer.id
    assert existing(engine, offer.id).reinforcement == 0
    assert existing(engine, offer.id).verified
    assert texts_of(engine) == [PORT]


def test_many_are_promoted_together_or_not_at_all(engine: Engine) -> None:
    ids = [engine.offer(f"{PORT} Check number {n} was fine.").id for n in range(20)]
    engine.reject(ids[7])
    with pytest.raises(Conflict, match="was rejected"):
        engine.promote(ids)
    assert texts_of(engine) == []
    engine.restore(ids[7])
    receipts = engine.promote(ids)
    assert [r.id for r in receipts] == ids
    assert len(texts_of(engine)) == 20


def test_long_text_is_split_and_embedded_in_one_go(make: Any) -> None:
    engine = make()
    long = "\n\n".join(f"第{n}章：{BUDGET} {PORT}" for n in range(40))
    offer = engine.offer(long)
    (receipt,) = engine.promote(offer.id)
    assert receipt.passages > 10
    assert receipt.embedded


def test_known_by_its_words_it_is_counted_not_repeated(engine: Engine) -> None:
    known = engine.remember(PORT).id
    offer = engine.offer(PORT, by=BO)
    (receipt,) = engine.promote(offer.id)
    assert (receipt.id, receipt.action) == (known, Action.REINFORCED)
    assert texts_of(engine) == [PORT]
    assert existing(engine, known).reinforcement == 1
    engine.tiers.undo(offer.id, by=ANNA)
    assert existing(engine, known).reinforcement == 0
    assert existing(engine, known).text == PORT
    assert engine.history(known) == []


def test_reviewed_words_verify_what_the_rules_had_let_in(make: Any) -> None:
    engine = make(promotion="by-rule", promote_told=1, promote_sources=0)
    first = engine.offer(PORT, by=BO)
    assert first.decision is Decision.PROMOTED
    assert not existing(engine, first.id).verified
    second = engine.offer(PORT + " ", by=CAI, id="second")
    assert second.decision is Decision.PROMOTED
    assert not existing(engine, first.id).verified
    third = engine.tiers.undo("second", by=ANNA)
    assert third.decision is Decision.ADMITTED
    engine.promote("second", by=ANNA)
    assert existing(engine, first.id).verified


def test_rejected_and_restored(engine: Engine) -> None:
    offer = engine.offer(BUDGET)
    (rejected,) = engine.reject(offer.id, by=ANNA, reason="未经证实")
    assert (rejected.decision, rejected.reason) == (Decision.REJECTED, "未经证实")
    assert engine.tiers.working(spaces=["global"]) == []
    assert recalled(engine, BUDGET, unverified_share=1.0) == []
    with pytest.raises(Conflict, match="restore it first"):
        engine.promote(offer.id)
    (restored,) = engine.restore(offer.id, by=ANNA)
    assert restored.decision is Decision.ADMITTED
    assert [m.id for m in engine.tiers.working(spaces=["global"])] == [offer.id]
    assert [r.decision for r in engine.tiers.rulings(offer.id)] == [
        Decision.ADMITTED, Decision.REJECTED, Decision.ADMITTED
    ]  # fmt: skip


def test_rejecting_twice_is_one_decision(engine: Engine) -> None:
    offer = engine.offer(BUDGET)
    engine.reject(offer.id)
    engine.reject(offer.id)
    assert len(engine.tiers.rulings(offer.id)) == 2


def test_what_was_held_can_be_let_in_by_a_person_only(make: Any) -> None:
    engine = make(promotion="by-rule", promote_told=1, trusted="anna")
    held = engine.offer(LURE, by=ANNA)
    assert held.decision is Decision.HELD
    assert engine.tiers.promote_by_rules("global") == []
    engine.promote(held.id, by=ANNA, reason="a note for the security course")
    assert existing(engine, held.id).text == LURE


def test_undo_takes_decisions_back_one_by_one(engine: Engine) -> None:
    offer = engine.offer(PORT)
    engine.reject(offer.id)
    engine.restore(offer.id)
    engine.promote(offer.id)
    assert engine.tiers.undo(offer.id, by=ANNA).decision is Decision.ADMITTED
    assert engine.get(offer.id) is None
    assert [hit.tier for hit in engine.recall(PORT).hits] == [Tier.WORKING]
    assert engine.tiers.undo(offer.id, by=ANNA).decision is Decision.REJECTED
    assert engine.recall(PORT).hits == ()
    assert engine.tiers.working(spaces=["global"]) == []
    assert engine.tiers.undo(offer.id, by=ANNA).decision is Decision.ADMITTED
    with pytest.raises(Conflict, match="nothing to undo"):
        engine.tiers.undo(offer.id, by=ANNA)
    engine.promote(offer.id)
    assert existing(engine, offer.id).text == PORT


def test_a_correction_takes_the_place_and_gives_it_back(engine: Engine, clock: FakeClock) -> None:
    old = engine.remember("The staging database listens on port 5432.", kind="decision").id
    clock.advance(days=1)
    offer = engine.offer(PORT, kind="decision")
    engine.promote(offer.id, supersedes=old)
    assert existing(engine, old).valid_to is not None
    engine.tiers.undo(offer.id, by=ANNA)
    assert engine.get(offer.id) is None
    assert existing(engine, old).valid_to is None
    assert "superseded_by" not in existing(engine, old).metadata


def test_reject_does_not_reach_into_long_term_memory(engine: Engine) -> None:
    offer = engine.offer(PORT)
    engine.promote(offer.id)
    with pytest.raises(Conflict, match="undo its promotion first"):
        engine.reject(offer.id)
    with pytest.raises(Conflict, match="nothing to restore"):
        engine.restore(offer.id)


def test_forgetting_reaches_every_tier(engine: Engine) -> None:
    twin = engine.offer(PORT, by=BO)
    offer = engine.offer(PORT, by=CAI)
    engine.promote(offer.id)
    engine.forget(offer.id)
    assert engine.tiers.get(offer.id) is None
    assert engine.tiers.get(twin.id) is None
    assert engine.tiers.working(spaces=["global"]) == []
    never = engine.offer("短")
    assert engine.forget(never.id).action is Action.FORGOTTEN
    assert engine.tiers.quarantine().offers == []
    with pytest.raises(NotFound):
        engine.forget(never.id)


def test_forgetting_a_space_reaches_every_tier(engine: Engine) -> None:
    engine.offer(PORT, space="a")
    kept = engine.offer(PORT, space="b")
    engine.promote(engine.offer(BUDGET, space="a").id)
    engine.forget_space("a")
    assert [o.id for o in engine.tiers.quarantine().offers] == [kept.id]
    assert engine.tiers.working(spaces=["a"]) == []
    assert all("a" not in event.spaces for event in engine.events.since(0))


@pytest.mark.parametrize("verb", ["promote", "reject", "restore"])
def test_unknown_ids_and_bad_input(engine: Engine, verb: str) -> None:
    decide = getattr(engine, verb)
    with pytest.raises(NotFound, match="nothing was offered under the id 'nope'"):
        decide("nope")
    with pytest.raises(InvalidInput, match="no ids"):
        decide([])
    with pytest.raises(InvalidInput, match="is no id"):
        decide([7])


def test_by_rule_when_asked_to(make: Any) -> None:
    engine = make(promotion="by-rule", trusted="anna", promote_sources=3, promote_told=0)
    trusted = engine.offer(BUDGET, by=ANNA)
    assert trusted.decision is Decision.PROMOTED
    assert existing(engine, trusted.id).verified
    offers = [
        engine.offer(PORT, by=Principal(name), source=source)
        for name, source in (("bo", "s1"), ("cai", "s2"), ("dan", "s3"))
    ]
    assert [o.decision for o in offers] == [
        Decision.ADMITTED, Decision.ADMITTED, Decision.PROMOTED
    ]  # fmt: skip
    assert "3 independent sources" in offers[2].reason
    assert not existing(engine, offers[2].id).verified
