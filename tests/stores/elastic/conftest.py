from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.stores.elastic.strict_server import StrictServer


@pytest.fixture
def elastic() -> Iterator[StrictServer]:
    with StrictServer.started() as server:
        yield server
