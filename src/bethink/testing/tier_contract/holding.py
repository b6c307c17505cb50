"""What holds at all times: opened again, shared by threads, and whatever is done."""

from __future__ import annotations

from collections.abc import Callable

from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Store
from bethink.testing.at_once import run_at_once
from bethink.testing.entries import NOON, make_memory, make_offer
from bethink.testing.tier_contract.quarantine import full_offer
from bethink.testing.tier_contract.tier_case import CHINESE, MANY, TierCase, event, ruling
from bethink.testing.tier_programs import run_tier_programs, same_tiers
from bethink.vocabulary import Decision

THREADS, TURNS = 6, 12


class HoldingContract(TierCase):
    def test_what_was_written_is_there_after_opening_again(
        self, make_store: Callable[[], Store], reopen_store: Callable[[Store], Store]
    ) -> None:
        store, reference = make_store(), InMemoryStore()
        for each in (store, reference):
            quarantine, working, events = each.tiers()
            quarantine.log([full_offer(), make_offer("x", "2", parents=("m-1",))])
            quarantine.decide([ruling("2", Decision.PROMOTED, memory_id="二")])
            working.add([full_offer().memory], now=NOON, keep=9, seconds=9)
            events.append([event("a", CHINESE), event("b")], keep=1)
        store = reopen_store(store)
        same_tiers(store.tiers(), reference.tiers())
        store.close()

    def test_two_that_are_open_at_once_see_the_same(
        self, make_store: Callable[[], Store], open_beside: Callable[[Store], Store]
    ) -> None:
        one = make_store()
        other = open_beside(one)
        for writing, reading, name in ((one, other, "一"), (other, one, "two")):
            quarantine, working, events = writing.tiers()
            quarantine.log([make_offer(name, name)])
            working.add([make_memory(name, name)], now=NOON, keep=9, seconds=9)
            kept = events.append([event(name)], keep=9)
            assert reading.tiers().quarantine.get([name]) == quarantine.get([name]) != [None]
            assert reading.tiers().working.get([name], now=NOON) == [make_memory(name, name)]
            assert reading.tiers().events.since(kept[0].id - 1) == kept
        other.close()
        one.close()

    def test_erasing_a_space_of_the_store_leaves_the_tiers_alone(self, store: Store) -> None:
        """Whoever forgets a space says so to each of them."""
        quarantine, working, events = store.tiers()
        store.open_space(CHINESE)
        quarantine.log([make_offer("x", "1", space=CHINESE)])
        working.add([make_memory("x", "1", space=CHINESE)], now=NOON, keep=9, seconds=9)
        events.append([event("k", CHINESE)], keep=9)
        store.delete_space(CHINESE)
        erased = [tier.erase_space(CHINESE) for tier in (quarantine, working, events)]
        assert erased == [1, 1, 1]
        assert store.finish_erasing()

    def test_a_thorough_look_finds_them_well(self, store: Store) -> None:
        quarantine, working, events = store.tiers()
        quarantine.log([full_offer()])
        working.add([full_offer().memory], now=NOON, keep=9, seconds=9)
        events.append([event()], keep=9)
        assert [check for check in store.check() if not check.ok and check.part != "disk"] == []

    def test_threads_lose_nothing(
        self, make_store: Callable[[], Store], open_beside: Callable[[Store], Store]
    ) -> None:
        """Two open stores, some threads on each; everything is there once, every number is one
        of a kind, and each thread's own numbers grow."""
        one = make_store()
        other = open_beside(one)
        given: list[list[int]] = [[] for _ in range(THREADS)]

        def work(number: int) -> None:
            quarantine, working, events = (one if number % 2 else other).tiers()
            for turn in range(TURNS):
                name = f"{number}-{turn}"
                offers = [make_offer(f"话 {name}", name), make_offer("shared", f"s{turn}")]
                quarantine.log(offers)
                quarantine.decide(
                    [ruling(name, Decision.PROMOTED), ruling(f"s{turn}", Decision.HELD)]
                )
                working.add([offers[0].memory], now=NOON, keep=MANY, seconds=9)
                kept = events.append([event(name), event(name)], keep=MANY)
                given[number] += [e.id for e in kept]

        run_at_once(work, range(THREADS))
        quarantine, working, events = one.tiers()
        names = {f"{n}-{turn}" for n in range(THREADS) for turn in range(TURNS)}
        shared = {f"s{turn}" for turn in range(TURNS)}
        found = [offer.id for offer in quarantine.scan(limit=MANY).offers]
        assert len(found) == len(names | shared)
        assert set(found) == names | shared
        assert {len(quarantine.rulings(name)) for name in names} == {2}
        assert {len(quarantine.rulings(name)) for name in shared} == {1 + THREADS}
        assert {m.id for m in working.recent(["global"], now=NOON, limit=MANY)} == names
        assert all(mine == sorted(mine) for mine in given)
        every = sorted(number for mine in given for number in mine)
        assert len(set(every)) == len(every) == 2 * THREADS * TURNS
        assert [e.id for e in events.since(0, limit=MANY)] == every
        other.close()
        one.close()

    def test_random_programs(
        self, make_store: Callable[[], Store], reopen_store: Callable[[Store], Store]
    ) -> None:
        run_tier_programs(make_store, reopen=reopen_store)
