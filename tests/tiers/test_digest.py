"""The digest: the same things together, reasons, and what long-term memory says."""

from __future__ import annotations

import json
from typing import Any

from bethink import Engine
from bethink.remember.sameness import Verdict
from bethink.vocabulary import Principal
from tests.tiers.offered import ANNA, BO, BUDGET, CAI, LURE, PORT

PORT_AGAIN = "Since Monday the staging database of the billing service listens on port 5433."
PORT_MORE = PORT + " The old port is closed."
OTHER_PORT = "The staging database of the billing service listens on port 6000 since Monday."
ZH = (
    "测试环境的数据库端口从周一开始改成了五四三三，"
    "所有同事都需要在本周之内更新自己的连接配置文件，否则会连接失败。"
)


def test_nothing_waits(engine: Engine) -> None:
    assert engine.tiers.digest("global").proposals == ()


def test_a_digest_and_a_page_of_offers_are_about_what_they_hold(engine: Engine) -> None:
    for text in (PORT, ZH):
        engine.offer(text, by=BO)
    page = engine.tiers.quarantine()
    assert [offer.text for offer in page] == [ZH, PORT]
    assert (len(page), page[0], page.cursor) == (2, page.offers[0], None)
    assert list(engine.tiers.quarantine(spaces="global")) == page.offers
    assert list(engine.tiers.quarantine(spaces="elsewhere")) == []
    assert [memory.text for memory in engine.tiers.working()] == [ZH, PORT]
    digest = engine.tiers.digest()
    assert list(digest) == list(digest.proposals) and len(digest) == 2
    told = json.loads(json.dumps(digest.to_dict()))
    assert told["proposals"][0]["offers"][0] == digest[0].offers[0].to_dict()


def test_those_that_say_the_same_stand_together(engine: Engine) -> None:
    for text in (PORT, PORT_AGAIN, PORT, BUDGET, ZH, ZH):
        engine.offer(text, by=BO)
    groups = [
        {offer.memory.text for offer in p.offers} for p in engine.tiers.digest("global").proposals
    ]
    assert {PORT, PORT_AGAIN} in groups
    assert {BUDGET} in groups
    assert {ZH} in groups
    assert sum(map(len, groups)) == 4


def test_one_that_says_more_stands_with_it_and_is_proposed(engine: Engine) -> None:
    engine.offer(PORT_MORE, by=BO)
    engine.offer(PORT, by=CAI)
    (proposal,) = engine.tiers.digest("global").proposals
    assert proposal.offers[0].memory.text == PORT_MORE


def test_contradicting_offers_stay_apart_and_name_each_other(engine: Engine) -> None:
    a, b = engine.offer(PORT, by=BO), engine.offer(OTHER_PORT, by=CAI)
    proposals = {p.id: p for p in engine.tiers.digest("global").proposals}
    assert proposals.keys() == {a.id, b.id}
    assert b.id in {c.id for c in proposals[a.id].conflicts}
    assert a.id in {c.id for c in proposals[b.id].conflicts}


def test_what_long_term_memory_says_is_shown(engine: Engine) -> None:
    known = engine.remember("The staging database of the billing service listens on port 5432.")
    same = engine.remember(BUDGET)
    engine.offer(PORT.replace(" since Monday", ""), by=BO)
    engine.offer(BUDGET, by=BO)
    told = {
        conflict.id: conflict.verdict
        for proposal in engine.tiers.digest("global").proposals
        for conflict in proposal.conflicts
    }
    assert told == {known.id: Verdict.CORRECTION, same.id: Verdict.SAME}


def test_what_the_rules_speak_for_comes_first_with_reasons(make: Any) -> None:
    engine = make(trusted="anna", promote_sources=2)
    lone = engine.offer(ZH, by=BO)
    held = engine.offer(LURE, by=BO)
    for who, source in (("bo", "s1"), ("cai", "s2")):
        engine.offer(PORT, by=Principal(who), source=source)
    mine = engine.offer(BUDGET, by=ANNA)
    proposals = engine.tiers.digest("global").proposals
    assert [p.promote for p in proposals] == [True, True, False, False]
    by_id = {p.id: p for p in proposals}
    assert by_id[mine.id].reasons == ("anna is trusted",)
    assert "2 independent sources say it" in str([p.reasons for p in proposals])
    assert "offered once" in by_id[lone.id].reasons[0]
    assert "only a person" in by_id[held.id].reasons[0]


def test_the_rules_promote_what_nothing_contradicts(make: Any) -> None:
    engine = make(trusted="anna")
    known = engine.remember("The staging database of the billing service listens on port 5432.")
    disputed = engine.offer(PORT.replace(" since Monday", ""), by=ANNA)
    plain = engine.offer(BUDGET, by=ANNA)
    (receipt,) = engine.tiers.promote_by_rules("global")
    assert receipt.id == plain.id
    assert engine.get(disputed.id) is None
    assert engine.get(known.id) is not None
    assert engine.tiers.promote_by_rules("global") == []


def test_only_this_space_is_in_it(engine: Engine) -> None:
    engine.offer(PORT, space="a")
    engine.offer(BUDGET, space="b")
    (proposal,) = engine.tiers.digest("a").proposals
    assert proposal.offers[0].memory.text == PORT
