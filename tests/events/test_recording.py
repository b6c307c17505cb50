"""Events are kept: at once, soon, or, where the log refuses, later; never at the caller's cost."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

import pytest

from bethink import Engine
from bethink.errors import InvalidInput, StoreFull
from bethink.events.events import Events
from bethink.events.kinds import NODE_STATE_CHANGE, RETRIEVAL_TRACE, TIER_CHANGE
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.tiers import EventLog
from bethink.testing import FakeClock
from bethink.vocabulary import Event


class NoRoom:
    """A log on a disk that is full until somebody makes room."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self.full = True

    def append(self, events: Sequence[Event], *, keep: int) -> list[Event]:
        if self.full:
            raise StoreFull("the disk is full. Free some space and try again")
        return self._log.append(events, keep=keep)

    def since(
        self,
        after: int,
        *,
        spaces: Collection[str] | None = None,
        kinds: Collection[str] | None = None,
        limit: int = 100,
    ) -> list[Event]:
        return self._log.since(after, spaces=spaces, kinds=kinds, limit=limit)

    def last(self) -> int:
        return self._log.last()

    def first(self) -> int:
        return self._log.first()

    def erase(self, ids: Collection[int]) -> int:
        return self._log.erase(ids)

    def erase_mentions(self, ids: Collection[str], *, kind: str) -> int:
        return self._log.erase_mentions(ids, kind=kind)

    def erase_space(self, space: str) -> int:
        return self._log.erase_space(space)


def test_what_is_recorded_is_in_the_log_when_it_returns(
    events: Events, log: EventLog, clock: FakeClock
) -> None:
    events.record(TIER_CHANGE, {"offer_id": "甲", "to": "working"}, spaces=["项目"])
    (kept,) = log.since(0)
    assert kept == Event(
        kept.id, clock.now, TIER_CHANGE, ("项目",), {"offer_id": "甲", "to": "working"}
    )
    assert kept.id > 0


def test_what_comes_later_is_made_by_another_thread(events: Events) -> None:
    made_by: list[threading.Thread] = []
    written = threading.Event()

    def make() -> dict[str, str]:
        made_by.append(threading.current_thread())
        written.set()
        return {"question": "预算"}

    events.later(RETRIEVAL_TRACE, make, spaces=["a"])
    assert written.wait(30)
    assert made_by != [threading.current_thread()]
    assert [e.data for e in events.since()] == [{"question": "预算"}]


def test_events_stand_in_the_order_in_which_they_happened(events: Events, clock: FakeClock) -> None:
    events.later(NODE_STATE_CHANGE, lambda: {"state": "running"}, spaces=["a"])
    events.later(RETRIEVAL_TRACE, lambda: {"question": "?"}, spaces=["a"])
    clock.advance(seconds=1)
    events.record(TIER_CHANGE, {"offer_id": "1"}, spaces=["a"])
    kept = events.since()
    assert [e.kind for e in kept] == [NODE_STATE_CHANGE, RETRIEVAL_TRACE, TIER_CHANGE]
    assert kept[0].id < kept[1].id < kept[2].id
    assert (kept[2].at - kept[0].at).total_seconds() == 1


def test_no_thread_is_started_before_the_first_event(log: EventLog, clock: FakeClock) -> None:
    before = set(threading.enumerate())
    events = Events(lambda: log, keep=10, clock=clock)
    events.record(TIER_CHANGE, {}, spaces=["a"])
    events.since()
    assert set(threading.enumerate()) == before
    events.close()


def test_closing_writes_what_waits(log: EventLog, clock: FakeClock) -> None:
    events = Events(lambda: log, keep=10, clock=clock)
    for number in range(5):
        events.later(RETRIEVAL_TRACE, partial(dict, n=number), spaces=["a"])
    events.close()
    assert [e.data["n"] for e in log.since(0)] == [0, 1, 2, 3, 4]


def test_keep_nothing_writes_nothing(log: EventLog, clock: FakeClock) -> None:
    events = Events(lambda: log, keep=0, clock=clock)
    events.record(TIER_CHANGE, {}, spaces=["a"])
    events.later(RETRIEVAL_TRACE, _never, spaces=["a"])
    events.close()
    assert log.last() == 0
    assert events.fault == ""


def _never() -> dict[str, str]:
    raise AssertionError("nobody wants it")


def test_a_log_that_is_full_fails_nobody_and_is_tried_again(
    log: EventLog, clock: FakeClock
) -> None:
    crammed = NoRoom(log)
    events = Events(lambda: crammed, keep=10, clock=clock)
    events.record(TIER_CHANGE, {"offer_id": "1"}, spaces=["a"])
    events.record(TIER_CHANGE, {"offer_id": "2"}, spaces=["a"])
    assert "no room" in events.fault
    assert "2 events wait" in events.fault
    assert log.since(0) == []
    crammed.full = False
    events.record(TIER_CHANGE, {"offer_id": "3"}, spaces=["a"])
    assert [e.data["offer_id"] for e in log.since(0)] == ["1", "2", "3"]
    assert events.fault == ""
    events.close()


def test_when_too_much_waits_traces_give_way_and_tier_changes_stay(
    log: EventLog, clock: FakeClock
) -> None:
    crammed = NoRoom(log)
    events = Events(lambda: crammed, keep=10_000, clock=clock)
    events.record(TIER_CHANGE, {"offer_id": "1"}, spaces=["a"])
    for _ in range(1_200):
        events.later(RETRIEVAL_TRACE, dict, spaces=["a"])
    events.flush()
    crammed.full = False
    events.close()
    kinds = [e.kind for e in log.since(0, limit=2_000)]
    assert kinds == [TIER_CHANGE] + [RETRIEVAL_TRACE] * 999
    assert "201 events were lost" in events.fault


def test_data_that_cannot_be_made_loses_that_event_alone(events: Events) -> None:
    def broken() -> dict[str, str]:
        raise ValueError("no such part")

    events.later(RETRIEVAL_TRACE, broken, spaces=["a"])
    events.later(RETRIEVAL_TRACE, lambda: {"question": "ok"}, spaces=["a"])
    assert [e.data for e in events.since()] == [{"question": "ok"}]
    assert "ValueError: no such part" in events.fault
    assert "1 events were lost" in events.fault


def test_after_the_end_an_event_is_no_error(log: EventLog, clock: FakeClock) -> None:
    events = Events(lambda: log, keep=10, clock=clock)
    events.close()
    events.record(TIER_CHANGE, {}, spaces=["a"])
    events.later(RETRIEVAL_TRACE, dict, spaces=["a"])
    assert "closed" in events.fault
    assert log.last() == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_writes_only_its_own(tmp_path: Path, clock: FakeClock) -> None:
    log = _Lines(tmp_path / "log")
    events = Events(lambda: log, keep=10, clock=clock)
    events.record(TIER_CHANGE, {"n": "parent"}, spaces=["a"])  # it waits: there is no room
    log.full = False
    child = os.fork()
    if not child:
        code = 1
        try:
            events.record(TIER_CHANGE, {"n": "child"}, spaces=["a"])
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    events.close()
    assert (tmp_path / "log").read_text().split() == ["child", "parent"]


class _Lines(NoRoom):
    """A log that a fork cannot break."""

    def __init__(self, path: Path) -> None:
        super().__init__(InMemoryStore().tiers().events)
        self._path = path

    def append(self, events: Sequence[Event], *, keep: int) -> list[Event]:
        if self.full:
            raise StoreFull("the disk is full. Free some space and try again")
        with self._path.open("a") as file:
            file.writelines(f"{event.data['n']}\n" for event in events)
        return [event._replace(id=1) for event in events]


def test_replay_by_id_space_and_kind(events: Events) -> None:
    for spaces in (["a"], ["b"], ["a", "b"], ["团队"]):
        events.record(TIER_CHANGE, {"in": list(spaces)}, spaces=spaces)
    events.later(RETRIEVAL_TRACE, dict, spaces=["a"])
    assert len(events.since()) == 5
    assert [e.spaces for e in events.since(spaces=["a"])] == [("a",), ("a",)]
    assert [e.spaces for e in events.since(spaces=["a", "b"])] == [
        ("a",), ("b",), ("a", "b"), ("a",),
    ]  # fmt: skip
    assert [e.spaces for e in events.since(spaces="团队")] == [("团队",)]
    assert [e.kind for e in events.since(kinds=RETRIEVAL_TRACE)] == [RETRIEVAL_TRACE]
    first = events.since(limit=2)
    assert [e.spaces for e in events.since(first[-1].id, limit=1)] == [("a", "b")]


@pytest.mark.parametrize("ask", [
    lambda e: e.since(-1), lambda e: e.since("1"), lambda e: e.since(True),
    lambda e: e.since(limit=0), lambda e: e.since(limit=10_001), lambda e: e.since(spaces=[""]),
    lambda e: e.follow(-1), lambda e: e.subscribe("no function"), lambda e: e.follow(7),
])  # fmt: skip
def test_wrong_questions_are_named(events: Events, ask: Callable[[Events], object]) -> None:
    with pytest.raises(InvalidInput):
        ask(events)


def test_a_space_is_erased_with_what_waits(events: Events, log: EventLog) -> None:
    events.record(TIER_CHANGE, {}, spaces=["a"])
    events.record(TIER_CHANGE, {}, spaces=["b"])
    events.later(RETRIEVAL_TRACE, dict, spaces=["a", "b"])
    assert events.erase_space("a") == 2
    assert [e.spaces for e in log.since(0)] == [("b",)]


def test_what_the_log_refused_is_erased_too(log: EventLog, clock: FakeClock) -> None:
    crammed = NoRoom(log)
    events = Events(lambda: crammed, keep=10, clock=clock)
    events.record(TIER_CHANGE, {"offer_id": "a"}, spaces=["a"])
    events.record(TIER_CHANGE, {"offer_id": "b"}, spaces=["b"])
    assert events.erase_space("a") == 1
    crammed.full = False
    events.close()
    assert [e.spaces for e in log.since(0)] == [("b",)]


def test_forgetting_a_space_leaves_no_event_of_it(engine: Engine) -> None:
    engine.remember("深色主题 dark mode", space="a")
    engine.remember("预算 budget", space="b")
    engine.recall("主题", spaces="a")
    engine.events.flush()
    engine.recall("主题 theme", spaces=["a", "b"])  # not written yet
    engine.recall("预算", spaces="b")
    engine.forget_space("a")
    assert [e.spaces for e in engine.events.since()] == [("b",)]


def test_a_question_that_could_not_be_written_is_erased_too(
    log: EventLog, clock: FakeClock
) -> None:
    crammed = NoRoom(log)
    events = Events(lambda: crammed, keep=10, clock=clock)
    events.later(RETRIEVAL_TRACE, lambda: {"hits": [{"id": "甲"}]}, spaces=["a"])
    events.record(TIER_CHANGE, {"offer_id": "甲"}, spaces=["a"])
    assert events.erase_questions(["甲"]) == 1
    crammed.full = False
    events.close()
    assert [e.kind for e in log.since(0)] == [TIER_CHANGE]
