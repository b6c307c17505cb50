"""The embedder fails, recovers, is changed, or stops midway: nothing is lost, nothing is mixed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bethink import Action, Engine, Status
from bethink.embedders.protocol import Embedder
from bethink.embedders.waiting import PROOF
from bethink.errors import EmbedderError, InvalidInput
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Store
from bethink.stores.sqlite.store import SQLiteStore
from tests.embedders_of_tests import Letters

FACTS = ["Mei prefers dark mode", "小美喜欢深色主题", "the disk is full", "磁盘已经满了"]


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    held: Store = InMemoryStore() if request.param == "memory" else SQLiteStore(tmp_path / "m.db")
    yield held
    held.close()


def engine(store: Store, embedder: Embedder | str) -> Engine:
    return Engine(store, embedder=embedder)


def pending(store: Store) -> int:
    return sum(info.pending for info in store.spaces())


def ids(one: Engine, question: str, **options: Any) -> list[str]:
    return [hit.id for hit in one.recall(question, **options).hits]


def test_what_cannot_be_embedded_is_stored_and_found_by_words(store: Store) -> None:
    letters = Letters()
    letters.fails = True
    one = engine(store, letters)
    for text in FACTS:
        receipt = one.remember(text)
        assert receipt.action is Action.CREATED
        assert not receipt.embedded
        assert receipt.notes[0].startswith("found by words only, for now: letters ")
        assert "on holiday" in receipt.notes[0]
    for question in ("dark", "深色"):
        answer = one.recall(question)
        assert len(answer.hits) == 1
        assert answer.status is Status.DEGRADED
        assert "meaning is unavailable" in answer.reasons[0]
        assert "on holiday" in answer.reasons[0]
    assert pending(store) == len(FACTS)


@pytest.mark.parametrize("again", ["new", "told again"])
def test_the_next_write_fills_in_what_is_owed(store: Store, again: str) -> None:
    letters = Letters()
    letters.fails = True
    one = engine(store, letters)
    one.remember_many([{"text": text} for text in FACTS])
    letters.fails = False
    answer = one.recall("dark")
    assert answer.status is Status.STALE
    assert "4 passages wait for their vectors" in answer.reasons[0]
    one.remember("something new" if again == "new" else FACTS[0])
    assert pending(store) == 0
    assert one.recall("深色").status is Status.ANSWERED
    assert len(ids(one, "dark", words=False, floor=0)) >= 4


def test_reindex_fills_in_what_is_owed(store: Store) -> None:
    letters = Letters()
    letters.fails = True
    one = engine(store, letters)
    one.remember_many([{"text": text} for text in FACTS])
    with pytest.raises(EmbedderError, match="on holiday"):
        one.reindex()
    letters.fails = False
    assert one.reindex() == 4
    assert one.reindex() == 0
    assert one.recall("dark").status is Status.ANSWERED


def test_an_embedder_that_has_just_failed_is_not_asked_twice(store: Store) -> None:
    class Counting(Letters):
        calls = 0

        def embed(self, texts, *, kind):  # type: ignore[no-untyped-def]
            self.calls += 1
            return super().embed(texts, kind=kind)

    counting = Counting()
    counting.fails = True
    one = engine(store, counting)
    one.remember(FACTS[0])
    one.remember(FACTS[1])
    assert counting.calls == 2


def test_an_embedder_that_never_worked_does_not_hold_the_index(store: Store) -> None:
    broken = Letters("broken")
    broken.fails = True
    engine(store, broken).remember(FACTS[0])
    assert store.embedding() is None
    good = Letters("good")
    one = engine(store, good)
    assert one.remember(FACTS[1]).embedded
    assert pending(store) == 0
    assert one.recall("dark").status is Status.ANSWERED


def test_an_embedder_that_cannot_say_its_size_loses_nothing(store: Store) -> None:
    class Unsure(Letters):
        @property
        def dimension(self) -> int:
            raise RuntimeError("no model here")

        @dimension.setter
        def dimension(self, value: int) -> None: ...

    one = engine(store, Unsure())
    receipt = one.remember(FACTS[0])
    assert not receipt.embedded
    assert ids(one, "dark") == [receipt.id]


def test_a_revision_is_embedded_or_owed(store: Store) -> None:
    letters = Letters()
    one = engine(store, letters)
    kept = one.remember(FACTS[0])
    assert one.revise(kept.id, text="Mei prefers light mode").embedded
    letters.fails = True
    receipt = one.revise(kept.id, text="小美喜欢浅色主题")
    assert not receipt.embedded
    assert "on holiday" in receipt.notes[0]
    assert one.revise(kept.id, tags=["ui"]).embedded
    assert ids(one, "浅色") == [kept.id]
    assert pending(store) == 1
    letters.fails = False
    one.remember("anything else")
    assert pending(store) == 0


def test_revising_where_there_is_no_index_yet(store: Store) -> None:
    kept = engine(store, "none").remember(FACTS[0])
    one = engine(store, Letters())
    assert one.revise(kept.id, text="Mei prefers light mode").embedded
    assert one.recall("light").status is Status.ANSWERED


def test_without_an_embedder_nothing_is_owed_aloud(store: Store) -> None:
    one = engine(store, "none")
    receipt = one.remember(FACTS[0])
    assert not receipt.embedded
    assert receipt.notes == ()
    assert one.recall("dark").status is Status.ANSWERED
    assert one.reindex() == 0


def test_the_old_index_answers_until_the_new_is_whole(store: Store) -> None:
    engine(store, "hashing").remember_many([{"text": text} for text in FACTS])
    new = Letters("new", dimension=512)
    one = engine(store, new)
    answer = one.recall("dark mode")
    assert answer.status is Status.STALE
    assert "the index is by hashing, the settings name new" in answer.reasons[0]
    assert "meaning" in answer.hits[0].channels
    assert new.texts == []
    assert one.remember("a fifth fact").embedded
    assert new.texts == []
    seen: list[tuple[int, int | None]] = []
    assert one.reindex(progress=lambda done, total: seen.append((done, total))) == 5
    assert seen[-1] == (5, 5)
    assert sorted(new.texts) == sorted([*FACTS, "a fifth fact", PROOF])
    held = store.embedding()
    assert held is not None
    assert held.name == "new"
    assert one.recall("dark mode").status is Status.ANSWERED


def test_an_interrupted_reindex_goes_on_where_it_stopped(store: Store) -> None:
    texts = [f"fact number {n} 事实" for n in range(600)]
    engine(store, "hashing").remember_many([{"text": text} for text in texts])
    new = Letters("new")
    new.fails_after = 300
    one = engine(store, new)
    with pytest.raises(EmbedderError, match="the line went dead"):
        one.reindex()
    assert one.recall("number").status is Status.STALE
    stored = 256  # a whole batch was stored before the line went dead
    new.fails_after = None
    new.texts.clear()
    assert one.reindex() == len(texts) - stored
    assert len(new.texts) == 1 + len(texts) - stored  # whether it works was asked first
    answer = one.recall("fact number 599")
    assert answer.status is Status.ANSWERED
    assert answer.hits[0].text == texts[599]
    assert "meaning" in answer.hits[0].channels


def test_a_model_of_the_same_name_and_size_is_never_mixed_in(store: Store) -> None:
    old = Letters("same", salt=1)
    engine(store, old).remember_many([{"text": text} for text in FACTS])
    swapped = Letters("same", salt=7)
    one = engine(store, swapped)
    answer = one.recall("dark")
    assert answer.status is Status.DEGRADED
    assert "cannot be loaded here; run 'bethink reindex'" in answer.reasons[0]
    assert set(answer.hits[0].channels) == {"words"}
    receipt = one.remember("a fifth fact")
    assert not receipt.embedded
    assert swapped.texts == []
    assert one.reindex() == 5
    assert one.recall("dark").status is Status.ANSWERED
    assert pending(store) == 0


def test_somebody_elses_class_is_named(store: Store) -> None:
    engine(store, Letters("theirs")).remember(FACTS[0])
    answer = engine(store, Letters("ours")).recall("dark")
    assert answer.status is Status.DEGRADED
    assert "the index is by theirs" in answer.reasons[0]


def test_an_unknown_embedder_loses_nothing(store: Store) -> None:
    one = engine(store, "no-such-model")
    receipt = one.remember(FACTS[0])
    assert "there is no model 'no-such-model'" in receipt.notes[0]
    assert [hit.id for hit in one.recall("dark", meaning=False).hits] == [receipt.id]
    with pytest.raises(InvalidInput, match="no embedder 'no-such-model'; known: use-m, arctic-s"):
        one.recall("dark")


def test_force_makes_every_vector_anew(store: Store) -> None:
    letters = Letters()
    one = engine(store, letters)
    one.remember_many([{"text": text} for text in FACTS])
    letters.texts.clear()
    assert one.reindex(force=True) == 4
    assert sorted(letters.texts) == sorted([*FACTS, PROOF])
    assert pending(store) == 0
