"""Forgetting overwrites and deletes only what Bethink wrote: no link is followed, and nobody else's
file is changed, wherever it lies."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink import Engine
from bethink.errors import StoreError
from bethink.settings import Settings
from bethink.stores.sqlite import large
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import ToyEmbedder
from bethink.vocabulary import Check

TOY = ToyEmbedder("toy", 16)
THESIS = "毕业论文第一章 the first chapter of my thesis\n"
TEXTS = [f"ordinary thing {n}" for n in range(30)] + [f"普通的事情第 {n} 件" for n in range(30)]


@pytest.fixture(params=["small", "large"])
def store(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, quick_path: Path
) -> Iterator[Path]:
    """With all rows in the database, and with files of vectors, words and a quantiser."""
    if request.param == "large":
        monkeypatch.setattr(large, "SIDECAR_FROM", 10)
        monkeypatch.setattr(large, "POSTINGS_FROM", 10)
        monkeypatch.setattr(large, "PQ_FROM", 40)
        monkeypatch.setattr(large, "SCANS_BEFORE_PQ", 0)
        monkeypatch.setattr(large, "BEHIND_AT_LEAST", 5)
    yield quick_path / "m.db"


def opened(store: Path) -> Engine:
    return Engine(store, embedder=TOY, settings=Settings(keep_events=0))


def maintain(engine: Engine) -> None:
    """Bring index files up to date. A folder that is not ours is named."""
    folder = large.directory(Path(engine.store.path))  # type: ignore[attr-defined]
    needed = len(TEXTS) > large.SIDECAR_FROM
    if needed and (folder.is_symlink() or folder.is_file()):
        with pytest.raises(StoreError, match="is left alone"):
            engine.store.maintain()
    else:
        engine.store.maintain()


def forget_and_revise(engine: Engine) -> None:
    """Every way by which text goes, with index files where the space is large enough."""
    engine.remember_many([{"text": text} for text in TEXTS])
    maintain(engine)
    secret = engine.remember("the door code is 4711 门禁密码").id
    engine.revise(secret, text="the door code is 4712 门禁新密码")
    maintain(engine)
    engine.forget(secret)
    engine.remember("gone soon 很快删除", space="diary")
    engine.forget_space("diary")
    found = engine.recall("普通的事情第 3 件", floor=0.0).hits
    assert found and found[0].memory.text == "普通的事情第 3 件"
    assert engine.list(limit=100).memories[0].text in TEXTS


def index_check(engine: Engine) -> Check:
    return next(check for check in engine.store.check() if check.part == "index files")


def test_a_link_and_foreign_files_in_the_index_folder_are_left_alone(
    store: Path, quick_path: Path
) -> None:
    thesis = quick_path / "thesis.txt"
    thesis.write_text(THESIS, "utf-8")
    folder = large.directory(store)
    folder.mkdir()
    (folder / "a").symlink_to(thesis)
    (folder / "笔记.txt").write_text(THESIS, "utf-8")
    (folder / "draft.new").write_text(THESIS, "utf-8")
    (folder / "lost+found").mkdir()
    os.mkfifo(folder / "pipe")
    with opened(store) as engine:
        forget_and_revise(engine)
        check = index_check(engine)
    assert thesis.read_text("utf-8") == THESIS
    assert (folder / "a").is_symlink()
    assert (folder / "笔记.txt").read_text("utf-8") == THESIS
    assert (folder / "draft.new").read_text("utf-8") == THESIS
    assert (folder / "lost+found").is_dir()
    assert check.ok
    for name in ("'a' (it is a link)", "笔记.txt", "lost+found", "pipe"):
        assert name in check.finding


def test_links_that_have_a_name_of_ours_are_not_followed(store: Path, quick_path: Path) -> None:
    thesis = quick_path / "thesis.txt"
    thesis.write_text(THESIS, "utf-8")
    folder = large.directory(store)
    folder.mkdir()
    names = (
        "words-1-0123456789ab-1f.postings",
        "vectors_1-1-0123456789ab.f32",
        "vectors_1-1-0123456789ab-1f.ids.new",
    )
    for name in names[:2]:
        (folder / name).symlink_to(thesis)
    os.link(thesis, folder / names[2])
    with opened(store) as engine:
        forget_and_revise(engine)
        check = index_check(engine)
    assert thesis.read_text("utf-8") == THESIS
    assert all(os.path.lexists(folder / name) for name in names)
    assert not check.ok
    for told in (*names, "it is a link", "hard link", "remove it by hand"):
        assert told in check.finding


def test_an_index_folder_that_is_a_link_is_not_used(store: Path, quick_path: Path) -> None:
    home = quick_path / "home"
    home.mkdir()
    kept = {"thesis.txt": THESIS, "words-1-0123456789ab-1f.postings": THESIS}
    for name, text in kept.items():
        (home / name).write_text(text, "utf-8")
    large.directory(store).symlink_to(home)
    with opened(store) as engine:
        forget_and_revise(engine)
        check = index_check(engine)
    assert {path.name: path.read_text("utf-8") for path in home.iterdir()} == kept
    assert not check.ok
    assert "it is a link" in check.finding and "move it away" in check.fix


def test_a_file_in_the_place_of_the_index_folder_is_left_alone(store: Path) -> None:
    large.directory(store).write_text(THESIS, "utf-8")
    with opened(store) as engine:
        forget_and_revise(engine)
        assert not index_check(engine).ok
    assert large.directory(store).read_text("utf-8") == THESIS


@pytest.mark.parametrize("store", ["large"], indirect=True)
def test_a_copy_by_hard_links_is_not_changed(store: Path, quick_path: Path) -> None:
    """A snapshot as `cp -al` makes it shares its files with ours."""
    with opened(store) as engine:
        engine.remember_many([{"text": text} for text in TEXTS])
        secret = engine.remember("the door code is 4711 门禁密码").id
        engine.store.maintain()
        snapshot = quick_path / "snapshot"
        shutil.copytree(large.directory(store), snapshot, copy_function=os.link)
        before = {path.name: path.read_bytes() for path in snapshot.iterdir()}
        assert before
        engine.forget(secret)
        engine.store.maintain()
        assert {path.name: path.read_bytes() for path in snapshot.iterdir()} == before
        assert "hard link" in index_check(engine).finding
        shutil.rmtree(snapshot)  # now they are ours alone, and go with the next maintenance
        engine.store.maintain()
        assert index_check(engine).ok
        assert not {path.name for path in large.directory(store).iterdir()} & set(before)
        (first, *_) = engine.recall("普通的事情第 3 件", floor=0.0).hits
        assert first.memory.text == "普通的事情第 3 件"


@pytest.mark.parametrize("store", ["large"], indirect=True)
def test_a_folder_moved_behind_a_link_is_not_read_after_something_was_forgotten(
    store: Path, quick_path: Path
) -> None:
    with opened(store) as engine:
        engine.remember_many([{"text": text} for text in TEXTS])
        secret = engine.remember("the door code is 4711 门禁密码").id
        engine.store.maintain()
    moved = quick_path / "bigger disk"
    shutil.move(large.directory(store), moved)
    large.directory(store).symlink_to(moved)
    before = {path.name: path.read_bytes() for path in moved.iterdir()}
    with opened(store) as engine:
        engine.forget(secret)
        found = engine.recall("the door code is 4711 门禁密码", floor=0.0).hits
        assert all("4711" not in hit.memory.text for hit in found)
    assert {path.name: path.read_bytes() for path in moved.iterdir()} == before
    listed = SQLiteStore(store)
    with listed._database.read() as reader:
        assert reader.execute("SELECT count(*) FROM sidecars").get == 0
    listed.close()
