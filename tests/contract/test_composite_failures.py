"""Engines that fail, hang, fall behind or lie: the answer comes, is right, and names them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from recollect.errors import InvalidInput, StoreError
from recollect.filters import parse_filter
from recollect.stores.composite import Bounds, CompositeStore
from recollect.stores.in_memory import InMemoryStore
from recollect.stores.protocol import FoundPartly, Shortfall, Store
from recollect.stores.retrievers import MEANING, WORDS, Position
from recollect.stores.store_retriever import StoreRetriever
from recollect.testing import ToyEmbedder, make_entry, make_memory, run_at_once
from recollect.text import tokenise
from recollect.text.tokenise import query_terms
from recollect.vocabulary import Found
from tests.contract.unruly import Unruly, WithoutWalls, until

TOY = ToyEmbedder()
QUICK = Bounds(patience=0.1, catching_up=0.1, following=0.2)


def tell(store: Store, text: str, memory_id: str, **fields: Any) -> None:
    store.declare(TOY.embedding)
    store.put(
        [make_entry(make_memory(text, memory_id, **fields), TOY)], fingerprint=TOY.fingerprint
    )


def words(store: Store, text: str, *spaces: str, limit: int = 10) -> list[Found]:
    return store.search_words(
        query_terms(text), spaces=spaces or ("global",), where=None, limit=limit
    )


def meaning(store: Store, text: str, *spaces: str, limit: int = 10) -> list[Found]:
    return store.search_meaning(
        TOY.embed([text])[0],
        fingerprint=TOY.fingerprint,
        spaces=spaces or ("global",),
        where=None,
        limit=limit,
    )


def shortfalls(found: Sequence[Found]) -> tuple[Shortfall, ...]:
    return found.shortfalls if isinstance(found, FoundPartly) else ()


def ids(found: Sequence[Found]) -> list[str]:
    return [one.memory_id for one in found]


@pytest.fixture
def closing() -> Iterator[Callable[[CompositeStore], CompositeStore]]:
    stores: list[CompositeStore] = []

    def close_later(store: CompositeStore) -> CompositeStore:
        stores.append(store)
        return store

    yield close_later
    for store in stores:
        store.close()


Closing = Callable[[CompositeStore], CompositeStore]


def composite(*retrievers: StoreRetriever, truth: Store | None = None, **options: Any) -> Any:
    return CompositeStore(truth or InMemoryStore(), retrievers, **{"bounds": QUICK, **options})


# Failing


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


# Hanging


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


# Falling behind


def test_an_engine_that_is_behind_answers_and_the_answer_is_called_stale(closing: Closing) -> None:
    one = Unruly(InMemoryStore(), name="one")
    store = closing(composite(one, truth_answers=False))
    tell(store, "alpha", "a")
    one.deaf = True
    tell(store, "alpha 数据库", "b")
    store.delete(["nobody"])
    found = words(store, "alpha")
    assert ids(found) == ["a"]
    (missing,) = shortfalls(found)
    assert missing.behind
    assert missing.reason.startswith("words: one is 1 changes behind, for ")
    (line,) = [check for check in store.check() if check.part == "retriever one"]
    assert not line.ok
    one.deaf = False
    until(lambda: store.catch_up(1))
    assert shortfalls(words(store, "alpha")) == ()
    assert sorted(ids(words(store, "alpha"))) == ["a", "b"]


def test_what_is_forgotten_or_revised_is_found_by_nobody_though_an_engine_is_behind(
    closing: Closing,
) -> None:
    one = Unruly(InMemoryStore(), name="one")
    store = closing(composite(one, truth_answers=False))
    tell(store, "secret 秘密", "a")
    tell(store, "plan 计划 old", "b")
    tell(store, "plan tagged", "c", tags=("x",))
    one.deaf = True
    store.delete(["a"])
    (revised, tagged) = store.get(["b", "c"])
    assert revised is not None
    assert tagged is not None
    store.revise(
        make_entry(replace(revised, text="plan 计划 new"), TOY), fingerprint=TOY.fingerprint
    )
    store.revise(make_entry(replace(tagged, tags=()), TOY), fingerprint=TOY.fingerprint)
    assert words(store, "秘密") == []
    assert "a" not in ids(meaning(store, "secret 秘密"))
    assert words(store, "old") == []
    where = parse_filter({"tags": "x"})
    assert store.search_words(["tagged"], spaces=["global"], where=where, limit=5) == []


def test_changes_are_kept_while_it_is_away_and_dropped_when_all_have_them() -> None:
    truth = InMemoryStore()
    one, two = Unruly(InMemoryStore(), name="one"), Unruly(InMemoryStore(), name="two")
    store = composite(one, two, truth=truth)
    tell(store, "alpha", "a")
    two.down = True
    tell(store, "beta", "b")
    for follower in ("maintain", "maintain"):
        getattr(store, follower)()
    feed = truth.feed()
    assert feed.waiting(feed.dropped()) > 0
    assert feed.followers()["one"] == feed.last()
    two.down = False
    until(lambda: store.catch_up(1))
    store.maintain()
    assert feed.waiting(0) == 0
    store.close()


# Lying


def test_nothing_crosses_the_wall_of_a_space(closing: Closing) -> None:
    liar = WithoutWalls(InMemoryStore(), name="liar")
    store = closing(composite(liar, truth_answers=False))
    tell(store, "alpha 共同", "here")
    tell(store, "alpha 共同 secret", "there", space="别处")
    for limit in (1, 10):
        assert ids(words(store, "共同", limit=limit)) == ["here"]
        assert ids(meaning(store, "alpha 共同 secret", limit=limit)) == ["here"]
        assert ids(words(store, "共同", "别处", limit=limit)) == ["there"]


def test_rows_that_the_truth_does_not_have_are_dropped_and_mended(closing: Closing) -> None:
    held = InMemoryStore()
    liar = StoreRetriever(held, name="liar")
    store = closing(composite(liar, truth_answers=False))
    tell(store, "alpha 共同", "a")
    tell(store, "beta 共同", "b")
    tell(held, "共同 共同 共同 foreign", "foreign")  # of no memory
    held.delete(["a"])
    tell(held, "共同 another text", "a")  # of another text
    held.delete(["b"])
    tell(held, "共同", "b", space="别处")  # of another space
    (line,) = [check for check in store.check() if check.part == "retriever liar"]
    assert not line.ok
    assert "3 copies are not as in the store and 0 are missing" in line.finding
    assert words(store, "共同") == []
    until(lambda: sorted(ids(words(store, "共同"))) == ["a"])
    assert held.get(["foreign"]) == [None]
    assert words(store, "共同", limit=10)[0].memory_id == "a"
    store.maintain(anew=True)
    assert sorted(ids(words(store, "共同"))) == ["a", "b"]
    assert all(check.ok for check in store.check())


def test_what_an_engine_lost_is_noticed_and_made_anew(closing: Closing) -> None:
    held = InMemoryStore()
    store = closing(composite(StoreRetriever(held, name="one"), truth_answers=False))
    for n in range(5):
        tell(store, f"alpha {n}\n乙", f"m{n}")
    held.delete(["m1", "m3"])
    (line,) = [check for check in store.check() if check.part == "retriever one"]
    assert (line.ok, "2 are missing" in line.finding) == (False, True)
    assert "recollect reindex --files" in line.fix
    store.maintain(anew=True)
    assert len(words(store, "alpha")) == 5
    assert all(check.ok for check in store.check())


# Whose it is


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
        store.maintain()  # drops what all have
        held.delete(["a"])
        StoreRetriever(held, name="one").set_position(position)
        store = composite(StoreRetriever(held, name="one"), truth=truth, truth_answers=False)
        until(lambda store=store: store.catch_up(1))  # type: ignore[misc]
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


# Filters


def test_what_an_engine_cannot_filter_the_truth_filters(closing: Closing) -> None:
    from tests.contract.unruly import Blunt

    store = closing(
        composite(
            Blunt(InMemoryStore(), name="words", finds=[WORDS]),
            Blunt(InMemoryStore(), name="meaning", finds=[MEANING]),
            truth_answers=False,
        )
    )
    store.declare(TOY.embedding)
    entries = [
        make_entry(make_memory(f"alpha {n}", f"m{n:03}", kind="决定" if n == 150 else "note"), TOY)
        for n in range(200)
    ]
    store.put(entries, fingerprint=TOY.fingerprint)
    where = parse_filter({"kind": "决定"})
    found = store.search_words(["alpha"], spaces=["global"], where=where, limit=3)
    assert ids(found) == ["m150"]
    near = store.search_meaning(
        TOY.embed(["x"])[0],
        fingerprint=TOY.fingerprint,
        spaces=["global"],
        where=where,
        limit=3,
    )
    assert ids(near) == ["m150"]
    assert shortfalls(near) == ()


# Several at once


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
