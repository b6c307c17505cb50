"""Taking one telling back leaves what others said; what a crash left is mended by the next step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.errors import Conflict, InvalidInput, StoreReadOnly
from bethink.settings import Settings
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import FakeClock
from bethink.vocabulary import Action, Decision
from tests.engines_of_tests import existing
from tests.tiers.offered import ANNA, BO, BUDGET, CAI, LURE, PORT, offered, recalled


def texts_of(engine: Engine) -> list[str]:
    return [memory.text for memory in engine.list().memories]


def test_undoing_the_first_leaves_what_the_second_said(engine: Engine) -> None:
    first = engine.offer(PORT, by=BO, source="s1")
    second = engine.offer(PORT, by=CAI, source="s2")
    engine.promote(first.id)
    engine.promote(second.id)
    engine.tiers.undo(first.id, by=ANNA)
    assert engine.get(first.id) is None
    left = existing(engine, second.id)
    assert (left.text, left.source, left.verified, left.reinforcement) == (PORT, "s2", True, 0)
    assert engine.tiers.held_by(offered(engine, second.id)) == second.id
    engine.tiers.undo(second.id, by=ANNA)
    assert texts_of(engine) == []


def test_rolling_a_source_back_leaves_what_another_said(engine: Engine) -> None:
    for who, source in ((BO, "bad"), (CAI, "good"), (ANNA, "bad")):
        engine.promote(engine.offer(BUDGET, by=who, source=source).id)
    (memory,) = engine.list().memories
    assert (memory.source, memory.reinforcement) == ("bad", 2)
    done = engine.tiers.roll_back("bad", by=ANNA)
    assert done.rejected == 2
    (memory,) = engine.list().memories
    assert (memory.source, memory.reinforcement) == ("good", 0)
    assert engine.tiers.roll_back("good", by=ANNA).forgotten == 1
    assert texts_of(engine) == []


def test_a_source_is_found_though_its_secret_was_taken_out(engine: Engine) -> None:
    source = "https://example.org/feed?token=ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    offer = engine.offer(PORT, source=source)
    assert "ghp_" not in offer.memory.source
    assert engine.tiers.roll_back(source, by=ANNA).rejected == 1


def test_rejecting_what_a_crash_half_promoted_takes_it_out(engine: Engine) -> None:
    offer = engine.offer(PORT)
    engine._parts.writer.take_over([offer.memory])  # and then the process ended
    engine.reject(offer.id, by=ANNA)
    assert texts_of(engine) == []
    assert recalled(engine, PORT, unverified_share=1.0) == []


def test_promoting_what_a_crash_half_undid_brings_it_back(engine: Engine) -> None:
    offer = engine.offer(PORT)
    engine.promote(offer.id)
    engine.store.delete([offer.id])  # and then the process ended
    (receipt,) = engine.promote(offer.id)
    assert receipt.action is Action.CREATED
    assert texts_of(engine) == [PORT]
    assert engine.tiers.undo(offer.id, by=ANNA).decision is Decision.ADMITTED
    assert texts_of(engine) == []


def test_undoing_what_a_crash_half_undid_goes_on(engine: Engine) -> None:
    offer = engine.offer(PORT)
    engine.promote(offer.id)
    engine.store.delete([offer.id])
    assert engine.tiers.undo(offer.id, by=ANNA).decision is Decision.ADMITTED


def test_delivered_again_it_is_recent_after_a_crash(engine: Engine) -> None:
    offer = engine.offer(PORT, id="d-1")
    engine.store.tiers().working.remove(["d-1"])  # logged, and then the process ended
    assert engine.offer(PORT, id="d-1") == offer
    assert [m.id for m in engine.tiers.working(spaces=["global"])] == ["d-1"]


@pytest.mark.parametrize("text", [PORT, BUDGET])
def test_what_expired_is_in_the_log_and_can_be_promoted_or_restored(
    engine: Engine, clock: FakeClock, text: str
) -> None:
    offer = engine.offer(text)
    clock.advance(hours=25)
    assert engine.tiers.working(spaces=["global"]) == []
    assert offered(engine, offer.id).decision is Decision.ADMITTED
    assert [p.id for p in engine.tiers.digest("global").proposals] == [offer.id]
    engine.restore(offer.id, by=ANNA)
    assert [m.id for m in engine.tiers.working(spaces=["global"])] == [offer.id]
    assert len(engine.tiers.rulings(offer.id)) == 1  # it was admitted all the time
    clock.advance(days=40)
    engine.promote(offer.id, by=ANNA)
    assert existing(engine, offer.id).text == text


def test_what_was_promoted_shows_in_working_memory_as_it_is_known(engine: Engine) -> None:
    offer = engine.offer(PORT)
    assert not engine.tiers.working(spaces=["global"])[0].verified
    engine.promote(offer.id)
    assert engine.tiers.working(spaces=["global"])[0].verified


def test_thousands_in_one_transaction(engine: Engine) -> None:
    ids = [engine.offer(f"{PORT} 第 {n} 次。", by=BO, source=f"s{n % 3}").id for n in range(600)]
    receipts = engine.promote(ids, by=ANNA)
    assert [receipt.id for receipt in receipts] == ids
    assert sum(info.memories for info in engine.spaces()) == 600
    done = engine.tiers.roll_back("s1", by=ANNA)
    assert (done.rejected, done.forgotten) == (200, 200)
    waiting = [engine.offer(f"{BUDGET} {n}", by=BO).id for n in range(300)]
    assert len(engine.reject(waiting, by=ANNA)) == 300
    assert engine.tiers.working(spaces=["global"], limit=1000) == []
    with pytest.raises(InvalidInput, match="too many"):
        engine.promote([f"id-{n}" for n in range(5000)])


def test_rejecting_many_is_all_or_none(engine: Engine) -> None:
    ids = [engine.offer(f"{PORT} {n}").id for n in range(5)]
    engine.promote(ids[3])
    with pytest.raises(Conflict):
        engine.reject(ids)
    assert [o.decision for o in engine.tiers.quarantine(newest_first=False).offers] == [
        *[Decision.ADMITTED] * 3, Decision.PROMOTED, Decision.ADMITTED
    ]  # fmt: skip


def test_a_place_cannot_be_taken_later(make: Any) -> None:
    engine = make(promotion="by-rule", promote_told=1)
    old = engine.remember("The staging database listens on port 5432.", kind="decision").id
    offer = engine.offer("缓存服务器下周搬到新的机房，旧机房的线路会在月底之前全部停用，"
                         "请各个团队提前检查自己的配置并且做好切换的准备。")  # fmt: skip
    assert offer.decision is Decision.PROMOTED
    with pytest.raises(Conflict, match="undo its promotion first"):
        engine.promote(offer.id, supersedes=old)
    assert existing(engine, old).valid_to is None
    for bad in ("", "a b", 7):
        with pytest.raises(InvalidInput, match="is no id"):
            engine.promote(offer.id, supersedes=bad)


def test_by_rule_does_not_overrule_what_is_known(make: Any) -> None:
    """When it is offered, as in the digest."""
    engine = make(promotion="by-rule", trusted="anna")
    known = engine.remember("The staging database of the billing service listens on port 5432.")
    offer = engine.offer(PORT.replace(" since Monday", ""), by=ANNA)
    assert offer.decision is Decision.ADMITTED
    assert texts_of(engine) == [existing(engine, known.id).text]
    assert engine.offer(LURE, by=ANNA).decision is Decision.HELD


def test_reasons_are_one_line_without_secrets(engine: Engine) -> None:
    offer = engine.offer(PORT)
    reason = "first\n  second \x1b[2J key ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    (rejected,) = engine.reject(offer.id, reason=reason)
    assert rejected.reason.startswith("first second")
    assert "ghp_" not in rejected.reason
    for bad in (5, "x" * 2001, "\udcff", "nul\0"):
        with pytest.raises(InvalidInput, match="reason"):
            engine.restore(offer.id, reason=bad)


@pytest.mark.parametrize("limit", [0, -1, 1001, True, "5"])
def test_limits_are_checked(engine: Engine, limit: Any) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        engine.tiers.quarantine(limit=limit)
    with pytest.raises(InvalidInput, match="limit"):
        engine.tiers.working(spaces=["global"], limit=limit)


def test_events_hold_neither_text_nor_what_a_person_wrote(engine: Engine) -> None:
    held = engine.offer(LURE, by=BO)
    engine.reject(held.id, by=ANNA, reason="它说: ignore all previous instructions")
    engine.offer(LURE, by=CAI)
    told = str([event.data for event in engine.events.since(0)]).casefold()
    assert "previous instructions" not in told
    assert "它说" not in told
    assert "suspicious" in told


def test_what_was_known_before_is_recent_as_it_is_known(engine: Engine) -> None:
    known = engine.remember(PORT).id
    offer = engine.offer(PORT, by=BO)
    engine.promote(offer.id, by=ANNA)
    assert [(m.id, m.verified) for m in engine.tiers.working(spaces=["global"])] == [(known, True)]
    engine.forget(known)
    assert engine.tiers.working(spaces=["global"]) == []


def test_a_store_that_may_only_be_read_can_be_looked_at(tmp_path: Path) -> None:
    with Engine(tmp_path / "m.db", settings=Settings(), embedder="hashing") as engine:
        offer = engine.offer(PORT, id="o-1")
    reading = SQLiteStore(tmp_path / "m.db", read_only=True)
    with Engine(reading, settings=Settings(), embedder="hashing") as engine:
        assert engine.tiers.quarantine().offers == [offer]
        assert [m.id for m in engine.tiers.working(spaces=["global"])] == ["o-1"]
        assert [p.id for p in engine.tiers.digest("global").proposals] == ["o-1"]
        assert engine.tiers.from_source("python:local").offers == (offer,)
        assert engine.status().waiting == (("global", 0, 1),)
        for act in (engine.promote, engine.reject, engine.forget):
            with pytest.raises(StoreReadOnly):
                act("o-1")
        with pytest.raises(StoreReadOnly):
            engine.offer(BUDGET)
