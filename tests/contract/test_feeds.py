"""The changes of a store, for those who follow it; the same on both of our stores."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import numpy as np
import pytest

from bethink.errors import StoreBusy
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.retrievers import Feed, What
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import ToyEmbedder, make_entry, make_memory
from tests.durability.children import Child, Say

TOY, OTHER = ToyEmbedder(), ToyEmbedder("other", 6)
Followed = SQLiteStore | InMemoryStore


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, quick_path: Path) -> Iterator[Followed]:
    store: Followed = (
        InMemoryStore() if request.param == "memory" else SQLiteStore(quick_path / "s.db")
    )
    store.declare(TOY.embedding)
    yield store
    store.close()


def tell(store: Followed, text: str, memory_id: str, *, space: str = "global") -> None:
    memory = make_memory(text, memory_id, space=space)
    store.put([make_entry(memory, TOY)], fingerprint=TOY.fingerprint)


def since(feed: Feed, number: int) -> set[tuple[What, str]]:
    return {(change.what, change.name) for change in feed.since(number, limit=1000)}


def test_every_kind_of_change_is_kept_once_under_a_new_number(store: Followed) -> None:
    tell(store, "alpha", "before")
    feed = store.feed()
    feed.follow("one")
    assert since(feed, 0) == set()
    tell(store, "alpha\n数据库", "记忆")
    tell(store, "beta", "b")
    assert since(feed, 0) == {(What.MEMORY, "记忆"), (What.MEMORY, "b")}
    at = feed.last()
    (memory,) = store.get(["记忆"])
    assert memory is not None
    store.revise(make_entry(replace(memory, kind="task")))
    assert since(feed, at) == {(What.MEMORY, "记忆")}
    assert feed.waiting(0) == 2  # what changes again gives up its former number
    at = feed.last()
    store.delete(["b"])
    assert since(feed, at) == {(What.MEMORY, "b")}
    numbers = [change.number for change in feed.since(0, limit=10)]
    assert numbers == sorted(set(numbers))
    assert feed.last() == numbers[-1]
    assert len(feed.since(0, limit=1)) == 1


def test_counting_and_asking_change_nothing(store: Followed) -> None:
    tell(store, "alpha", "a")
    feed = store.feed()
    feed.follow("one")
    store.touch(accessed={"a": 3}, reinforced={"a": 1})
    store.put([make_entry(make_memory("alpha", "c"), TOY, merge=True)], fingerprint=TOY.fingerprint)
    store.write_note("a", "b")
    store.maintain()
    store.search_words(["alpha"], spaces=["global"], where=None, limit=1)
    assert feed.last() == 0


def test_vectors_that_come_later_are_a_change(store: Followed) -> None:
    feed = store.feed()
    feed.follow("one")
    store.put([make_entry(make_memory("甲\nalpha", "a"))])
    at = feed.last()
    waiting = store.unembedded(TOY.fingerprint, limit=10)
    store.fill(TOY.fingerprint, [waiting[0].handle], TOY.embed([waiting[0].text]))
    assert since(feed, at) == {(What.MEMORY, "a")}
    at = feed.last()
    store.build(OTHER.embedding)
    assert since(feed, at) == {(What.EMBEDDINGS, "")}
    assert feed.embeddings() == (TOY.embedding, OTHER.embedding)
    at = feed.last()
    waiting = store.unembedded(OTHER.fingerprint, limit=10)
    texts = [one.text for one in waiting]
    store.fill(OTHER.fingerprint, [one.handle for one in waiting], OTHER.embed(texts))
    assert since(feed, at) == {(What.MEMORY, "a")}
    (held,) = feed.held(["a"])
    assert held is not None
    first, second = held.passages
    assert set(first.vectors) == {TOY.fingerprint, OTHER.fingerprint}
    assert set(second.vectors) == {OTHER.fingerprint}
    assert np.allclose(second.vectors[OTHER.fingerprint], OTHER.embed(["alpha"])[0])
    at = feed.last()
    assert store.switch(OTHER.fingerprint)
    assert {(What.EMBEDDINGS, ""), (What.VECTORS, TOY.fingerprint)} <= since(feed, at)
    assert feed.embeddings() == (OTHER.embedding,)


def test_a_space_that_goes_is_one_change(store: Followed) -> None:
    feed = store.feed()
    feed.follow("one")
    tell(store, "alpha", "a", space="项目")
    at = feed.last()
    store.delete_space("项目")
    assert (What.SPACE, "项目") in since(feed, at)
    assert feed.held(["a"]) == [None]
    at = feed.last()
    tell(store, "beta", "b", space="项目")
    assert since(feed, at) == {(What.MEMORY, "b")}


def test_what_all_followers_have_is_dropped(store: Followed) -> None:
    feed = store.feed()
    feed.follow("one")
    feed.follow("two")
    tell(store, "alpha", "a")
    tell(store, "beta", "b")
    feed.passed("one", feed.last())
    assert feed.waiting(0) == 2
    first = feed.since(0, limit=1)[0].number
    feed.passed("two", first)
    assert (feed.waiting(0), feed.dropped()) == (1, first)
    feed.passed("two", 0)  # somebody who knows less
    assert feed.followers() == {"one": feed.last(), "two": first}
    feed.unfollow("two")
    assert (feed.waiting(0), feed.dropped()) == (0, feed.last())


def test_who_comes_back_after_nobody_followed_has_missed_something(store: Followed) -> None:
    feed = store.feed()
    feed.follow("one")
    tell(store, "alpha", "a")
    at = feed.last()
    feed.unfollow("one")
    tell(store, "beta", "b")
    feed.follow("one")
    assert at < feed.dropped() <= feed.last()
    tell(store, "gamma", "c")
    assert since(feed, feed.dropped()) == {(What.MEMORY, "c")}


def test_a_number_stays_of_the_history_that_it_is_of(store: Followed) -> None:
    feed = store.feed()
    tell(store, "alpha", "before")
    assert feed.history(feed.last()) == ""  # nobody follows
    feed.follow("one")
    histories = {feed.last(): feed.history(feed.last())}
    for text in ("甲", "second", "三"):
        store.delete(["a"])
        tell(store, text, "a")
        histories[feed.last()] = feed.history(feed.last())
    assert len(histories) == 4 and all(histories.values())
    feed.follow("two")
    assert {number: feed.history(number) for number in histories} == histories
    at = feed.last()
    feed.passed("one", at)
    feed.passed("two", at)
    assert feed.history(at) == histories[at]
    feed.unfollow("one")
    feed.unfollow("two")
    assert feed.history(at) == ""
    feed.follow("one")
    assert feed.history(at) not in {"", *histories.values()}


def test_one_at_a_time_feeds_a_follower(store: Followed) -> None:
    feed = store.feed()
    with (
        feed.alone("名", patience=1),
        feed.alone("other", patience=1),
        pytest.raises(StoreBusy),
        feed.alone("名", patience=0.01),
    ):
        pass
    with feed.alone("名", patience=1):
        pass


# Of the file only


@pytest.fixture
def path(quick_path: Path) -> Path:
    return quick_path / "s.db"


def names(path: Path, kind: str) -> set[str]:
    connection = apsw.Connection(str(path))
    try:
        rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = ?", (kind,))
        return {name for (name,) in rows}
    finally:
        connection.close()


def test_a_store_that_nobody_follows_has_nothing_of_it(path: Path) -> None:
    store = SQLiteStore(path)
    store.declare(TOY.embedding)
    tell(store, "alpha", "a")
    before, own = names(path, "table"), names(path, "trigger")
    assert not [name for name in own if name.startswith("changes")]
    store.feed().follow("one")
    store.build(OTHER.embedding)
    assert "changes_vectors_2" in names(path, "trigger")
    assert "changes" in names(path, "table")
    store.feed().unfollow("one")
    assert names(path, "trigger") == own
    assert names(path, "table") - before == {"vectors_2"}
    assert all(check.ok for check in store.check() if "wait for" not in check.finding)
    store.close()


def test_a_write_that_fails_leaves_no_change(path: Path) -> None:
    store = SQLiteStore(path)
    store.declare(TOY.embedding)
    feed = store.feed()
    feed.follow("one")
    tell(store, "alpha", "a")
    at = feed.last()
    bad = make_entry(make_memory("beta", "b"), vectors=np.full((1, 8), np.nan, np.float32))
    with pytest.raises(Exception, match="NaN"):
        store.put([make_entry(make_memory("c", "c"), TOY), bad], fingerprint=TOY.fingerprint)
    assert feed.last() == at
    store.close()


def test_other_processes_need_not_know_that_somebody_follows(path: Path) -> None:
    store = SQLiteStore(path)
    store.declare(TOY.embedding)
    feed = store.feed()
    feed.follow("one")
    store.close()

    def work(say: Say) -> None:
        other = SQLiteStore(path)
        tell(other, "alpha 甲", "from afar")
        say("told")
        other.close()

    with Child(work) as child:
        assert child.lines() == ["told"]
    store = SQLiteStore(path)
    assert since(store.feed(), 0) == {(What.MEMORY, "from afar")}
    store.close()


def test_what_is_kept_has_no_text(path: Path) -> None:
    store = SQLiteStore(path)
    store.declare(TOY.embedding)
    store.feed().follow("one")
    tell(store, "zyxwvqcanary 貔貅饕餮", "a")
    store.delete(["a"])
    assert since(store.feed(), 0) == {(What.MEMORY, "a")}
    assert store.finish_erasing(["zyxwvqcanary 貔貅饕餮"])
    store.close()
    everything = b"".join(p.read_bytes() for p in path.parent.iterdir() if p.is_file())
    for trace in ("zyxwvqcanary", "貔貅"):
        assert trace.encode() not in everything
    assert os.path.getsize(path) > 0
