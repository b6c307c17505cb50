"""An engine whose vectors can be foreseen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink import Engine
from bethink.settings import Settings
from bethink.testing import FakeClock
from tests.embedders_of_tests import Letters


@pytest.fixture
def letters() -> Letters:
    return Letters()


@pytest.fixture
def engine(tmp_path: Path, clock: FakeClock, letters: Letters) -> Iterator[Engine]:
    with Engine(tmp_path / "m.db", embedder=letters, clock=clock, settings=Settings()) as made:
        yield made
