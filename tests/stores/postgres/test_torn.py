"""Somebody writes between two statements of a question, or since what it is asked in was read: the
answer is of one moment all the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from recollect.errors import FingerprintMismatch, UnknownSpace
from recollect.stores.postgres import words
from recollect.stores.postgres.database import Cursor
from recollect.stores.postgres.store import PostgresStore
from recollect.testing import ToyEmbedder, make_entry, make_memory

TOY, OTHER = ToyEmbedder(), ToyEmbedder("other", 6)
OpenStore = Callable[[str], PostgresStore]


@pytest.fixture
def store(open_store: OpenStore, tenant: str) -> PostgresStore:
    store = open_store(tenant)
    store.declare(TOY.embedding)
    for space in ("global", "项目"):
        memories = [make_memory(f"alpha 部署 {n}", f"{space}{n}", space=space) for n in range(5)]
        store.put([make_entry(one, TOY) for one in memories], fingerprint=TOY.fingerprint)
    return store


@pytest.fixture
def other(store: PostgresStore, open_store: OpenStore) -> PostgresStore:
    return open_store(store.tenant)


@pytest.mark.parametrize("ask", ["search_words", "count_terms"])
def test_a_memory_that_is_revised_meanwhile_is_not_missed(
    store: PostgresStore, other: PostgresStore, monkeypatch: pytest.MonkeyPatch, ask: str
) -> None:
    asked = words.asked
    revised: list[str] = []

    def then_revised(
        cursor: Cursor, spaces: Sequence[str], terms: Sequence[str]
    ) -> list[words.Asked]:
        found = asked(cursor, spaces, terms)
        if not revised:
            revised.append("global2")
            anew = make_entry(make_memory("alpha alpha 部署 anew", "global2"), TOY)
            other.revise(anew, fingerprint=TOY.fingerprint)
        return found

    monkeypatch.setattr(words, "asked", then_revised)
    if ask == "search_words":
        found = store.search_words(["alpha"], spaces=["global"], where=None, limit=9)
        assert {one.memory_id for one in found} == {f"global{n}" for n in range(5)}
    else:
        keys = [(f"global{n}", 0) for n in range(5)]
        counted = store.count_terms(["alpha"], keys, spaces=["global"]).held
        said = [None if one is None else one.counts["alpha"] for one in counted]
        assert said in ([1, 1, None, 1, 1], [1, 1, 2, 1, 1])  # never what it was, as it is now
    assert revised


def nearest(store: PostgresStore, embedder: ToyEmbedder, space: str) -> set[str]:
    found = store.search_meaning(
        embedder.embed(["alpha"])[0],
        fingerprint=embedder.fingerprint,
        spaces=[space],
        where=None,
        limit=9,
    )
    compared = store.compare(
        embedder.embed(["alpha"])[0],
        [(one.memory_id, one.ordinal) for one in found],
        fingerprint=embedder.fingerprint,
        spaces=[space],
    )
    assert [pytest.approx(one.score) for one in found] == compared.scores
    return {one.memory_id for one in found}


def test_another_embedder_answers_at_once(store: PostgresStore, other: PostgresStore) -> None:
    every = {f"global{n}" for n in range(5)}
    assert nearest(store, TOY, "global") == every
    other.build(OTHER.embedding)
    waiting = other.unembedded(OTHER.fingerprint, limit=99)
    vectors = OTHER.embed([one.text for one in waiting])
    other.fill(OTHER.fingerprint, [one.handle for one in waiting], vectors)
    assert other.switch(OTHER.fingerprint)
    with pytest.raises(FingerprintMismatch):
        nearest(store, TOY, "global")
    assert nearest(store, OTHER, "global") == every


def test_a_space_that_went_and_came_again_is_the_new_one(
    store: PostgresStore, other: PostgresStore
) -> None:
    assert len(nearest(store, TOY, "项目")) == 5
    other.delete_space("项目")
    with pytest.raises(UnknownSpace):
        nearest(store, TOY, "项目")
    told = make_memory("alpha 又来", "again", space="项目")
    other.put([make_entry(told, TOY)], fingerprint=TOY.fingerprint)
    assert nearest(store, TOY, "项目") == {"again"}
    other.delete_space("项目")
    other.put([make_entry(told, TOY)], fingerprint=TOY.fingerprint)
    assert nearest(store, TOY, "项目") == {"again"}
