"""Targets that a move has not filled yet."""

from __future__ import annotations

import pytest

from recollect.relocate.move import move
from recollect.relocate.unfinished import NOTE
from recollect.stores.protocol import Store
from recollect.testing import FakeClock
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
