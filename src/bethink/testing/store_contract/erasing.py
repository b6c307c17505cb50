"""What is forgotten: nothing of it is left, and nothing else is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bethink.errors import UnknownSpace
from bethink.filters import parse_filter
from bethink.stores.protocol import Store
from bethink.testing.entries import make_entry, make_memory
from bethink.testing.store_contract.store_case import CHINESE, TOY, StoreCase, ids
from bethink.vocabulary import Action


class ErasingContract(StoreCase):
    def test_delete_erases_everywhere(self, store: Store) -> None:
        gone, kept = self.told(store, "alpha beta", "alpha gamma")
        store.revise(make_entry(replace(gone, text="delta"), TOY), fingerprint=TOY.fingerprint)
        assert store.delete([gone.id, "nobody", gone.id]) == [True, False, False]
        assert store.get([gone.id]) == [None]
        assert store.history(gone.id) == []
        assert store.fetch([(gone.id, 0)]) == [None]
        assert self.words(store, "beta delta") == []
        assert ids(self.words(store, "alpha")) == [kept.id]
        assert ids(self.meaning(store, "alpha beta")) == [kept.id]
        assert ids(self.meaning(store, "x", where=parse_filter({"id": gone.id}))) == []
        assert store.count() == 1
        assert [tuple(info) for info in store.spaces()] == [("global", 1, 1, 0)]

    def test_what_was_forgotten_can_be_told_again(self, store: Store) -> None:
        store.declare(TOY.embedding)
        entry = make_entry(make_memory("alpha", "a"), TOY, merge=True)
        for _ in range(3):
            assert store.put([entry], fingerprint=TOY.fingerprint) == [(Action.CREATED, "a")]
            assert ids(self.words(store, "alpha")) == ["a"]
            assert ids(self.meaning(store, "alpha")) == ["a"]
            assert store.delete(["a"]) == [True]
            assert self.words(store, "alpha") == []
            assert self.meaning(store, "alpha") == []

    def test_the_forgotten_take_no_place_in_an_answer(self, store: Store) -> None:
        memories = self.told(store, *(f"alpha {n}" for n in range(12)))
        store.maintain()
        for memory in memories[:6]:
            for ask in (self.words, self.meaning):
                assert ids(ask(store, memory.text, limit=1)) == [memory.id]
            store.delete([memory.id])
            for ask in (self.words, self.meaning):
                (found,) = ask(store, memory.text, limit=1)
                assert found.memory_id != memory.id
                assert len(ask(store, memory.text, limit=3)) == 3

    def test_delete_space_erases_it_and_nothing_else(self, store: Store) -> None:
        here = self.told(store, "alpha", "beta")
        there = self.told(store, "alpha one", "alpha two", space=CHINESE)
        assert store.delete_space(CHINESE) == 2
        assert [info.name for info in store.spaces()] == ["global"]
        assert store.get([m.id for m in there]) == [None, None]
        assert store.scan().memories == here
        for ask in (self.words, self.meaning):
            with pytest.raises(UnknownSpace):
                ask(store, "alpha", CHINESE)
            assert here[0].id in ids(ask(store, "alpha"))

    def test_a_space_that_was_erased_can_begin_again(self, store: Store) -> None:
        for text in ("alpha", "beta", "gamma"):
            (memory,) = self.told(store, text, space=CHINESE)
            assert ids(self.meaning(store, text, CHINESE)) == [memory.id]
            assert ids(self.words(store, "alpha beta gamma", CHINESE)) == [memory.id]
            store.delete_space(CHINESE)

    def test_the_global_space_is_emptied_but_stays(self, store: Store) -> None:
        self.told(store, "alpha")
        assert store.delete_space("global") == 1
        assert [tuple(info) for info in store.spaces()] == [("global", 0, 0, 0)]
        assert self.words(store, "alpha") == []
        assert self.meaning(store, "alpha") == []
