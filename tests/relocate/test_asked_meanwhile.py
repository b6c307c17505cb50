"""Whoever asks a store that is not filled yet is told so, whatever is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bethink import Engine
from bethink.relocate.move import move
from bethink.relocate.unfinished import FINISH, NOTE, UNFINISHED
from bethink.settings import Settings
from bethink.stores.protocol import Store
from bethink.testing import FakeClock
from bethink.testing.entries import NOON
from bethink.vocabulary import Status
from tests.doors.running import Cli
from tests.doors.running import cli as cli
from tests.relocate.filling import TOY
from tests.relocate.half import half_moved, half_moved_by

Make = Callable[[str], Store]
WHY = f"{UNFINISHED}: {FINISH}"
FOUND = ("预算会议改到哪天", "which dark theme does Mei prefer?", "Mei 的 dark theme 深色")
NOT_FOUND = ("长颈鹿吃什么", "what do giraffes eat")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOON)


@pytest.mark.parametrize("to", ["sqlite", "postgres", "memory", "composite"])
def test_an_answer_from_a_part_is_stale(make: Make, clock: FakeClock, to: str) -> None:
    source, target = make("memory"), make(to)
    half_moved(source, target, clock)
    with Engine(target, embedder=TOY, clock=clock) as engine:
        for question in FOUND:
            answer = engine.recall(question, spaces=["global", "项目"], touch=False)
            assert answer.hits and answer.status is Status.STALE and answer.reasons[0] == WHY
            assert answer.trace.steps[0].notes == (WHY,)
        for question in NOT_FOUND:
            nothing = engine.recall(question, spaces=["空的"], touch=False)
            assert not nothing.hits and nothing.status is Status.STALE and WHY in nothing.reasons
        told = engine.why_not("项目-7", FOUND[0], spaces=["项目"])
        assert told.status == Status.STALE and WHY in told.reasons
        move(source, target, clock=clock)
        for question in (*FOUND, *NOT_FOUND):
            answer = engine.recall(question, spaces=["global", "项目"], touch=False)
            assert WHY not in answer.reasons
            assert all(WHY not in step.notes for step in answer.trace.steps)


def test_words_alone_are_answered_when_all_is_there(make: Make, clock: FakeClock) -> None:
    source, target = make("sqlite"), make("sqlite")
    half_moved(source, target, clock)
    with Engine(target, settings=Settings(embedder="none"), clock=clock) as engine:
        for question in FOUND:
            assert engine.recall(question, touch=False).status is Status.STALE
        move(source, target, clock=clock)
        for question in FOUND:
            answer = engine.recall(question, touch=False)
            assert answer.hits and answer.status in (Status.ANSWERED, Status.UNCERTAIN)


def test_an_answer_that_was_kept_is_not_given_of_a_part(make: Make, clock: FakeClock) -> None:
    """A note changes no generation, and the answers of before the move are those of nothing."""
    store = make("memory")
    settings = Settings(embedder="none", hot="memory")
    with Engine(store, settings=settings, clock=clock) as engine:
        for question in FOUND:
            assert engine.recall(question).status is Status.EMPTY
        store.write_note(NOTE, "{}")
        for question in FOUND:
            assert engine.recall(question).status is Status.STALE
        store.write_note(NOTE, None)
        for question in FOUND:
            assert engine.recall(question).status is Status.EMPTY


def test_a_note_that_only_begins_so_is_none_of_a_move(make: Make, clock: FakeClock) -> None:
    store = make("memory")
    store.write_note("moved/搬过", "long ago")
    with Engine(store, settings=Settings(embedder="none"), clock=clock) as engine:
        assert engine.recall("预算 budget").status is Status.EMPTY


def test_the_command_says_it(cli: Cli, tmp_path: Path) -> None:
    there = half_moved_by(cli, tmp_path)
    asked = cli("recall", "预算会议 budget", "--json")
    assert asked.code == 0 and asked.json["status"] == "stale" and asked.json["reasons"] == [WHY]
    shown = cli("recall", "预算会议 budget", "--text")
    assert WHY in shown.out + shown.err
    assert cli("move", there, str(tmp_path / "memory.db")).code == 0
    assert cli("recall", "预算会议 budget", "--json").json["status"] == "answered"
