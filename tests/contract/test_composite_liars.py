"""Engines that hold or say what is not so: the truth has the last word."""

from __future__ import annotations

from bethink.filters import parse_filter
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.retrievers import MEANING, WORDS
from bethink.stores.store_retriever import StoreRetriever
from bethink.testing import make_entry, make_memory
from tests.contract.composites import TOY, Closing, composite, ids, meaning, shortfalls, tell, words
from tests.contract.unruly import WithoutWalls, until


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
    assert "bethink reindex --files" in line.fix
    store.maintain(anew=True)
    assert len(words(store, "alpha")) == 5
    assert all(check.ok for check in store.check())


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
