"""An embedded store, and how large it takes itself to be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bethink.stores.sqlite import large
from bethink.stores.sqlite.store import SQLiteStore
from tests.contract.sqlite_filters.asking import TOY


@pytest.fixture(params=["small", "large"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "large":
        monkeypatch.setattr(large, "SIDECAR_FROM", 2)
        monkeypatch.setattr(large, "POSTINGS_FROM", 2)
        monkeypatch.setattr(large, "BEHIND_AT_LEAST", 1)


@pytest.fixture
def store(quick_path: Path) -> Iterator[SQLiteStore]:
    with closing(SQLiteStore(quick_path / "s.db")) as store:
        store.declare(TOY.embedding)
        yield store
