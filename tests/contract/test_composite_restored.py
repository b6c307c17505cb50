"""The truth was put back from a backup and went on: its numbers come again, for other changes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from bethink.stores.composite import CompositeStore
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import Store
from bethink.stores.sqlite.store import SQLiteStore
from bethink.stores.store_retriever import StoreRetriever
from tests.contract.composites import PATIENT, QUICK, composite, ids, meaning, tell, words
from tests.contract.unruly import Unruly

TellAll = Callable[[Store], None]


class Engine(Unruly):
    """`stuck`: it cannot be emptied. It outlives the stores that use it."""

    stuck = False

    def clear(self) -> None:
        if self.stuck:
            raise ConnectionError("it ended before that")
        super().clear()

    def close(self) -> None:
        pass


@pytest.fixture
def engine() -> Engine:
    return Engine(InMemoryStore(), name="one")


@pytest.fixture
def path(quick_path: Path) -> Path:
    return quick_path / "truth.db"


def opened(path: Path, engine: Engine, *, quick: bool = False) -> CompositeStore:
    bounds = QUICK if quick else PATIENT
    store = composite(engine, truth=SQLiteStore(path), truth_answers=False, bounds=bounds)
    assert isinstance(store, CompositeStore)
    return store


def backed_up(path: Path) -> None:
    shutil.copy(path, path.with_suffix(".backup"))


def put_back(path: Path) -> None:
    for old in path.parent.glob("truth.db*"):
        if old.is_file():
            old.unlink()
        else:
            shutil.rmtree(old)
    shutil.copy(path.with_suffix(".backup"), path)


def last(path: Path) -> int:
    truth = SQLiteStore(path)
    try:
        return truth.feed().last()
    finally:
        truth.close()


def has_everything(store: CompositeStore) -> None:
    assert store.catch_up(30)
    assert sorted(ids(words(store, "alpha", limit=100))) == sorted(
        memory.id for memory in store.scan(limit=100).memories
    )
    assert store.states() == {"one": "has everything"}
    assert [check for check in store.check() if not check.ok] == []


def told_by_engines_away(path: Path, engine: Engine, tell_all: TellAll) -> None:
    """A program that uses the engine, which does not answer."""
    engine.down = True
    truth = SQLiteStore(path)
    store = composite(engine, truth=truth, bounds=QUICK)
    tell_all(truth)
    store.close()
    engine.down = False


def told_without_engines(path: Path, engine: Engine, tell_all: TellAll) -> None:
    """A program that does not know of the engine."""
    plain = SQLiteStore(path)
    tell_all(plain)
    plain.close()


def told_by_many(path: Path, engine: Engine, tell_all: TellAll) -> None:
    """Several, one after the other, of which the first changes nothing that is followed."""
    plain = SQLiteStore(path)
    plain.touch(accessed={"a": 1}, reinforced={})
    plain.close()
    told_without_engines(path, engine, tell_all)
    told_by_engines_away(path, engine, lambda store: tell(store, "alpha 最后", "last"))


def others(store: Store) -> None:
    for n in range(12):
        tell(store, f"alpha 新的 {n}", f"new{n}")


def one_again_and_again(store: Store) -> None:
    """Of all these changes the last alone is kept: nothing is there under the others' numbers."""
    for n in range(20):
        store.delete(["new"])
        tell(store, f"alpha 新的 {n}", "new")


@pytest.mark.parametrize("told", [told_by_engines_away, told_without_engines, told_by_many])
@pytest.mark.parametrize("tell_all", [others, one_again_and_again])
def test_an_engine_from_before_the_truth_was_put_back_is_made_anew(
    path: Path,
    engine: Engine,
    told: Callable[[Path, Engine, TellAll], None],
    tell_all: TellAll,
) -> None:
    store = opened(path, engine)
    for memory_id, text in (("a", "alpha 数据库"), ("b", "alpha the owner of backups")):
        tell(store, text, memory_id)
    store.close()
    backed_up(path)
    store = opened(path, engine)
    store.delete(["a"])  # after the backup: it will be there again
    for n in range(5):
        tell(store, f"alpha 丢失 lost {n}", f"lost{n}")
    store.close()
    at = engine.position()
    assert at is not None
    put_back(path)
    told(path, engine, tell_all)
    store = opened(path, engine)
    assert last(path) > at.number
    has_everything(store)
    assert ids(words(store, "数据库")) == ["a"] and ids(words(store, "backups")) == ["b"]
    assert ids(words(store, "丢失")) == []
    assert ids(meaning(store, "alpha 数据库", limit=1)) == ["a"]
    store.close()


def test_backed_up_while_a_program_had_it_open(path: Path, engine: Engine) -> None:
    """What that program told before and after is of one stretch; the backup knows its beginning."""
    store = opened(path, engine)
    tell(store, "alpha 甲", "a")
    store.finish_erasing()
    copied = SQLiteStore(path)
    with copied._database.alone() as connection:
        connection.execute("VACUUM INTO ?", (str(path.with_suffix(".backup")),))
    copied.close()
    for n in range(5):
        tell(store, f"alpha 丢失 {n}", f"lost{n}")
    store.close()
    put_back(path)
    told_without_engines(path, engine, others)
    store = opened(path, engine)
    has_everything(store)
    store.close()


@pytest.mark.parametrize("followed", [False, True])
def test_ended_before_it_was_emptied_it_is_made_anew_after_all(
    path: Path, engine: Engine, followed: bool
) -> None:
    """The backup does not know the engine: the store follows it again, and ends."""
    truth = SQLiteStore(path)
    tell(truth, "alpha 甲", "a")
    tell(truth, "alpha second", "b")
    if followed:
        truth.feed().follow("another")
    truth.close()
    backed_up(path)
    store = opened(path, engine)
    store.delete(["a"])
    for n in range(5):
        tell(store, f"alpha 丢失 {n}", f"lost{n}")
    store.close()
    put_back(path)
    engine.stuck = True
    store = opened(path, engine, quick=True)
    others(store)
    store.close()
    engine.stuck = False
    store = opened(path, engine)
    if followed:
        store.let_go("another")
    has_everything(store)
    store.close()


def test_an_engine_that_has_no_more_than_the_backup_goes_on(path: Path, engine: Engine) -> None:
    store = opened(path, engine)
    tell(store, "alpha 甲", "a")
    store.close()
    backed_up(path)
    plain = SQLiteStore(path)
    tell(plain, "alpha 丢失", "lost")
    plain.close()
    put_back(path)
    told_without_engines(path, engine, others)
    told = len(engine.applied)
    store = opened(path, engine)
    has_everything(store)
    assert set(engine.applied[told:]) == {f"new{n}" for n in range(12)}
    store.close()


def test_nothing_is_made_anew_where_nothing_was_put_back(path: Path, engine: Engine) -> None:
    """Many programs, what was told last changed again, none of them ended properly."""
    first = opened(path, engine)
    tell(first, "alpha 甲", "a")
    tell(first, "alpha before", "before")
    assert first.catch_up(30)
    for n in range(3):
        told = len(engine.applied)
        one_again_and_again(SQLiteStore(path))
        store = opened(path, engine)
        has_everything(store)
        assert set(engine.applied[told:]) == {"new"}
        tell(store, f"alpha 乙 {n}", "b" * (n + 1))
        assert store.catch_up(30)
        tell(first, f"alpha 丙 {n}", "c" * (n + 1))
        assert first.catch_up(30)
        assert "a" not in engine.applied[told:]
        has_everything(first)


def test_stretches_that_all_have_passed_are_not_kept(path: Path, engine: Engine) -> None:
    def kept() -> int:
        truth = SQLiteStore(path)
        with truth._database.read() as reader:
            count: int = reader.execute("SELECT count(*) FROM meta WHERE key GLOB 'history/*'").get
        truth.close()
        return count

    opened(path, engine).close()
    for n in range(10):
        told_without_engines(path, engine, partial(tell, text="alpha 甲", memory_id=f"m{n}"))
    assert kept() == 11
    opened(path, engine).close()
    assert kept() == 1
    store = SQLiteStore(path)
    store.feed().unfollow("one")
    store.close()
    assert kept() == 0
    told_without_engines(path, engine, others)
    assert kept() == 0


def test_followed_by_an_older_version_it_is_made_anew_once(path: Path, engine: Engine) -> None:
    store = opened(path, engine)
    tell(store, "alpha 甲", "a")
    at = engine.position()
    assert at is not None
    store.close()
    truth = SQLiteStore(path)
    with truth._database.write() as writer:
        writer.execute("DELETE FROM meta WHERE key GLOB 'history/*'")
    truth.close()
    engine._store.write_note("retriever/position", json.dumps(at[:5]))
    assert engine.position() == at._replace(history="")
    store = opened(path, engine)
    has_everything(store)
    at = engine.position()
    assert at is not None and at.history
    store.close()
    told = len(engine.applied)
    store = opened(path, engine)
    has_everything(store)
    assert len(engine.applied) == told
    store.close()


def test_an_engine_of_another_history_of_the_reference_is_made_anew() -> None:
    truth, held = InMemoryStore(), InMemoryStore()
    tell(truth, "alpha 甲", "a")
    store = composite(StoreRetriever(held, name="one"), truth=truth, bounds=PATIENT)
    tell(store, "alpha second", "b")
    retriever = StoreRetriever(held, name="one")
    at = retriever.position()
    assert at is not None
    assert at.history == truth.feed().history(at.number) != ""
    held.delete(["a"])
    retriever.set_position(at._replace(history="of a truth that was put back"))
    store = composite(retriever, truth=truth, truth_answers=False, bounds=PATIENT)
    assert sorted(ids(words(store, "alpha"))) == ["a", "b"]
    store.close()
