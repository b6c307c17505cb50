"""A writer is killed at any moment: what it acknowledged is there, and every index agrees."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bethink import Action, Engine
from bethink.stores.sqlite import large
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import ToyEmbedder
from bethink.text.tokenise import query_terms
from tests.durability.children import Say, kill_after

FIRST, SECOND = ToyEmbedder("first", 8), ToyEmbedder("second", 12)
KILLS = 210
KILLS_PER_STORE = 15


def unique(number: int) -> str:
    """A text with a word that no other has, in both languages' tokens."""
    return f"event{number}x happened 发生了 somewhere around here"


def one_by_one(engine: Engine, say: Say, start: int) -> None:
    for number in range(start, start + 100_000):
        receipt = engine.remember(unique(number), id=f"m{number}")
        assert receipt.action is Action.CREATED
        say(f"told {number}")


def in_batches(engine: Engine, say: Say, start: int) -> None:
    for first in range(start, start + 100_000, 25):
        told = [{"text": unique(n), "id": f"m{n}"} for n in range(first, first + 25)]
        for receipt in engine.remember_many(told):
            say(f"told {receipt.id[1:]}")


def telling_and_forgetting(engine: Engine, say: Say, start: int) -> None:
    for number in range(start, start + 100_000):
        engine.remember(unique(number), id=f"m{number}")
        say(f"told {number}")
        if number % 3 == 0:
            say(f"forgetting {number - 2}")
            engine.forget(f"m{number - 2}") if number - 2 >= start else None
            say(f"forgot {number - 2}")


def maintaining(engine: Engine, say: Say, start: int) -> None:
    """Every file made anew again and again, with writes and erasures in between."""
    for number in range(start, start + 100_000, 10):
        told = [{"text": unique(n), "id": f"m{n}"} for n in range(number, number + 10)]
        for receipt in engine.remember_many(told):
            say(f"told {receipt.id[1:]}")
        engine.store.maintain()
        say(f"forgetting {number}")
        engine.forget(f"m{number}")
        say(f"forgot {number}")
        engine.store.maintain(anew=number % 20 == 0)


def reindexing(engine: Engine, say: Say, start: int) -> None:
    """From one embedder to the other and back, with writes in between."""
    path = getattr(engine.store, "path", None)
    for number in range(start, start + 100_000):
        held = engine.store.embedding()
        maker = SECOND if held == FIRST.embedding else FIRST
        with Engine(path, embedder=maker) as other:
            other.reindex()
            other.remember(unique(number), id=f"m{number}")
            say(f"told {number}")


def revising(engine: Engine, say: Say, start: int) -> None:
    for number in range(start, start + 100_000, 2):
        engine.remember(f"draft of {number}", id=f"m{number}")
        say(f"revising {number}")
        engine.revise(f"m{number}", text=unique(number))
        say(f"told {number}")


WORK = (one_by_one, in_batches, telling_and_forgetting, maintaining, reindexing, revising)


@dataclass
class Known:
    """What the killed writers had acknowledged."""

    told: set[int] = field(default_factory=set)
    forgotten: set[int] = field(default_factory=set)
    open: set[int] = field(default_factory=set)  # begun, perhaps done

    def hear(self, lines: list[str]) -> None:
        for line in lines:
            what, _, number = line.partition(" ")
            assert what != "failed", line
            if what == "told":
                self.told.add(int(number))
            elif what in ("forgetting", "revising"):
                self.open.add(int(number))
            elif what == "forgot":
                self.forgotten.add(int(number))


def verify(path: Path, known: Known) -> None:
    store = SQLiteStore(path)
    there = {memory.id: memory for memory in store.scan(limit=1_000_000).memories}
    for number in known.told - known.open:
        assert there[f"m{number}"].text == unique(number), number
    for number in known.forgotten:
        assert f"m{number}" not in there, number
    held = store.embedding()
    assert store.count() == len(there)
    for check in store.check():
        assert check.ok or "being built" in check.part or check.part == "disk", check
    if held is None:
        store.close()
        return
    assert store.pending(["global"]) == 0
    maker = FIRST if held == FIRST.embedding else SECOND
    sample = random.Random(0).sample(sorted(there), min(40, len(there)))
    for memory_id in sample:
        text = there[memory_id].text
        terms = query_terms(text)[:1] if text.startswith("event") else query_terms(text)
        words = store.search_words(terms, spaces=["global"], where=None, limit=1_000)
        assert memory_id in {found.memory_id for found in words}
        near = store.search_meaning(
            maker.embed([text])[0],
            fingerprint=maker.fingerprint,
            spaces=["global"],
            where=None,
            limit=5,
        )
        assert near[0].score == pytest.approx(1.0, abs=1e-5)
        assert memory_id in {found.memory_id for found in near if found.score > 0.9999}
    for number in known.forgotten:
        terms = query_terms(unique(number))[:1]
        assert store.search_words(terms, spaces=["global"], where=None, limit=5) == []
        vector = maker.embed([unique(number)])[0].tobytes()
        for file in path.parent.rglob("*.f32"):
            assert vector not in file.read_bytes(), (number, file)
    store.close()


@pytest.fixture(params=["small", "large"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "large":
        monkeypatch.setattr(large, "SIDECAR_FROM", 20)
        monkeypatch.setattr(large, "POSTINGS_FROM", 20)
        monkeypatch.setattr(large, "BEHIND_AT_LEAST", 5)


@pytest.mark.parametrize("work", WORK, ids=lambda work: work.__name__)
def test_killed_writers_lose_nothing(
    quick_path: Path, size: None, work: Callable[[Engine, Say, int], None]
) -> None:
    seed = WORK.index(work)
    chance = random.Random(seed)
    kills = -(-KILLS // (2 * len(WORK)))  # for each kind of work, in each size
    told = 0
    for kill in range(kills):
        if kill % KILLS_PER_STORE == 0:
            path, known = quick_path / f"{kill}.db", Known()
        start = (kill + 1) * 100_000

        def run(say: Say, path: Path = path, start: int = start) -> None:
            held = SQLiteStore(path)
            embedding = held.embedding()
            held.close()
            maker = SECOND if embedding == SECOND.embedding else FIRST
            work(Engine(path, embedder=maker), say, start)

        known.hear(kill_after(run, chance.uniform(0.002, 0.25)))
        verify(path, known)
        told += len(known.told)
    assert told > 50  # the writers did get somewhere


def test_the_killer_would_notice_a_loss(quick_path: Path) -> None:
    def forgetful(say: Say) -> None:
        with Engine(quick_path / "s.db", embedder=FIRST) as engine:
            engine.remember(unique(1), id="m1")
            say("told 1")
            say("told 2")
        time.sleep(30)

    known = Known()
    known.hear(kill_after(forgetful, 0.5))
    assert known.told == {1, 2}
    with pytest.raises(KeyError):
        verify(quick_path / "s.db", known)
