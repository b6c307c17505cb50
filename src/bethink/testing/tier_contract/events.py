"""Events: each has a number greater than any before, and is seen by whoever may see its spaces."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from bethink.stores.protocol import Store
from bethink.stores.tiers import EventLog
from bethink.testing.entries import NOON
from bethink.testing.tier_contract.tier_case import CHINESE, MANY, TierCase, event
from bethink.vocabulary import Event


def numbers(found: list[Event]) -> list[int]:
    return [one.id for one in found]


class EventsContract(TierCase):
    def test_before_the_first(self, events: EventLog) -> None:
        assert (events.first(), events.last()) == (0, 0)
        assert events.since(0) == []
        assert events.append([], keep=9) == []
        assert events.erase_space("global") == 0
        assert (events.first(), events.last()) == (0, 0)

    def test_an_event_comes_back_as_it_was_with_its_number(self, events: EventLog) -> None:
        told = Event(
            0,
            NOON + timedelta(microseconds=3),
            "promoted",
            (CHINESE, "global"),
            {"ids": ["m-1"], "question": "预算是多少？", "n": 1.5, "none": None},
        )
        (kept,) = events.append([told], keep=9)
        assert kept == told._replace(id=kept.id)
        assert kept.id > 0
        assert events.since(0) == [kept]
        assert (events.first(), events.last()) == (kept.id, kept.id)

    def test_numbers_only_grow(self, events: EventLog) -> None:
        first = events.append([event(), event()], keep=99)
        second = events.append([event()._replace(id=1)], keep=99)  # a number of its own is not kept
        given = numbers(first + second)
        assert given == sorted(set(given))
        assert numbers(events.since(0)) == given
        assert events.last() == given[-1]

    def test_since_goes_on_where_one_stopped(self, events: EventLog) -> None:
        kept = events.append([event(f"k{n}") for n in range(7)], keep=99)
        seen: list[Event] = []
        while page := events.since(seen[-1].id if seen else 0, limit=3):
            seen += page
        assert seen == kept
        assert events.since(kept[-1].id) == events.since(kept[-1].id + MANY) == []
        assert len(events.since(0, limit=1)) == 1

    def test_only_who_may_see_every_space_sees_the_event(self, events: EventLog) -> None:
        kept = events.append(
            [event("a", "a"), event("b", "a", CHINESE), event("c", CHINESE)], keep=9
        )
        nowhere = events.append([Event(0, NOON, "everywhere", (), {})], keep=9)

        def seen(*spaces: str) -> str:
            return "".join(e.kind[0] for e in events.since(0, spaces=spaces))

        assert seen("a") == "ae"
        assert seen(CHINESE) == "ce"
        assert seen(CHINESE, "x", "a") == "abce"
        assert seen("x") == seen() == "e"
        assert events.since(0) == kept + nowhere

    def test_kinds_and_spaces_hold_together(self, events: EventLog) -> None:
        one, _, three, _ = events.append(
            [event("k", "a"), event("k", "b"), event("类", "a"), event("other", "a")], keep=9
        )
        assert events.since(0, kinds=["k", "类"], spaces=["a"]) == [one, three]
        assert events.since(one.id, kinds={"类", "k"}, spaces=["a"], limit=1) == [three]
        assert events.since(0, kinds=[]) == []

    def test_some_are_erased_by_their_numbers(self, events: EventLog) -> None:
        assert events.erase([1]) == 0
        kept = events.append([event(f"第 {n}") for n in range(5)], keep=9)
        gone = [kept[1].id, kept[4].id]
        assert events.erase([*gone, kept[4].id + MANY]) == 2
        assert events.since(0) == [kept[0], kept[2], kept[3]]
        assert events.erase(gone) == events.erase([]) == 0
        (after,) = events.append([event("later 后来")], keep=9)
        assert after.id > kept[4].id  # no number is given twice

    def test_what_names_an_id_is_erased(self, events: EventLog) -> None:
        named = Event(0, NOON, "k", ("a",), {"hits": [{"id": "m-1", "问": '"引"'}]})
        other = Event(0, NOON, "k", ("a",), {"hits": [{"id": "m-12"}]})
        another_kind = Event(0, NOON, "类", ("a",), {"id": "m-1"})
        quoted = Event(0, NOON, "k", ("a",), {"id": '记"1'})
        kept = events.append([named, other, another_kind, quoted], keep=9)
        assert events.erase_mentions(["m-1", '记"1'], kind="k") == 2
        assert events.since(0) == kept[1:3]
        assert events.erase_mentions(["m-1"], kind="k") == 0
        assert events.last() == kept[-1].id

    def test_the_limit_counts_what_is_seen(self, events: EventLog) -> None:
        told = [event("k", "b" if n % 3 else "a") for n in range(30)]
        kept = events.append(told, keep=99)
        assert events.since(0, spaces=["a"], limit=4) == kept[0:12:3]

    @pytest.mark.parametrize("together", [True, False])
    def test_the_newest_are_kept(self, events: EventLog, together: bool) -> None:
        told = [event(f"k{n}") for n in range(25)]
        batches = [told] if together else [[one] for one in told]
        kept = [one for batch in batches for one in events.append(batch, keep=10)]
        assert events.since(0) == kept[-10:]
        assert (events.first(), events.last()) == (kept[15].id, kept[-1].id)

    def test_a_number_is_never_given_twice(
        self, make_store: Callable[[], Store], reopen_store: Callable[[Store], Store]
    ) -> None:
        store = make_store()
        events = store.tiers().events
        last = events.append([event("k", CHINESE) for _ in range(5)], keep=2)[-1].id
        assert events.erase_space(CHINESE) == 2
        assert (events.first(), events.last()) == (0, last)
        store = reopen_store(store)
        events = store.tiers().events
        assert (events.first(), events.last()) == (0, last)
        (kept,) = events.append([event()], keep=2)
        assert kept.id > last
        assert (events.first(), events.last()) == (kept.id, kept.id)
        store.close()

    def test_opened_again_it_goes_on(
        self, make_store: Callable[[], Store], reopen_store: Callable[[Store], Store]
    ) -> None:
        store = make_store()
        kept = store.tiers().events.append([event("问", q="小美")] * 12, keep=5)
        store = reopen_store(store)
        events = store.tiers().events
        assert events.since(0) == kept[-5:]
        assert (events.first(), events.last()) == (kept[-5].id, kept[-1].id)
        assert events.append([event()], keep=5)[0].id > kept[-1].id
        store.close()

    def test_two_that_are_open_at_once_give_no_number_twice(
        self, make_store: Callable[[], Store], open_beside: Callable[[Store], Store]
    ) -> None:
        one = make_store()
        other = open_beside(one)
        given: list[int] = []
        for _ in range(10):
            for store in (one, other):
                given += numbers(store.tiers().events.append([event(), event()], keep=99))
        assert given == sorted(set(given))
        for store in (one, other):
            assert numbers(store.tiers().events.since(0)) == given
            assert store.tiers().events.last() == given[-1]
        other.close()
        one.close()

    def test_a_space_is_erased_from_every_event_that_names_it(self, events: EventLog) -> None:
        told = [event("a", "a"), event("b", "a", CHINESE), event("c", CHINESE), event("d", "项")]
        a, _, _, d = events.append(told, keep=9)
        assert events.erase_space(CHINESE) == 2
        assert events.since(0) == [a, d]
        assert events.erase_space(CHINESE) == 0
