"""Whenever the index is changed over, whoever asks meanwhile is answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.stores.sqlite.store import SQLiteStore
from tests.recall.changing_over import PLACES, check_changing_over


@pytest.mark.parametrize("place", PLACES)
def test_in_a_file(tmp_path: Path, place: int) -> None:
    path = tmp_path / "m.db"
    check_changing_over(SQLiteStore(path), SQLiteStore(path), place)
