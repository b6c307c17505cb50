"""An engine to ask presets of: on a real store, at a known moment, with a small embedder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bethink import Engine
from bethink.settings import Settings
from bethink.testing import FakeClock
from bethink.vocabulary import Recollection
from tests.embedders_of_tests import Letters

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


@pytest.fixture
def letters() -> Letters:
    return Letters()


@pytest.fixture
def engine(tmp_path: Path, clock: FakeClock, letters: Letters) -> Iterator[Engine]:
    with Engine(
        tmp_path / "m.db", embedder=letters, clock=clock, settings=Settings(timezone="UTC")
    ) as made:
        yield made


def notes(answer: Recollection) -> list[str]:
    return [note for step in answer.trace.steps for note in step.notes]
