"""Quarantine: everything offered is kept with every decision about it, and found as memory by
nobody."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from bethink.errors import Conflict, NotFound
from bethink.stores.protocol import Store
from bethink.stores.tiers import Quarantine
from bethink.testing.at_once import run_at_once
from bethink.testing.entries import NOON, make_memory, make_offer
from bethink.testing.tier_contract.tier_case import CHINESE, TierCase, ids, ruling
from bethink.text.tokenise import query_terms
from bethink.vocabulary import Decision, Offer, Principal, Ruling


def full_offer() -> Offer:
    """With something in every field."""
    memory = replace(
        make_memory("预算 is 42 万元 \U0001f600", "m-1", space=CHINESE),
        kind="decision",
        section="第一章",
        tags=("a", "预算"),
        entities=("李雷",),
        source="https://example.org/a?b=c",
        provenance={"trust": "unverified", "chain": ["x", {"y": None}]},
        confidence=0.25,
        occurred_at=NOON - timedelta(days=3, microseconds=7),
        valid_from=NOON,
        valid_to=NOON + timedelta(days=1),
        reinforcement=2,
        access_count=3,
        metadata={"n": 1.5, "作者": "小美"},
    )
    return Offer(
        memory=memory,
        by=Principal("小美", "mcp", trusted=True),
        source_hash="5ea1",
        parents=("p-1", "p-2"),
        identity="says 预算",
        trusted=True,
        risk=0.125,
        findings=("asks for tools", "隐藏字符"),
        redacted=("password",),
        decision=Decision.HELD,
        reason="可疑: suspicious",
        decided_at=NOON + timedelta(microseconds=1),
        decided_by="filter",
    )


class QuarantineContract(TierCase):
    def test_an_offer_comes_back_as_it_was(self, quarantine: Quarantine) -> None:
        offer = full_offer()
        assert quarantine.log([offer]) == [True]
        assert quarantine.get(["m-1"]) == [offer]
        assert quarantine.scan().offers == [offer]

    def test_get_keeps_the_order_asked(self, quarantine: Quarantine) -> None:
        one, two = make_offer("one", "1"), make_offer("二", "2")
        quarantine.log([one, two])
        assert quarantine.get(["2", "nobody", "1", "2"]) == [two, None, one, two]
        assert quarantine.get([]) == []

    def test_nothing_in_means_nothing_done(self, quarantine: Quarantine) -> None:
        assert quarantine.log([]) == []
        quarantine.decide([])
        assert quarantine.erase([]) == 0
        assert quarantine.children([]) == []
        assert quarantine.scan().offers == []

    def test_what_stands_how_is_counted_by_space(self, quarantine: Quarantine) -> None:
        waiting = (Decision.HELD, Decision.ADMITTED)
        assert not quarantine.counts(waiting)
        quarantine.log(
            [
                make_offer("one", "1", decision=Decision.HELD),
                make_offer("二", "2", space=CHINESE, decision=Decision.HELD),
                make_offer("三", "3", space=CHINESE, decision=Decision.ADMITTED),
                make_offer("四", "4", space=CHINESE, decision=Decision.ADMITTED),
                make_offer("five", "5", space="b", decision=Decision.REFUSED),
            ]
        )
        assert quarantine.counts(waiting) == {
            "global": {Decision.HELD: 1},
            CHINESE: {Decision.HELD: 1, Decision.ADMITTED: 2},
        }
        quarantine.decide([ruling("1", Decision.PROMOTED), ruling("4", Decision.HELD)])
        assert quarantine.counts(waiting) == {CHINESE: {Decision.HELD: 2, Decision.ADMITTED: 1}}
        assert not quarantine.counts([])

    @pytest.mark.parametrize("lock", ["alone", "settling"])
    def test_one_at_a_time_decides(
        self, store: Store, open_beside: Callable[[Store], Store], lock: str
    ) -> None:
        beside = open_beside(store)
        inside = 0
        most = 0

        def decide(quarantine: Quarantine) -> None:
            nonlocal inside, most
            for _ in range(20):
                with getattr(quarantine, lock)():
                    inside += 1
                    most = max(most, inside)
                    time.sleep(0)
                    inside -= 1

        run_at_once(decide, [one.tiers().quarantine for one in (store, beside, store)])
        assert most == 1
        with pytest.raises(RuntimeError), getattr(beside.tiers().quarantine, lock)():
            raise RuntimeError
        with getattr(store.tiers().quarantine, lock)():  # given back, also by one who failed
            assert inside == 0

    def test_who_decides_keeps_nobody_from_offering(
        self, store: Store, open_beside: Callable[[Store], Store]
    ) -> None:
        beside = open_beside(store)
        with store.tiers().quarantine.alone(), beside.tiers().quarantine.settling():
            assert beside.tiers().quarantine.log([make_offer("预算", "1")]) == [True]

    def test_logged_twice_changes_nothing(self, quarantine: Quarantine) -> None:
        offer = make_offer("同样的话", "1", reason="first")
        again = replace(offer, decision=Decision.HELD, reason="second", source_hash="other")
        assert quarantine.log([offer, again]) == [True, False]
        quarantine.decide([ruling("1", Decision.PROMOTED)])
        decided = quarantine.get(["1"])
        assert quarantine.log([again, make_offer("new", "2"), again]) == [False, True, False]
        assert quarantine.get(["1"]) == decided
        assert len(quarantine.rulings("1")) == 2

    @pytest.mark.parametrize(
        "other",
        [make_offer("something else", "1"), make_offer("same", "1", space=CHINESE)],
        ids=["text", "space"],
    )
    def test_an_id_that_means_something_else_is_refused_with_its_batch(
        self, quarantine: Quarantine, other: Offer
    ) -> None:
        first = make_offer("same", "1")
        quarantine.log([first])
        with pytest.raises(Conflict, match="'1'"):
            quarantine.log([make_offer("before", "0"), other, make_offer("after", "2")])
        assert quarantine.scan().offers == [first]
        with pytest.raises(Conflict):
            quarantine.log([make_offer("a", "3"), make_offer("b", "3")])
        assert quarantine.scan().offers == [first]
        assert quarantine.rulings("0") == quarantine.rulings("3") == []

    def test_a_decision_holds_and_the_former_ones_are_kept(self, quarantine: Quarantine) -> None:
        offer = full_offer()
        quarantine.log([offer])
        first = Ruling("m-1", Decision.HELD, "可疑: suspicious", "filter", offer.decided_at)
        assert quarantine.rulings("m-1") == [first]
        promoted = ruling(
            "m-1", Decision.PROMOTED, "两人说过", at=NOON - timedelta(days=1), memory_id="m-9"
        )
        undone = ruling("m-1", Decision.ADMITTED, "too early", undo=True)
        quarantine.decide([promoted])
        quarantine.decide([undone, promoted])
        assert quarantine.rulings("m-1") == [first, promoted, undone, promoted]
        assert quarantine.get(["m-1"]) == [
            replace(
                offer,
                decision=Decision.PROMOTED,
                reason="两人说过",
                decided_by="Mei 小美",
                decided_at=promoted.at,
            )
        ]
        assert quarantine.rulings("nobody") == []

    @pytest.mark.parametrize("decision", list(Decision))
    def test_every_decision_can_be_kept(self, quarantine: Quarantine, decision: Decision) -> None:
        quarantine.log([make_offer("x", "1"), make_offer("y", "2", decision=decision)])
        quarantine.decide([ruling("1", decision)])
        assert {offer.decision for offer in quarantine.scan().offers} == {decision}
        assert [type(offer.decision) for offer in quarantine.scan().offers] == [Decision] * 2

    def test_decisions_hold_all_or_none(self, quarantine: Quarantine) -> None:
        offers = [make_offer("一", "1"), make_offer("two", "2")]
        quarantine.log(offers)
        with pytest.raises(NotFound, match="nobody"):
            quarantine.decide(
                [ruling(i, Decision.REJECTED) for i in ("1", "nobody", "2")],
            )
        assert quarantine.get(["1", "2"]) == offers
        assert [len(quarantine.rulings(i)) for i in ("1", "2", "nobody")] == [1, 1, 0]

    def test_whose_place_it_took_is_kept(self, quarantine: Quarantine) -> None:
        quarantine.log([make_offer("预算", "1")])
        took = ruling("1", Decision.PROMOTED, memory_id="m-1", supersedes="m-0")
        back = ruling("1", Decision.ADMITTED, undo=True)
        quarantine.decide([took])
        quarantine.decide([back])
        assert quarantine.rulings("1")[1:] == [took, back]

    def test_what_was_made_from_a_source_is_known_when_that_is_erased(
        self, quarantine: Quarantine
    ) -> None:
        page = make_offer("页面", "page", source_hash="aa")
        summary = make_offer("summary", "1", parents=("page",), origins=("aa",))
        again = make_offer("again", "2", parents=("1",), origins=("aa", "bb"))
        quarantine.log([page, summary, again])
        assert quarantine.get(["2"]) == [again]
        quarantine.erase(["page", "1"])
        assert quarantine.made_from("aa") == ["2"]
        assert quarantine.made_from("bb") == ["2"]
        assert quarantine.made_from("cc") == []
        quarantine.erase(["2"])
        assert quarantine.made_from("aa") == []

    def test_children_are_known_by_any_parent(self, quarantine: Quarantine) -> None:
        quarantine.log(
            [
                make_offer("mother", "a"),
                make_offer("摘要", "c", parents=("a", "b", "a")),
                make_offer("of another", "d", parents=("x",)),
                make_offer("elsewhere", "e", parents=("c", "b"), space=CHINESE),
            ]
        )
        assert quarantine.children(["a"]) == ["c"]
        assert quarantine.children(["b"]) == ["c", "e"]
        assert quarantine.children(["c", "b", "a", "x", "b"]) == ["c", "d", "e"]
        assert quarantine.children(["e", "nobody"]) == []

    def test_what_is_erased_is_gone(self, quarantine: Quarantine) -> None:
        quarantine.log(
            [
                make_offer("秘密 secret", "1"),
                make_offer("stays", "2", parents=("1",)),
                make_offer("goes too", "3", parents=("2",)),
            ]
        )
        quarantine.decide([ruling("1", Decision.HELD)])
        assert quarantine.erase(["1", "nobody", "1", "3"]) == 2
        assert quarantine.get(["1", "3"]) == [None, None]
        assert quarantine.rulings("1") == []
        assert ids(quarantine.scan().offers) == ["2"]
        assert quarantine.scan(decisions=[Decision.HELD]).offers == []
        assert quarantine.children(["2"]) == []
        assert quarantine.children(["1"]) == ["2"]  # it still says what it was made from
        with pytest.raises(NotFound):
            quarantine.decide([ruling("1", Decision.PROMOTED)])
        assert quarantine.erase(["1"]) == 0

    def test_what_was_erased_can_be_offered_again(self, quarantine: Quarantine) -> None:
        for text in ("one", "二"):
            assert quarantine.log([make_offer(text, "1")]) == [True]
            assert len(quarantine.rulings("1")) == 1
            assert quarantine.erase(["1"]) == 1

    def test_a_space_is_erased_alone(self, quarantine: Quarantine) -> None:
        here = make_offer("here", "1", source_hash="h")
        quarantine.log(
            [
                here,
                make_offer("那里", "2", space=CHINESE, source_hash="h", parents=("1",)),
                make_offer("there", "3", space=CHINESE),
            ]
        )
        assert quarantine.erase_space("nowhere") == 0
        assert quarantine.erase_space(CHINESE) == 2
        assert quarantine.scan(source_hash="h").offers == [here]
        assert quarantine.children(["1"]) == []
        assert quarantine.erase_space(CHINESE) == 0

    def test_no_search_finds_it_and_no_space_comes_of_it(
        self, store: Store, quarantine: Quarantine
    ) -> None:
        quarantine.log([make_offer("磁盘 alpha", "1"), make_offer("beta", "2", space=CHINESE)])
        assert store.get(["1", "2"]) == [None, None]
        assert store.count() == 0
        assert store.scan().memories == []
        terms = query_terms("磁盘 alpha")
        assert store.search_words(terms, spaces=["global"], where=None, limit=9) == []
        assert [info.name for info in store.spaces()] == ["global"]
