"""A thorough look at engines while others write: what is just being written is no fault, and what
is lost is one all the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bethink.errors import StoreBusy
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.retrievers import Copies, Feed
from bethink.stores.store_retriever import StoreRetriever
from bethink.vocabulary import Check
from tests.contract.composites import Closing, composite, tell


class Watched(StoreRetriever):
    """`meanwhile` is done before it lists its copies, and before it looks at itself."""

    meanwhile: Callable[[], None] = staticmethod(lambda: None)

    def copies(self, *, cursor: str | None, limit: int) -> Copies:
        found = super().copies(cursor=cursor, limit=limit)
        self.meanwhile()
        return found

    def check(self) -> list[Check]:
        self.meanwhile()
        return super().check()


def of_copies(checks: list[Check]) -> Check:
    (found,) = [check for check in checks if check.part == "retriever one"]
    return found


def test_what_is_told_revised_or_forgotten_meanwhile_is_no_fault(closing: Closing) -> None:
    one = Watched(InMemoryStore(), name="one")
    store = closing(composite(one))
    for n in range(5):
        tell(store, f"预算会议 budget {n}", f"m{n}")
    numbers = iter(range(100))

    def busy() -> None:
        n = next(numbers)
        tell(store, f"又一条 more {n}", f"more-{n}")
        store.delete([f"more-{n - 1}"])

    one.meanwhile = busy
    looked = of_copies(store.check())
    assert looked.ok, looked.finding
    assert next(numbers) > 2  # something seemed wrong, and was looked at again


def test_what_is_lost_is_noticed_among_what_is_written(closing: Closing) -> None:
    held = InMemoryStore()
    one = Watched(held, name="one")
    store = closing(composite(one))
    for n in range(5):
        tell(store, f"预算会议 budget {n}", f"m{n}")
    held.delete(["m1", "m3"])
    numbers = iter(range(100))
    one.meanwhile = lambda: tell(store, "又一条 more", f"more-{next(numbers)}")
    looked = of_copies(store.check())
    assert not looked.ok
    assert looked.finding.startswith("0 copies are not as in the store and 2 are missing")


def test_nobody_feeds_it_while_it_looks_at_itself(closing: Closing) -> None:
    truth = InMemoryStore()
    one = Watched(InMemoryStore(), name="one")
    store = closing(composite(one, truth=truth))
    tell(store, "预算会议 budget", "a")
    feed: Feed = truth.feed()
    refused: list[str] = []

    def another() -> None:
        try:
            with feed.alone("one", patience=0.01):
                pass
        except StoreBusy as e:
            refused.append(str(e))

    one.meanwhile = another
    assert of_copies(store.check()).ok
    assert len(refused) == 1  # while it looked at itself; not while its copies were listed


def test_one_that_is_fed_without_a_pause_is_looked_at_all_the_same(
    closing: Closing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bethink.stores.composite.checking._OTHERS_FEED", 0.01)
    truth = InMemoryStore()
    store = closing(composite(Watched(InMemoryStore(), name="one"), truth=truth))
    tell(store, "预算会议 budget", "a")
    with truth.feed().alone("one", patience=1):
        assert of_copies(store.check()).ok
