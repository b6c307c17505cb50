"""A generation is another as soon as an answer could be another; and when it changes by itself."""

from __future__ import annotations

import itertools
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from bethink import Engine
from bethink.errors import UnknownSpace
from bethink.stores.protocol import KeepsGenerations
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import FakeClock
from bethink.testing.entries import NOON, make_memory
from bethink.testing.generations import run_generation_programs
from tests.engines_of_tests import STORES, engine_on


def known(engine: Engine) -> KeepsGenerations:
    assert isinstance(engine.store, KeepsGenerations)
    return engine.store


def test_random_programs(tmp_path: Path) -> None:
    numbers = itertools.count()
    run_generation_programs(lambda: SQLiteStore(tmp_path / f"{next(numbers)}.db"), examples=40)


@pytest.fixture(params=STORES)
def plain(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Engine:
    return engine_on(request.param, tmp_path, embedder="none", clock=clock)


def test_a_write_elsewhere_changes_nothing_here(plain: Engine) -> None:
    with plain:
        plain.remember("Mei likes tea", space="work")
        plain.remember("小美喜欢茶", space="家")
        before = known(plain).generation(["家"]), known(plain).generation(["work", "家"])
        plain.remember("Mei likes coffee too", space="work")
        assert known(plain).generation(["家"]) == before[0]
        assert known(plain).generation(["work", "家"]) != before[1]
        with pytest.raises(UnknownSpace):
            known(plain).generation(["nowhere"])


def test_counting_accesses_changes_nothing(plain: Engine) -> None:
    with plain:
        receipt = plain.remember("预算 is 42")
        before = known(plain).generation(["global"])
        plain.store.touch(accessed={receipt.id: 3}, reinforced={})
        assert known(plain).generation(["global"]) == before
        plain.reinforce(receipt.id)
        assert known(plain).generation(["global"]) != before


def test_what_no_index_holds_is_noticed_too(plain: Engine) -> None:
    with plain:
        receipt = plain.remember("预算 is 42")
        seen = [known(plain).generation(["global"])]
        plain.revise(receipt.id, tags=["钱"])
        seen.append(known(plain).generation(["global"]))
        working = plain.store.tiers().working
        working.add([make_memory("刚刚", "r")], now=NOON, keep=9, seconds=60)
        seen.append(known(plain).generation(["global"]))
        working.add([make_memory("just now", "r")], now=NOON, keep=9, seconds=60)
        seen.append(known(plain).generation(["global"]))
        assert len(set(seen)) == 4
        working.remove(["r"])
        assert known(plain).generation(["global"]) == seen[1]


def test_what_changes_by_itself(plain: Engine, clock: FakeClock) -> None:
    with plain:
        store, now = known(plain), clock()
        assert store.changes_by_itself(["global"], after=now) is None
        plain.remember("始于明天", valid_from=now + timedelta(days=1))
        plain.remember("until later", valid_to=now + timedelta(hours=5))
        plain.remember("elsewhere", space="项目", valid_to=now + timedelta(hours=1))
        assert store.changes_by_itself(["global"], after=now) == now + timedelta(hours=5)
        after = now + timedelta(hours=5)
        assert store.changes_by_itself(["global"], after=after) == now + timedelta(days=1)
        recent = make_memory("刚刚", "r")
        plain.store.tiers().working.add([recent], now=now, keep=9, seconds=60)
        soon = now + timedelta(minutes=1)
        assert store.changes_by_itself(["global"], after=now) == soon
        assert store.changes_by_itself(["global"], after=soon) == now + timedelta(hours=5)


def test_a_copy_and_a_backup_have_generations_of_their_own(tmp_path: Path) -> None:
    """Both went on from the same file; neither may be taken for the other."""
    path, copied = tmp_path / "a.db", tmp_path / "b.db"
    with Engine(path, embedder="none") as engine:
        engine.remember("the same in both 两边一样")
    shutil.copy(path, copied)
    told: list[str] = []
    identities: list[str] = []
    for file, text in ((path, "then here 这里"), (copied, "then there 那里")):
        with Engine(file, embedder="none") as engine:
            engine.remember(text)
            told.append(known(engine).generation(["global"]))
            identities.append(known(engine).identity())
    assert len(set(told)) == len(set(identities)) == 2
    with Engine(path, embedder="none") as engine:
        assert known(engine).generation(["global"]) == told[0]
        assert known(engine).identity() == identities[0]
