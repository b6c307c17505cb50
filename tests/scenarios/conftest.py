from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.scenarios.running import House


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with House(tmp_path_factory.mktemp("house")) as made:
        yield made
