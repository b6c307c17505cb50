"""Somebody writes to the very thing in the target that a move has looked at and is about to write
to. Whichever of the two comes last, what they wrote stays, and is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from bethink import Engine
from bethink.errors import Conflict, StoreBusy
from bethink.relocate import carrying_tiers
from bethink.relocate.move import move
from bethink.stores.movable import Exchange, MovableStore, Whole
from bethink.stores.protocol import Store
from bethink.testing import FakeClock, make_entry, make_memory, working
from bethink.testing.entries import NOON
from tests.relocate.filling import LATER, TOY, fill
from tests.relocate.half import half_moved

Make = Callable[[str], Store]
Another = Callable[[Store], Store]
KINDS = ["sqlite", "postgres", "memory"]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOON)


def after_a_look(
    target: Store, monkeypatch: pytest.MonkeyPatch, write: Callable[[], object]
) -> None:
    """Once, when the move has looked at this memory."""
    assert isinstance(target, MovableStore)
    honest = target.whole
    looked: list[bool] = []

    def look(ids: Sequence[str]) -> list[Whole | None]:
        said = honest(ids)
        if "global-3" in ids and not looked:
            looked.append(True)
            write()
        return said

    monkeypatch.setattr(target, "whole", look)


def refused(source: Store, target: Store, clock: FakeClock) -> str:
    with pytest.raises(Conflict) as said:
        move(source, target, clock=clock)
    return str(said.value)


def text_of(store: Store, memory_id: str) -> str | None:
    (held,) = store.get([memory_id])
    return None if held is None else held.text


@pytest.mark.parametrize("to", KINDS)
def test_what_is_told_under_an_id_that_was_free(
    make: Make, another: Another, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    source, target = make("memory"), make(to)
    fill(source)
    mine = make_entry(make_memory("我先说的 I was first", "global-3"))
    after_a_look(target, monkeypatch, lambda: another(target).put([mine]))
    assert "other than in the source are 1 memories (global-3)" in refused(source, target, clock)
    assert text_of(target, "global-3") == "我先说的 I was first"
    target.delete(["global-3"])
    assert move(source, target, clock=clock).proof.holds


@pytest.mark.parametrize("to", KINDS)
def test_what_is_revised_just_before_it_would_be_replaced(
    make: Make, another: Another, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    source, target = make("memory"), make(to)
    half_moved(source, target, clock)
    revise(source, "global-3", "源头改的 by the source")  # so that the move brings it anew
    beside = another(target)
    after_a_look(target, monkeypatch, lambda: revise(beside, "global-3", "那边改的 there"))
    assert "1 memories (global-3)" in refused(source, target, clock)
    assert text_of(target, "global-3") == "那边改的 there"
    assert len(target.history("global-3")) == 1
    target.delete(["global-3"])
    assert move(source, target, clock=clock).proof.holds
    assert text_of(target, "global-3") == "源头改的 by the source"


def revise(store: Store, memory_id: str, text: str) -> None:
    (held,) = store.get([memory_id])
    assert held is not None
    anew = replace(held, text=text, updated_at=LATER)
    store.revise(make_entry(anew, TOY), fingerprint=TOY.fingerprint)


@pytest.mark.parametrize("to", KINDS)
def test_what_is_revised_just_before_it_would_be_forgotten(
    make: Make, another: Another, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    source, target = make("memory"), make(to)
    half_moved(source, target, clock)
    source.delete(["global-3"])
    beside = another(target)
    after_a_look(target, monkeypatch, lambda: revise(beside, "global-3", "还要 still wanted"))
    assert "only there are 1 memories (global-3)" in refused(source, target, clock)
    assert text_of(target, "global-3") == "还要 still wanted"
    target.delete(["global-3"])
    assert move(source, target, clock=clock).proof.holds


@pytest.mark.parametrize("to", KINDS)
def test_vectors_of_other_words_are_not_filled_in(
    make: Make, another: Another, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    """Between being brought and its vectors, which come after it where one passage has none."""
    source, target = make("memory"), make(to)
    fill(source)
    assert isinstance(target, MovableStore)
    honest = target.exchange

    def then_revised(
        exchanges: Sequence[Exchange], *, fingerprint: str | None = None
    ) -> list[bool]:
        done = honest(exchanges, fingerprint=fingerprint)
        (held,) = target.get(["half"])
        if held is not None and not target.history("half"):
            anew = replace(held, text="全是别的话\n在这里", updated_at=LATER)
            another(target).revise(make_entry(anew))
        return done

    monkeypatch.setattr(target, "exchange", then_revised)
    assert "1 memories (half)" in refused(source, target, clock)
    (held,) = target.whole(["half"])
    assert held is not None and [dict(one.vectors) for one in held.passages] == [{}, {}]


@pytest.mark.parametrize("to", KINDS)
def test_a_note_that_is_set_just_now(
    make: Make, another: Another, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    source, target = make("memory"), make(to)
    half_moved(source, target, clock)
    notes_of = carrying_tiers.notes_of
    looked: list[bool] = []

    def then_set(store: Store) -> dict[str, str]:
        said = notes_of(store)
        if store is target and not looked:
            looked.append(True)
            another(target).write_note("settings/项目/limit", "9")
        return said

    monkeypatch.setattr(carrying_tiers, "notes_of", then_set)
    said = refused(source, target, clock)
    assert "other than in the source are 1 notes (settings/项目/limit)" in said
    assert target.notes("settings/") == {"settings/项目/limit": "9"}
    target.write_note("settings/项目/limit", None)
    assert move(source, target, clock=clock).proof.holds
    assert target.notes() == source.notes()


@pytest.mark.parametrize("to", KINDS)
def test_a_space_that_somebody_begins_to_fill(
    make: Make, another: Another, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    source, target = make("memory"), make(to)
    half_moved(source, target, clock)
    source.delete_space("空的")
    mine = make_memory("不再是空的 no longer empty", "mine", space="空的")
    assert isinstance(target, MovableStore)
    honest = target.close_space

    def told_before(space: str) -> bool:  # it was found to be empty, and is so no more
        another(target).put([make_entry(mine)])
        return honest(space)

    monkeypatch.setattr(target, "close_space", told_before)
    assert "only there are 1 memories (mine)" in refused(source, target, clock)
    assert target.get(["mine"]) == [mine]
    target.delete(["mine"])
    monkeypatch.undo()
    assert move(source, target, clock=clock).proof.holds
    assert "空的" not in {info.name for info in target.spaces()}


@pytest.mark.parametrize("to", ["sqlite", "postgres"])
def test_many_use_it_while_it_is_filled(
    make: Make, another: Another, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    """Whatever was acknowledged to them is there, as they said it."""
    monkeypatch.setattr("bethink.relocate.carrying.PAGE", 10)
    source, target = make("memory"), make(to)
    half_moved(source, target, clock)
    target.put([make_entry(make_memory("旁人的 so that it is not finished", "旁人"))])
    engines = [Engine(another(target), embedder=TOY) for _ in range(2)]
    offered: list[str] = []
    told: dict[str, str] = {}

    def use(number: int) -> None:
        engine, space = engines[number], ("global", "项目")[number]
        for n in range(20):
            text = f"那边第 {number} 个人说的第 {n} 件事，足够长，不会被当成噪音。 said there, {n}"
            offered.append(engine.offer(text, space="项目").id)
            name = f"{space}-{n}"
            try:
                engine.store.put([make_entry(make_memory(text, name, space=space))])
            except Conflict:  # the move was first
                revise(engine.store, name, text)
            told[name] = text

    with working(use, range(2)) as users:
        while users.busy:
            with pytest.raises((Conflict, StoreBusy)):
                move(source, target, clock=clock)
    said = refused(source, target, clock)
    assert "1 memories (旁人), 40 offers (" in said and "40 memories (" in said
    assert None not in target.tiers().quarantine.get(offered)
    assert [text_of(target, name) for name in told] == list(told.values())
    for engine in engines:
        engine.close()
