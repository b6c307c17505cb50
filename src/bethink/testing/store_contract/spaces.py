"""Spaces: what they hold, and the walls between them."""

from __future__ import annotations

import pytest

from bethink.errors import UnknownSpace
from bethink.stores.protocol import Store
from bethink.testing.entries import make_entry, make_memory
from bethink.testing.programs import EVERYTHING, same_ranking
from bethink.testing.store_contract.store_case import CHINESE, TOY, StoreCase, ids


class SpacesContract(StoreCase):
    def test_a_new_store_is_empty_and_has_the_global_space(self, store: Store) -> None:
        assert [tuple(info) for info in store.spaces()] == [("global", 0, 0, 0)]
        assert store.count() == 0
        assert store.scan().memories == []
        assert store.scan().cursor is None
        assert store.embedding() is None
        assert self.words(store, "anything") == []
        assert self.meaning(store, "anything") == []
        assert store.unembedded(TOY.fingerprint, limit=5) == []
        assert all(check.ok for check in store.check())

    def test_a_space_may_be_there_before_what_it_holds(self, store: Store) -> None:
        self.told(store, "alpha")
        with pytest.raises(UnknownSpace):
            store.scan(spaces=[CHINESE])
        store.open_space(CHINESE)
        store.open_space(CHINESE)
        store.open_space("global")
        assert store.scan(spaces=[CHINESE]).memories == []
        assert store.pending([CHINESE]) == 0
        assert store.count(spaces=["global"]) == 1
        assert {info.name: info.memories for info in store.spaces()} == {"global": 1, CHINESE: 0}

    def test_spaces_count_what_they_hold(self, store: Store) -> None:
        self.told(store, "one\ntwo", "three")
        store.put([make_entry(make_memory("四\n五", "w", space=CHINESE))])
        infos = {info.name: tuple(info)[1:] for info in store.spaces()}
        assert infos == {"global": (2, 3, 0), CHINESE: (1, 2, 2)}
        assert [info.name for info in store.spaces()] == sorted(infos)
        assert store.pending(["global"]) == 0
        assert store.pending(["global", CHINESE, CHINESE]) == 2

    # Walls

    def test_nothing_is_seen_through_a_wall(self, store: Store) -> None:
        here, there = self.told(store, "alpha")[0], self.told(store, "alpha", space=CHINESE)[0]
        for ask in (self.words, self.meaning):
            assert ids(ask(store, "alpha")) == [here.id]
            assert ids(ask(store, "alpha", CHINESE)) == [there.id]
            assert set(ids(ask(store, "alpha", "global", CHINESE))) == {here.id, there.id}
            assert len(ask(store, "alpha", CHINESE, CHINESE)) == 1

    def test_another_space_never_changes_a_score(self, store: Store) -> None:
        self.told(store, "alpha beta", "beta gamma", "delta", "epsilon")
        before = self.words(store, "alpha beta"), self.meaning(store, "alpha beta")
        self.told(store, *(f"alpha beta {n}" for n in range(20)), space=CHINESE)
        self.same_answers(store, "alpha beta", before)
        mixed = self.words(store, "alpha beta", "global", CHINESE, limit=EVERYTHING)
        own = [f for f in mixed if f.memory_id.startswith("global")]
        same_ranking(own, before[0], limit=10)
        store.delete_space(CHINESE)
        self.same_answers(store, "alpha beta", before)
