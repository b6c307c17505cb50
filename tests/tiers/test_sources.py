"""Rolling back: what came from a source, and what was made from it, however far."""

from __future__ import annotations

from bethink import Engine
from bethink.vocabulary import Decision
from tests.engines_of_tests import existing
from tests.tiers.offered import ANNA, BO, BUDGET, CAI, MIXED, PORT, offered, recalled

PAGE = "https://example.org/被黑的页面"
SUMMARY = "In short: staging moved to another port, and every team has to change its settings."
REPORT = (
    "周报：测试环境已经更换端口，各团队需要修改配置；"
    "相关说明已经整理成文档并且发给了所有的负责人，请大家按时完成。"
)


def test_everything_from_a_source_goes_and_nothing_else(engine: Engine) -> None:
    poisoned = engine.offer(PORT, by=BO, source=PAGE)
    summary = engine.offer(SUMMARY, by=CAI, parents=[poisoned.id], source="summariser")
    report = engine.offer(REPORT, by=ANNA, parents=[summary.id], source="reporter")
    told = engine.remember(MIXED, source=PAGE).id
    made = engine.offer("Made from what was told there: " + MIXED, by=BO, parents=[told])
    innocent = engine.offer(BUDGET, by=BO, source="elsewhere")
    engine.promote([poisoned.id, report.id, innocent.id])
    origin = engine.tiers.from_source(PAGE)
    assert {o.id for o in origin.offers} == {poisoned.id}
    assert {o.id for o in origin.derived} == {summary.id, report.id, made.id}
    assert {m.id for m in origin.memories} == {poisoned.id, report.id, told}
    done = engine.tiers.roll_back(PAGE, by=ANNA)
    assert (done.rejected, done.forgotten) == (4, 3)
    for gone in (poisoned.id, report.id, told):
        assert engine.get(gone) is None
    for text in (PORT, SUMMARY, REPORT, MIXED):
        assert text not in recalled(engine, text, unverified_share=1.0)
    assert [m.id for m in engine.tiers.working(spaces=["global"])] == [innocent.id]
    assert existing(engine, innocent.id).text == BUDGET
    assert offered(engine, summary.id).decision is Decision.REJECTED
    assert PAGE in offered(engine, summary.id).reason
    again = engine.tiers.roll_back(PAGE, by=ANNA)
    assert (again.rejected, again.forgotten) == (0, 0)


def test_what_another_source_had_said_stays(engine: Engine) -> None:
    known = engine.remember(PORT, source="the handbook").id
    offer = engine.offer(PORT, source=PAGE)
    engine.promote(offer.id)
    assert existing(engine, known).reinforcement == 1
    engine.tiers.roll_back(PAGE, by=ANNA)
    assert existing(engine, known).reinforcement == 0


def test_a_rollback_of_an_offer_can_be_undone(engine: Engine) -> None:
    offer = engine.offer(PORT, source=PAGE)
    engine.promote(offer.id)
    engine.tiers.roll_back(PAGE, by=ANNA)
    assert engine.get(offer.id) is None
    back = engine.tiers.undo(offer.id, by=ANNA)
    assert back.decision is Decision.PROMOTED
    assert existing(engine, offer.id).verified


def test_only_in_these_spaces(engine: Engine) -> None:
    a = engine.offer(PORT, space="a", source=PAGE)
    b = engine.offer(PORT, space="b", source=PAGE)
    engine.tiers.roll_back(PAGE, by=ANNA, spaces=["a"])
    assert offered(engine, a.id).decision is Decision.REJECTED
    assert offered(engine, b.id).decision is Decision.ADMITTED


def test_a_source_that_nobody_knows(engine: Engine) -> None:
    assert not engine.tiers.from_source("never heard of")
    done = engine.tiers.roll_back("never heard of", by=ANNA)
    assert (done.rejected, done.forgotten) == (0, 0)
