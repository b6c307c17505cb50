"""Engines that fail or hang: the answer comes, is right, and names them."""

from __future__ import annotations

import pytest

from bethink.errors import StoreError
from bethink.stores.composite import Bounds
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Shortfall
from bethink.stores.retrievers import WORDS
from bethink.testing import run_at_once
from tests.contract.composites import TOY, Closing, composite, ids, meaning, shortfalls, tell, words
from tests.contract.unruly import Unruly, until


def test_one_fails_and_the_other_answers(closing: Closing) -> None:
    one, two = Unruly(InMemoryStore(), name="one"), Unruly(InMemoryStore(), name="two")
    store = closing(composite(one, two, truth_answers=False))
    tell(store, "alpha 数据库", "a")
    assert ids(words(store, "数据库")) == ["a"]
    assert shortfalls(words(store, "数据库")) == ()
    one.down = True
    for ask in (words, meaning):
        found = ask(store, "alpha 数据库")
        assert ids(found) == ["a"]
        (missing,) = shortfalls(found)
        assert not missing.behind
        assert "one" in missing.reason
        assert "no route to host" in missing.reason


def test_all_fail_and_the_truth_answers_and_says_so(closing: Closing) -> None:
    one, two = Unruly(InMemoryStore(), name="一号"), Unruly(InMemoryStore(), name="two")
    store = closing(composite(one, two))
    tell(store, "alpha 数据库", "a")
    one.down = two.down = True
    for ask in (words, meaning):
        found = ask(store, "alpha 数据库")
        assert ids(found) == ["a"]
        (missing,) = shortfalls(found)
        assert "一号" in missing.reason
        assert "two" in missing.reason
        assert "the store itself answered" in missing.reason


def test_all_fail_and_the_truth_may_not_answer(closing: Closing) -> None:
    one = Unruly(InMemoryStore(), name="one", finds=[WORDS])
    store = closing(composite(one, truth_answers=False))
    tell(store, "alpha", "a")
    one.down = True
    with pytest.raises(StoreError, match="one failed: ConnectionError: no route to host"):
        words(store, "alpha")
    assert ids(meaning(store, "alpha")) == ["a"]  # no retriever's, so the truth's in any case


def test_after_some_failures_it_is_left_alone_until_it_lives(closing: Closing) -> None:
    one = Unruly(InMemoryStore(), name="one", finds=[WORDS])
    store = closing(composite(one))
    tell(store, "alpha", "a")
    one.down = True
    for _ in range(10):
        assert ids(words(store, "alpha")) == ["a"]
    assert one.asked < 10
    assert store.shortcomings() == ["one is left out: ConnectionError: no route to host"]
    one.down = False
    until(lambda: not store.shortcomings())
    assert shortfalls(words(store, "alpha")) == ()


def test_a_hung_engine_holds_up_no_answer(closing: Closing) -> None:
    one, two = Unruly(InMemoryStore(), name="one"), Unruly(InMemoryStore(), name="two")
    store = closing(composite(one, two))
    tell(store, "alpha 甲", "a")
    one.hang()
    try:
        found = words(store, "甲")
        assert one.hangs  # the answer came before
        assert ids(found) == ["a"]
        assert shortfalls(found) == (Shortfall(False, "words: one did not answer within 0.1 s"),)
        asked = one.asked
        for _ in range(5):
            assert "one is left out" in shortfalls(words(store, "甲"))[0].reason
            assert ids(meaning(store, "alpha 甲")) == ["a"]
        assert one.asked == asked  # nobody waits for it a second time
    finally:
        one.release()
    until(lambda: not store.shortcomings())
    assert shortfalls(words(store, "甲")) == ()


def test_a_question_with_little_time_waits_no_longer(closing: Closing) -> None:
    one = Unruly(InMemoryStore(), name="one")
    store = closing(composite(one, bounds=Bounds(patience=3600)))
    tell(store, "alpha", "a")
    one.hang()
    try:
        assert ids(words(store.within(0.05), "alpha")) == ["a"]
        assert one.hangs
    finally:
        one.release()


def test_a_question_without_any_time_left_holds_it_against_nobody(closing: Closing) -> None:
    one = Unruly(InMemoryStore(), name="one")
    store = closing(composite(one))
    tell(store, "alpha 部署", "a")
    found = words(store.within(0.0), "部署")
    assert ids(found) == ["a"] and one.asked == 0
    assert shortfalls(found)[0].reason == (
        "words: no time was left for one; the store itself answered"
    )
    assert ids(words(store, "部署")) == ["a"] and one.asked == 1


def test_a_hung_engine_holds_up_no_write(closing: Closing) -> None:
    one = Unruly(InMemoryStore(), name="one")
    store = closing(composite(one))
    tell(store, "alpha", "a")
    one.hang()
    try:
        tell(store, "beta 乙", "b")
        tell(store, "gamma", "c")
        assert one.hangs
        assert store.count() == 3
        assert "one" in store.owed()[0]
    finally:
        one.release()
    until(lambda: store.catch_up(1))
    assert ids(words(store, "乙")) == ["b"]
    assert store.owed() == []
    assert all(check.ok for check in store.check())


def test_a_store_with_a_hung_engine_opens_and_closes() -> None:
    one = Unruly(InMemoryStore(), name="one")
    one.hang()
    try:
        store = composite(one)
        tell(store, "alpha", "a")
        found = words(store, "alpha")
        assert ids(found) == ["a"]
        assert "it has not answered yet" in shortfalls(found)[0].reason
        store.close()
        assert one.hangs
    finally:
        one.release()


def test_many_threads_write_and_ask_while_an_engine_comes_and_goes(closing: Closing) -> None:
    one, two = Unruly(InMemoryStore(), name="one"), Unruly(InMemoryStore(), name="two")
    store = closing(composite(one, two))
    store.declare(TOY.embedding)

    def work(number: int) -> None:
        for turn in range(10):
            one.down = (number + turn) % 2 == 0
            tell(store, f"thread{number} turn{turn} 共同", f"{number}-{turn}")
            assert f"{number}-{turn}" in ids(words(store, f"thread{number} turn{turn}"))
            if turn % 3 == 2:
                store.delete([f"{number}-{turn}"])
                assert f"{number}-{turn}" not in ids(words(store, "共同", limit=100))

    run_at_once(work, range(4))
    one.down = False
    until(lambda: store.catch_up(1))
    assert all(check.ok for check in store.check())
    assert len(words(store, "共同", limit=100)) == 4 * 7
