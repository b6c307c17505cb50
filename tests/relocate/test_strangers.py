"""What somebody tells, imports, revises or sets in the target of a move that is not finished. No
date says whose it is: it may be years old. It stays, and is named; and what the move itself brought
still follows the source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from bethink.errors import Conflict
from bethink.relocate.journal import MARKS
from bethink.relocate.move import Moved, move, verify
from bethink.relocate.unfinished import NOTE
from bethink.stores.protocol import Store
from bethink.testing import FakeClock, make_entry, make_memory, make_offer
from bethink.testing.entries import NOON
from bethink.vocabulary import Decision, Memory, Offer, Ruling
from tests.relocate.cutting import cut_off
from tests.relocate.filling import LATER, TOY, fill
from tests.relocate.half import half_moved

Make = Callable[[str], Store]
OLD = NOON - timedelta(days=4_000)
KINDS = [("memory", "sqlite"), ("sqlite", "postgres"), ("postgres", "sqlite"), ("sqlite", "memory")]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOON)


def an_old(text: str, name: str) -> Memory:
    return make_memory(text, name, created_at=OLD)


def an_old_offer(text: str, name: str) -> Offer:
    offer = make_offer(text, name)
    return replace(offer, memory=replace(offer.memory, created_at=OLD))


def refused(source: Store, target: Store, clock: FakeClock) -> str:
    with pytest.raises(Conflict) as said:
        move(source, target, clock=clock)
    assert "was used before the move to it was finished" in str(said.value)
    assert NOTE in target.notes()
    return str(said.value)


def finished(source: Store, target: Store, clock: FakeClock) -> Moved:
    done = move(source, target, clock=clock)
    assert done.proof.holds and done.resumed
    assert target.notes() == source.notes()  # nothing of the move remains
    return done


@pytest.mark.parametrize(("of", "to"), KINDS)
def test_what_is_older_than_the_move_stays(make: Make, clock: FakeClock, of: str, to: str) -> None:
    source, target = make(of), make(to)
    half_moved(source, target, clock)
    told = [an_old("很久以前的事 long ago", "旧-1"), an_old("imported 导入的", "old-2")]
    target.put([make_entry(one) for one in told])
    offered = an_old_offer("以前提过的 offered before", "旧提")
    target.tiers().quarantine.log([offered])
    recent = an_old("刚想起的旧事 an old thing, just said", "旧近")
    target.tiers().working.add([recent], now=clock(), keep=50, seconds=9e4)
    for _ in range(2):  # however often it is tried
        said = refused(source, target, clock)
        assert (
            "only there are 2 memories (旧-1, old-2), 1 offers (旧提), 1 recent ones (旧近)" in said
        )
        assert target.get(["旧-1", "old-2"]) == told
        assert target.tiers().quarantine.get(["旧提"]) == [offered]
        assert target.tiers().working.get(["旧近"], now=clock()) == [recent]
    target.delete(["旧-1", "old-2"])
    target.tiers().quarantine.erase(["旧提"])
    target.tiers().working.remove(["旧近"])
    finished(source, target, clock)


@pytest.mark.parametrize(("of", "to"), KINDS)
def test_what_the_source_forgot_goes_and_nothing_else(
    make: Make, clock: FakeClock, of: str, to: str
) -> None:
    source, target = make(of), make(to)
    half_moved(source, target, clock)
    refused_once = an_old("旁人的旧事 somebody's", "旁人")
    target.put([make_entry(refused_once)])
    refused(source, target, clock)  # by now offers, notes and what is recent are there too
    source.delete(["global-3", "项目-4"])
    source.delete_space("team/alpha")
    source.tiers().quarantine.erase(["o3"])
    source.tiers().working.remove(["o1"])
    source.write_note("withheld/one", None)
    refused(source, target, clock)
    assert target.get(["global-3", "项目-4", "team/alpha-1"]) == [None, None, None]
    assert target.get(["旁人"]) == [refused_once]
    assert target.tiers().quarantine.get(["o3"]) == [None]
    assert target.tiers().working.get(["o1"], now=clock()) == [None]
    assert "withheld/one" not in target.notes()
    source.put([make_entry(refused_once)])  # told to the source, it is in nobody's way
    finished(source, target, clock)


@pytest.mark.parametrize("to", ["sqlite", "postgres", "memory"])
def test_the_same_id_with_other_words_is_not_written_over(
    make: Make, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    """Of a memory that was not carried yet, and of one that was and is revised there."""
    monkeypatch.setattr("bethink.relocate.carrying.PAGE", 10)
    source, target = make("memory"), make(to)
    half_moved(source, target, clock)
    assert target.get(["global-3"]) != [None] and target.get(["项目-7"]) == [None]
    mine = an_old("我自己的第七条 my own seventh", "项目-7")
    target.put([make_entry(replace(mine, space="项目"))])
    (former,) = target.get(["global-3"])
    assert former is not None
    revised = replace(former, text="那边改过的 revised there", updated_at=LATER)
    target.revise(make_entry(revised, TOY), fingerprint=TOY.fingerprint)
    said = refused(source, target, clock)
    assert "other than in the source are 2 memories (global-3, 项目-7)" in said
    assert [one and one.text for one in target.get(["global-3", "项目-7"])] == [
        "那边改过的 revised there",
        "我自己的第七条 my own seventh",
    ]
    assert target.history("global-3")[0].memory == former
    target.delete(["global-3", "项目-7"])
    finished(source, target, clock)
    assert target.get(["global-3"]) == source.get(["global-3"])


@pytest.mark.parametrize("to", ["sqlite", "postgres", "memory"])
def test_settings_of_the_target_stay(make: Make, clock: FakeClock, to: str) -> None:
    source, target = make("memory"), make(to)
    half_moved(source, target, clock)
    target.write_notes(
        {"settings/项目/limit": "9", "settings/budget": "700", "withheld/二": "项目"}
    )
    for _ in range(2):
        said = refused(source, target, clock)
        assert "only there are 2 notes (settings/budget, withheld/二)" in said
        assert "other than in the source are 1 notes (settings/项目/limit)" in said
        assert target.notes("settings/") == {"settings/budget": "700", "settings/项目/limit": "9"}
        assert target.notes("withheld/") == {"withheld/one": "项目", "withheld/二": "项目"}
    source.write_note("settings/项目/limit", "9")  # what is to hold is told to the source
    target.write_notes({"settings/budget": None, "withheld/二": None})
    finished(source, target, clock)


def test_a_note_that_was_brought_follows_the_source(make: Make, clock: FakeClock) -> None:
    source, target = make("sqlite"), make("memory")
    half_moved(source, target, clock)
    target.write_note("mine", "我的")
    refused(source, target, clock)
    assert target.notes("settings/") == {"settings/项目/limit": "3"}
    source.write_notes({"settings/项目/limit": "4", "settings/budget": "500"})
    refused(source, target, clock)
    assert target.notes("settings/") == source.notes("settings/")
    target.write_note("settings/项目/limit", "3")  # as the move once brought it: nobody's own
    target.write_note("mine", None)
    finished(source, target, clock)
    assert target.notes("settings/")["settings/项目/limit"] == "4"


def test_an_empty_space_of_the_target_stays(make: Make, clock: FakeClock) -> None:
    source, target = make("memory"), make("sqlite")
    half_moved(source, target, clock)
    target.open_space("我的 mine")
    assert "1 empty spaces (我的 mine)" in refused(source, target, clock)
    assert "我的 mine" in {info.name for info in target.spaces()}
    target.delete_space("我的 mine")
    finished(source, target, clock)


@pytest.mark.parametrize("to", ["sqlite", "postgres", "memory"])
def test_what_was_decided_there_stays(make: Make, clock: FakeClock, to: str) -> None:
    source, target = make("memory"), make(to)
    half_moved(source, target, clock)
    there = target.tiers().quarantine
    mine = an_old_offer("同一个号 the same id", "o0")
    there.log([mine])  # before the move came to it
    said = refused(source, target, clock)
    assert "other than in the source are 1 offers (o0)" in said and there.get(["o0"]) == [mine]
    there.erase(["o0"])
    there.decide([Ruling("o3", Decision.REJECTED, "在那边定的 decided there", "评审", LATER)])
    assert "1 offers (o3)" in refused(source, target, clock)
    assert there.rulings("o3")[-1].reason == "在那边定的 decided there"
    decided = Ruling("o1", Decision.REJECTED, "源头定的 by the source", "reviewer", LATER)
    source.tiers().quarantine.decide([decided])  # of one that was brought it goes on
    refused(source, target, clock)
    assert there.rulings("o1")[-1] == decided
    there.erase(["o3"])
    finished(source, target, clock)


def test_recent_words_of_the_target_stay(make: Make, clock: FakeClock) -> None:
    source, target = make("memory"), make("sqlite")
    half_moved(source, target, clock)
    mine = an_old("同一个号，别的话 other words", "o2")
    target.tiers().working.add([mine], now=clock(), keep=50, seconds=900)
    said = refused(source, target, clock)
    assert "other than in the source are 1 recent ones (o2)" in said
    assert target.tiers().working.get(["o2"], now=clock()) == [mine]
    target.tiers().working.remove(["o2"])
    finished(source, target, clock)


def test_the_same_told_to_both_is_in_nobodys_way(make: Make, clock: FakeClock) -> None:
    """Whoever imports the source's own export into the target helps, and does no harm."""
    source, target = make("sqlite"), make("postgres")
    half_moved(source, target, clock)
    both = [an_old("两边都有 on both sides", "both"), an_old("先有后无 then gone", "gone")]
    for store in (source, target):
        store.put([make_entry(one) for one in both])
    source.delete(["gone"])
    assert "only there are 1 memories (gone)" in refused(source, target, clock)
    assert target.get(["gone"]) == both[1:]  # it came from somebody else, so it is theirs
    target.delete(["gone"])
    finished(source, target, clock)
    assert target.get(["both"]) == both[:1]


def test_a_source_that_is_not_whole_itself_is_refused(make: Make, clock: FakeClock) -> None:
    source, half, target = make("memory"), make("sqlite"), make("memory")
    half_moved(source, half, clock)
    with pytest.raises(Conflict, match="the source is itself the target of a move"):
        move(half, target, clock=clock)
    assert target.notes() == {} and target.count() == 0


def test_many_lists_of_marks_are_read_and_leave_nothing(
    make: Make, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bethink.relocate.carrying.PAGE", 7)
    source, target = make("memory"), make("sqlite")
    half_moved(source, target, clock)
    target.put([make_entry(an_old("路过 passing by", "x"))])
    refused(source, target, clock)
    assert len(target.notes(MARKS)) > 10
    source.delete([f"global-{n}" for n in range(20)])
    assert "1 memories (x)" in refused(source, target, clock)
    assert target.count() == source.count() + 1
    target.delete(["x"])
    finished(source, target, clock)


@pytest.mark.parametrize(
    ("to", "after"),
    [("memory", n) for n in range(0, 82, 3)] + [("postgres", n) for n in (1, 23, 46, 70)],
)
def test_cut_off_anywhere_what_was_brought_is_known(
    make: Make, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, to: str, after: int
) -> None:
    """Then the source forgets, and somebody tells the target: one goes, the other stays."""
    monkeypatch.setattr("bethink.relocate.carrying.PAGE", 10)
    source, target = make("memory"), make(to)
    fill(source)
    with cut_off(target, after, monkeypatch):
        move(source, target, clock=clock)
    if NOTE not in target.notes():  # cut before it began, or after it had finished
        assert target.count() == 0 or verify(source, target, clock=clock).holds
        return
    source.delete([f"global-{n}" for n in range(15)])
    source.delete_space("项目")
    source.tiers().quarantine.erase(["o1", "o2"])
    source.tiers().working.remove(["o2", "o3"])
    source.write_notes({"settings/项目/limit": None, "withheld/one": "global"})
    mine = an_old("别人的旧事 somebody's", "旁人")
    target.put([make_entry(mine)])
    target.write_note("settings/budget", "700")
    said = refused(source, target, clock)
    assert said.count("(") == 2 and "1 memories (旁人), 1 notes (settings/budget)" in said
    assert target.get(["旁人"]) == [mine] and target.notes("settings/") == {
        "settings/budget": "700"
    }
    target.delete(["旁人"])
    target.write_note("settings/budget", None)
    finished(source, target, clock)
