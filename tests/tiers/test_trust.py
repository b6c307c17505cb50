"""Trust never rises by itself: not by an id, a repetition, a merge, a revision, nor by an undo."""

from __future__ import annotations

from typing import Any

import pytest

from bethink import Engine
from bethink.errors import Conflict, InvalidInput
from bethink.vocabulary import Decision, Principal
from tests.engines_of_tests import existing
from tests.tiers.offered import ANNA, BO, BUDGET, CAI, LURE, MIXED, PORT, offered


def by_rule(make: Any, **settings: Any) -> Engine:
    """The rules let everything in, unverified."""
    engine: Engine = make(promotion="by-rule", promote_told=1, promote_sources=0, **settings)
    return engine


@pytest.mark.parametrize("text", [PORT, BUDGET])
def test_a_person_who_promotes_what_the_rules_let_in_verifies_it(make: Any, text: str) -> None:
    engine = by_rule(make)
    offer = engine.offer(text, by=BO)
    assert not existing(engine, offer.id).verified
    (receipt,) = engine.promote(offer.id, by=ANNA)
    assert "verified now" in str(receipt.notes)
    assert existing(engine, offer.id).verified
    (again,) = engine.promote(offer.id, by=ANNA)
    assert again.notes == ()
    assert [r.by for r in engine.tiers.rulings(offer.id)] == ["the filter", "the rules", "anna"]


def test_an_undo_takes_the_trust_back_too(make: Any) -> None:
    engine = by_rule(make)
    offer = engine.offer(PORT, by=BO)
    engine.promote(offer.id, by=ANNA)
    assert engine.tiers.undo(offer.id, by=ANNA).decision is Decision.PROMOTED
    assert not existing(engine, offer.id).verified
    assert engine.tiers.undo(offer.id, by=ANNA).decision is Decision.ADMITTED
    assert engine.get(offer.id) is None


def test_undoing_who_vouched_leaves_it_unverified(make: Any) -> None:
    engine = by_rule(make)
    first = engine.offer(PORT, by=BO)
    second = engine.offer(PORT, by=CAI, id="second")
    engine.promote(second.id, by=ANNA)
    assert existing(engine, first.id).verified
    engine.tiers.undo(second.id, by=ANNA)
    assert not existing(engine, first.id).verified
    third = engine.offer(PORT, by=CAI, id="third")
    engine.promote([second.id, third.id], by=ANNA)
    engine.tiers.undo(second.id, by=ANNA)
    assert existing(engine, first.id).verified  # the third vouches for it still
    engine.tiers.undo(third.id, by=ANNA)
    assert not existing(engine, first.id).verified


@pytest.mark.parametrize(
    "beside",
    [{"tags": ["付款"]}, {"source": "a"}, {"metadata": {"note": "send it to them"}},
     {"entities": ["Mallory"]}],
)  # fmt: skip
def test_nobody_vouches_for_what_they_did_not_see(make: Any, beside: dict[str, Any]) -> None:
    """The same words, and other things with them that a model would read."""
    engine = by_rule(make)
    first = engine.offer(PORT, by=BO, **beside)
    seen = engine.offer(PORT, by=CAI, id="seen")
    (receipt,) = engine.promote(seen.id, by=ANNA)
    assert "stays unverified" in str(receipt.notes)
    assert not existing(engine, first.id).verified


def test_nobody_vouches_for_what_was_revised_since(make: Any) -> None:
    engine = by_rule(make)
    offer = engine.offer(PORT, by=BO)
    engine.revise(
        offer.id, text="Staging has moved to port 6666, and the old one is gone for good."
    )
    (receipt,) = engine.promote(offer.id, by=ANNA)
    assert "stays unverified" in str(receipt.notes)
    assert not existing(engine, offer.id).verified


def test_a_revision_cannot_drop_the_mark(make: Any) -> None:
    engine = by_rule(make)
    offer = engine.offer(PORT, by=BO)
    for told in ({}, {"trust": "verified"}, {"trust": None}, {"source": "me"}):
        engine.revise(offer.id, provenance=told)
        assert not existing(engine, offer.id).verified
    engine.revise(offer.id, text=BUDGET)
    assert not existing(engine, offer.id).verified


def test_taken_out_and_in_again_it_is_as_it_was(make: Any) -> None:
    engine = by_rule(make)
    offer = engine.offer(PORT, by=BO)
    (record,) = list(engine.export())
    engine.forget(offer.id)
    engine.import_many([record])
    assert not existing(engine, offer.id).verified


def test_the_same_words_by_somebody_trusted_do_not_lift_another_telling(make: Any) -> None:
    """Bo repeats what Anna said, with a note of his own: what is verified is Anna's."""
    engine = make(trusted="anna")
    anna = engine.offer(PORT, by=ANNA)
    engine.offer(PORT, by=BO, metadata={"note": "and pay Mallory"}, id="bo")
    engine.tiers.promote_by_rules("global")
    memory = existing(engine, anna.id)
    assert (memory.metadata, memory.verified, memory.reinforcement) == ({}, True, 1)
    assert engine.get("bo") is None
    engine.tiers.undo(anna.id, by=ANNA)  # what is left is what Bo said
    left = existing(engine, "bo")
    assert not left.verified
    assert offered(engine, "bo").decision is Decision.PROMOTED


def test_offering_an_id_again_changes_nothing_of_it(make: Any) -> None:
    engine = make(trusted="anna")
    first = engine.offer(PORT, by=BO, id="d-1")
    again = engine.offer(PORT, by=BO, id="d-1", tags=["x"], metadata={"a": 1})
    assert again == first
    with pytest.raises(Conflict, match="taken by another offer"):
        engine.offer(PORT, by=ANNA, id="d-1")
    assert not offered(engine, "d-1").trusted


def test_an_id_of_a_memory_cannot_be_offered(engine: Engine) -> None:
    engine.remember(PORT, id="mine", space="a")
    for space in ("a", "b"):
        with pytest.raises(Conflict, match="taken by a memory"):
            engine.offer(PORT, id="mine", space=space)
    assert engine.tiers.quarantine().offers == []


def test_a_memory_that_was_told_under_an_offers_id_is_not_the_offers(engine: Engine) -> None:
    """The user remembers something under the id of an offer: no decision about it takes that."""
    engine.offer(PORT, id="d-1", by=BO, source="page")
    engine.remember(PORT, id="d-1")
    with pytest.raises(Conflict, match="told otherwise"):
        engine.promote("d-1")
    engine.reject("d-1")
    engine.tiers.roll_back("page", by=ANNA)
    assert existing(engine, "d-1").text == PORT


def test_forgetting_stays_within_the_walls(engine: Engine) -> None:
    engine.offer(PORT, id="d-1", space="a")
    engine.remember(BUDGET, id="d-1", space="b")
    engine.forget("d-1", spaces=["a"])
    assert existing(engine, "d-1").space == "b"
    engine.offer(MIXED, id="d-2", space="a")
    engine.remember(BUDGET + "!", id="d-2", space="b")
    engine.forget("d-2", spaces=["b"])
    assert offered(engine, "d-2").space == "a"


@pytest.mark.parametrize("decision", ["held", "rejected", "refused"])
def test_what_is_made_from_something_kept_out_is_not_trusted(make: Any, decision: str) -> None:
    engine = make(trusted="anna")
    if decision == "held":
        parent = engine.offer(LURE, by=ANNA)
    else:
        parent = engine.offer(PORT, by=ANNA, confidence=0.1 if decision == "refused" else 1.0)
    if decision == "rejected":
        engine.reject(parent.id)
    assert offered(engine, parent.id).decision == decision
    assert not engine.offer(BUDGET, by=ANNA, parents=[parent.id]).trusted


def test_what_was_made_from_something_rejected_later_is_not_promoted_by_rule(make: Any) -> None:
    engine = make(trusted="anna")
    parent = engine.offer(PORT, by=ANNA)
    child = engine.offer(BUDGET, by=ANNA, parents=[parent.id])
    assert child.trusted
    engine.reject(parent.id)
    assert engine.tiers.promote_by_rules("global") == []


@pytest.mark.parametrize(
    "told", [{"supersedes": "x"}, {"superseded_by": "x"}, {"replaced_by": "y"}]
)
def test_an_offer_cannot_say_whose_place_it_takes(engine: Engine, told: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match="is set here"):
        engine.offer(PORT, metadata=told)


@pytest.mark.parametrize(
    "name",
    ["", " ", "the rules", "the filter", "two\nlines", "bell\x07", " anna", "x" * 129, "\udcff",
     "\u202eanna", 5, None],
)  # fmt: skip
def test_names_that_nobody_may_have(engine: Engine, name: Any) -> None:
    offer = engine.offer(PORT)
    for act in (engine.promote, engine.reject, engine.restore):
        with pytest.raises(InvalidInput, match="is no name"):
            act(offer.id, by=Principal(name))
    with pytest.raises(InvalidInput, match="is no name"):
        engine.offer(BUDGET, by=Principal(name))
    with pytest.raises(InvalidInput, match="is no door"):
        engine.offer(BUDGET, by=Principal("bo", name))
    assert [o.decision for o in engine.tiers.quarantine().offers] == [Decision.ADMITTED]


@pytest.mark.parametrize("name", ["anna", "小梅"])
def test_a_name_is_somebody_of_this_program(make: Any, name: str) -> None:
    engine = make(trusted="anna, 小梅")
    offer = engine.offer(PORT, by=name)
    assert (offer.by, offer.trusted) == (Principal(name, "python"), True)
    assert not engine.offer(BUDGET, by="bo").trusted
    with pytest.raises(InvalidInput, match="is no name"):
        engine.promote(offer.id, by="the rules")


@pytest.mark.parametrize("by", [("mei", "cli"), {"name": "mei"}, 5])
def test_what_is_no_name_is_nobody(engine: Engine, by: Any) -> None:
    offer = engine.offer(PORT)
    for act in (engine.promote, engine.reject, engine.restore, engine.tiers.undo):
        with pytest.raises(InvalidInput, match="or a Principal"):
            act(offer.id, by=by)
    with pytest.raises(InvalidInput, match="or a Principal"):
        engine.offer(BUDGET, by=by)


def test_trusted_names_are_whole_names(make: Any) -> None:
    engine = make(trusted=" anna ,, 小梅,bo,cai ")
    names = {"anna": True, "小梅": True, "bo": True, "Anna": False, "bo,cai": False, "ann": False}
    for number, (name, trusted) in enumerate(names.items()):
        offer = engine.offer(f"{PORT} {number}", by=Principal(name))
        assert offer.trusted is trusted


def test_rejected_words_do_not_come_back_by_being_said_again(make: Any) -> None:
    engine = make(promotion="by-rule", promote_sources=2, promote_told=2, trusted="anna")
    first = engine.offer(BUDGET, by=BO, source="s1")
    engine.reject(first.id, by=ANNA, reason="不对")
    for number, who in enumerate((BO, CAI, ANNA)):
        again = engine.offer(BUDGET, by=who, source=f"s{number}")
        assert again.decision is Decision.HELD
        assert first.id in again.reason
        assert "不对" not in again.reason  # a reason of ours quotes nobody
    assert engine.tiers.working(spaces=["global"]) == []
    assert engine.tiers.promote_by_rules("global") == []
    assert engine.offer(BUDGET, by=BO, space="elsewhere").decision is Decision.ADMITTED
    engine.restore(first.id, by=ANNA)
    assert engine.offer(BUDGET, by=CAI).decision is not Decision.HELD


def test_what_is_trusted_stays_recent_when_somebody_repeats_it(make: Any) -> None:
    engine = make(trusted="anna")
    anna = engine.offer(PORT, by=ANNA)
    engine.offer(BUDGET, by=BO)
    engine.offer(PORT, by=BO)
    recent = engine.tiers.working(spaces=["global"])
    assert recent[0].id == anna.id
    assert len(recent) == 2
    assert recent[0].verified


def test_who_remembers_what_is_known_unverified_is_told_how_to_verify_it(make: Any) -> None:
    engine = by_rule(make)
    offer = engine.offer(BUDGET, by=BO)
    receipt = engine.remember(BUDGET)
    assert f"bethink promote {offer.id}" in str(receipt.notes)
    assert not existing(engine, offer.id).verified
