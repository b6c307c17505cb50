"""Targets that a move has not filled yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from bethink.relocate.move import move
from bethink.relocate.unfinished import NOTE
from bethink.stores.protocol import Store
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import FakeClock
from tests.doors.running import Cli
from tests.relocate.filling import fill


class Stopped(Exception):
    pass


def stop(done: int, total: int | None) -> None:
    raise Stopped


def half_moved(source: Store, target: Store, clock: FakeClock, *, events: bool = False) -> None:
    """The memories are there, of what else there is nothing."""
    fill(source)
    with pytest.raises(Stopped):
        move(source, target, events=events, clock=clock, progress=stop)
    assert NOTE in target.notes()


def half_moved_by(cli: Cli, folder: Path) -> str:
    """The same, for commands: the usual store is the target. The address of the source."""
    there = str(folder / "source.db")
    assert cli("remember", "预算会议改到周五 the budget meeting", "--store", there).code == 0
    source, target = SQLiteStore(there), SQLiteStore(folder / "memory.db")
    with pytest.raises(Stopped):
        move(source, target, progress=stop)
    source.close()
    target.close()
    return there
