"""Whom an engine follows: one store by one name, from where it was, or made anew."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from bethink.errors import FingerprintMismatch, InvalidInput, StoreError
from bethink.stores.composite import Bounds
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.retrievers import Position
from bethink.stores.sqlite.store import SQLiteStore
from bethink.stores.store_retriever import StoreRetriever
from bethink.testing import ToyEmbedder
from bethink.text import tokenise
from tests.contract.composites import (
    PATIENT,
    TOY,
    Closing,
    composite,
    ids,
    meaning,
    shortfalls,
    tell,
    words,
)
from tests.contract.unruly import Unruly, until
from tests.stores.changing_over import change_over


def test_an_engine_of_another_store_is_refused_and_left_as_it_was(closing: Closing) -> None:
    held = InMemoryStore()
    first = composite(StoreRetriever(held, name="one"))
    tell(first, "alpha", "a")
    with pytest.raises(StoreError, match="one follows another store"):
        composite(StoreRetriever(held, name="one"))
    assert ids(words(held, "alpha")) == ["a"]
    first.close()


def test_two_of_one_name_are_refused() -> None:
    one, two = (StoreRetriever(InMemoryStore(), name="same") for _ in range(2))
    with pytest.raises(InvalidInput, match="the same name"):
        composite(one, two)


def test_an_engine_that_was_put_back_to_an_older_state_is_made_anew() -> None:
    truth, held = InMemoryStore(), InMemoryStore()
    store = composite(StoreRetriever(held, name="one"), truth=truth)
    tell(store, "alpha 一", "a")
    feed = truth.feed()
    for position in (
        Position(feed.store, 0, tokenise.VERSION),  # changes that it lacks are dropped already
        Position(feed.store, 10**9, tokenise.VERSION),  # the truth was put back instead
        Position(feed.store, feed.last(), tokenise.VERSION - 1),  # of another tokeniser
    ):
        position = position._replace(history=feed.history(position.number))
        store.maintain()  # drops what all have
        held.delete(["a"])
        StoreRetriever(held, name="one").set_position(position)
        store = composite(StoreRetriever(held, name="one"), truth=truth, truth_answers=False)
        until(partial(store.catch_up, 1))
        assert ids(words(store, "一")) == ["a"]


def test_being_made_anew_goes_on_where_it_was_left() -> None:
    truth, held = InMemoryStore(), InMemoryStore()
    truth.declare(TOY.embedding)
    for n in range(700):
        tell(truth, f"alpha {n}", f"m{n:03}")
    first = Unruly(held, name="one")
    first.fails_after = 600
    store = composite(first, truth=truth)
    until(lambda: "the line went dead" in "".join(store.shortcomings()))
    found = words(store, "alpha", limit=1)
    assert len(found) == 1
    assert "the store itself answered" in shortfalls(found)[0].reason
    assert len(first.applied) == 512
    store.close()
    second = Unruly(held, name="one")
    store = composite(second, truth=truth, bounds=Bounds(following=30))
    try:
        assert store.catch_up(30)
        assert len(second.applied) == 700 - 512
        assert len(words(store, "alpha", limit=1000)) == 700
        assert all(check.ok for check in store.check())
    finally:
        store.close()


def test_how_far_it_is_made_anew_is_said_also_after_questions_failed(closing: Closing) -> None:
    truth, held = InMemoryStore(), InMemoryStore()
    one = Unruly(held, name="one")
    store = closing(composite(one, truth=truth))
    for n in range(700):
        tell(truth, f"alpha {n} 数据库", f"m{n:03}")
    assert store.catch_up(30)
    one.down = True
    for _ in range(3):
        words(store, "数据库")
    assert store.shortcomings() == ["one is left out: ConnectionError: no route to host"]
    feed = truth.feed()
    StoreRetriever(held, name="one").set_position(
        Position(feed.store, feed.last(), tokenise.VERSION - 1)
    )
    one.fails_after = len(one.applied) + 600
    one.down = False
    until(lambda: "the line went dead" in "".join(store.shortcomings()))
    assert store.shortcomings() == [
        "one is left out: it is being made anew, 512 memories so far (ConnectionError: the line "
        "went dead)"
    ]
    one.fails_after = None
    until(
        lambda: store.catch_up(1) and store.shortcomings() == []
    )  # it has all, then it is told so
    assert len(words(store, "数据库", limit=1000)) == 700


def test_changed_over_by_another_process_while_it_is_asked_it_is_not_made_anew(
    closing: Closing,
) -> None:
    truth, held = InMemoryStore(), InMemoryStore()
    one = Unruly(held, name="one")
    patient = Bounds(patience=60, following=60)
    asking = closing(composite(one, truth=truth, bounds=patient))
    changing = closing(composite(StoreRetriever(held, name="one"), truth=truth, bounds=patient))
    for n in range(5):
        tell(asking, f"alpha {n} 数据库", f"m{n}")
    told = len(one.applied)
    one.hang()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(meaning, asking, "alpha")
        until(lambda: one.asked == 1)
        change_over(changing, ToyEmbedder("new", 6))
        one.release()
        with pytest.raises(FingerprintMismatch):  # the truth says that the question is of before
            answer.result()
    assert asking.catch_up(60)
    assert len(one.applied) == told  # the other process had told it everything
    assert all(check.ok for check in asking.check())


def test_changes_for_an_engine_that_is_used_no_longer_can_be_let_go() -> None:
    truth = InMemoryStore()
    first = composite(
        StoreRetriever(InMemoryStore(), name="old"),
        StoreRetriever(InMemoryStore(), name="new"),
        truth=truth,
    )
    with pytest.raises(InvalidInput, match="old is in use"):
        first.let_go("old")
    store = composite(StoreRetriever(InMemoryStore(), name="newer"), truth=truth)
    told = [c for c in store.check() if not c.ok]
    assert [c.part for c in told] == ["retriever new", "retriever old"]
    store.let_go("old")
    store.let_go("new")
    assert all(check.ok for check in store.check())


def test_for_an_engine_that_never_answered_nothing_is_kept(quick_path: Path) -> None:
    truth = SQLiteStore(quick_path / "m.db")
    held = InMemoryStore()
    one = Unruly(held, name="one")
    one.down = True
    store = composite(one, truth=truth, truth_answers=False)
    tell(store, "alpha 甲", "a")
    assert words(truth, "alpha") and store.shortcomings()
    assert store.check()[-1].part == "retriever one"
    assert truth.feed().followers() == {}
    assert not list(quick_path.glob("*feed*"))
    one.down = False
    until(lambda: store.catch_up(1))  # and as soon as it answers it has all of it
    assert ids(words(store, "甲")) == ["a"]
    assert list(truth.feed().followers()) == ["one"]
    one.down = True  # from now on it is waited for
    tell(store, "alpha 乙", "b")
    store.close()
    away = SQLiteStore(quick_path / "m.db")
    composite(one, truth=away).close()
    again = SQLiteStore(quick_path / "m.db")
    one.down = False
    told = len(one.applied)
    store = composite(one, truth=again, truth_answers=False, bounds=PATIENT)
    assert sorted(ids(words(store, "alpha"))) == ["a", "b"]
    assert one.applied[told:] == ["b"]
    store.close()


def test_for_an_engine_of_another_store_nothing_is_kept() -> None:
    held, other = InMemoryStore(), InMemoryStore()
    composite(StoreRetriever(held, name="one"), bounds=PATIENT).close()
    with pytest.raises(StoreError, match="one follows another store"):
        composite(StoreRetriever(held, name="one"), truth=other, bounds=PATIENT)
    assert other.feed().followers() == {}


def test_an_engine_that_nobody_follows_for_is_not_believed() -> None:
    """The truth was put back to before it had any follower, and changed since."""
    truth, held = InMemoryStore(), InMemoryStore()
    position = Position(truth.feed().store, 0, tokenise.VERSION)
    StoreRetriever(held, name="one").set_position(position)
    tell(truth, "alpha 甲", "a")
    store = composite(StoreRetriever(held, name="one"), truth=truth, bounds=PATIENT)
    assert ids(words(store, "甲")) == ["a"]
    assert all(check.ok for check in store.check())
    store.close()


def test_an_engine_that_somebody_let_go_of_is_made_anew() -> None:
    truth = InMemoryStore()
    store = composite(StoreRetriever(InMemoryStore(), name="one"), truth=truth, truth_answers=False)
    tell(store, "alpha 甲", "a")
    truth.feed().unfollow("one")  # another program thought that nobody uses it
    tell(truth, "alpha 乙", "b")
    until(lambda: sorted(ids(words(store, "alpha"))) == ["a", "b"])
    tell(store, "alpha 丙", "c")
    assert sorted(ids(words(store, "alpha"))) == ["a", "b", "c"]
    store.close()
