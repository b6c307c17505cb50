from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink.events.events import Events
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.sqlite.store import SQLiteStore
from bethink.stores.tiers import EventLog
from bethink.testing import FakeClock


@pytest.fixture(params=["memory", "sqlite"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventLog]:
    store = InMemoryStore() if request.param == "memory" else SQLiteStore(tmp_path / "m.db")
    yield store.tiers().events
    store.close()


@pytest.fixture
def events(log: EventLog, clock: FakeClock) -> Iterator[Events]:
    made = Events(lambda: log, keep=10_000, clock=clock)
    yield made
    made.close()
