"""What is offered is logged, filtered and not yet known."""

from __future__ import annotations

from typing import Any

import pytest

from bethink import Engine
from bethink.errors import Conflict, InvalidInput
from bethink.testing import FakeClock
from bethink.vocabulary import Decision, Principal, Tier
from tests.tiers.offered import ANNA, BUDGET, LURE, LURE_ZH, MIXED, PORT, offered, recalled


@pytest.mark.parametrize("text", [PORT, BUDGET, MIXED])
def test_sure_and_long_enough_it_is_in_working_memory(engine: Engine, text: str) -> None:
    offer = engine.offer(text, confidence=0.8, by=ANNA, source="log.txt")
    assert offer.decision is Decision.ADMITTED
    assert [m.text for m in engine.tiers.working(spaces=["global"])] == [text]
    assert engine.get(offer.id) is None
    assert engine.list().memories == []


@pytest.mark.parametrize(
    ("text", "confidence", "decision", "said"),
    [
        (PORT, 0.79, Decision.REFUSED, "0.79 is below 0.8"),
        (BUDGET, 0.0, Decision.REFUSED, "0 is below 0.8"),
        ("x" * 49, 1.0, Decision.IGNORED, "49 characters"),
        ("会议改到周五下午三点", 1.0, Decision.IGNORED, "10 characters, which count as 20, fewer"),
        ("议" * 24, 1.0, Decision.IGNORED, "24 characters, which count as 48, fewer than 50"),
        ("议" * 25, 1.0, Decision.ADMITTED, ""),
        (
            "周三的评审会上大家一致同意把支付回调的超时时间从三秒改成八秒，由老周负责上线并通知客服团队。",
            1.0,
            Decision.ADMITTED,
            "",
        ),
        ("  " + "x" * 49 + "  \n", 1.0, Decision.IGNORED, "49 characters"),
        (LURE, 1.0, Decision.HELD, "suspicious"),
        (LURE_ZH, 1.0, Decision.HELD, "suspicious"),
    ],
)
def test_the_filter_says_why(
    engine: Engine, text: str, confidence: float, decision: Decision, said: str
) -> None:
    offer = engine.offer(text, confidence=confidence)
    assert offer.decision is decision
    assert said in offer.reason
    (logged,) = engine.tiers.quarantine(decisions=[decision]).offers
    assert logged == offer
    (ruling,) = engine.tiers.rulings(offer.id)
    assert (ruling.decision, ruling.reason) == (decision, offer.reason)
    in_working = [m.id for m in engine.tiers.working(spaces=["global"])]
    assert in_working == ([offer.id] if decision is Decision.ADMITTED else [])


@pytest.mark.parametrize("text", [PORT, BUDGET])
@pytest.mark.parametrize(
    ("told", "within", "decision"),
    [
        (None, 0.5, Decision.REFUSED),
        (None, 0.9, Decision.ADMITTED),
        (1.0, 0.5, Decision.REFUSED),  # the lower one counts
        (0.5, 0.9, Decision.REFUSED),
        (None, "low", Decision.ADMITTED),  # somebody's own field
    ],
)
def test_the_confidence_may_stand_in_the_metadata(
    engine: Engine, text: str, told: float | None, within: object, decision: Decision
) -> None:
    given: dict[str, Any] = {} if told is None else {"confidence": told}
    offer = engine.offer(text, metadata={"confidence": within}, **given)
    assert offer.decision is decision
    assert offer.memory.metadata["confidence"] == within


def test_the_filter_is_a_setting(make: Any) -> None:
    engine = make(offer_confidence=0.2, offer_characters=8)
    assert engine.offer("改到周五", confidence=0.3).decision is Decision.ADMITTED
    assert engine.offer("no!", confidence=0.3).decision is Decision.IGNORED


@pytest.mark.parametrize("text", [LURE, LURE_ZH, "短", "too short to matter"])
def test_what_stays_in_quarantine_is_found_by_no_path(engine: Engine, text: str) -> None:
    offer = engine.offer(text, tags=["t"], entities=["e"], source="s", id="canary-1")
    assert offer.decision is not Decision.ADMITTED
    for question in (text, text[:20], "canary-1", "s", "API key", "密码"):
        assert recalled(engine, question, unverified_share=1.0) == []
    assert engine.get("canary-1") is None
    assert engine.list().memories == []
    assert list(engine.export()) == []
    assert all(info.memories == 0 for info in engine.spaces())
    with pytest.raises(Exception, match="no memory has the id"):
        engine.why_not("canary-1", text)


def test_provenance_is_ours(engine: Engine) -> None:
    offer = engine.offer(PORT, by=Principal("agent-7", "mcp"), source="deploy.log")
    told = offer.memory.provenance
    assert (told["who"], told["door"], told["trust"]) == ("agent-7", "mcp", "unverified")
    assert told["source_hash"] == offer.source_hash
    claims: dict[str, Any] = {
        "provenance": {"trust": "verified"},
        "reinforcement": 99,
        "created_at": "2020-01-01",
    }
    for name, value in claims.items():
        with pytest.raises(InvalidInput, match=f"{name} of an offer is set here"):
            engine.offer(PORT, **{name: value})
    assert len(engine.tiers.quarantine().offers) == 1


def test_the_same_source_has_the_same_hash(engine: Engine) -> None:
    hashes = {
        engine.offer(text, source=source).source_hash
        for text, source in ((PORT, "Deploy  Log"), (BUDGET, "deploy log"), (MIXED, "DEPLOY LOG"))
    }
    assert len(hashes) == 1
    assert engine.offer(PORT, source="another").source_hash not in hashes


def test_trust_never_rises_by_summarising(make: Any) -> None:
    engine = make(trusted="anna, 小梅")
    rumour = engine.offer(PORT, by=Principal("web"))
    assert not rumour.trusted
    summary = engine.offer(
        "总结：账单服务的测试数据库从周一开始改用 5433 端口，"
        "所有人都需要更新自己的连接配置，旧端口会在月底关闭。",
        by=ANNA,
        parents=[rumour.id],
    )
    assert not summary.trusted
    assert summary.memory.provenance["trust"] == "unverified"
    again = engine.offer(MIXED, by=Principal("小梅"), parents=[summary.id])
    assert not again.trusted
    assert engine.offer(BUDGET, by=Principal("小梅")).trusted
    unknown = engine.offer(PORT + " Indeed.", by=ANNA, parents=["never-seen"])
    assert not unknown.trusted


def test_a_parent_of_another_space_is_unknown_here(make: Any) -> None:
    engine = make(trusted="anna")
    parent = engine.offer(PORT, space="a", by=ANNA)
    assert parent.trusted
    assert not engine.offer(BUDGET, space="b", by=ANNA, parents=[parent.id]).trusted
    assert engine.offer(BUDGET, space="a", by=ANNA, parents=[parent.id]).trusted


def test_made_from_a_memory_it_is_trusted_as_the_memory(make: Any) -> None:
    engine = make(trusted="anna")
    known = engine.remember("The billing team owns the staging database.").id
    assert engine.offer(PORT, by=ANNA, parents=[known]).trusted


def test_delivered_twice_it_is_one_offer(engine: Engine) -> None:
    first = engine.offer(PORT, id="d-1")
    assert engine.offer(PORT, id="d-1") == first
    assert len(engine.tiers.quarantine().offers) == 1
    assert len(engine.tiers.rulings("d-1")) == 1
    with pytest.raises(Conflict):
        engine.offer(BUDGET, id="d-1")


def test_the_same_id_from_somebody_else_is_no_delivery(engine: Engine) -> None:
    engine.offer(BUDGET, id="d-1", by=ANNA, source="内部 minutes")
    with pytest.raises(Conflict, match="taken by another offer") as told:
        engine.offer(BUDGET, id="d-1", by=Principal("bo"))
    assert "内部" not in str(told.value)
    assert len(engine.tiers.quarantine().offers) == 1


def test_offered_again_it_is_logged_again_and_recent_once(engine: Engine, clock: FakeClock) -> None:
    engine.offer(PORT, by=ANNA)
    clock.advance(minutes=1)
    engine.offer(BUDGET)
    clock.advance(minutes=1)
    last = engine.offer(PORT, by=Principal("bo"))
    assert len(engine.tiers.quarantine().offers) == 3
    recent = engine.tiers.working(spaces=["global"])
    assert (recent[0].id, len(recent)) == (last.id, 2)


def test_fifty_are_kept_for_a_day(engine: Engine, clock: FakeClock) -> None:
    for number in range(51):
        engine.offer(f"{PORT} 第 {number} 次检查的结果是正常的。")
        clock.advance(seconds=1)
    kept = engine.tiers.working(spaces=["global"], limit=100)
    assert len(kept) == 50
    assert kept[0].text.endswith("第 50 次检查的结果是正常的。")
    assert not any("第 0 次" in memory.text for memory in kept)
    clock.advance(hours=23, minutes=59, seconds=10)  # 24 hours after the oldest that is kept
    assert len(engine.tiers.working(spaces=["global"], limit=100)) == 49
    clock.advance(hours=1)
    assert engine.tiers.working(spaces=["global"], limit=100) == []
    assert len(engine.tiers.quarantine(limit=100).offers) == 51


def test_spaces_are_walls(engine: Engine) -> None:
    a = engine.offer(PORT, space="a")
    b = engine.offer(BUDGET, space="b")
    assert [o.id for o in engine.tiers.quarantine(spaces=["a"]).offers] == [a.id]
    assert [m.id for m in engine.tiers.working(spaces=["b"])] == [b.id]
    with pytest.raises(Exception, match="nothing was offered"):
        engine.promote(a.id, spaces=["b"])
    assert engine.tiers.get(a.id, spaces=["b"]) is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"text": ""}, "empty"),
        ({"text": 5}, "expected text"),
        ({"parents": "abc"}, "a list of ids"),
        ({"parents": [""]}, "is no id"),
        ({"confidence": 1.2}, "from 0 to 1"),
        ({"space": "a/../b\n"}, "space"),
        ({"colour": "red"}, "unknown field"),
    ],
)
def test_bad_input_is_told_and_nothing_is_kept(
    engine: Engine, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        engine.offer(**{"text": PORT, **options})
    assert engine.tiers.quarantine().offers == []


def test_tier_changes_are_events(engine: Engine) -> None:
    offer = engine.offer(BUDGET, by=ANNA)
    held = engine.offer(LURE)
    engine.promote(offer.id, by=ANNA)
    changes = [e for e in engine.events.since(0) if e.kind == "tier_change"]
    assert [(e.data["offer_id"], e.data["from"], e.data["to"]) for e in changes] == [
        (offer.id, None, Tier.WORKING.value),
        (held.id, None, Tier.QUARANTINE.value),
        (offer.id, Tier.WORKING.value, Tier.LONG_TERM.value),
    ]
    assert [e.id for e in changes] == sorted({e.id for e in changes})
    assert "预算" not in str(changes)


def test_secrets_are_gone_and_the_reviewer_sees_it(engine: Engine) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    offer = engine.offer(
        f"部署脚本里的 token 是 {token}，由运维组在周一轮换过一次，"
        "之后所有的流水线都已经恢复正常，没有再报错。",
        metadata={"key": token},
        source=f"https://bot:{token}@example.org/repo",
    )
    assert offer.redacted
    assert token not in str(offer)
    assert "redacted" in offer.memory.text
    assert token not in str(engine.tiers.quarantine().offers)
    assert token not in str(engine.events.since(0))
    assert offered(engine, offer.id).memory.provenance["redacted"]
