from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect import Engine
from recollect.testing import FakeClock


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory(embedder="none", clock=FakeClock()) as engine:
        yield engine
