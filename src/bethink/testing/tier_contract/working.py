"""Working memory: the newest of each space, so many, for so long by the time that is given."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bethink.stores.protocol import Store
from bethink.stores.tiers import WorkingMemory
from bethink.testing.entries import NOON, make_memory
from bethink.testing.fake_clock import FakeClock
from bethink.testing.tier_contract.quarantine import full_offer
from bethink.testing.tier_contract.tier_case import CHINESE, MANY, TierCase, ids
from bethink.vocabulary import Memory

DAY = 86_400.0


def add(working: WorkingMemory, *names: str, space: str = "global", keep: int = 50) -> list[Memory]:
    memories = [make_memory(f"text of {name}", name, space=space) for name in names]
    working.add(memories, now=NOON, keep=keep, seconds=DAY)
    return memories


def recent(working: WorkingMemory, *spaces: str, limit: int = MANY) -> list[str]:
    return ids(working.recent(spaces or ("global",), now=NOON, limit=limit))


class WorkingContract(TierCase):
    def test_a_memory_comes_back_as_it_was(self, working: WorkingMemory) -> None:
        memory = full_offer().memory
        working.add([memory], now=NOON, keep=1, seconds=1)
        assert working.recent([CHINESE], now=NOON, limit=1) == [memory]
        assert working.get(["nobody", memory.id], now=NOON) == [None, memory]

    def test_newest_first(self, working: WorkingMemory) -> None:
        add(working, "a", "b")
        add(working, "丙")
        assert recent(working) == ["丙", "b", "a"]
        assert recent(working, limit=2) == ["丙", "b"]
        add(working)
        assert recent(working) == ["丙", "b", "a"]

    def test_so_many_are_kept_and_not_one_more(self, working: WorkingMemory) -> None:
        names = [f"{n:02}" for n in range(51)]
        for name in names[:50]:
            add(working, name)
        assert recent(working) == names[49::-1]
        add(working, names[50])
        assert recent(working) == names[50:0:-1]
        assert working.get(["00", "01"], now=NOON)[0] is None

    def test_so_many_are_kept_of_one_batch(self, working: WorkingMemory) -> None:
        names = [f"{n:02}" for n in range(60)]
        add(working, *names)
        assert recent(working) == names[:9:-1]

    def test_each_space_keeps_its_own(self, working: WorkingMemory) -> None:
        add(working, "a", "b", "c", keep=3)
        add(working, "甲", "乙", space=CHINESE, keep=3)
        add(working, "d", keep=3)
        assert recent(working) == ["d", "c", "b"]
        assert recent(working, CHINESE) == ["乙", "甲"]
        working.add(
            [make_memory("x", "x"), make_memory("y", "y", space=CHINESE)],
            now=NOON,
            keep=1,
            seconds=DAY,
        )
        assert recent(working, CHINESE, "global") == ["y", "x"]

    def test_spaces_are_merged_by_their_order(self, working: WorkingMemory) -> None:
        add(working, "1")
        add(working, "2", space=CHINESE)
        add(working, "3", space="team")
        add(working, "4")
        assert recent(working, "global", CHINESE, "global") == ["4", "2", "1"]
        assert recent(working, CHINESE, "team", "global", limit=3) == ["4", "3", "2"]

    def test_spaces_are_walls(self, working: WorkingMemory) -> None:
        add(working, "1", space=CHINESE)
        assert recent(working) == recent(working, "nowhere") == []
        assert working.recent([], now=NOON, limit=9) == []

    def test_the_same_id_takes_the_new_form_and_the_newest_place(
        self, working: WorkingMemory
    ) -> None:
        first, *_ = add(working, "a", "b", "c", keep=3)
        again = replace(first, text="新的 form")
        working.add([again], now=NOON, keep=3, seconds=DAY)
        assert recent(working) == ["a", "c", "b"]
        assert working.get(["a"], now=NOON) == [again]
        twice = [replace(first, text="one"), make_memory("d", "d"), replace(first, text="two")]
        working.add(twice, now=NOON, keep=3, seconds=DAY)
        assert recent(working) == ["a", "d", "c"]
        assert working.recent(["global"], now=NOON, limit=1)[0].text == "two"

    @pytest.mark.parametrize("seconds", [DAY, 0.25, 1.0000005])
    def test_it_lives_until_its_time_is_over(self, working: WorkingMemory, seconds: float) -> None:
        clock = FakeClock(NOON)
        memory = make_memory("会过期", "a")
        working.add([memory], now=clock(), keep=9, seconds=seconds)
        end = NOON + timedelta(seconds=seconds)
        before = end - timedelta(microseconds=1)
        assert working.recent(["global"], now=before, limit=9) == [memory]
        assert working.get(["a"], now=before) == [memory]
        for late in (end, end + timedelta(days=1)):
            assert working.recent(["global"], now=late, limit=9) == []
            assert working.get(["a"], now=late) == [None]

    def test_told_again_it_lives_anew(self, working: WorkingMemory) -> None:
        clock = FakeClock(NOON)
        memory = make_memory("x", "a")
        working.add([memory], now=clock(), keep=9, seconds=10)
        working.add([memory], now=clock.advance(seconds=9), keep=9, seconds=10)
        assert working.get(["a"], now=clock.advance(seconds=9)) == [memory]
        assert working.get(["a"], now=clock.advance(seconds=1)) == [None]

    def test_what_has_expired_takes_nobody_s_place(self, working: WorkingMemory) -> None:
        clock = FakeClock(NOON)
        working.add([make_memory("x", "short")], now=clock(), keep=2, seconds=1)
        working.add([make_memory("y", "long")], now=clock(), keep=2, seconds=100)
        now = clock.advance(seconds=1)
        assert ids(working.recent(["global"], now=now, limit=1)) == ["long"]
        working.add([make_memory("z", "new")], now=now, keep=2, seconds=100)
        assert ids(working.recent(["global"], now=now, limit=9)) == ["new", "long"]

    def test_adding_anywhere_erases_what_has_expired_everywhere(
        self, working: WorkingMemory
    ) -> None:
        working.add([make_memory("旧", "old", space=CHINESE)], now=NOON, keep=9, seconds=1)
        later = NOON + timedelta(seconds=1)
        working.add([make_memory("new", "new")], now=later, keep=9, seconds=1)
        assert working.remove(["old", "new"]) == [False, True]

    def test_much_that_has_expired_changes_no_answer(self, working: WorkingMemory) -> None:
        old = [make_memory("旧", f"old {n}", space=CHINESE) for n in range(400)]
        working.add(old, now=NOON, keep=400, seconds=1)
        add(working, "stays")
        later = NOON + timedelta(seconds=1)
        for _ in range(2):
            found = working.recent(["global", CHINESE], now=later, limit=9)
            assert ids(found) == ["stays"]

    def test_what_is_removed_is_recent_no_more(self, working: WorkingMemory) -> None:
        add(working, "a", "b", "丙")
        assert working.remove(["b", "nobody", "b", "丙"]) == [True, False, False, True]
        assert recent(working) == ["a"]
        assert working.get(["b", "丙"], now=NOON) == [None, None]
        assert working.remove([]) == []

    def test_a_space_s_recent_memories_are_erased_alone(self, working: WorkingMemory) -> None:
        add(working, "a")
        add(working, "b", "c", space=CHINESE)
        assert working.erase_space(CHINESE) == 2
        assert working.erase_space(CHINESE) == working.erase_space("nowhere") == 0
        assert recent(working, "global", CHINESE) == ["a"]

    def test_no_search_finds_what_is_recent(self, store: Store, working: WorkingMemory) -> None:
        add(working, "a", space=CHINESE)
        assert store.count() == 0
        assert store.get(["a"]) == [None]
        assert [info.name for info in store.spaces()] == ["global"]
