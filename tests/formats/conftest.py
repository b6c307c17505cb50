from __future__ import annotations

from collections.abc import Iterator

import pytest

from bethink import Engine
from bethink.testing import FakeClock


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory(embedder="none", clock=FakeClock()) as engine:
        yield engine
