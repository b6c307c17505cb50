"""Vectors: which are let in, and how one embedder takes the place of another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bethink.errors import FingerprintMismatch, InvalidVector
from bethink.stores.protocol import Store
from bethink.testing.entries import ToyEmbedder, make_entry, make_memory
from bethink.testing.programs import EVERYTHING
from bethink.testing.store_contract.store_case import CHINESE, OTHER, SMALL, TOY, StoreCase, ids


class EmbeddingContract(StoreCase):
    # What is let in

    def test_vectors_of_two_embedders_are_never_mixed(self, store: Store) -> None:
        self.told(store, "alpha")
        fresh = make_memory("beta", "b")
        for entry, fingerprint in (
            (make_entry(fresh, OTHER), OTHER.fingerprint),
            (make_entry(fresh, OTHER), None),
        ):
            with pytest.raises(FingerprintMismatch):
                store.put([entry], fingerprint=fingerprint)
        with pytest.raises(FingerprintMismatch):
            self.meaning(store, "alpha", fingerprint=OTHER.fingerprint)
        with pytest.raises(FingerprintMismatch):
            store.fill(OTHER.fingerprint, [1], OTHER.embed(["x"]))
        assert store.count() == 1

    def test_vectors_before_any_embedding_are_refused(self, store: Store) -> None:
        with pytest.raises(FingerprintMismatch):
            store.put([make_entry(make_memory("a", "a"), TOY)], fingerprint=TOY.fingerprint)
        assert store.count() == 0

    @pytest.mark.parametrize("fault", ["nan", "infinite", "zero", "short", "long", "few"])
    def test_poison_never_gets_in(self, store: Store, fault: str) -> None:
        (memory,) = self.told(store, "alpha")
        store.put([make_entry(make_memory("waits\nhere", "w"))])
        good = TOY.embed(["beta", "gamma"])
        bad = {
            "nan": np.where(np.arange(8) == 3, np.nan, good),
            "infinite": np.where(np.arange(8) == 3, np.inf, good),
            "zero": good * np.array([[1], [0]]),
            "short": good[:, :-1],
            "long": np.concatenate([good, good], axis=1),
            "few": good[:1],
        }[fault].astype(np.float32)
        entry = make_entry(make_memory("beta\ngamma", "b"), vectors=bad)
        with pytest.raises(InvalidVector):
            store.put([entry], fingerprint=TOY.fingerprint)
        with pytest.raises(InvalidVector):
            store.revise(
                make_entry(replace(memory, text="beta\ngamma"), vectors=bad),
                fingerprint=TOY.fingerprint,
            )
        handles = [u.handle for u in store.unembedded(TOY.fingerprint, limit=9)]
        with pytest.raises(InvalidVector):
            store.fill(TOY.fingerprint, handles, bad)
        if fault != "few":
            with pytest.raises(InvalidVector):
                store.search_meaning(
                    bad[-1], fingerprint=TOY.fingerprint, spaces=["global"], where=None, limit=1
                )
        assert store.pending(["global"]) == 2
        assert ids(self.meaning(store, "alpha")) == [memory.id]

    # declare, fill, build, switch, clear

    def test_the_first_to_declare_wins(self, store: Store) -> None:
        assert store.declare(TOY.embedding) == TOY.embedding
        assert store.declare(OTHER.embedding) == TOY.embedding
        assert store.embedding() == TOY.embedding

    def test_waiting_passages_are_filled_oldest_first(self, store: Store) -> None:
        store.put([make_entry(make_memory("alpha\nbeta", "a"))])
        assert store.pending(["global"]) == 2
        assert store.unembedded(TOY.fingerprint, limit=9) == []  # nobody has declared it yet
        store.declare(TOY.embedding)
        store.put([make_entry(make_memory("gamma", "b", space=CHINESE))])
        waiting = store.unembedded(TOY.fingerprint, limit=9)
        assert [w.text for w in waiting] == ["alpha", "beta", "gamma"]
        assert store.unembedded(TOY.fingerprint, limit=2) == waiting[:2]
        assert self.meaning(store, "alpha") == []
        handles = [waiting[2].handle, waiting[0].handle]
        assert store.fill(TOY.fingerprint, handles, TOY.embed(["gamma", "alpha"])) == 2
        assert store.fill(TOY.fingerprint, handles, TOY.embed(["gamma", "alpha"])) == 0
        assert [w.text for w in store.unembedded(TOY.fingerprint, limit=9)] == ["beta"]
        (found,) = self.meaning(store, "alpha")
        assert found.score == pytest.approx(1.0, abs=1e-5)
        assert ids(self.meaning(store, "gamma", CHINESE)) == ["b"]

    def test_fill_passes_over_what_is_gone(self, store: Store) -> None:
        store.declare(TOY.embedding)
        store.put([make_entry(make_memory(t, t)) for t in ("alpha", "beta", "gamma")])
        waiting = store.unembedded(TOY.fingerprint, limit=9)
        store.delete(["beta"])
        store.revise(make_entry(make_memory("delta", "gamma")))
        store.put([make_entry(make_memory("beta again", "beta"))])
        handles = [w.handle for w in waiting]
        assert store.fill(TOY.fingerprint, handles, TOY.embed([w.text for w in waiting])) == 1
        texts = {w.text for w in store.unembedded(TOY.fingerprint, limit=9)}
        assert texts == {"delta", "beta again"}

    def test_a_handle_named_twice_is_filled_once(self, store: Store) -> None:
        store.declare(TOY.embedding)
        store.put([make_entry(make_memory("alpha", "a"))])
        (waiting,) = store.unembedded(TOY.fingerprint, limit=9)
        kept = store.fill(TOY.fingerprint, [waiting.handle] * 2, TOY.embed(["alpha", "beta"]))
        assert kept == 1
        assert self.meaning(store, "alpha")[0].score == pytest.approx(1.0, abs=1e-5)

    def fill_all(self, store: Store, embedder: ToyEmbedder) -> None:
        waiting = store.unembedded(embedder.fingerprint, limit=EVERYTHING)
        vectors = embedder.embed([w.text for w in waiting])
        store.fill(embedder.fingerprint, [w.handle for w in waiting], vectors)

    def test_the_former_index_answers_until_the_new_one_is_complete(self, store: Store) -> None:
        self.told(store, "alpha", "beta")
        store.build(SMALL.embedding)
        assert store.embedding() == TOY.embedding
        assert store.switch(SMALL.fingerprint) is False
        assert ids(self.meaning(store, "alpha"))[:1] == ["global-0"]
        self.told(store, "gamma")  # written while it is built: by the one that answers
        self.fill_all(store, SMALL)
        assert store.pending(["global"]) == 0
        assert store.switch(SMALL.fingerprint) is True
        assert store.embedding() == SMALL.embedding
        with pytest.raises(FingerprintMismatch):
            self.meaning(store, "alpha")
        found = store.search_meaning(
            SMALL.embed(["gamma"])[0],
            fingerprint=SMALL.fingerprint,
            spaces=["global"],
            where=None,
            limit=1,
        )
        assert ids(found) == ["global-2"]
        assert store.unembedded(TOY.fingerprint, limit=1) == []

    def test_building_goes_on_where_it_stopped(self, store: Store) -> None:
        self.told(store, "alpha", "beta")
        store.build(OTHER.embedding)
        first = store.unembedded(OTHER.fingerprint, limit=1)
        store.fill(OTHER.fingerprint, [first[0].handle], OTHER.embed(["alpha"]))
        store.build(OTHER.embedding)
        assert [w.text for w in store.unembedded(OTHER.fingerprint, limit=9)] == ["beta"]

    def test_a_third_embedder_gives_up_the_second(self, store: Store) -> None:
        self.told(store, "alpha")
        store.build(OTHER.embedding)
        store.build(SMALL.embedding)
        with pytest.raises(FingerprintMismatch):
            store.fill(OTHER.fingerprint, [1], OTHER.embed(["alpha"]))
        assert store.switch(OTHER.fingerprint) is False
        store.build(TOY.embedding)  # back to the one that answers
        assert store.unembedded(SMALL.fingerprint, limit=1) == []
        assert ids(self.meaning(store, "alpha")) == ["global-0"]

    def test_building_in_a_new_store_declares(self, store: Store) -> None:
        store.build(TOY.embedding)
        assert store.embedding() == TOY.embedding
        assert store.switch(TOY.fingerprint) is True

    def test_cleared_vectors_are_made_anew(self, store: Store) -> None:
        self.told(store, "alpha", "beta")
        store.build(OTHER.embedding)
        store.clear_vectors()
        assert store.embedding() == TOY.embedding
        assert store.pending(["global"]) == 2
        assert self.meaning(store, "alpha") == []
        assert len(self.words(store, "alpha")) == 1
        self.fill_all(store, TOY)
        assert ids(self.meaning(store, "alpha"))[:1] == ["global-0"]
