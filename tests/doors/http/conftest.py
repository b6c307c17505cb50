from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.doors.http.served import Served, served_on


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Open to whoever is on this machine, as it is without keys."""
    with served_on(tmp_path / "m.db", open_to_all=True) as served:
        yield served


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[Served]:
    """Nobody comes in without a key."""
    with served_on(tmp_path / "keyed.db", per_minute=1_000_000) as served:
        yield served


@pytest.fixture
def client(served: Served) -> httpx.Client:
    return served.client()
