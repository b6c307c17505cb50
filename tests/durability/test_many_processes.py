"""Several processes on one store: no write fails, nothing is doubled, nothing half is seen."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from bethink import Action, Engine
from bethink.errors import NotFound
from bethink.stores.sqlite import large
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import ToyEmbedder, make_entry, make_memory
from bethink.text.tokenise import query_terms
from tests.durability.children import Child, Say

TOY = ToyEmbedder("toy", 8)
WRITERS = 8
OWN, SHARED = 25, 25


def test_eight_writers_at_once(tmp_path: Path) -> None:
    """On the real disk, from the very first moment: the store does not exist yet."""
    path = tmp_path / "s.db"

    def write(number: int, say: Say) -> None:
        chance = random.Random(number)
        texts = [f"writer {number} says {n}" for n in range(OWN)]
        texts += [f"everybody says {n}" for n in range(SHARED)]
        chance.shuffle(texts)
        with Engine(path, embedder=TOY) as engine:
            for text in texts:
                receipt = engine.remember(text)
                say(f"{receipt.action} {receipt.id}")

    began = time.monotonic()
    children = [Child(lambda say, n=n: write(n, say)) for n in range(WRITERS)]  # type: ignore[misc]
    said = [line for child in children for line in child.lines()]
    assert not [line for line in said if line.startswith("failed")]
    actions = [line.split()[0] for line in said]
    assert actions.count(Action.CREATED) == WRITERS * OWN + SHARED
    assert actions.count(Action.REINFORCED) == (WRITERS - 1) * SHARED
    assert time.monotonic() - began < 60

    store = SQLiteStore(path)
    memories = store.scan(limit=10_000).memories
    assert len(memories) == len({m.text for m in memories}) == WRITERS * OWN + SHARED
    for memory in memories:
        expected = WRITERS - 1 if memory.text.startswith("everybody") else 0
        assert memory.reinforcement == expected, memory.text
    assert all(check.ok for check in store.check() if check.part != "disk")
    for memory in memories:
        found = store.search_meaning(
            TOY.embed([memory.text])[0],
            fingerprint=TOY.fingerprint,
            spaces=["global"],
            where=None,
            limit=1,
        )
        assert found[0].memory_id == memory.id
    store.close()


def test_counts_are_exact_when_everybody_counts(quick_path: Path) -> None:
    path = quick_path / "s.db"
    with Engine(path, embedder=TOY) as engine:
        memory_id = engine.remember("counted").id

    def count(say: Say) -> None:
        with Engine(path, embedder=TOY) as engine:
            for _ in range(40):
                engine.reinforce(memory_id)

    children = [Child(count) for _ in range(WRITERS)]
    assert [child.lines() for child in children] == [[]] * WRITERS
    with Engine(path, embedder=TOY) as engine:
        memory = engine.get(memory_id)
        assert memory is not None
        assert memory.reinforcement == WRITERS * 40


@pytest.mark.parametrize("size", ["small", "large"])
def test_a_reader_sees_only_what_was_committed(
    quick_path: Path, size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two memories always come and go together; no question ever finds one without the other."""
    if size == "large":
        monkeypatch.setattr(large, "SIDECAR_FROM", 4)
        monkeypatch.setattr(large, "POSTINGS_FROM", 4)
        monkeypatch.setattr(large, "BEHIND_AT_LEAST", 3)
    path = quick_path / "s.db"
    store = SQLiteStore(path)
    store.declare(TOY.embedding)

    def pair(store: SQLiteStore, number: int) -> None:
        text = f"pair{number}y of things"
        entries = [make_entry(make_memory(text, f"{number}-{s}"), TOY) for s in ("left", "right")]
        store.put(entries, fingerprint=TOY.fingerprint)

    for number in range(20):  # these stay
        pair(store, number)
    store.close()

    def write(say: Say) -> None:
        store = SQLiteStore(path)
        chance = random.Random(1)
        living: list[int] = []
        for number in range(100, 1_000_000):
            pair(store, number)
            living.append(number)
            if len(living) > 15:
                gone = living.pop(chance.randrange(len(living)))
                store.delete([f"{gone}-left", f"{gone}-right"])
            if number % 7 == 0:
                store.maintain()
            if number % 50 == 0:
                store.maintain(anew=True)
            if number % 40 == 0:
                store.rebuild_words()
            say(f"wrote {number}")

    store = SQLiteStore(path)
    rounds = 0
    with Child(write) as writer:
        ends = time.monotonic() + 6
        while time.monotonic() < ends:
            look(store, number=rounds % 20)
            rounds += 1
        lines = writer.kill()
    store.close()
    assert not [line for line in lines if line.startswith("failed")]
    assert len(lines) > 20
    assert rounds > 20


def look(store: SQLiteStore, number: int) -> None:
    text = f"pair{number}y of things"
    vector = TOY.embed([text])[0]
    by_meaning = store.search_meaning(
        vector, fingerprint=TOY.fingerprint, spaces=["global"], where=None, limit=1_000
    )
    assert {f.memory_id for f in by_meaning[:2]} == {f"{number}-left", f"{number}-right"}
    whole(found.memory_id for found in by_meaning)
    best = store.search_meaning(
        vector, fingerprint=TOY.fingerprint, spaces=["global"], where=None, limit=2
    )
    assert {f.memory_id for f in best} == {f"{number}-left", f"{number}-right"}
    terms = query_terms(f"pair{number}y")
    exact = store.search_words(terms, spaces=["global"], where=None, limit=10)
    assert {f"{number}-left", f"{number}-right"} <= {f.memory_id for f in exact}
    common = store.search_words(["thing"], spaces=["global"], where=None, limit=1_000)
    assert len(common) >= 40
    whole(found.memory_id for found in common)
    whole(memory.id for memory in store.scan(limit=1_000).memories)
    assert store.count() % 2 == 0


def whole(ids: object) -> None:
    sides: dict[str, set[str]] = {}
    for memory_id in ids:  # type: ignore[attr-defined]
        number, side = memory_id.split("-")
        sides.setdefault(number, set()).add(side)
    halves = [number for number, found in sides.items() if len(found) != 2]
    assert not halves, halves


def test_a_space_erased_and_begun_again_elsewhere(quick_path: Path) -> None:
    """A process that knew the former space must not take the new one for it."""
    path = quick_path / "s.db"
    with Engine(path, embedder=TOY) as reader:
        reader.remember("first life", space="p", id="one")
        assert reader.recall("first life", spaces="p").hits

        def elsewhere(say: Say) -> None:
            with Engine(path, embedder=TOY) as other:
                other.forget_space("p")
                other.remember("second life", space="p", id="two")
                say("done")

        with Child(elsewhere) as child:
            assert child.lines() == ["done"]
        hits = reader.recall("second life", spaces="p").hits
        assert [hit.id for hit in hits] == ["two"]
        assert "meaning" in hits[0].channels
        with pytest.raises(NotFound):
            reader.forget("one")
