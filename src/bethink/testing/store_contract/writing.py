"""What is told: `put`, `known`, `revise`, `history` and `touch`."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bethink.errors import Conflict, FingerprintMismatch, InvalidVector, NotFound
from bethink.filters import parse_filter
from bethink.stores.protocol import MAX_COUNT, Store
from bethink.testing.entries import NOON, make_entry, make_memory
from bethink.testing.store_contract.store_case import CHINESE, OTHER, SMALL, TOY, StoreCase, ids
from bethink.vocabulary import Action, Entry, Memory, Revision


class WritingContract(StoreCase):
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

    @pytest.mark.parametrize(
        ("held", "told", "merged"),
        [
            ((None, None), (None, None), True),
            ((None, -1), (None, None), False),  # it has ended: told again, it holds again
            ((None, 1), (None, None), False),  # it will end
            ((1, None), (None, None), False),  # it has not begun
            ((-1, None), (None, None), True),  # since when makes no difference
            ((None, None), (-1, None), True),
            ((None, None), (None, -1), False),  # a telling of what was is none of what is
            ((None, None), (1, None), False),
            ((None, None), (None, 1), True),
            ((-2, -1), (-2, -1), True),
            ((-3, -1), (-2, -1), True),
            ((-3, -2), (-2, -1), False),
            ((None, 1), (None, 2), False),
        ],
    )
    def test_told_again_of_another_time_it_is_another_memory(
        self,
        store: Store,
        held: tuple[int | None, int | None],
        told: tuple[int | None, int | None],
        merged: bool,
    ) -> None:
        def of(name: str, days: tuple[int | None, int | None]) -> Entry:
            start, end = (None if d is None else NOON + timedelta(days=d) for d in days)
            memory = replace(make_memory("预算 alpha", name), valid_from=start, valid_to=end)
            return make_entry(memory, merge=True)

        store.put([of("a", held)])
        assert store.known([of("b", told)]) == [merged]
        assert [w.id for w in store.put([of("b", told)])] == ["a" if merged else "b"]
        assert store.put([of("c", told)]) == [(Action.REINFORCED, "a" if merged else "b")]

    def test_told_of_two_times_in_one_batch(self, store: Store) -> None:
        ended = replace(make_memory("alpha", "a"), valid_to=NOON - timedelta(days=1))
        entries = [ended, make_memory("alpha", "b"), make_memory("alpha", "c")]
        written = store.put([make_entry(memory, merge=True) for memory in entries])
        assert [w.id for w in written] == ["a", "b", "b"]

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

    # touch

    def test_touch_adds_and_leaves_the_rest(self, store: Store) -> None:
        (memory,) = self.told(store, "alpha")
        for _ in range(2):
            store.touch(accessed={memory.id: 2, "nobody": 1}, reinforced={memory.id: 1})
        store.touch(accessed={}, reinforced={})
        expected = replace(memory, access_count=4, reinforcement=2)
        assert store.get([memory.id, "nobody"]) == [expected, None]
        assert store.count(where=parse_filter({"access_count": {">=": 4}})) == 1

    def test_counters_stop_where_an_export_could_not_be_taken_back(self, store: Store) -> None:
        full = make_memory("alpha", "a", reinforcement=MAX_COUNT, access_count=MAX_COUNT - 1)
        store.put([make_entry(full, merge=True)])
        store.put([make_entry(make_memory("alpha", "b"), merge=True)])
        store.touch(accessed={"a": 5}, reinforced={"a": 1})
        assert store.get(["a"]) == [replace(full, access_count=MAX_COUNT)]
