from __future__ import annotations

from collections.abc import Callable

import pytest

from bethink.relocate.move import movable
from bethink.stores.protocol import Store
from bethink.testing.movable_contract import MakeStore, MovableContract


class TestMovable(MovableContract):
    @pytest.fixture(params=["memory", "sqlite", "postgres", "composite"])
    def make_store(self, request: pytest.FixtureRequest, make: Callable[[str], Store]) -> MakeStore:
        kind: str = request.param
        return lambda: movable(make(kind))
