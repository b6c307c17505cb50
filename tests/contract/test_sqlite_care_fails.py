"""Files beside the database that cannot be written: tried seldom, and said."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from bethink import Engine
from bethink.stores import maintainer
from bethink.stores.sqlite import large
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import ToyEmbedder, make_entry, make_memory

TOY = ToyEmbedder()


def test_it_rests_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "bethink")
    monkeypatch.setattr(large, "SIDECAR_FROM", 5)
    monkeypatch.setattr(large, "BEHIND_AT_LEAST", 1)
    now = [0.0]
    monkeypatch.setattr(maintainer, "monotonic", lambda: now[0])
    store = SQLiteStore(tmp_path / "记忆.db")
    store.declare(TOY.embedding)
    memories = [make_memory(f"预算 budget {n}", f"m{n}") for n in range(30)]
    store.put([make_entry(one, TOY) for one in memories], fingerprint=TOY.fingerprint)
    in_the_way = large.directory(store.path)
    in_the_way.write_text("不是文件夹 no folder")

    def ask() -> None:
        for _ in range(20):
            found = store.search_meaning(
                TOY.embed(["预算 budget 3"])[0],
                fingerprint=TOY.fingerprint,
                spaces=["global"],
                where=None,
                limit=5,
            )
            assert len(found) == 5
            store._searcher.behind = True  # as another that asks for the first time notices it
            store._upkeep.maintainer.finish()

    ask()
    now[0] += 10
    ask()
    said = [record.message for record in caplog.records]
    assert len(said) == 2
    with Engine(store, embedder=TOY) as engine:
        (note,) = engine.status().notes
        assert note.startswith("index files were not brought up to date: ")
        assert note.endswith("tried again by the first question in 20 s or later")
        assert str(store.path) not in note
        (fault,) = [check for check in engine.doctor() if check.part == "maintenance"]
        assert not fault.ok and "bethink reindex --files" in fault.fix
        in_the_way.unlink()
        now[0] += 20
        assert engine.status().notes[0].endswith("It is tried again now")
        store._upkeep.maintainer.finish()
        assert engine.status().notes == ()
        assert all(check.ok for check in engine.doctor() if check.part != "disk")
