"""The tiers among processes: what was acknowledged outlives a kill, and nothing is lost or doubled
when many write at once."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from bethink.stores.sqlite.store import SQLiteStore
from bethink.stores.tiers import Tiers
from bethink.testing import make_memory, make_offer
from bethink.testing.entries import NOON
from bethink.vocabulary import Decision, Event, Ruling
from tests.durability.children import Child, Say, kill_after

KILLS = 12  # for each kind of work
MANY = 1_000_000
WRITERS, TURNS = 4, 25


def text(name: str) -> str:
    return f"{name} 说了一句话 and nothing else"


def happened(name: str) -> Event:
    return Event(0, NOON, "recalled", ("global",), {"name": name})


def offering(tiers: Tiers, say: Say, name: str) -> None:
    tiers.quarantine.log([make_offer(text(name), name), make_offer(text(name), f"{name}-twin")])
    say(f"logged {name}")
    tiers.quarantine.decide(
        [Ruling(i, Decision.PROMOTED, "好", "me", NOON) for i in (name, f"{name}-twin")]
    )
    say(f"decided {name}")


def keeping_recent(tiers: Tiers, say: Say, name: str) -> None:
    tiers.working.add([make_memory(text(name), name)], now=NOON, keep=MANY, seconds=9)
    say(f"added {name}")


def erasing(tiers: Tiers, say: Say, name: str) -> None:
    tiers.quarantine.log([make_offer(text(name), name)])
    tiers.working.add([make_memory(text(name), name)], now=NOON, keep=MANY, seconds=9)
    tiers.quarantine.erase([name])
    tiers.working.remove([name])
    say(f"erased {name}")


def happening(tiers: Tiers, say: Say, name: str) -> None:
    one, two = tiers.events.append([happened(name), happened(name)], keep=MANY)
    say(f"happened {one.id} {two.id} {name}")


WORK = (offering, keeping_recent, erasing, happening)


def verify(path: Path, lines: list[str]) -> None:
    """Everything that was acknowledged is there, and of every call all or nothing."""
    store = SQLiteStore(path)
    quarantine, working, events = store.tiers()
    offers = {offer.id: offer for offer in quarantine.scan(limit=MANY).offers}
    recent = {memory.id: memory for memory in working.recent(["global"], now=NOON, limit=MANY)}
    log = {event.id: event.data["name"] for event in events.since(0, limit=MANY)}
    for line in lines:
        what, *numbers, name = line.split()
        assert what != "failed", line
        if what == "logged":
            assert offers[name].memory.text == text(name)
        if what == "decided":
            assert offers[name].decision is Decision.PROMOTED
            assert len(quarantine.rulings(name)) == 2
        if what == "added":
            assert recent[name] == make_memory(text(name), name)
        if what == "erased":
            assert name not in offers
            assert name not in recent
        if what == "happened":
            assert [log[int(number)] for number in numbers] == [name, name]
    twins = [offer for offer in offers.values() if offer.id.endswith("-twin")]
    assert len(twins) in (0, len(offers) / 2)
    for twin in twins:
        assert twin.decision is offers[twin.id.removesuffix("-twin")].decision
    assert len(log) == 2 * len(set(log.values()))
    assert [check for check in store.check() if not check.ok and check.part != "disk"] == []
    store.close()


@pytest.mark.parametrize("work", WORK, ids=lambda work: work.__name__)
def test_what_was_acknowledged_outlives_a_kill(
    quick_path: Path, work: Callable[[Tiers, Say, str], None]
) -> None:
    path = quick_path / "s.db"
    chance = random.Random(WORK.index(work))
    lines: list[str] = []
    for kill in range(KILLS):

        def run(say: Say, kill: int = kill) -> None:
            tiers = SQLiteStore(path).tiers()
            for turn in range(MANY):
                work(tiers, say, f"{kill}-{turn}")

        said = kill_after(run, chance.uniform(0.01, 0.2))
        verify(path, said)
        lines += said
    verify(path, lines)
    assert len(lines) > 50  # they did get somewhere


def test_the_killer_would_notice_a_loss(quick_path: Path) -> None:
    def forgetful(say: Say) -> None:
        offering(SQLiteStore(quick_path / "s.db").tiers(), say, "one")
        say("logged two")
        time.sleep(30)

    lines = kill_after(forgetful, 0.5)
    assert lines[-1] == "logged two"
    with pytest.raises(KeyError):
        verify(quick_path / "s.db", lines)


def test_processes_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    """On the real disk, from the very first moment: neither file exists yet."""
    path = tmp_path / "s.db"

    def write(number: int, say: Say) -> None:
        store = SQLiteStore(path)
        quarantine, working, events = store.tiers()
        for turn in range(TURNS):
            name = f"{number}-{turn}"
            kept = quarantine.log(
                [make_offer(text(name), name), make_offer("shared 共有", f"shared-{turn}")]
            )
            working.add([make_memory(text(name), name)], now=NOON, keep=MANY, seconds=9)
            one, two = events.append([happened(name), happened(name)], keep=MANY)
            say(f"{one.id} {two.id} {kept[1]:d}")
        store.close()

    children = [Child(lambda say, n=n: write(n, say)) for n in range(WRITERS)]  # type: ignore[misc]
    said = [child.lines() for child in children]
    assert not [line for lines in said for line in lines if line.startswith("failed")]
    rows = [[list(map(int, line.split())) for line in lines] for lines in said]
    given = [[number for one, two, _ in mine for number in (one, two)] for mine in rows]
    assert all(mine == sorted(mine) for mine in given)  # increasing for each of them
    every = sorted(number for mine in given for number in mine)
    assert len(set(every)) == len(every) == 2 * WRITERS * TURNS
    assert sum(first for mine in rows for _, _, first in mine) == TURNS  # logged once each

    store = SQLiteStore(path)
    quarantine, working, events = store.tiers()
    names = {f"{n}-{turn}" for n in range(WRITERS) for turn in range(TURNS)}
    found = [offer.id for offer in quarantine.scan(limit=MANY).offers]
    assert sorted(found) == sorted(names | {f"shared-{turn}" for turn in range(TURNS)})
    assert {m.id for m in working.recent(["global"], now=NOON, limit=MANY)} == names
    assert [event.id for event in events.since(0, limit=MANY)] == every
    assert (events.first(), events.last()) == (every[0], every[-1])
    store.close()


def test_a_follower_misses_no_event_of_another_process(quick_path: Path) -> None:
    """Numbers become visible in their order: whoever goes on from the last one misses none."""
    path = quick_path / "s.db"

    def write(say: Say) -> None:
        events = SQLiteStore(path).tiers().events
        for turn in range(400):
            events.append([happened(f"{turn}")] * (1 + turn % 3), keep=MANY)

    events = SQLiteStore(path).tiers().events
    followed: list[int] = []
    children = [Child(write) for _ in range(2)]
    expected = 2 * sum(1 + turn % 3 for turn in range(400))
    ends = time.monotonic() + 60
    while len(followed) < expected and time.monotonic() < ends:
        followed += [e.id for e in events.since(followed[-1] if followed else 0, limit=50)]
    assert [child.lines() for child in children] == [[], []]
    assert followed == [event.id for event in events.since(0, limit=MANY)]
    assert len(followed) == expected


def test_trimming_among_processes_keeps_the_newest(quick_path: Path) -> None:
    path, keep = quick_path / "s.db", 40

    def write(say: Say) -> None:
        store = SQLiteStore(path)
        for turn in range(100):
            (kept,) = store.tiers().events.append([happened(f"{turn}")], keep=keep)
            say(f"{kept.id}")
        store.close()

    children = [Child(write) for _ in range(3)]
    given = sorted(int(line) for child in children for line in child.lines())
    assert len(set(given)) == 300
    store = SQLiteStore(path)
    events = store.tiers().events
    assert [event.id for event in events.since(0, limit=MANY)] == given[-keep:]
    assert (events.first(), events.last()) == (given[-keep], given[-1])
    store.close()


def test_working_memory_keeps_exactly_so_many_among_processes(quick_path: Path) -> None:
    path = quick_path / "s.db"

    def write(number: int, say: Say) -> None:
        working = SQLiteStore(path).tiers().working
        for turn in range(60):
            memory = make_memory("最近", f"{number}-{turn}")
            working.add([memory], now=NOON + timedelta(seconds=turn), keep=50, seconds=999)

    children = [Child(lambda say, n=n: write(n, say)) for n in range(3)]  # type: ignore[misc]
    assert [child.lines() for child in children] == [[]] * 3
    store = SQLiteStore(path)
    assert len(store.tiers().working.recent(["global"], now=NOON, limit=MANY)) == 50
    store.close()
