from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink.access.reception import Reception
from bethink.settings import Settings
from bethink.testing import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(store=str(tmp_path / "m.db"), embedder="hashing")


@pytest.fixture
def reception(settings: Settings, clock: FakeClock) -> Iterator[Reception]:
    with Reception(settings, clock=clock) as reception:
        yield reception
