"""What is read: by id, page by page, counted, and through filters."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from bethink.clock import to_micros
from bethink.errors import InvalidInput, UnknownSpace
from bethink.filters import All, Not, ValidAt, matches, parse_filter
from bethink.stores.protocol import Store
from bethink.testing.entries import NOON, make_entry, make_memory
from bethink.testing.filter_cases import FILTERS, REFUSED_FILTERS, filter_memories
from bethink.testing.programs import EVERYTHING
from bethink.testing.store_contract.store_case import CHINESE, TOY, StoreCase, ids
from bethink.vocabulary import Memory


class ReadingContract(StoreCase):
    # get and fetch

    def test_get_keeps_the_order_and_says_none(self, store: Store) -> None:
        a, b = self.told(store, "alpha", "beta")
        assert store.get([b.id, "nobody", a.id, b.id]) == [b, None, a, b]
        assert store.get([a.id], spaces=["global"]) == [a]
        assert store.get([a.id], spaces=[CHINESE]) == [None]
        assert store.get(["'; DROP TABLE memories;--", '"', "%"]) == [None] * 3

    def test_fetch_gives_passages_with_their_memories(self, store: Store) -> None:
        (memory,) = self.told(store, "alpha\nbeta")
        second, missing, first, nobody = store.fetch(
            [(memory.id, 1), (memory.id, 2), (memory.id, 0), ("nobody", 0)]
        )
        assert missing is None
        assert nobody is None
        assert first is not None
        assert second is not None
        assert first[0] == second[0] == memory
        assert memory.text[second[1].start : second[1].end] == "beta"

    # scan and count

    def test_scan_keeps_the_order_told(self, store: Store) -> None:
        memories = self.told(store, *"dbca")
        assert store.scan().memories == memories
        assert store.scan(newest_first=True).memories == memories[::-1]

    @pytest.mark.parametrize("newest_first", [False, True])
    @pytest.mark.parametrize("limit", [1, 2, 3, 7])
    def test_pages_end_and_miss_nothing(self, store: Store, newest_first: bool, limit: int) -> None:
        memories = self.told(store, *"abcdef")
        seen: list[Memory] = []
        cursor = None
        for _ in range(10):
            page = store.scan(newest_first=newest_first, cursor=cursor, limit=limit)
            assert len(page.memories) <= limit
            seen += page.memories
            cursor = page.cursor
            if cursor is None:
                break
        assert seen == (memories[::-1] if newest_first else memories)

    def test_a_cursor_survives_what_happens_meanwhile(self, store: Store) -> None:
        a, b, c, d = self.told(store, *"abcd")
        cursor = store.scan(limit=2).cursor
        store.delete([b.id, c.id])
        (e,) = self.told(store, "e")
        assert store.scan(cursor=cursor).memories == [d, e]
        assert store.scan(limit=2).memories == [a, d]

    @pytest.mark.parametrize("cursor", ["x", "", "-1", "1; DROP TABLE memories", "9" * 5000, "1.5"])
    def test_a_cursor_that_is_none_is_refused(self, store: Store, cursor: str) -> None:
        with pytest.raises(InvalidInput, match="cursor"):
            store.scan(cursor=cursor)

    def test_spaces_are_named_or_all_are_meant(self, store: Store) -> None:
        here, there = self.told(store, "a")[0], self.told(store, "b", space=CHINESE)[0]
        assert store.scan().memories == [here, there]
        assert store.scan(spaces=[CHINESE]).memories == [there]
        assert store.scan(spaces=[CHINESE, "global", CHINESE]).memories == [here, there]
        assert store.scan(spaces=[]).memories == []
        assert store.count() == store.count(spaces=["global", CHINESE]) == 2
        assert store.count(spaces=["global"]) == 1

    def test_an_unknown_space_is_an_error_everywhere(self, store: Store) -> None:
        self.told(store, "alpha")
        asks: list[Callable[[], Any]] = [
            lambda: store.scan(spaces=["nowhere"]),
            lambda: store.count(spaces=["global", "nowhere"]),
            lambda: store.pending(["nowhere"]),
            lambda: store.delete_space("nowhere"),
            lambda: self.words(store, "alpha", "global", "nowhere"),
            lambda: store.search_words((), spaces=["nowhere"], where=None, limit=1),
            lambda: self.meaning(store, "alpha", "nowhere"),
        ]
        for ask in asks:
            with pytest.raises(UnknownSpace, match="nowhere"):
                ask()

    # filters

    @pytest.mark.parametrize("data", FILTERS, ids=str)
    def test_filters_mean_the_same_everywhere(self, store: Store, data: dict[str, Any]) -> None:
        where = parse_filter(data)
        memories = filter_memories()
        store.declare(TOY.embedding)
        store.put([make_entry(m, TOY) for m in memories], fingerprint=TOY.fingerprint)
        expected = [m.id for m in memories if matches(m, where)]
        assert [m.id for m in store.scan(where=where).memories] == expected
        assert store.count(where=where) == len(expected)
        for ask in (self.words, self.meaning):
            found = ids(ask(store, "common", where=where, limit=EVERYTHING))
            assert sorted(found) == sorted(expected)

    @pytest.mark.parametrize("data", REFUSED_FILTERS, ids=str)
    def test_filters_that_are_none_never_reach_a_store(self, data: dict[str, Any]) -> None:
        with pytest.raises(InvalidInput):
            parse_filter(data)

    def test_as_many_values_as_a_filter_may_have(self, store: Store) -> None:
        (memory,) = self.told(store, "alpha")
        many: list[Any] = [f"v{n}" for n in range(200)] + list(range(56))
        condition = {"or": [{"metadata.k": {"in": many}}] * 60 + [{"id": memory.id}]}
        where = parse_filter(condition)
        assert store.count(where=where) == 1
        assert ids(self.words(store, "alpha", where=where)) == [memory.id]

    def test_what_held_at_a_moment(self, store: Store) -> None:
        early, late = NOON, NOON + timedelta(days=10)
        store.declare(TOY.embedding)
        spans = {
            "always": (None, None),
            "until": (None, late),
            "from": (late, None),
            "in": (early, late),
        }
        for memory_id, (start, end) in spans.items():
            memory = make_memory("alpha", memory_id, valid_from=start, valid_to=end)
            store.put([make_entry(memory, TOY)], fingerprint=TOY.fingerprint)
        expected = {
            early - timedelta(microseconds=1): {"always", "until"},
            early: {"always", "until", "in"},
            late - timedelta(microseconds=1): {"always", "until", "in"},
            late: {"always", "from"},
        }
        for moment, holding in expected.items():
            where = ValidAt(to_micros(moment))
            assert set(ids(self.words(store, "alpha", where=where))) == holding
            assert set(ids(self.meaning(store, "alpha", where=where))) == holding
            assert store.count(where=where) == len(holding)
            assert store.count(where=Not(where)) == 4 - len(holding)
            one = All((where, All((ValidAt(to_micros(early)),))))
            both = set(ids(self.words(store, "alpha", where=one)))
            assert both == holding & expected[early]
