"""Whenever the index is changed over, whoever asks meanwhile is answered."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bethink import Engine
from bethink.errors import FingerprintMismatch
from bethink.recall.presets import BALANCED, Preset
from bethink.stores.sqlite.store import SQLiteStore
from tests.recall.changing_over import (
    PLACES,
    ChangesOver,
    check_changing_over,
    check_explaining,
    check_one_deadline,
)


def test_a_vector_of_the_callers_own_is_not_taken_for_the_other_embedders(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "m.db")
    with Engine(store, embedder="hashing") as engine:
        engine.remember("部署在周五 the deployment is on Friday")
        embedding = store.embedding()
        assert embedding is not None
        stages = BALANCED.stages
        changes = (*stages[:5], ChangesOver(store), *stages[5:])  # behind the searches
        with pytest.raises(FingerprintMismatch):
            engine.recall(
                "部署",
                preset=Preset("changing", changes),
                vector=np.ones(embedding.dimension, np.float32),
            )


@pytest.mark.parametrize("place", PLACES)
def test_in_a_file(tmp_path: Path, place: int) -> None:
    path = tmp_path / "m.db"
    check_changing_over(SQLiteStore(path), SQLiteStore(path), place)


@pytest.mark.parametrize("place", PLACES)
def test_explaining(tmp_path: Path, place: int) -> None:
    path = tmp_path / "m.db"
    check_explaining(SQLiteStore(path), SQLiteStore(path), place)


@pytest.mark.parametrize("hot", ["none", "memory"])
def test_however_often_it_is_asked_anew_its_time_is_one(tmp_path: Path, hot: str) -> None:
    path = tmp_path / "m.db"
    check_one_deadline(SQLiteStore(path), SQLiteStore(path), hot)
