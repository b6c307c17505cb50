"""What every store must do, sentence by sentence. Subclass `StoreContract` and say how to make one.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def make_store(self, tmp_path):
            numbers = itertools.count()
            return lambda: MyStore(tmp_path / f"{next(numbers)}.db")

`make_store()` gives a new, empty store each time. A store that can be closed and opened again also
gives `reopen_store`, and is then held to what it must still know.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from recollect.clock import to_micros
from recollect.errors import (
    Conflict,
    FingerprintMismatch,
    InvalidInput,
    InvalidVector,
    NotFound,
    UnknownSpace,
)
from recollect.filters import All, Not, ValidAt, matches, parse_filter
from recollect.stores.in_memory import InMemoryStore
from recollect.stores.protocol import Store
from recollect.testing.entries import NOON, ToyEmbedder, make_entry, make_memory
from recollect.testing.filter_cases import FILTERS, REFUSED_FILTERS, filter_memories
from recollect.testing.programs import EVERYTHING, run_programs, same_ranking, same_state
from recollect.text.tokenise import query_terms
from recollect.vocabulary import Action, Memory, Revision

TOY = ToyEmbedder()
OTHER = ToyEmbedder("other", 8)  # of the same size: only the fingerprint tells them apart
SMALL = ToyEmbedder("small", 6)
CHINESE = "项目"
# What FTS engines and SQL read as something else than a word.
HOSTILE_TERMS = [
    '"', "'", "''", '""', "*", "alph*", "alpha*", "OR", "AND", "NOT", "alpha OR beta", "NEAR(",
    "NEAR(alpha beta)", "terms:alpha", "^alpha", "{terms}", "-alpha", "+", "(", ")", "\\", "%", "_",
    "; DROP TABLE memories", "", " ", "\0", "alpha\0beta", "\n", "x" * 5_000,
]  # fmt: skip


def ids(found: Any) -> list[str]:
    return [f.memory_id for f in found]


class StoreContract:
    @pytest.fixture
    def make_store(self) -> Callable[[], Store]:
        raise NotImplementedError("give a fixture 'make_store' that returns a new, empty store")

    @pytest.fixture
    def reopen_store(self) -> Callable[[Store], Store]:
        """How to close a store and open it again; the same one where there is nothing to open."""
        return lambda store: store

    @pytest.fixture
    def store(self, make_store: Callable[[], Store]) -> Iterator[Store]:
        store = make_store()
        yield store
        store.close()

    @staticmethod
    def told(store: Store, *texts: str, space: str = "global") -> list[Memory]:
        """These texts with their vectors, as memories named by their numbers."""
        store.declare(TOY.embedding)
        first = store.count()
        memories = [
            make_memory(text, f"{space}-{number}", space=space)
            for number, text in enumerate(texts, start=first)
        ]
        store.put([make_entry(m, TOY) for m in memories], fingerprint=TOY.fingerprint)
        return memories

    @staticmethod
    def words(store: Store, text: str, *spaces: str, **options: Any) -> Any:
        options = {"where": None, "limit": 10, **options}
        return store.search_words(query_terms(text), spaces=spaces or ("global",), **options)

    @staticmethod
    def meaning(store: Store, text: str, *spaces: str, **options: Any) -> Any:
        options = {"where": None, "limit": 10, "fingerprint": TOY.fingerprint, **options}
        vector = TOY.embed([text])[0]
        return store.search_meaning(vector, spaces=spaces or ("global",), **options)

    # A new store

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

    # put

    def test_every_field_comes_back(self, store: Store) -> None:
        memory = Memory(
            id="an:id/with-all",
            space=CHINESE,
            text="  All of it, 全部。\r\n🙂 \u202eעברית\t",
            kind="决定",
            section="a/b",
            tags=("db", "数据库"),
            entities=("Mei",),
            source="chat",
            provenance={"door": "cli", "n": 1, "nested": {"a": [1, None, True, 2.5]}},
            confidence=0.25,
            occurred_at=datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
            created_at=NOON,
            updated_at=NOON + timedelta(microseconds=1),
            valid_from=datetime(1, 1, 1, tzinfo=UTC),
            valid_to=datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
            reinforcement=3,
            access_count=4,
            metadata={
                'x"y': "'; DROP TABLE memories;--",
                "": "",
                "$.id": [],
                "数": 2**53,
                "f": 0.1,
            },
        )
        assert store.put([make_entry(memory)]) == [(Action.CREATED, memory.id)]
        assert store.get([memory.id]) == [memory]
        assert store.scan(spaces=[CHINESE]).memories == [memory]

    def test_the_same_id_and_content_again_changes_nothing(self, store: Store) -> None:
        entry = make_entry(make_memory("alpha", "a"))
        later = entry._replace(memory=replace(entry.memory, created_at=NOON + timedelta(1)))
        assert store.put([entry]) == [(Action.CREATED, "a")]
        assert store.put([later]) == [(Action.UNCHANGED, "a")]
        assert store.put([entry, entry]) == [(Action.UNCHANGED, "a")] * 2
        assert store.get(["a"]) == [entry.memory]
        assert store.count() == 1

    @pytest.mark.parametrize(
        "change", [{"text": "beta"}, {"space": CHINESE}, {"kind": "task"}], ids=str
    )
    def test_the_same_id_with_other_content_raises_and_writes_nothing(
        self, store: Store, change: dict[str, Any]
    ) -> None:
        memory = make_memory("alpha", "a")
        store.put([make_entry(memory)])
        before = store.spaces()
        innocent = make_entry(make_memory("gamma", "b", space="new"))
        with pytest.raises(Conflict, match="'a'"):
            store.put([innocent, make_entry(replace(memory, **change))])
        assert store.get(["a", "b"]) == [memory, None]
        assert store.spaces() == before
        assert self.words(store, "beta gamma") == []

    def test_one_id_twice_in_a_batch(self, store: Store) -> None:
        same = make_entry(make_memory("alpha", "a"))
        assert store.put([same, same]) == [(Action.CREATED, "a"), (Action.UNCHANGED, "a")]
        one, two = make_memory("one", "b"), make_memory("two", "b")
        with pytest.raises(Conflict):
            store.put([make_entry(one), make_entry(two)])
        assert store.get(["b"]) == [None]

    def test_told_again_it_is_reinforced(self, store: Store) -> None:
        first, again = make_memory("alpha", "a"), make_memory("alpha", "b")
        store.put([make_entry(first, merge=True)])
        written = store.put([make_entry(again, merge=True)] * 2)
        assert written == [(Action.REINFORCED, "a")] * 2
        assert store.get(["a", "b"]) == [replace(first, reinforcement=2), None]
        assert len(self.words(store, "alpha")) == 1

    def test_told_again_in_the_same_batch(self, store: Store) -> None:
        entries = [make_entry(make_memory("alpha", i), merge=True) for i in "abc"]
        assert [w.id for w in store.put(entries)] == ["a", "a", "a"]
        assert store.get(["a"])[0] == make_memory("alpha", "a", reinforcement=2)

    def test_told_in_another_space_it_is_another_memory(self, store: Store) -> None:
        here = make_entry(make_memory("alpha", "a"), merge=True)
        there = make_entry(make_memory("alpha", "b", space=CHINESE), merge=True)
        assert [w.action for w in store.put([here, there])] == [Action.CREATED] * 2

    def test_with_an_id_of_its_own_it_is_never_merged(self, store: Store) -> None:
        store.put([make_entry(make_memory("alpha", i), merge=False) for i in "ab"])
        assert store.count() == 2
        again = store.put([make_entry(make_memory("alpha", "c"), merge=True)])
        assert again == [(Action.REINFORCED, "a")]  # the oldest that says the same

    def test_known_says_what_would_create_nothing(self, store: Store) -> None:
        store.put([make_entry(make_memory("alpha", "a"))])
        asked = [
            make_entry(make_memory("other", "a")),  # the id
            make_entry(make_memory("alpha", "b"), merge=True),  # the identity
            make_entry(make_memory("alpha", "c"), merge=False),
            make_entry(make_memory("alpha", "d", space="nowhere"), merge=True),
        ]
        assert store.known(asked) == [True, True, False, False]
        assert store.known([]) == []
        assert [info.name for info in store.spaces()] == ["global"]

    def test_an_empty_batch_does_nothing(self, store: Store) -> None:
        assert store.put([]) == []
        assert store.delete([]) == []
        assert store.get([]) == []
        assert store.fetch([]) == []

    def test_history_can_be_taken_over(self, store: Store) -> None:
        memory = make_memory("third", "a")
        former = tuple(Revision(make_memory(t, "a"), NOON) for t in ("second", "first"))
        store.put([make_entry(memory)._replace(history=former)])
        assert store.history("a") == list(former)
        store.revise(make_entry(make_memory("fourth", "a")))
        assert [r.memory.text for r in store.history("a")] == ["third", "second", "first"]
        assert self.words(store, "first second") == []

    # revise and history

    def test_revise_replaces_and_keeps_the_former_form(self, store: Store) -> None:
        (first,) = self.told(store, "alpha")
        when = NOON + timedelta(days=1)
        second = replace(first, text="beta", tags=("t",), updated_at=when)
        store.revise(make_entry(second, TOY), fingerprint=TOY.fingerprint)
        assert store.get([first.id]) == [second]
        assert store.history(first.id) == [Revision(first, when)]
        assert self.words(store, "alpha") == []
        assert ids(self.words(store, "beta")) == [first.id]
        (found,) = self.meaning(store, "beta")
        assert found.score == pytest.approx(1.0, abs=1e-5)
        assert store.count(where=parse_filter({"tags": "t"})) == 1

    def test_revise_without_new_words_keeps_the_vectors(self, store: Store) -> None:
        (first,) = self.told(store, "alpha")
        store.revise(make_entry(replace(first, kind="task")))
        assert store.pending(["global"]) == 0
        assert ids(self.meaning(store, "alpha")) == [first.id]

    def test_revise_without_vectors_waits_for_them(self, store: Store) -> None:
        (first,) = self.told(store, "alpha\nbeta")
        store.revise(make_entry(replace(first, text="gamma")))
        assert store.pending(["global"]) == 1
        assert self.meaning(store, "alpha") == []
        assert [u.text for u in store.unembedded(TOY.fingerprint, limit=9)] == ["gamma"]

    def test_revise_refuses(self, store: Store) -> None:
        (first,) = self.told(store, "alpha")
        with pytest.raises(NotFound):
            store.revise(make_entry(make_memory("x", "nobody")))
        with pytest.raises(Conflict):
            store.revise(make_entry(replace(first, space=CHINESE)))
        changed = replace(first, text="beta")
        with pytest.raises(FingerprintMismatch):
            store.revise(make_entry(changed, OTHER), fingerprint=OTHER.fingerprint)
        with pytest.raises(InvalidVector):
            store.revise(make_entry(changed, SMALL), fingerprint=TOY.fingerprint)
        assert store.get([first.id]) == [first]
        assert store.history(first.id) == []
        assert ids(self.words(store, "alpha")) == [first.id]

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

    def test_many_are_revised_together_or_not_at_all(self, store: Store) -> None:
        first, second = self.told(store, "alpha", "beta")
        changed = [replace(first, text="gamma"), replace(second, text="甲乙")]
        with pytest.raises(NotFound):
            store.revise_many(
                [make_entry(changed[0], TOY), make_entry(make_memory("x", "nobody"), TOY)],
                fingerprint=TOY.fingerprint,
            )
        assert store.get([first.id, second.id]) == [first, second]
        store.revise_many(
            [make_entry(memory, TOY) for memory in changed], fingerprint=TOY.fingerprint
        )
        store.revise_many([])
        assert store.get([first.id, second.id]) == changed
        assert [r.memory for r in store.history(second.id)] == [second]
        assert self.words(store, "alpha") == self.words(store, "beta") == []
        assert ids(self.words(store, "gamma")) == [first.id]

    def test_a_revision_without_history_leaves_none(self, store: Store) -> None:
        (first,) = self.told(store, "alpha")
        store.touch(accessed={first.id: 2}, reinforced={first.id: 3})
        (held,) = store.get([first.id])
        assert held is not None
        elsewhere = replace(held, source="b.md", section="S", tags=("t",))
        store.revise_many([make_entry(elsewhere)], history=False)
        assert store.get([first.id]) == [elsewhere]
        assert store.history(first.id) == []
        assert store.pending(["global"]) == 0
        assert ids(self.meaning(store, "alpha")) == [first.id]
        assert store.count(where=parse_filter({"tags": "t"})) == 1

    def test_what_was_revised_can_be_told_anew(self, store: Store) -> None:
        store.put([make_entry(make_memory("alpha", "a"), merge=True)])
        store.revise(make_entry(make_memory("beta", "a"), merge=True))
        again = store.put([make_entry(make_memory("alpha", "b"), merge=True)])
        assert again == [(Action.CREATED, "b")]

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

    # delete

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

    # touch and spaces

    def test_touch_adds_and_leaves_the_rest(self, store: Store) -> None:
        (memory,) = self.told(store, "alpha")
        for _ in range(2):
            store.touch(accessed={memory.id: 2, "nobody": 1}, reinforced={memory.id: 1})
        store.touch(accessed={}, reinforced={})
        expected = replace(memory, access_count=4, reinforcement=2)
        assert store.get([memory.id, "nobody"]) == [expected, None]
        assert store.count(where=parse_filter({"access_count": {">=": 4}})) == 1

    def test_spaces_count_what_they_hold(self, store: Store) -> None:
        self.told(store, "one\ntwo", "three")
        store.put([make_entry(make_memory("四\n五", "w", space=CHINESE))])
        infos = {info.name: tuple(info)[1:] for info in store.spaces()}
        assert infos == {"global": (2, 3, 0), CHINESE: (1, 2, 2)}
        assert [info.name for info in store.spaces()] == sorted(infos)
        assert store.pending(["global"]) == 0
        assert store.pending(["global", CHINESE, CHINESE]) == 2

    # words

    def test_best_first_and_limited(self, store: Store) -> None:
        self.told(store, "alpha", "alpha beta", "gamma delta", "beta epsilon", "zeta eta")
        found = self.words(store, "alpha beta")
        assert [f.score for f in found] == sorted((f.score for f in found), reverse=True)
        assert found[0].memory_id == "global-1"
        assert {f.memory_id for f in found} == {"global-0", "global-1", "global-3"}
        assert self.words(store, "alpha beta", limit=2) == found[:2]

    @pytest.mark.parametrize(
        ("text", "question"),
        [
            ("我们讨论了预算问题", "预算"),
            ("磁盘已满", "磁盘"),
            ("小美喜欢深色主题", "主题"),
            ("雨", "雨"),
            ("預算超支", "预算"),  # traditional in the text, simplified in the question
            ("see ERR_CONN_1042 there", "ERR_CONN_1042"),
            ("call user_id now", "user_id"),
            ("run it with --no-cache", "--no-cache"),
            ("in /etc/hosts it is", "/etc/hosts"),
            ("a.b.c is a path", "a.b.c"),
            ("getUserName() fails", "getUserName"),
            ("it's C++ not C#", "C++"),
            ("don't/stop it", "don't/stop"),
            ("v1.2.3-rc.1", "v1.2.3-rc.1"),
            ("Ünïcödé wörds", "ünïcödé"),
            ("deploying fails", "deploy failed"),
        ],
    )
    def test_words_are_found(self, store: Store, text: str, question: str) -> None:
        (memory,) = self.told(store, text)
        self.told(store, "nothing of the kind", "另外一些文字", "other things", "还有别的")
        assert ids(self.words(store, question))[:1] == [memory.id]

    def test_an_identifier_beats_its_parts(self, store: Store) -> None:
        exact, *_ = self.told(
            store, "failed: ERR_CONN_1042", "err conn 1042 failed", "ERR_CONN_1043", "err", "conn"
        )
        assert ids(self.words(store, "ERR_CONN_1042"))[0] == exact.id

    @pytest.mark.parametrize("term", HOSTILE_TERMS, ids=lambda t: ascii(t[:16]))
    def test_operators_in_terms_are_harmless(self, store: Store, term: str) -> None:
        alpha, _ = self.told(store, "alpha", "beta")
        assert store.search_words([term], spaces=["global"], where=None, limit=5) == []
        with_alpha = store.search_words([term, "alpha"], spaces=["global"], where=None, limit=5)
        assert ids(with_alpha) == [alpha.id]

    def test_a_term_named_twice_counts_once(self, store: Store) -> None:
        self.told(store, "alpha beta", "beta", "gamma")
        once = store.search_words(["alpha", "beta"], spaces=["global"], where=None, limit=5)
        twice = store.search_words(["alpha", "beta"] * 2, spaces=["global"], where=None, limit=5)
        assert [f.score for f in twice] == pytest.approx([f.score for f in once])

    def test_no_term_finds_nothing(self, store: Store) -> None:
        self.told(store, "alpha", "…")
        assert store.search_words((), spaces=["global"], where=None, limit=5) == []
        assert self.words(store, "unheard") == []

    def test_scores_are_bm25(self, store: Store) -> None:
        texts = [
            "alpha",
            "alpha alpha beta",
            "beta gamma",
            "delta\nalpha 预算",
            "预算 预算 磁盘",
            "…",
        ]
        reference = InMemoryStore()
        self.told(store, *texts)
        self.told(reference, *texts)
        for question in ("alpha", "alpha beta", "预算 alpha gamma", "delta"):
            found = self.words(store, question, limit=3)
            same_ranking(found, self.words(reference, question, limit=EVERYTHING), limit=3)

    def test_rebuilding_the_words_changes_nothing(self, store: Store) -> None:
        self.told(store, "alpha beta\n预算", "gamma don't/stop", "…")
        self.told(store, "delta", space=CHINESE)
        before = self.words(store, "alpha 预算 gamma don't/stop")
        assert store.rebuild_words() == 5
        after = self.words(store, "alpha 预算 gamma don't/stop")
        same_ranking(after, before, limit=10)

    def test_how_common_terms_are(self, store: Store) -> None:
        self.told(store, "alpha beta\n预算 预算", "alpha gamma")
        self.told(store, "alpha delta", space=CHINESE)
        terms = ["alpha", "预算", "omega", "预", "two words"]
        found = store.frequencies(terms, spaces=["global"])
        assert found.holding == [2, 1, 0, 1, 0]
        assert (found.passages, found.memories) == (3, 2)
        both = store.frequencies(terms, spaces=["global", CHINESE])
        assert both.holding == [3, 1, 0, 1, 0]
        assert both.length == pytest.approx((found.length * 3 + 2) / 4)
        with pytest.raises(UnknownSpace):
            store.frequencies(terms, spaces=["nowhere"])

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

    # meaning

    def test_the_nearest_first_with_their_cosines(self, store: Store) -> None:
        texts = [f"text {n}" for n in range(30)]
        self.told(store, *texts)
        found = self.meaning(store, "text 7", limit=5)
        cosines = TOY.embed(texts) @ TOY.embed(["text 7"])[0]
        assert found[0].memory_id == "global-7"
        assert [f.score for f in found] == pytest.approx(
            sorted(cosines, reverse=True)[:5], abs=1e-5
        )

    def test_every_passage_has_its_place(self, store: Store) -> None:
        (memory,) = self.told(store, "alpha\nbeta\ngamma")
        assert self.meaning(store, "beta", limit=1)[0][:2] == (memory.id, 1)
        assert self.words(store, "gamma", limit=1)[0][:2] == (memory.id, 2)

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

    # Embeddings: declare, fill, build, switch, clear

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

    def compare(
        self, store: Store, text: str, *keys: tuple[str, int], space: str = "global"
    ) -> Any:
        vector = TOY.embed([text])[0]
        return store.compare(vector, keys, fingerprint=TOY.fingerprint, spaces=[space])

    def test_passages_are_compared_with_a_question_and_with_what_is_usual(
        self, store: Store
    ) -> None:
        self.told(store, "alpha", "beta", "预算", "alpha beta")
        self.told(store, "alpha", space="other")
        found = {(f.memory_id, f.ordinal): f.score for f in self.meaning(store, "alpha")}
        keys = [*reversed(found), ("nobody", 0), ("global-0", 7), ("other-4", 0)]
        compared = self.compare(store, "alpha", *keys)
        assert compared.scores == [
            pytest.approx(found[key], abs=1e-5) if key in found else None for key in keys
        ]
        mean = sum(found.values()) / len(found)
        assert compared.mean == pytest.approx(mean, abs=1e-5)
        assert compared.spread > 0
        with pytest.raises(FingerprintMismatch):
            store.compare(
                TOY.embed(["a"])[0], keys, fingerprint=OTHER.fingerprint, spaces=["global"]
            )

    def test_without_vectors_there_is_nothing_to_compare(self, store: Store) -> None:
        store.put([make_entry(make_memory("alpha", "a"))])
        assert self.compare(store, "alpha", ("a", 0)).scores == [None]

    def test_neighbours_are_those_told_before_and_after_in_the_space(self, store: Store) -> None:
        for name, space in (("a", "global"), ("x", "other"), ("b", "global"), ("c", "global")):
            store.put([make_entry(make_memory(f"text {name} 文字", name, space=space))])
        asked = ["c", "a", "nobody", "b", "x"]
        expected = [("b", None), (None, "b"), (None, None), ("a", "c"), (None, None)]
        assert [tuple(n) for n in store.neighbours(asked)] == expected
        store.delete(["b"])
        assert [tuple(n) for n in store.neighbours(["a", "c"])] == [(None, "c"), ("a", None)]

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

    # Care

    def test_maintenance_changes_no_answer(self, store: Store) -> None:
        self.told(store, *(f"alpha {n}" for n in range(20)))
        before = self.words(store, "alpha 7"), self.meaning(store, "alpha 7")
        store.maintain()
        self.same_answers(store, "alpha 7", before)
        store.maintain(anew=True)
        self.same_answers(store, "alpha 7", before)
        assert all(check.ok for check in store.check())

    def same_answers(self, store: Store, text: str, before: tuple[Any, Any]) -> None:
        same_ranking(self.words(store, text), before[0], limit=10)
        same_ranking(self.meaning(store, text), before[1], limit=10)

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

    def test_threads_may_share_it(self, store: Store) -> None:
        store.declare(TOY.embedding)
        faults: list[BaseException] = []

        def work(number: int) -> None:
            try:
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
            except BaseException as e:
                faults.append(e)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not faults, faults
        assert store.count() == 4 * 6 + 1
        (same,) = [m for m in store.scan(limit=99).memories if m.text == "same"]
        assert same.reinforcement == 4 * 8 - 1

    def test_random_programs(
        self, make_store: Callable[[], Store], reopen_store: Callable[[Store], Store]
    ) -> None:
        run_programs(make_store, reopen=reopen_store)
