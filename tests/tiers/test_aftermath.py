"""After the user has written on, corrected, forgotten, or a crash came between: what they wrote
stays, what can be taken back is taken back whole, and what was left half done is found."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bethink import Engine
from bethink.errors import Conflict
from bethink.testing import FakeClock
from bethink.vocabulary import Action, Decision, Offer
from tests.engines_of_tests import existing
from tests.tiers.offered import ANNA, BO, BUDGET, CAI, PORT, offered

OWN = "I checked it myself: port 6000. 我自己核实过，是 6000 端口。"
PAGE = "https://example.org/页面"
SUMMARY = "In short: staging moved to another port, and every team has to change its settings."
TAKE_BACK: dict[str, Callable[[Engine, Offer], object]] = {
    "undo": lambda engine, offer: engine.tiers.undo(offer.id, by=ANNA),
    "rollback": lambda engine, _: engine.tiers.roll_back(PAGE, by=ANNA),
}


@pytest.mark.parametrize("way", TAKE_BACK)
@pytest.mark.parametrize("text", [PORT, BUDGET])
def test_what_the_user_wrote_stays(engine: Engine, text: str, way: str) -> None:
    offer = engine.offer(text, by=BO, source=PAGE)
    engine.promote(offer.id, by=ANNA)
    engine.revise(offer.id, text=OWN)
    TAKE_BACK[way](engine, offer)
    memory = existing(engine, offer.id)
    assert (memory.text, memory.verified) == (OWN, True)
    assert "who" not in memory.provenance
    assert [former.memory.text for former in engine.history(offer.id)] == [text]
    after = offered(engine, offer.id).decision
    assert after is (Decision.ADMITTED if way == "undo" else Decision.REJECTED)
    assert engine.tiers.roll_back(PAGE, by=ANNA).forgotten == 0
    assert existing(engine, offer.id).text == OWN
    assert "promotions" not in {check.part for check in engine.doctor()}


def test_the_answer_says_that_it_stays(engine: Engine) -> None:
    ids = [engine.offer(f"{PORT} {n}", by=BO, source=PAGE).id for n in range(3)]
    engine.promote(ids, by=ANNA)
    for offer_id in ids[:2]:
        engine.revise(offer_id, text=f"{OWN} {offer_id}")
    assert "stays as what you wrote" in engine.tiers.undo(ids[0], by=ANNA).reason
    done = engine.tiers.roll_back(PAGE, by=ANNA)
    assert (done.rejected, done.forgotten, done.revised) == (3, 1, 1)
    with pytest.raises(Conflict, match="a memory of your own"):
        engine.tiers.undo(ids[1], by=ANNA)
    assert existing(engine, ids[1]).text == f"{OWN} {ids[1]}"


def test_a_revision_does_not_raise_trust_by_an_undo(make: Callable[..., Engine]) -> None:
    engine = make(promotion="by-rule", promote_told=1)
    offer = engine.offer(BUDGET, by=BO, source=PAGE)
    engine.revise(offer.id, text=OWN)
    engine.tiers.roll_back(PAGE, by=ANNA)
    assert not existing(engine, offer.id).verified


@pytest.mark.parametrize("changed", [{"tags": ["seen"]}, {"text": BUDGET + " "}])
def test_a_touch_does_not_save_what_a_bad_source_said(
    engine: Engine, changed: dict[str, object]
) -> None:
    offer = engine.offer(BUDGET, by=BO, source=PAGE)
    engine.promote(offer.id, by=ANNA)
    engine.revise(offer.id, **changed)
    assert engine.tiers.roll_back(PAGE, by=ANNA).forgotten == 1
    assert engine.get(offer.id) is None


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ("The staging database listens on port 5432.", PORT),
        ("第三季度的市场预算是八十万。", BUDGET),
    ],
)
def test_a_place_taken_back_is_taken_again(
    engine: Engine, clock: FakeClock, known: str, told: str
) -> None:
    old = engine.remember(known).id
    clock.advance(days=1)
    offer = engine.offer(told, by=BO, source=PAGE)
    engine.promote(offer.id, by=ANNA, supersedes=old)
    for _ in range(2):
        clock.advance(days=1)
        engine.tiers.roll_back(PAGE, by=ANNA)
        assert existing(engine, old).valid_to is None
        clock.advance(days=1)
        back = engine.tiers.undo(offer.id, by=ANNA)
        assert back.decision is Decision.PROMOTED
        assert existing(engine, old).valid_to is not None
        assert existing(engine, old).metadata["superseded_by"] == offer.id
        assert existing(engine, offer.id).metadata["supersedes"] == old
    assert [m.id for m in engine.succession(old)] == [old, offer.id]


@pytest.mark.parametrize("fate", ["forgotten", "superseded"])
def test_a_place_that_is_gone_is_not_taken_again(
    engine: Engine, clock: FakeClock, fate: str
) -> None:
    old = engine.remember("The staging database listens on port 5432.").id
    offer = engine.offer(PORT, by=BO, source=PAGE)
    clock.advance(days=1)
    engine.promote(offer.id, by=ANNA, supersedes=old)
    engine.tiers.roll_back(PAGE, by=ANNA)
    clock.advance(days=1)
    if fate == "forgotten":
        engine.forget(old)
    else:
        engine.remember(OWN, supersedes=old)
    clock.advance(days=1)
    back = engine.tiers.undo(offer.id, by=ANNA)
    assert old in back.reason
    assert existing(engine, offer.id).text == PORT


@pytest.mark.parametrize("parent", ["offer", "promoted", "memory"])
def test_what_was_made_from_something_forgotten_is_found(engine: Engine, parent: str) -> None:
    if parent == "memory":
        first = engine.remember(BUDGET, source=PAGE).id
    else:
        first = engine.offer(BUDGET, by=BO, source=PAGE).id
    if parent == "promoted":
        engine.promote(first, by=ANNA)
    child = engine.offer(SUMMARY, by=CAI, parents=[first], source="summariser")
    grandchild = engine.offer(PORT, by=CAI, parents=[child.id], source="reporter")
    innocent = engine.offer(OWN, by=CAI, source="elsewhere")
    engine.promote([grandchild.id, innocent.id], by=ANNA)
    engine.forget(first)
    engine.forget(child.id)
    origin = engine.tiers.from_source(PAGE)
    assert {offer.id for offer in origin.derived} == {grandchild.id}
    done = engine.tiers.roll_back(PAGE, by=ANNA)
    assert (done.rejected, done.forgotten) == (1, 1)
    assert engine.get(grandchild.id) is None
    assert existing(engine, innocent.id).text == OWN


def half_promoted(engine: Engine, text: str) -> Offer:
    """As a process leaves it that ends between the memory and the ruling."""
    offer = engine.offer(text, by=BO, source=PAGE)
    engine.promote(offer.id, by=ANNA)
    memory = existing(engine, offer.id)
    engine.tiers.undo(offer.id, by=ANNA)
    engine._parts.writer.take_over([memory])
    return offer


@pytest.mark.parametrize("text", [PORT, BUDGET])
@pytest.mark.parametrize("mend", ["promote", "reject"])
def test_what_a_crash_left_is_found_and_mended(engine: Engine, text: str, mend: str) -> None:
    whole = engine.offer(SUMMARY, by=CAI)
    engine.promote(whole.id, by=ANNA)
    assert "promotions" not in {check.part for check in engine.doctor()}
    offer = half_promoted(engine, text)
    assert offered(engine, offer.id).decision is Decision.ADMITTED
    (check,) = [check for check in engine.doctor() if check.part == "promotions"]
    assert not check.ok
    assert f"{offer.id} (admitted)" in check.finding
    assert whole.id not in check.finding
    assert mend in check.fix
    getattr(engine, mend)(offer.id, by=ANNA)
    assert "promotions" not in {check.part for check in engine.doctor()}
    assert (engine.get(offer.id) is not None) is (mend == "promote")


def test_a_place_half_taken_before_a_crash(engine: Engine, clock: FakeClock) -> None:
    old = engine.remember("The staging database listens on port 5432.").id
    clock.advance(days=1)
    offer = engine.offer(PORT, by=BO, source=PAGE)
    engine._parts._promoted([offer.memory], old)  # and then the process ended
    assert [c.ok for c in engine.doctor() if c.part == "promotions"] == [False]
    (receipt,) = engine.promote(offer.id, by=ANNA, supersedes=old)
    assert receipt.action is Action.UNCHANGED
    engine.tiers.roll_back(PAGE, by=ANNA)
    assert existing(engine, old).valid_to is None
    engine.tiers.undo(offer.id, by=ANNA)
    assert existing(engine, old).valid_to is not None
