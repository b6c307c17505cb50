"""What a store must hand out so that it can be taken elsewhere. Subclass `MovableContract` and say
how to make one, as for `StoreContract`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from bethink.errors import FingerprintMismatch
from bethink.stores.movable import Exchange, MovableStore, Whole
from bethink.testing.entries import NOON, ToyEmbedder, make_entry, make_memory

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

    # Whoever writes what was seen a moment ago may have been overtaken

    def test_what_is_as_it_was_seen_is_exchanged(self, store: MovableStore) -> None:
        store.declare(TOY.embedding)
        told = [make_memory(f"原来的 {n}", f"m{n}") for n in range(3)]
        store.put([make_entry(one, TOY) for one in told], fingerprint=TOY.fingerprint)
        first, second, third = self._seen(store, "m0", "m1", "m2")
        store.touch(accessed={"m0": 3}, reinforced={"m0": 1})  # counting is no telling
        anew = replace(told[0], text="新的 anew", metadata={"页": 2})
        done = store.exchange(
            [
                Exchange("m0", first, make_entry(anew, TOY)),
                Exchange("m1", second, None),
                Exchange("new", None, make_entry(make_memory("从前没有 new", "new"), TOY)),
                Exchange("nobody", None, None),
            ],
            fingerprint=TOY.fingerprint,
        )
        assert done == [True, True, True, True]
        assert store.get(["m0", "m1", "m2"]) == [anew, None, told[2]]
        assert store.history("m0") == []
        assert self._seen(store, "m2") == [third]
        assert store.pending(["global"]) == 0 and store.count() == 3
        found = store.search_words(["anew"], spaces=["global"], where=None, limit=9)
        assert [one.memory_id for one in found] == ["m0"]
        assert store.search_words(["原"], spaces=["global"], where=None, limit=9) != []
        assert all(check.ok for check in store.check() if check.part != "disk")

    def test_what_somebody_wrote_meanwhile_stays(self, store: MovableStore) -> None:
        told = [make_memory(f"原来的 {n}", f"m{n}") for n in range(3)]
        store.put([make_entry(one) for one in told])
        first, second, third = self._seen(store, "m0", "m1", "m2")
        revised = replace(told[0], text="那边改过 revised", updated_at=NOON + timedelta(1))
        store.revise(make_entry(revised))
        store.delete(["m1"])
        back = replace(told[2], updated_at=NOON + timedelta(2))
        store.revise(make_entry(replace(back, text="别的 other")))
        store.revise(make_entry(told[2]))  # it says the same again, after something else
        store.put([make_entry(make_memory("先到的 first", "new"))])
        entries = [make_entry(make_memory("搬来的 brought", one)) for one in ("m0", "m1", "new")]
        done = store.exchange(
            [
                Exchange("m0", first, entries[0]),
                Exchange("m1", second, entries[1]),
                Exchange("new", None, entries[2]),
                Exchange("m2", third, None),
                Exchange("free", None, make_entry(make_memory("空位 free", "free"))),
            ]
        )
        assert done == [False, False, False, False, True]
        held = store.get(["m0", "m1", "new", "m2", "free"])
        assert [one and one.text for one in held] == [
            "那边改过 revised",
            None,
            "先到的 first",
            "原来的 2",
            "空位 free",
        ]

    def test_an_exchange_that_fails_changes_nothing(self, store: MovableStore) -> None:
        store.declare(TOY.embedding)
        kept = make_memory("留着 kept", "a")
        store.put([make_entry(kept, TOY)], fingerprint=TOY.fingerprint)
        (seen,) = self._seen(store, "a")
        by_another = make_entry(replace(kept, text="换 other"), OTHER)
        with pytest.raises(FingerprintMismatch):
            store.exchange([Exchange("a", seen, by_another)], fingerprint=OTHER.fingerprint)
        assert store.get(["a"]) == [kept] and self._seen(store, "a") == [seen]

    def test_notes_that_are_as_they_were_seen(self, store: MovableStore) -> None:
        store.write_notes({"设置": "1", "old": "x"})
        seen = {"设置": "1", "old": "x", "new": None}
        assert store.exchange_notes(seen, {"设置": "2", "old": None, "new": "y", "mark": "m"})
        assert store.notes() == {"mark": "m", "new": "y", "设置": "2"}
        for before in ({"设置": "1"}, {"old": "x"}, {"new": None}, {"设置": "2", "new": "z"}):
            assert not store.exchange_notes(before, {"设置": "9", "mark": None})
        assert store.notes() == {"mark": "m", "new": "y", "设置": "2"}

    def test_a_space_is_closed_where_it_is_empty(self, store: MovableStore) -> None:
        store.open_space("空的")
        store.put([make_entry(make_memory("在这里 here", "a", space="满的"))])
        assert [store.close_space(name) for name in ("空的", "满的", "没有")] == [
            True,
            False,
            False,
        ]
        assert {info.name for info in store.spaces()} == {"global", "满的"}
        assert store.count() == 1
        store.close_space("global")  # the user's own is always there
        assert "global" in {info.name for info in store.spaces()}

    @staticmethod
    def _seen(store: MovableStore, *ids: str) -> list[Whole | None]:
        """Without vectors, which are not compared."""
        return [
            one and one._replace(passages=tuple(p._replace(vectors={}) for p in one.passages))
            for one in store.whole(ids)
        ]
