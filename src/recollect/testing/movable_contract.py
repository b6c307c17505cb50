"""What a store must hand out so that it can be taken elsewhere. Subclass `MovableContract` and say
how to make one, as for `StoreContract`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from recollect.relocate.carrying import MovableStore
from recollect.testing.entries import NOON, ToyEmbedder, make_entry, make_memory

TOY = ToyEmbedder()
OTHER = ToyEmbedder("other", 6)
MakeStore = Callable[[], MovableStore]


class MovableContract:
    @pytest.fixture
    def store(self, make_store: MakeStore) -> MovableStore:
        return make_store()

    def test_a_memory_is_whole_with_all_its_parts(self, store: MovableStore) -> None:
        store.declare(TOY.embedding)
        first = make_memory("第一行 one\nline two 第二行", "a", metadata={"页": 1})
        entry = make_entry(first, TOY)
        store.put([entry], fingerprint=TOY.fingerprint)
        later = [replace(first, text=f"改 {n}\n了", updated_at=NOON + timedelta(n)) for n in (1, 2)]
        for memory in later:
            store.revise(make_entry(memory, TOY), fingerprint=TOY.fingerprint)
        (whole,) = store.whole(["a"])
        assert whole is not None
        assert whole.memory == later[-1]
        assert whole.identity == make_entry(later[-1]).identity
        assert [former.memory for former in whole.history] == [later[0], first]
        assert [held.passage for held in whole.passages] == list(make_entry(later[-1]).passages)
        for held, line in zip(whole.passages, ["改 2", "了"], strict=True):
            assert list(held.vectors) == [TOY.fingerprint]
            assert (held.vectors[TOY.fingerprint] == TOY.embed([line])[0]).all()
            assert held.vectors[TOY.fingerprint].dtype == np.float32

    def test_in_the_order_asked_and_none_for_nobody(self, store: MovableStore) -> None:
        store.put([make_entry(make_memory(f"text {n} 文", f"m{n}")) for n in range(3)])
        found = store.whole(["m2", "nobody", "m0", "m2", "\0"])
        assert [one and one.memory.id for one in found] == ["m2", None, "m0", "m2", None]
        assert [held.vectors for one in found if one for held in one.passages] == [{}] * 3
        assert store.whole([]) == []

    def test_handles_are_those_that_are_filled(self, store: MovableStore) -> None:
        """Of the embedder that answers, and of one whose index is being built."""
        assert store.embeddings() == ()
        store.declare(TOY.embedding)
        store.put([make_entry(make_memory("等 one\n候 two", "a"))])
        store.build(OTHER.embedding)
        assert store.embeddings() == (TOY.embedding, OTHER.embedding)
        (whole,) = store.whole(["a"])
        assert whole is not None
        second = whole.passages[1].handle
        assert store.fill(TOY.fingerprint, [second], TOY.embed(["候 two"])) == 1
        assert store.fill(OTHER.fingerprint, [second], OTHER.embed(["候 two"])) == 1
        (whole,) = store.whole(["a"])
        assert whole is not None
        assert [set(held.vectors) for held in whole.passages] == [
            set(),
            {TOY.fingerprint, OTHER.fingerprint},
        ]
        assert [u.handle for u in store.unembedded(TOY.fingerprint, limit=9)] != [second]

    def test_working_memory_says_until_when(self, store: MovableStore) -> None:
        working = store.tiers().working
        memories = [
            make_memory(f"recent {n} 最近", f"r{n}", space=f"空间 {n % 2}") for n in range(3)
        ]
        for number, memory in enumerate(memories):
            working.add([memory], now=NOON, keep=9, seconds=60.5 + number)
        working.add([memories[0]], now=NOON, keep=9, seconds=30)
        kept = [(one.memory.id, (one.until - NOON).total_seconds()) for one in store.working()]
        assert kept == [("r1", 61.5), ("r2", 62.5), ("r0", 30.0)]

    def test_each_store_has_a_name_of_its_own(self, make_store: MakeStore) -> None:
        first, second = make_store(), make_store()
        assert first.identity() == first.identity() != second.identity()
