"""Events are watched: by threads, event loops, functions and queues; from other processes too."""

from __future__ import annotations

import asyncio
import logging
import queue
import subprocess
import sys
import threading
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from bethink import Engine
from bethink.events.events import Events
from bethink.events.kinds import GAP, RETRIEVAL_TRACE, TIER_CHANGE
from bethink.settings import Settings
from bethink.stores.tiers import EventLog
from bethink.testing import FakeClock, working
from bethink.vocabulary import Event

LONG = 30  # seconds; nobody waits so long unless something is broken


def change(events: Events, name: str, *spaces: str) -> None:
    events.record(TIER_CHANGE, {"offer_id": name}, spaces=spaces or ["a"])


def names(found: list[Event]) -> list[object]:
    return [event.data.get("offer_id", event.kind) for event in found]


def test_a_follower_gets_what_happens_from_now_on(events: Events) -> None:
    change(events, "before")
    with events.follow() as follower:
        change(events, "一")
        change(events, "two")
        assert names(list(islice(follower, 2))) == ["一", "two"]
        assert follower.get(timeout=0) is None


def test_what_waits_to_be_written_happened_before_now(events: Events) -> None:
    events.later(RETRIEVAL_TRACE, dict, spaces=["a"])
    with events.follow() as follower:
        change(events, "now")
        assert names([next(follower)]) == ["now"]


def test_a_follower_replays_and_then_goes_on(events: Events) -> None:
    for name in "123":
        change(events, name)
    first = events.since()[0]
    with events.follow(first.id) as follower:
        change(events, "4")
        assert names(list(islice(follower, 3))) == ["2", "3", "4"]


def test_a_new_event_wakes_whoever_waits(events: Events) -> None:
    with events.follow() as follower, working(next, [follower], within=LONG) as waiting:
        events.later(RETRIEVAL_TRACE, dict, spaces=["a"])
    assert [event.kind for event in waiting.answers()] == [RETRIEVAL_TRACE]


def test_spaces_and_kinds_are_filtered(events: Events) -> None:
    follower = events.follow(spaces=["a", "团队"], kinds=[TIER_CHANGE])
    change(events, "other", "b")
    change(events, "both", "a", "b")  # whoever may not see b does not see this
    events.later(RETRIEVAL_TRACE, dict, spaces=["a"])
    change(events, "团队的", "团队")
    change(events, "mine", "a")
    assert names(list(islice(follower, 2))) == ["团队的", "mine"]
    follower.close()


def test_closing_ends_a_follower_that_waits(events: Events) -> None:
    follower = events.follow()
    with working(list, [follower], within=LONG) as waiting:
        follower.close()
    assert waiting.answers() == [[]]


def test_at_the_end_followers_get_what_there_is_and_stop(log: EventLog, clock: FakeClock) -> None:
    events = Events(lambda: log, keep=100, clock=clock)
    follower = events.follow()
    events.later(RETRIEVAL_TRACE, dict, spaces=["a"])
    events.close()
    assert [event.kind for event in follower] == [RETRIEVAL_TRACE]


def test_what_was_let_go_is_told_as_a_gap(log: EventLog, clock: FakeClock) -> None:
    events = Events(lambda: log, keep=5, clock=clock)
    change(events, "seen")
    start = log.last()
    follower = events.follow(start, kinds=[TIER_CHANGE])
    for number in range(12):
        change(events, str(number))
    gap = next(follower)
    assert (gap.kind, gap.data) == (GAP, {"from": start + 1, "to": log.first() - 1})
    assert names(list(islice(follower, 5))) == ["7", "8", "9", "10", "11"]
    with events.follow(gap.id) as resumed:  # going on behind the gap misses nothing
        assert names([next(resumed)]) == ["7"]
    follower.close()
    events.close()


def test_whoever_begins_with_an_empty_log_is_told_of_a_gap_too(
    log: EventLog, clock: FakeClock
) -> None:
    events = Events(lambda: log, keep=2, clock=clock)
    with events.follow() as follower:
        for number in range(4):
            change(events, str(number))
        assert names(list(islice(follower, 3))) == [GAP, "2", "3"]
    events.close()


def test_from_zero_means_all_that_is_there(log: EventLog, clock: FakeClock) -> None:
    events = Events(lambda: log, keep=3, clock=clock)
    for number in range(6):
        change(events, str(number))
    with events.follow(0) as follower:
        assert names(list(islice(follower, 3))) == ["3", "4", "5"]
    events.close()


def test_a_quiet_space_has_no_gap_because_others_are_loud(log: EventLog, clock: FakeClock) -> None:
    events = Events(lambda: log, keep=3, clock=clock)
    with events.follow(spaces=["quiet"]) as follower:
        for number in range(10):
            change(events, str(number), "loud")
            assert follower.get(timeout=0) is None  # it looks, and sees that it missed nothing
        change(events, "安静", "quiet")
        assert names([next(follower)]) == ["安静"]
    events.close()


def test_more_than_a_page_is_read(events: Events) -> None:
    for number in range(450):
        events.later(RETRIEVAL_TRACE, partial(dict, n=number), spaces=["a"])
    events.flush()
    with events.follow(0) as follower:
        assert [e.data["n"] for e in islice(follower, 450)] == list(range(450))


def test_a_function_is_called_with_each(events: Events) -> None:
    got: queue.Queue[Event] = queue.Queue()
    with events.subscribe(got.put, kinds=TIER_CHANGE):
        change(events, "一")
        change(events, "two")
        assert names([got.get(timeout=LONG), got.get(timeout=LONG)]) == ["一", "two"]


def test_one_that_raises_is_told_of_once_and_goes_on(
    events: Events, caplog: pytest.LogCaptureFixture
) -> None:
    well: queue.Queue[Event] = queue.Queue()
    tried: queue.Queue[Event] = queue.Queue()

    def broken(event: Event) -> None:
        tried.put(event)
        raise RuntimeError("坏了")

    with caplog.at_level(logging.WARNING, "bethink.events"):
        with events.subscribe(broken) as subscription, events.subscribe(well.put):
            for name in "123":
                change(events, name)
            assert names([tried.get(timeout=LONG) for _ in range(3)]) == ["1", "2", "3"]
            assert names([well.get(timeout=LONG) for _ in range(3)]) == ["1", "2", "3"]
        subscription.wait(LONG)
    assert subscription.failures == 3
    (told,) = caplog.messages
    assert "RuntimeError: 坏了" in told
    assert "events.since(" in told


def test_a_slow_one_hurts_nobody(events: Events) -> None:
    let_go, well = threading.Event(), queue.Queue[Event]()
    slow: list[Event] = []

    def take(event: Event) -> None:
        let_go.wait(LONG)
        slow.append(event)

    late = events.subscribe(take)
    with events.subscribe(well.put):
        for name in "12345":
            change(events, name)
        assert names([well.get(timeout=LONG) for _ in range(5)]) == ["1", "2", "3", "4", "5"]
    assert slow == []
    let_go.set()
    events.close()  # what is there is still handed over
    late.wait(LONG)
    assert names(slow) == ["1", "2", "3", "4", "5"]


def test_a_full_queue_is_waited_for(events: Events) -> None:
    small: queue.Queue[Event] = queue.Queue(maxsize=1)
    with events.into(small, spaces=["a"]):
        for name in "123":
            change(events, name)
        assert names([small.get(timeout=LONG) for _ in range(3)]) == ["1", "2", "3"]


def test_whoever_waits_for_room_can_be_ended(events: Events) -> None:
    small: queue.Queue[Event] = queue.Queue(maxsize=1)
    subscription = events.into(small)
    change(events, "1")
    change(events, "2")
    subscription.close()
    subscription.wait(LONG)
    assert not subscription._thread.is_alive()


def test_an_event_loop_follows(events: Events) -> None:
    async def watch() -> list[Event]:
        got: list[Event] = []
        async with events.async_follow(kinds=[TIER_CHANGE]) as follower:
            threading.Thread(target=change, args=(events, "从别的线程")).start()
            change(events, "here")
            async for event in follower:
                got.append(event)
                if len(got) == 2:
                    break
        return got

    assert sorted(map(str, names(asyncio.run(watch())))) == ["here", "从别的线程"]


def test_an_event_loop_that_gives_up_waiting_loses_nothing(events: Events) -> None:
    async def watch() -> list[Event]:
        got: list[Event] = []
        follower = events.async_follow(0)
        for number in range(300):
            change(events, str(number))
        while len(got) < 300:
            try:
                got.append(await asyncio.wait_for(anext(follower), 0.0001))
            except TimeoutError:
                continue
        await follower.aclose()
        return got

    assert names(asyncio.run(watch())) == [str(number) for number in range(300)]


def test_an_event_loop_sees_the_end(log: EventLog, clock: FakeClock) -> None:
    events = Events(lambda: log, keep=100, clock=clock)

    async def watch() -> list[Event]:
        follower = events.async_follow()
        change(events, "last")
        threading.Timer(0.05, events.close).start()
        return [event async for event in follower]

    assert names(asyncio.run(watch())) == ["last"]


def test_many_event_loops_worth_of_followers_need_no_thread_each(events: Events) -> None:
    async def watch() -> list[list[object]]:
        followers = [events.async_follow() for _ in range(60)]
        waiting = [asyncio.ensure_future(anext(follower)) for follower in followers]
        await asyncio.sleep(0)
        change(events, "一")
        got = await asyncio.wait_for(asyncio.gather(*waiting), LONG)
        for follower in followers:
            await follower.aclose()
        return [names([event]) for event in got]

    assert asyncio.run(watch()) == [["一"]] * 60


_ANOTHER = """
import sys
from bethink import Engine
from bethink.settings import Settings
with Engine(sys.argv[1], embedder="none", settings=Settings()) as engine:
    engine.events.record("tier_change", {"offer_id": "别处"}, spaces=["a"])
    engine.recall("谁在问?", touch=False)
"""


def test_events_of_other_processes_arrive(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Engine(path, embedder="none", settings=Settings()) as engine:
        engine.remember("预算评审改到周五。 The review moved.")
        with engine.events.follow() as follower:
            subprocess.run([sys.executable, "-c", _ANOTHER, str(path)], check=True, timeout=120)
            first, second = follower.get(LONG), follower.get(LONG)
        assert first is not None
        assert second is not None
        assert (first.kind, first.data) == (TIER_CHANGE, {"offer_id": "别处"})
        assert (second.kind, second.data["question"]) == (RETRIEVAL_TRACE, "谁在问?")
        assert second.id > first.id


def test_ids_increase_over_many_writers(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    Engine(path, embedder="none", settings=Settings()).close()
    writers = [
        subprocess.Popen([sys.executable, "-c", _MANY, str(path), name]) for name in ("甲", "b")
    ]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    with Engine(path, embedder="none", settings=Settings()) as engine:
        kept = engine.events.since(kinds=TIER_CHANGE, limit=1_000)
    assert len({event.id for event in kept}) == 80
    for name in ("甲", "b"):
        assert [e.data["n"] for e in kept if e.data["of"] == name] == list(range(40))


_MANY = """
import sys
from bethink import Engine
from bethink.settings import Settings
with Engine(sys.argv[1], embedder="none", settings=Settings()) as engine:
    for n in range(40):
        engine.events.record("tier_change", {"of": sys.argv[2], "n": n}, spaces=["a"])
"""
