"""What the rules leave to a person: what one alone repeats, and what is near to what is known."""

from __future__ import annotations

from typing import Any

import pytest

from bethink import Engine
from bethink.remember.sameness import Verdict
from bethink.vocabulary import Decision, Offer, Principal
from tests.engines_of_tests import existing
from tests.tiers.offered import ANNA, BO, BUDGET, MIXED, PORT

CONTRADICTIONS = [
    ("The billing service listens on port 5432.",
     "The billing service listens on port 5433, since the change on Monday."),
    ("The billing service listens on port 5432.",
     "The billing service listens on port 5433 in every environment we have."),
    ("李梅是市场部的负责人。",
     "经过上周的调整以后，市场部的负责人现在是王强，以后所有的预算审批都要找王强签字，不要再去找其他的人了。"),
    ("市场部的负责人是李梅，任期到明年三月。",
     "市场部的负责人是王强，任期到明年三月，这是人事部门上个星期五下午在全体大会上正式宣布的消息，请知悉。"),
    ("Payments above 10000 need two signatures.",
     "Payments above 10000 need no second signature any more, one is enough."),
    ("The deploy window is on Wednesday at 02:00.",
     "The deploy window is on Friday at 14:00, right after lunch, for everyone."),
    ("We use PostgreSQL for the billing database.",
     "We do not use PostgreSQL for the billing database, it was replaced by MySQL."),
    ("The owner of the billing service is Mei, and she lives in Berlin.",
     "The owner of the billing service is Bob, and she lives in Berlin."),
    ("账单服务的测试数据库使用 5432 端口，所有人都需要更新自己的连接配置，旧端口会在这个月底关闭。",
     "账单服务的测试数据库使用 5433 端口，所有人都需要更新自己的连接配置，旧端口会在月底关闭。"),
    ("The customer Acme has paid the invoice of March, it is settled.",
     "The customer Acme has not paid the invoice of March, it is open."),
]  # fmt: skip
NEWS = [
    ("The billing service listens on port 5432.",
     "The search index is rebuilt every night by a job that Mei looks after."),
    ("市场部的负责人是李梅，任期到明年三月。",
     "测试环境的数据库端口从周一开始改成了五四三三，所有同事都需要在本周之内更新自己的连接配置文件，否则会失败。"),
    ("用户喜欢深色主题。", MIXED),
]  # fmt: skip


def told_by_many(engine: Engine, text: str, **fields: Any) -> Offer:
    """Enough for every rule."""
    for number in range(5):
        offer = engine.offer(text, by=Principal(f"p{number}"), source=f"s{number}", **fields)
    return offer


@pytest.mark.parametrize("text", [PORT, BUDGET])
def test_one_who_repeats_is_one(make: Any, text: str) -> None:
    engine = make(promotion="by-rule")
    for number in range(12):
        offer = engine.offer(text, by=BO, source=f"s{number}")
        assert offer.decision is Decision.ADMITTED
    (proposal,) = engine.tiers.digest("global").proposals
    assert not proposal.promote
    assert "offered 12 times, by one source" in proposal.reasons[0]


@pytest.mark.parametrize("text", [PORT, BUDGET])
def test_told_by_many_who_read_one_page(make: Any, text: str) -> None:
    engine = make(promotion="by-rule", promote_sources=0)
    for number in range(5):
        offer = engine.offer(text, by=Principal(f"p{number}"), source="one page")
    assert offer.decision is Decision.PROMOTED
    assert "told by 5 independently" in offer.reason
    assert not existing(engine, offer.id).verified


def test_a_retelling_is_no_telling_of_its_own(make: Any) -> None:
    engine = make(promotion="by-rule", promote_sources=0, promote_told=2)
    first = engine.offer(PORT, by=BO)
    again = engine.offer(PORT, by=Principal("cai"), parents=[first.id])
    assert again.decision is Decision.ADMITTED


@pytest.mark.parametrize(("known", "told"), CONTRADICTIONS)
def test_no_rule_lets_in_what_may_contradict(make: Any, known: str, told: str) -> None:
    engine = make(promotion="by-rule", trusted="anna", offer_characters=30)
    remembered = engine.remember(known).id
    offer = told_by_many(engine, told)
    assert offer.decision is Decision.ADMITTED
    assert engine.offer(told, by=ANNA).decision is Decision.ADMITTED
    (proposal,) = engine.tiers.digest("global").proposals
    assert not proposal.promote
    assert proposal.disputed
    assert "a person must look" in proposal.reasons[-1]
    assert remembered in {beside.id for beside in proposal.conflicts}
    assert engine.tiers.promote_by_rules("global") == []
    assert [m.text for m in engine.list().memories] == [known]


@pytest.mark.parametrize(("known", "told"), NEWS)
def test_what_is_new_goes_by_rule(make: Any, known: str, told: str) -> None:
    engine = make(promotion="by-rule", offer_characters=30)
    engine.remember(known)
    assert told_by_many(engine, told).decision is Decision.PROMOTED


@pytest.mark.parametrize("text", [PORT, BUDGET])
def test_what_is_known_just_so_is_counted_by_rule(make: Any, text: str) -> None:
    engine = make(promotion="by-rule")
    known = engine.remember(text).id
    engine.remember(f"{text[:-1]}, and that is all. 就这样，没有别的了。")
    assert told_by_many(engine, text).decision is Decision.PROMOTED
    assert existing(engine, known).reinforcement == 5


@pytest.mark.parametrize("kind", ["fact", "decision", "task"])
def test_another_kind_does_not_hide_it(make: Any, kind: str) -> None:
    known, told = CONTRADICTIONS[0]
    engine = make(promotion="by-rule")
    engine.remember(known, kind="preference")
    assert told_by_many(engine, told, kind=kind).decision is Decision.ADMITTED


@pytest.mark.parametrize(("known", "told"), [CONTRADICTIONS[1], CONTRADICTIONS[2]])
def test_it_is_found_in_the_middle_of_a_long_text(make: Any, known: str, told: str) -> None:
    engine = make(promotion="by-rule")
    engine.remember(known)
    around = "\n\n".join(
        f"Section {n}: 天气很好 and nothing happened at all." * 4 for n in range(9)
    )
    offer = told_by_many(engine, f"{around}\n\n{told}\n\n{around}")
    assert offer.decision is Decision.ADMITTED


def test_too_long_to_compare_is_left_to_a_person(make: Any) -> None:
    engine = make(promotion="by-rule")
    engine.remember("The cat of Mei is called 小花.")
    long = "\n\n".join(
        f"Section {n}: nothing of note happened in week {n}. " * 9 for n in range(40)
    )
    offer = told_by_many(engine, long)
    assert offer.decision is Decision.ADMITTED
    (proposal,) = engine.tiers.digest("global").proposals
    assert "too long to be compared" in proposal.disputed
    engine.promote(offer.id, by=ANNA)
    assert existing(engine, offer.id).verified


def test_a_decision_meanwhile_holds(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody rejects one of them after the digest looked and before the rules promote."""
    from bethink.tiers import by_rule
    from bethink.tiers.digest import Digest, digest
    from bethink.tiers.kit import Kit

    engine = make()
    offer = told_by_many(engine, BUDGET)

    def then_rejected(space: str, kit: Kit) -> Digest:
        found = digest(space, kit)
        assert found.proposals[0].promote
        engine.reject(offer.id, by=ANNA)
        return found

    monkeypatch.setattr(by_rule, "digest", then_rejected)
    assert engine.tiers.promote_by_rules("global") == []
    assert engine.list().memories == []


def test_the_verdicts_are_told(make: Any) -> None:
    engine = make()
    for known in (PORT, BUDGET):
        engine.remember(known)
    engine.offer(PORT.replace("5433", "6000"), by=BO, id="other")
    engine.offer(BUDGET, by=BO, id="same")
    by_id = {p.id: p for p in engine.tiers.digest("global").proposals}
    assert {c.verdict for c in by_id["same"].conflicts} == {Verdict.SAME}
    assert Verdict.SAME not in {c.verdict for c in by_id["other"].conflicts}
    assert by_id["same"].disputed == ""
