"""A target that is used before the move to it is finished: it says so, and loses nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.errors import Conflict, StoreBusy, StoreUnavailable
from bethink.relocate.move import move
from bethink.relocate.proof import contents
from bethink.relocate.unfinished import NOTE, UNFINISHED
from bethink.settings import Settings
from bethink.stores.movable import MovableStore
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.protocol import Store
from bethink.stores.sqlite.store import SQLiteStore
from bethink.testing import FakeClock, make_entry, make_memory, make_offer
from bethink.testing.entries import NOON
from tests.doors.running import Cli
from tests.doors.running import cli as cli
from tests.relocate.filling import fill
from tests.relocate.half import Stopped, half_moved, stop
from tests.servers.postgres_server import PostgresServer

Make = Callable[[str], Store]
LATER = NOON + timedelta(minutes=5)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOON)


@pytest.mark.parametrize("to", ["sqlite", "postgres", "memory"])
def test_what_was_told_there_meanwhile_is_named_and_stays(
    make: Make, clock: FakeClock, to: str
) -> None:
    source, target = make("memory"), make(to)
    half_moved(source, target, clock)
    clock.advance(minutes=5)
    told = make_memory("写到一半的目标里 told to the target", "陌生", created_at=LATER)
    target.put([make_entry(told)])
    offered = make_offer("有人在那里提的 offered there", "提")
    offered = replace(offered, memory=replace(offered.memory, created_at=LATER))
    target.tiers().quarantine.log([offered])
    target.tiers().working.add([offered.memory], now=clock(), keep=50, seconds=9e4)
    with pytest.raises(Conflict) as refused:
        move(source, target, clock=clock)
    said = "only there are 1 memories (陌生), 1 offers (提), 1 recent ones (提)"
    assert said in str(refused.value)
    assert target.get(["陌生"]) == [told]
    assert target.tiers().quarantine.get(["提"]) == [offered]
    assert target.tiers().working.get(["提"], now=clock()) == [offered.memory]
    target.delete(["陌生"])
    target.tiers().quarantine.erase(["提"])
    target.tiers().working.remove(["提"])
    done = move(source, target, clock=clock)
    assert done.proof.holds and done.resumed and NOTE not in target.notes()


def test_many_are_counted_and_a_few_are_named(make: Make, clock: FakeClock) -> None:
    source, target = make("memory"), make("memory")
    half_moved(source, target, clock)
    target.put(
        [make_entry(make_memory(f"第 {n} 条 line", f"x{n}", created_at=LATER)) for n in range(7)]
    )
    with pytest.raises(Conflict, match=r"7 memories \(x0, x1, x2, x3, x4, …\)"):
        move(source, target, clock=clock)


def test_what_was_only_read_there_is_brought_back(make: Make, clock: FakeClock) -> None:
    """Asking counts, and what the target counted alone is no part of the copy."""
    source, target = make("sqlite"), make("sqlite")
    half_moved(source, target, clock)
    target.touch(accessed={"global-3": 4, "项目-5": 1}, reinforced={"global-4": 1})
    done = move(source, target, clock=clock)
    assert done.proof.holds and target.get(["global-3"]) == source.get(["global-3"])


def test_a_target_that_is_asked_all_the_while_is_said(
    make: Make, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = make("memory"), make("memory")
    fill(source)
    honest = contents
    numbers = iter(range(1, 100))

    def looking(store: MovableStore, **named: Any) -> object:
        if store is target:
            target.touch(accessed={"global-3": next(numbers)}, reinforced={})
        return honest(store, **named)

    with monkeypatch.context() as busy:
        busy.setattr("bethink.relocate.move.contents", looking)
        with pytest.raises(StoreBusy, match="the target is used while it is filled"):
            move(source, target, clock=clock)
    assert move(source, target, clock=clock).proof.holds


def test_a_server_that_is_lost_in_the_middle_is_said_and_gone_on_with(
    make: Make, clock: FakeClock
) -> None:
    source = make("memory")
    fill(source)
    with PostgresServer.started() as server:
        target = PostgresStore(server.new_database(), tenant="搬家")
        lose = iter([True])

        def crash(done: int, total: int | None) -> None:
            if next(lose, False):
                server.stop("immediate")

        with pytest.raises(StoreUnavailable) as lost:
            move(source, target, clock=clock, progress=crash)
        said = str(lost.value)
        assert said.startswith("the move was cut short: postgresql://")
        assert said.endswith("run the same move: it goes on where it stopped")
        assert "decision" not in said
        server.start()
        assert move(source, target, clock=clock).proof.holds
        target.close()


def test_status_and_doctor_say_it_until_it_is_finished(
    cli: Cli, tmp_path: Path, clock: FakeClock
) -> None:
    source, target = SQLiteStore(tmp_path / "source.db"), SQLiteStore(tmp_path / "memory.db")
    half_moved(source, target, clock)
    source.close()
    target.close()
    with Engine(tmp_path / "memory.db", settings=Settings(embedder="none")) as engine:
        assert [note for note in engine.status().notes if UNFINISHED in note]
    assert UNFINISHED in cli("status", "--text").out
    checked = cli("doctor", "--text")
    assert checked.code == 1 and f"FAIL  move: {UNFINISHED}" in checked.out
    assert cli("move", str(tmp_path / "source.db"), str(tmp_path / "memory.db")).code == 0
    assert UNFINISHED not in cli("status", "--text").out
    assert UNFINISHED not in cli("doctor", "--text").out


def test_an_import_of_old_memories_and_a_setting_outlive_the_move(cli: Cli, tmp_path: Path) -> None:
    """Through the commands that people use."""
    there, here = str(tmp_path / "source.db"), str(tmp_path / "memory.db")
    assert cli("remember", "预算会议改到周五 the budget meeting", "--store", there).code == 0
    source, target = SQLiteStore(there), SQLiteStore(here)
    with pytest.raises(Stopped):
        move(source, target, progress=stop)
    source.close()
    target.close()
    told = {"id": "1", "memory": "喜欢绿茶 likes green tea", "created_at": "2015-01-01T00:00:00Z"}
    old = tmp_path / "old.json"
    old.write_text(json.dumps({"results": [{**told, "user_id": "mei"}]}), encoding="utf-8")
    imported = cli("import", str(old), "--own-spaces", "--json")
    assert imported.json["created"] == 1, imported.err
    assert cli("config", "set", "limit", "7", "--of-store").code == 0
    refused = cli("move", there, here, "--json")
    assert (refused.code, refused.error["code"]) == (4, "conflict")
    assert "1 memories (" in refused.error["message"]
    assert "1 notes (settings/limit)" in refused.error["message"]
    listed = cli("list", "--space", "mei", "--json").out
    assert "喜欢绿茶" in listed and "2015-01-01" in listed
    target = SQLiteStore(here)
    assert target.notes("settings/") == {"settings/limit": "7"}
    target.close()


def test_a_store_becomes_a_tenant_of_another(cli: Cli, tmp_path: Path) -> None:
    """Of one that has a store of its own already, and under a name that was not there."""
    assert cli("remember", "研发部的预算是三百万 budget").code == 0
    mine, theirs = str(tmp_path / "memory.db"), str(tmp_path / "server.db")
    assert cli("remember", "服务器自己的 its own", "--store", theirs).code == 0
    assert cli("move", mine, theirs).code == 4
    unknown = cli("move", mine, theirs, "--tenant", "研发部", "--json")
    assert (unknown.code, unknown.error["code"]) == (3, "not_found")
    assert "has no tenant '研发部'" in unknown.error["message"]
    assert cli("move", mine, theirs, "--to-tenant", "研发部").code == 0
    assert cli("move", mine, theirs, "--to-tenant", "研发部", "--verify").code == 0
    assert "研发部" in cli("tenants", "list", "--store", theirs, "--text").out
    back = str(tmp_path / "back.db")
    assert cli("move", theirs, back, "--tenant", "研发部", "--to-tenant", "default").code == 0
    assert "研发部的预算" in cli("list", "--store", back, "--text").out
    assert "its own" in cli("list", "--store", theirs, "--text").out
    # a copy beside it, under another name
    assert cli("move", theirs, theirs, "--tenant", "研发部", "--to-tenant", "二部").code == 0
    same = cli("move", theirs, theirs, "--tenant", "二部", "--json")
    assert (same.code, same.error["code"]) == (2, "invalid_input")
