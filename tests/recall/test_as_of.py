"""Asked as of a moment: what held then, as it read then."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from bethink import Engine
from bethink.recall.as_of import AsOf
from bethink.recall.presets import PRESETS
from bethink.testing.fake_clock import FakeClock
from bethink.vocabulary import Recollection
from tests.recall.kits import candidate, draft, kit

MAY = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(MAY)


@pytest.fixture
def engine(clock: FakeClock) -> Iterator[Engine]:
    with Engine.in_memory(embedder="hashing", clock=clock) as engine:
        yield engine


def texts(recollection: Recollection) -> list[str]:
    return [hit.text for hit in recollection.hits]


def test_every_preset_that_fetches_looks_back() -> None:
    for preset in PRESETS.values():
        names = [stage.name for stage in preset.stages]
        assert names.index("as_of") == names.index("hydrate") + 1, preset.name


def test_a_revised_memory_reads_as_it_did(engine: Engine, clock: FakeClock) -> None:
    told = engine.remember("The tea of Mei is green tea. 小美的茶是绿茶。")
    clock.advance(days=1)
    engine.revise(told.id, text="The tea of Mei is black tea. 小美的茶是红茶。")
    clock.advance(days=1)
    engine.revise(told.id, text="The tea of Mei is white tea. 小美的茶是白茶。")
    for question in ("tea of Mei", "小美的茶"):
        assert "white" in texts(engine.recall(question))[0]
        day = [
            texts(engine.recall(question, as_of=MAY.replace(day=d, hour=13)))[0] for d in (1, 2, 3)
        ]
        assert ["green" in day[0], "black" in day[1], "white" in day[2]] == [True] * 3


def test_what_was_told_later_is_left_out(engine: Engine, clock: FakeClock) -> None:
    engine.remember("Mei likes tea")
    clock.advance(days=2)
    engine.remember("Mei likes tea in the morning")
    engine.remember("Mei liked tea as a child", valid_from="2000-01-01T00:00:00+00:00")
    found = engine.recall("Mei tea", as_of=MAY.replace(hour=13), floor=0)
    assert sorted(texts(found)) == ["Mei liked tea as a child", "Mei likes tea"]
    step = next(s for s in found.trace.steps if s.stage == "as_of")
    assert len(step.dropped) == 1
    assert step.dropped[0].reason == "told later, 2026-05-03"
    assert len(texts(engine.recall("Mei tea", floor=0))) == 3


def test_not_asked_it_does_nothing_at_all(engine: Engine) -> None:
    before = draft([candidate("a")])
    assert AsOf()(before, kit()) is before
    future = engine.remember("told by a clock that is ahead", metadata={"x": 1})
    assert engine.recall("clock ahead").hits[0].id == future.id


def test_a_clock_that_is_ahead_hides_nothing_today(engine: Engine, clock: FakeClock) -> None:
    clock.advance(hours=1)
    engine.remember("Mei likes tea")
    clock.advance(hours=-1)
    assert texts(engine.recall("Mei tea")) == ["Mei likes tea"]


def test_validity_as_it_was_then(engine: Engine, clock: FakeClock) -> None:
    told = engine.remember("Mei likes tea")
    clock.advance(days=1)
    engine.revise(told.id, valid_from=MAY.replace(day=2))
    assert texts(engine.recall("Mei tea")) == ["Mei likes tea"]
    # the search goes by the validity that it has now
    assert not engine.recall("Mei tea", as_of=MAY.replace(hour=13), floor=0).hits


def test_a_long_memory_that_was_shorter_then(engine: Engine, clock: FakeClock) -> None:
    told = engine.remember("tea short")
    clock.advance(days=1)
    engine.revise(
        told.id, text=" ".join(f"sentence {i} about coffee." for i in range(400)) + " tea"
    )
    found = engine.recall("tea", as_of=MAY.replace(hour=13))
    assert texts(found) == ["tea short"]


def test_superseded_in_a_store_without_a_book(engine: Engine, clock: FakeClock) -> None:
    old = engine.remember("The port is 8080")
    clock.advance(days=1)
    new = engine.remember("The port is 9090", supersedes=old.id)
    assert new.action == "revised"
    assert texts(engine.recall("port")) == ["The port is 9090"]
    assert texts(engine.recall("port", as_of=MAY.replace(hour=13))) == ["The port is 8080"]
    assert [m.id for m in engine.succession(old.id)] == [old.id, new.id]
    assert [m.id for m in engine.succession(new.id)] == [old.id, new.id]
