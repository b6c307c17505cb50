"""Whoever writes to a store that is not filled yet is told so by the receipt."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bethink import Engine
from bethink.errors import Conflict
from bethink.relocate.move import move
from bethink.relocate.unfinished import NOTE, WRITTEN
from bethink.settings import Settings
from bethink.stores.postgres.store import PostgresStore
from bethink.stores.protocol import Store
from bethink.testing import FakeClock
from bethink.testing.entries import NOON
from bethink.vocabulary import Receipt
from tests.doors.running import Cli
from tests.doors.running import cli as cli
from tests.relocate.filling import TOY
from tests.relocate.half import half_moved, half_moved_by
from tests.stores.postgres.test_connections import trips

Make = Callable[[str], Store]
STORES = ("sqlite", "postgres", "memory", "composite")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOON)


def _written(engine: Engine) -> list[Receipt]:
    """By every verb that gives a receipt."""
    told = [engine.remember("写到一半的目标里 told to the target", space="项目")]
    told += engine.remember_many([{"text": f"第 {n} 条 line {n}"} for n in range(2)])
    told.append(engine.remember("喝绿茶 drinks green tea", merge="meaning"))
    told.append(engine.revise(told[0].id, text="改过的 revised there"))
    told.append(engine.revise(told[0].id, tags=["会议"]))
    told.append(engine.reinforce(told[0].id))
    offer = engine.offer("We deploy on Mondays, after the tests 我们周一测试之后才部署，从不在周五")
    told += engine.promote(offer.id)
    told += [engine.forget(one) for one in {receipt.id: None for receipt in told}]
    return told


@pytest.mark.parametrize("to", STORES)
def test_every_receipt_says_it_until_the_move_is_finished(
    make: Make, clock: FakeClock, to: str
) -> None:
    source, target = make("memory"), make(to)
    half_moved(source, target, clock)
    with Engine(target, embedder=TOY, clock=clock) as engine:
        told = engine.remember("只在目标里 in the target alone", id="陌生")
        assert told.notes == (WRITTEN,)
        with pytest.raises(Conflict, match="陌生"):  # and what it says is so
            move(source, target, clock=clock)
        assert engine.forget("陌生").notes[-1] == WRITTEN
        for receipt in _written(engine):
            assert receipt.notes.count(WRITTEN) == 1, receipt
        assert engine.forget("global-3").notes[-1] == WRITTEN
        assert move(source, target, clock=clock).proof.holds
        assert engine.get("global-3") is not None  # it came back
        for receipt in _written(engine):
            assert WRITTEN not in receipt.notes, receipt


def test_a_usual_write_makes_no_trip_for_it(make: Make, clock: FakeClock) -> None:
    store = make("postgres")
    assert isinstance(store, PostgresStore)
    with Engine(store, embedder=TOY, clock=clock) as engine:
        writer = engine._parts.writer
        kits = {"warned": writer._kit, "not": writer._kit._replace(warning=None)}
        made: dict[str, list[int]] = {name: [] for name in kits}
        for n in range(12):  # at first statements are prepared, and now and then words merged
            for name, kit in kits.items():
                writer._kit = kit
                with trips(store) as counted:
                    engine.remember(f"第 {n} 条 {name} line {n}")
                made[name] += counted
        assert min(made["warned"]) == min(made["not"])
        writer._kit = kits["warned"]
        store.write_note(NOTE, "{}")
        assert engine.remember("又一条 one more").notes == (WRITTEN,)


def test_the_commands_say_it(cli: Cli, tmp_path: Path) -> None:
    there = half_moved_by(cli, tmp_path)
    told = cli("remember", "记在一半里 told to a part", "--json")
    assert told.json["notes"] == [WRITTEN] and WRITTEN in told.err
    made = told.json["id"]
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps({"text": "一行 a line"}), encoding="utf-8")
    notes = tmp_path / "notes.md"
    notes.write_text("# 计划\n\nthe plan\n", encoding="utf-8")
    for words in (
        ["remember", "--jsonl", str(lines)],
        ["revise", made, "改过 revised"],
        ["reinforce", made],
        ["offer", "我们从下周起只在周一部署 from next week on we deploy on Mondays only"],
        ["import", str(notes), "--space", "计划"],
        ["forget", "--space", "计划", "--yes"],
        ["forget", made, "--text"],
    ):
        ran = cli(*words)
        assert ran.code == 0 and ran.err.count(WRITTEN) == 1, (words, ran)
    elsewhere = cli("remember", "别处 elsewhere", "--store", there, "--json")
    assert elsewhere.json["notes"] == [] and WRITTEN not in elsewhere.err


def test_words_alone_say_it_too(make: Make, clock: FakeClock) -> None:
    store = make("sqlite")
    store.write_note(NOTE, "{}")
    with Engine(store, settings=Settings(embedder="none"), clock=clock) as engine:
        assert engine.remember("没有向量 without vectors").notes == (WRITTEN,)
        assert engine.remember("没有向量 without vectors").notes == (WRITTEN,)  # told again
