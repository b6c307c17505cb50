"""Everything that a store holds is in the other afterwards, whichever two they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bethink.errors import Conflict, InvalidInput, StoreBusy, StoreCorrupt
from bethink.relocate.move import move, verify
from bethink.relocate.proof import contents, proof_record
from bethink.relocate.unfinished import NOTE
from bethink.stores.movable import MovableStore
from bethink.stores.protocol import Store
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import FakeClock, make_entry, make_memory, make_offer
from bethink.testing.entries import NOON
from bethink.testing.programs import same_ranking
from bethink.vocabulary import Memory
from tests.relocate.cutting import cut_off
from tests.relocate.filling import OTHER, SPACES, TOY, answers, fill

Make = Callable[[str], Store]
PAIRS = [
    ("sqlite", "postgres"),
    ("postgres", "sqlite"),
    ("postgres", "postgres"),
    ("sqlite", "memory"),
    ("memory", "sqlite"),
    ("memory", "postgres"),
    ("composite", "sqlite"),
    ("sqlite", "composite"),
]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOON)


def everything(store: Store) -> list[Memory]:
    return store.scan(limit=10_000).memories


@pytest.mark.parametrize(("of", "to"), PAIRS)
def test_all_of_it_is_there_and_answers_alike(
    make: Make, clock: FakeClock, of: str, to: str
) -> None:
    source, target = make(of), make(to)
    fill(source)
    done = move(source, target, events=True, clock=clock)
    assert done.proof.holds and done.proof.same_order and not done.resumed and done.rounds == 1
    assert done.carried == source.count() == 62
    assert everything(target) == everything(source)
    for memory in everything(source):
        assert target.history(memory.id) == source.history(memory.id)
    assert len(target.history("项目-1")) == 2
    assert target.spaces() == source.spaces()
    assert target.pending(["global", "项目"]) == source.pending(["global", "项目"]) == 2
    assert target.embedding() == TOY.embedding
    waiting = [
        sorted(u.text for u in store.unembedded(OTHER.fingerprint, limit=999))
        for store in (source, target)
    ]
    assert waiting[0] == waiting[1] and len(waiting[0]) > 100
    assert target.notes() == source.notes() and len(target.notes()) == 2
    for asked, said in zip(answers(source), answers(target), strict=True):
        assert asked
        same_ranking(said, asked, limit=15)
    assert [c.finding for c in target.check() if not c.ok and "wait" not in c.finding] == []


@pytest.mark.parametrize(("of", "to"), [("sqlite", "postgres"), ("postgres", "sqlite")])
def test_what_waits_what_is_recent_and_what_happened_come_too(
    make: Make, clock: FakeClock, of: str, to: str
) -> None:
    source, target = make(of), make(to)
    fill(source)
    move(source, target, events=True, clock=clock)
    ours, theirs = source.tiers(), target.tiers()
    offers = ours.quarantine.scan(newest_first=False).offers
    assert theirs.quarantine.scan(newest_first=False).offers == offers and len(offers) == 4
    for offer in offers:
        assert theirs.quarantine.rulings(offer.id) == ours.quarantine.rulings(offer.id)
    assert len(theirs.quarantine.rulings("o1")) == 3
    assert theirs.quarantine.children(["o0"]) == ["o1", "o2", "o3"]
    places = [*SPACES, "only offered 只提过"]
    for seconds in (0, 1801, 3601, 3602.5, 3604):
        now = NOON + timedelta(seconds=seconds)
        recent = ours.working.recent(places, now=now, limit=9)
        assert theirs.working.recent(places, now=now, limit=9) == recent
    assert next(m.id for m in ours.working.recent(places, now=NOON, limit=9)) == "o0"
    assert theirs.events.since(0) == ours.events.since(0) and ours.events.last() == 7


def test_there_and_back_is_where_it_was(make: Make, clock: FakeClock) -> None:
    first, server, second = make("sqlite"), make("postgres"), make("sqlite")
    fill(first)
    move(first, server, events=True, clock=clock)
    move(server, second, events=True, clock=clock)
    proof = verify(first, second, events=True, clock=clock)
    assert proof.holds and proof.same_order
    assert proof_record(proof)["spaces"]["项目"]["digest"] != "0" * 64


def test_events_stay_unless_they_are_asked_for(make: Make, clock: FakeClock) -> None:
    source, target = make("sqlite"), make("memory")
    fill(source)
    assert move(source, target, clock=clock).proof.holds
    assert target.tiers().events.last() == 0


def test_a_target_that_holds_something_is_refused(make: Make, clock: FakeClock) -> None:
    source, target = make("sqlite"), make("memory")
    fill(source)
    target.put([make_entry(make_memory("别人的 somebody's", "x"))])
    with pytest.raises(Conflict, match="holds something"):
        move(source, target, clock=clock)
    assert [m.id for m in everything(target)] == ["x"] and target.notes() == {}
    offered = make("memory")
    offered.tiers().quarantine.log([make_offer("只是提过", "o")])
    with pytest.raises(Conflict, match="holds something"):
        move(source, offered, clock=clock)


@pytest.mark.parametrize("to", ["sqlite", "postgres", "memory"])
def test_a_target_that_holds_only_what_is_recent_is_refused(
    make: Make, clock: FakeClock, to: str
) -> None:
    source, target = make("memory"), make(to)
    fill(source)
    recent = make_memory("刚才说的 just said", "r")
    target.tiers().working.add([recent], now=NOON, keep=9, seconds=60)
    with pytest.raises(Conflict, match="holds something"):
        move(source, target, clock=clock)
    assert target.tiers().working.get(["r"], now=NOON) == [recent] and target.notes() == {}
    clock.advance(seconds=61)  # what is over is missed by nobody
    assert move(source, target, clock=clock).proof.holds


def test_numbers_of_any_size_are_the_same_in_any_store(make: Make, clock: FakeClock) -> None:
    source, target = make("sqlite"), make("postgres")
    numbers = [1e16, -0.0, 1e23, -1.2345678901234567e25, 1.7976931348623157e308, 5e-324, 2**53, 0.1]
    told = make_memory("大数 large numbers", "n", metadata={"数": numbers})
    source.put([make_entry(told)])
    assert move(source, target, clock=clock).proof.holds
    back = make("sqlite")
    assert move(target, back, clock=clock).proof.holds
    (kept,) = back.get(["n"])
    assert kept is not None and isinstance(kept.metadata["数"], list)
    assert [float(str(one)) for one in kept.metadata["数"]] == numbers
    other = make("memory")
    fewer = {"数": [*numbers[:2], 1.0000000000000001e23, *numbers[3:]]}
    other.put([make_entry(replace(told, metadata=fewer))])
    assert not verify(source, other, clock=clock).holds


def test_done_again_it_says_that_it_is_done(make: Make, clock: FakeClock) -> None:
    source, target = make("sqlite"), make("memory")
    fill(source)
    move(source, target, clock=clock)
    again = move(source, target, clock=clock)
    assert again.already and again.proof.holds and again.carried == 0
    target.put([make_entry(make_memory("之后说的 told since", "since"))])
    with pytest.raises(Conflict, match=r"holds something.*the space 'global' \(\d+ memories in"):
        move(source, target, clock=clock)
    assert target.get(["since"]) != [None]


@pytest.mark.parametrize("to", ["sqlite", "postgres", "memory"])
def test_done_again_after_the_target_was_asked_it_is_still_done(
    make: Make, clock: FakeClock, to: str
) -> None:
    source, target = make("sqlite"), make(to)
    fill(source)
    move(source, target, clock=clock)
    one = everything(source)[0]
    target.touch(accessed={one.id: 2}, reinforced={one.id: 1})
    again = move(source, target, clock=clock)
    assert again.already and again.carried == 0
    assert again.proof.holds_uncounted and not again.proof.holds
    assert again.proof.differing == [
        f"the space {one.space!r} (only how often its memories were read or told)"
    ]
    (there,) = target.get([one.id])
    assert there is not None
    assert there.access_count == one.access_count + 2  # it was not set back
    source.touch(accessed={one.id: 1}, reinforced={})
    assert move(source, target, clock=clock).already  # the target's count is still further
    source.touch(accessed={one.id: 9}, reinforced={})
    with pytest.raises(Conflict, match=r"only how often.*Nothing was changed"):
        move(source, target, clock=clock)
    target.revise(make_entry(replace(there, text="改过的 other words")))
    with pytest.raises(Conflict, match=f"the space {one.space!r}\\. Nothing was changed"):
        move(source, target, clock=clock)


def test_a_store_is_not_moved_onto_itself(make: Make) -> None:
    source = make("memory")
    with pytest.raises(InvalidInput, match="same store"):
        move(source, source)


def test_a_target_made_for_another_embedder_takes_over_the_source_s(
    make: Make, clock: FakeClock
) -> None:
    source, target = make("sqlite"), make("memory")
    fill(source)
    target.declare(OTHER.embedding)
    assert move(source, target, clock=clock).proof.holds
    assert target.embedding() == TOY.embedding


@pytest.mark.parametrize(
    ("to", "after"),
    [("sqlite", n) for n in range(0, 80, 5)] + [("postgres", n) for n in range(1, 80, 16)],
)
def test_cut_off_anywhere_it_goes_on(
    make: Make, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, to: str, after: int
) -> None:
    """Every call that writes to the target may be the last: before it, and just after it."""
    monkeypatch.setattr("bethink.relocate.carrying.PAGE", 10)
    source, target = make("memory"), make(to)
    fill(source)
    with cut_off(target, after, monkeypatch):
        move(source, target, events=True, clock=clock)
    other = make("memory")
    if NOTE in target.notes():
        with pytest.raises(Conflict, match="another store"):
            move(other, target, events=True, clock=clock)
        with pytest.raises(Conflict, match="with --events"):
            move(source, target, clock=clock)
    finished = move(source, target, events=True, clock=clock)
    assert finished.proof.holds and finished.proof.same_order
    assert NOTE not in target.notes()


def test_what_changes_meanwhile_is_carried_too(
    make: Make, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = make("sqlite"), make("memory")
    fill(source)
    honest = contents
    looked = 0

    def looking(store: MovableStore, **named: Any) -> object:
        nonlocal looked
        looked += 1
        if looked == 1:  # between carrying and comparing
            (held,) = source.get(["global-3"])
            assert held is not None
            source.revise(make_entry(replace(held, text="另有新说 another", updated_at=NOON), TOY),
                          fingerprint=TOY.fingerprint)  # fmt: skip
            source.delete(["global-4"])
            source.delete_space("team/alpha")
            source.touch(accessed={"global-5": 3}, reinforced={"global-6": 2})
            source.put([make_entry(make_memory("新来的 new", "new", space="项目"))])
            source.write_note("withheld/one", None)
            source.tiers().quarantine.erase(["o3"])
            source.tiers().working.remove(["o1"])
        return honest(store, **named)

    monkeypatch.setattr("bethink.relocate.move.contents", looking)
    done = move(source, target, clock=clock)
    assert done.rounds == 2 and done.proof.holds
    assert {m.id: m for m in everything(target)} == {m.id: m for m in everything(source)}
    assert target.get(["global-4"]) == [None]
    assert "team/alpha" not in {info.name for info in target.spaces()}


def test_a_source_that_never_rests_is_said(
    make: Make, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = make("memory"), make("memory")
    fill(source)
    honest = contents
    numbers = iter(range(100))

    def looking(store: MovableStore, **named: Any) -> object:
        if store is source:
            source.put([make_entry(make_memory("又一条 more", f"more-{next(numbers)}"))])
        return honest(store, **named)

    with monkeypatch.context() as busy:
        busy.setattr("bethink.relocate.move.contents", looking)
        with pytest.raises(StoreBusy, match="written to faster"):
            move(source, target, clock=clock)
    done = move(source, target, clock=clock)
    assert done.resumed and done.proof.holds


def test_a_copy_that_went_wrong_is_never_called_good(
    make: Make, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = make("memory"), make("sqlite")
    fill(source)
    assert isinstance(target, SQLiteStore)
    honest = SQLiteStore.exchange

    def losing(self: SQLiteStore, exchanges: list[Any], **named: Any) -> list[bool]:
        return [*honest(self, exchanges[:-1], **named), True]

    monkeypatch.setattr(SQLiteStore, "exchange", losing)
    with pytest.raises(StoreCorrupt, match="the copy differs in the space"):
        move(source, target, clock=clock)
    assert NOTE in target.notes()


@pytest.mark.parametrize("of", ["sqlite", "postgres", "memory"])
def test_every_difference_is_seen(make: Make, clock: FakeClock, of: str) -> None:
    """One small thing at a time, and back."""
    source = make(of)
    fill(source)
    whole = make("memory")
    move(source, whole, events=True, clock=clock)
    changes: list[Callable[[Store], object]] = [
        lambda s: s.touch(accessed={"global-1": 1}, reinforced={}),
        lambda s: s.fill(TOY.fingerprint, [s.unembedded(TOY.fingerprint, limit=1)[0].handle],
                         TOY.embed(["x"])),
        lambda s: s.write_note("a", "b"),
        lambda s: s.open_space("新的"),
        lambda s: s.tiers().quarantine.log([make_offer("x", "x")]),
        lambda s: s.tiers().working.remove(["o2"]),
        lambda s: s.delete(["项目-9"]),
    ]  # fmt: skip
    for number, change in enumerate(changes):
        copy = make("memory")
        move(whole, copy, events=True, clock=clock)
        assert verify(source, copy, events=True, clock=clock).holds
        change(copy)
        proof = verify(source, copy, events=True, clock=clock)
        assert not proof.holds and proof.differing, number
