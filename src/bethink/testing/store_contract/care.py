"""What holds at all times: after maintenance, opened again, shared, and whatever is done."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Store
from bethink.testing.at_once import run_at_once
from bethink.testing.entries import make_entry, make_memory
from bethink.testing.programs import EVERYTHING, run_programs, same_state
from bethink.testing.store_contract.store_case import CHINESE, TOY, StoreCase, ids


class CareContract(StoreCase):
    def test_maintenance_changes_no_answer(self, store: Store) -> None:
        self.told(store, *(f"alpha {n}" for n in range(20)))
        before = self.words(store, "alpha 7"), self.meaning(store, "alpha 7")
        store.maintain()
        self.same_answers(store, "alpha 7", before)
        store.maintain(anew=True)
        self.same_answers(store, "alpha 7", before)
        assert all(check.ok for check in store.check())

    def test_what_was_written_is_there_after_opening_again(
        self, make_store: Callable[[], Store], reopen_store: Callable[[Store], Store]
    ) -> None:
        store, reference = make_store(), InMemoryStore()
        for each in (store, reference):
            self.told(each, "alpha\nbeta", "gamma")
            self.told(each, "delta", space=CHINESE)
            each.delete(["global-1"])
        store = reopen_store(store)
        try:
            same_state(store, reference)
            assert ids(self.words(store, "beta")) == ["global-0"]
            assert ids(self.meaning(store, "delta", CHINESE)) == [f"{CHINESE}-2"]
        finally:
            store.close()

    def test_notes_are_kept_found_by_how_they_begin_and_erased(
        self, make_store: Callable[[], Store], reopen_store: Callable[[Store], Store]
    ) -> None:
        store = make_store()
        assert store.notes() == {}
        store.write_note("a/一", "深色 mode")
        store.write_note("a/2", "")
        store.write_note("a/_", "_ and % stand for themselves")
        store.write_note("b", "other")
        store.write_note("a/一", "浅色 mode")
        store = reopen_store(store)
        try:
            assert store.notes("a/") == {
                "a/2": "",
                "a/_": "_ and % stand for themselves",
                "a/一": "浅色 mode",
            }
            assert store.notes("a/_") == {"a/_": "_ and % stand for themselves"}
            store.write_note("a/一", None)
            store.write_note("never", None)
            assert list(store.notes()) == ["a/2", "a/_", "b"]
            store.write_notes({"c/二": "两", "a/2": "2", "b": None, "never": None})
            store.write_notes({})
            assert store.notes() == {
                "a/2": "2", "a/_": "_ and % stand for themselves", "c/二": "两",
            }  # fmt: skip
            assert all(check.ok for check in store.check())
        finally:
            store.close()

    def test_threads_may_share_it(self, store: Store) -> None:
        store.declare(TOY.embedding)

        def work(number: int) -> None:
            for turn in range(8):
                memory = make_memory(f"thread {number} turn {turn}", f"{number}-{turn}")
                same = make_entry(make_memory("same", f"s{number}-{turn}"), TOY, merge=True)
                store.put([make_entry(memory, TOY), same], fingerprint=TOY.fingerprint)
                found = self.meaning(store, memory.text, limit=1)
                assert found[0].score == pytest.approx(1.0, abs=1e-5)
                assert memory.id in ids(self.words(store, memory.text, limit=EVERYTHING))
                if turn % 3 == 2:
                    store.delete([memory.id])
                    assert memory.id not in ids(self.meaning(store, memory.text, limit=99))

        run_at_once(work, range(4))
        assert store.count() == 4 * 6 + 1
        (same,) = [m for m in store.scan(limit=99).memories if m.text == "same"]
        assert same.reinforcement == 4 * 8 - 1

    def test_random_programs(
        self, make_store: Callable[[], Store], reopen_store: Callable[[Store], Store]
    ) -> None:
        run_programs(make_store, reopen=reopen_store)
