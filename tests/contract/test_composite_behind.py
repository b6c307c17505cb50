"""Engines that fall behind: what they have not heard of yet is said, and what is gone is found by
nobody."""

from __future__ import annotations

from dataclasses import replace

from bethink.filters import parse_filter
from bethink.stores.composite import Bounds
from bethink.stores.in_memory import InMemoryStore
from bethink.testing import make_entry
from tests.contract.composites import TOY, Closing, composite, ids, meaning, shortfalls, tell, words
from tests.contract.unruly import Unruly, until


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


def test_what_another_process_told_it_is_not_called_missing(closing: Closing) -> None:
    """Two servers, one engine: whoever was not asked since must not go by what it saw last."""
    truth, held = InMemoryStore(), InMemoryStore()
    patient = Bounds(following=60, catching_up=60)
    idle = closing(composite(Unruly(held, name="one"), truth=truth, bounds=patient))
    busy = closing(composite(Unruly(held, name="one"), truth=truth, bounds=patient))
    tell(busy, "alpha 数据库", "a")
    assert busy.shortcomings() == []
    assert idle.shortcomings() == []
    tell(busy, "beta 数据库", "b")
    assert idle.states() == {"one": "has everything"}


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
