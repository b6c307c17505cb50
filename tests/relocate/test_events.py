"""With events: what happened in the source comes over, and what happened in the target stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bethink.relocate.move import move, verify
from bethink.relocate.proof import proof_record
from bethink.relocate.unfinished import NOTE
from bethink.stores.protocol import Store
from bethink.testing import FakeClock
from bethink.testing.entries import NOON
from bethink.vocabulary import Event
from tests.relocate.cutting import cut_off
from tests.relocate.filling import LATER, fill
from tests.relocate.half import half_moved

Make = Callable[[str], Store]
KINDS = ["sqlite", "postgres", "memory"]
ASKED = Event(0, NOON, "retrieval_trace", ("项目",), {"问": "asked there"})


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOON)


def happened(store: Store) -> list[tuple[object, ...]]:
    """Without the numbers, which each log gives itself."""
    return sorted((event[1:] for event in store.tiers().events.since(0)), key=repr)


@pytest.mark.parametrize("to", KINDS)
def test_what_happened_there_stays_and_is_in_nobodys_way(
    make: Make, clock: FakeClock, to: str
) -> None:
    source, target = make("memory"), make(to)
    half_moved(source, target, clock, events=True)
    target.tiers().events.append([ASKED, ASKED._replace(at=LATER)], keep=100)
    done = move(source, target, events=True, clock=clock)
    theirs = sorted([ASKED[1:], ASKED._replace(at=LATER)[1:]], key=repr)
    assert happened(target) == sorted([*happened(source), *theirs], key=repr)
    (events,) = [part for part in done.proof.parts if part.name == "events"]
    assert (events.same, events.source.number, events.in_target) == (True, 7, 9)
    assert events.only_there == 2
    record = proof_record(done.proof)
    assert record["same"] is True and record["events"]["target"] == 9
    # and the same afterwards, when it is in use
    target.tiers().events.append([ASKED], keep=100)
    assert verify(source, target, events=True, clock=clock).parts[-1].only_there == 3
    assert move(source, target, events=True, clock=clock).already


@pytest.mark.parametrize("events", [True, False])
@pytest.mark.parametrize("to", KINDS)
def test_a_target_that_was_only_asked_is_empty(
    make: Make, clock: FakeClock, to: str, events: bool
) -> None:
    source, target = make("memory"), make(to)
    fill(source)
    target.tiers().events.append([ASKED], keep=100)
    assert move(source, target, events=events, clock=clock).proof.holds
    came = happened(source) if events else []
    assert happened(target) == sorted([ASKED[1:], *came], key=repr)


@pytest.mark.parametrize("to", KINDS)
def test_what_the_source_forgot_meanwhile_goes(make: Make, clock: FakeClock, to: str) -> None:
    """A trace that was brought names what was asked; forgotten there, it is forgotten here."""
    source, target = make("memory"), make(to)
    trace = Event(0, NOON, "retrieval_trace", ("项目",), {"hits": [{"id": "项目-3"}]})
    source.tiers().events.append([trace, trace], keep=100)
    half_moved(source, target, clock, events=True)
    target.write_note("mine", "我的")  # so that it is not finished
    with pytest.raises(Exception, match="1 notes"):
        move(source, target, events=True, clock=clock)
    assert happened(target) == happened(source)
    own = trace._replace(at=LATER)
    target.tiers().events.append([own], keep=100)
    source.tiers().events.erase_mentions(["项目-3"], kind="retrieval_trace")
    source.tiers().events.append([trace], keep=100)  # of two alike there is one
    target.write_note("mine", None)
    move(source, target, events=True, clock=clock)
    assert happened(target) == sorted([*happened(source), own[1:]], key=repr)
    assert len(happened(target)) == 9


@pytest.mark.parametrize("to", KINDS)
def test_an_event_that_is_lost_is_missed(make: Make, clock: FakeClock, to: str) -> None:
    source, target = make("memory"), make(to)
    fill(source)
    move(source, target, events=True, clock=clock)
    first = target.tiers().events.since(0)[0]
    target.tiers().events.erase([first.id])
    target.tiers().events.append([ASKED], keep=100)  # as many as before, and not the same
    proof = verify(source, target, events=True, clock=clock)
    assert proof.differing == ["events"] and not proof.holds
    assert proof_record(proof)["events"] == {
        "source": 7,
        "target": 7,
        "digest": proof.parts[-1].source.said,
        "same": False,
    }


@pytest.mark.parametrize("to", ["memory", "sqlite"])
@pytest.mark.parametrize("after", range(46, 66))
def test_cut_off_anywhere_each_is_there_once(
    make: Make, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, to: str, after: int
) -> None:
    monkeypatch.setattr("bethink.relocate.carrying_tiers._PAGE", 2)
    source, target = make("memory"), make(to)
    fill(source)
    with cut_off(target, after, monkeypatch):
        move(source, target, events=True, clock=clock)
    assert NOTE in target.notes()
    target.tiers().events.append([ASKED], keep=100)
    move(source, target, events=True, clock=clock)
    assert happened(target) == sorted([*happened(source), ASKED[1:]], key=repr)
