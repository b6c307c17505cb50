"""A store whose main file is gone is not begun anew over what is left of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bethink import Engine
from bethink.errors import StoreMissing
from bethink.stores.sqlite import large
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import ToyEmbedder, make_entry, make_memory

TOY = ToyEmbedder("toy", 16)


@pytest.fixture
def copy(quick_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a store in use, as a crash leaves them: with a log that is not emptied."""
    monkeypatch.setattr(large, "SIDECAR_FROM", 10)
    monkeypatch.setattr(large, "POSTINGS_FROM", 10)
    used, copied = quick_path / "used", quick_path / "copied"
    used.mkdir()
    with Engine(used / "m.db", embedder=TOY) as engine:
        engine.remember_many([{"text": f"预算 budget {n}"} for n in range(30)])
        engine.store.maintain()
        engine.recall("预算 budget")
        engine.events.flush()
        engine.remember("the newest 最新的")
        shutil.copytree(used, copied)
    for name in ("m.db-wal", "m.db.events"):
        assert (copied / name).stat().st_size
    return copied


@pytest.mark.parametrize("left", ["-wal", ".events", ".index"])
@pytest.mark.parametrize("empty", [False, True])
def test_what_is_left_of_a_store_is_not_discarded(copy: Path, left: str, empty: bool) -> None:
    path = copy / "m.db"
    path.unlink()
    if empty:
        path.touch()
    for other in ("-wal", ".events", ".index"):
        if other != left:
            found = copy / f"m.db{other}"
            shutil.rmtree(found) if found.is_dir() else found.unlink()
    kept = copy / f"m.db{left}"
    before = {f: f.read_bytes() for f in sorted(copy.rglob("m.db*")) if f.is_file()}
    with pytest.raises(StoreMissing, match=rf"m\.db{left} beside it.*backup.*move these away"):
        Engine(path, embedder=TOY)
    assert {f: f.read_bytes() for f in before} == before
    shutil.move(kept, copy / "elsewhere")
    Engine(path, embedder=TOY).close()  # as the message says


def test_a_new_store_begins_beside_what_is_not_ours(quick_path: Path) -> None:
    (quick_path / "m.db.index").mkdir()
    (quick_path / "m.db.index" / "notes.txt").write_text("笔记", "utf-8")
    (quick_path / "m.db-wal").touch()
    store = SQLiteStore(quick_path / "m.db")
    store.put([make_entry(make_memory("x", "x"))])
    store.close()
