"""Verbs of the façade that write, on the reference store and on SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bethink import Action, Engine, Status
from bethink.errors import Conflict, InvalidInput, NotFound, UnknownSpace
from bethink.remember.pipeline import BATCH
from bethink.settings import Settings
from bethink.testing import FakeClock
from tests.engines_of_tests import existing

ENGLISH, CHINESE = "Mei prefers dark mode.", "小美喜欢深色主题。"
BOTH = pytest.mark.parametrize("text", [ENGLISH, CHINESE], ids=["English", "Chinese"])


# Remember


@BOTH
def test_remember(engine: Engine, clock: FakeClock, text: str) -> None:
    receipt = engine.remember(text, tags=["ui"], kind="decision", metadata={"a": 1})
    assert (receipt.action, receipt.space, receipt.passages) == (Action.CREATED, "global", 1)
    assert receipt.embedded
    assert receipt.notes == ()
    memory = existing(engine, receipt.id)
    assert (memory.text, memory.tags, memory.kind) == (text, ("ui",), "decision")
    assert memory.created_at == memory.updated_at == clock.now


@BOTH
def test_told_again_is_reinforced_not_repeated(engine: Engine, clock: FakeClock, text: str) -> None:
    first = engine.remember(text)
    clock.advance(days=1)
    again = engine.remember(f"  {text}\n", tags=["other"])
    assert (again.action, again.id) == (Action.REINFORCED, first.id)
    memory = existing(engine, first.id)
    assert memory.reinforcement == 1
    assert memory.updated_at == memory.created_at
    assert memory.tags == ()
    assert engine.remember(text, space="elsewhere").action is Action.CREATED
    assert engine.remember(text, kind="decision").action is Action.CREATED
    assert [info.memories for info in engine.spaces()] == [1, 2]


def test_told_twice_in_one_batch(engine: Engine) -> None:
    receipts = engine.remember_many([{"text": ENGLISH}, {"text": CHINESE}, {"text": ENGLISH}])
    actions = [receipt.action for receipt in receipts]
    assert actions == [Action.CREATED, Action.CREATED, Action.REINFORCED]
    assert receipts[2].id == receipts[0].id


def test_ids_of_ones_own(engine: Engine) -> None:
    assert engine.remember(ENGLISH, id="我的-1").id == "我的-1"
    assert engine.remember(ENGLISH, id="我的-1").action is Action.UNCHANGED
    assert engine.remember(ENGLISH, id="我的-2").action is Action.CREATED
    assert existing(engine, "我的-1").reinforcement == 0
    with pytest.raises(Conflict, match="use 'revise' to change it, or another id"):
        engine.remember(CHINESE, id="我的-1")
    with pytest.raises(Conflict):
        engine.remember(ENGLISH, id="我的-1", space="elsewhere")
    assert existing(engine, "我的-1").text == ENGLISH


def test_a_batch_is_all_or_nothing(engine: Engine) -> None:
    engine.remember(ENGLISH, id="taken")
    with pytest.raises(Conflict):
        engine.remember_many([{"text": "one"}, {"text": "two", "id": "taken"}, {"text": "three"}])
    with pytest.raises(InvalidInput, match="item 2: text is empty"):
        engine.remember_many([{"text": "one"}, {"text": " "}])
    with pytest.raises(InvalidInput, match="item 3: expected an object with a 'text', got int"):
        engine.remember_many([{"text": "one"}, {"text": "two"}, 3])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="expected a list of texts or objects, got str"):
        engine.remember_many(CHINESE)
    assert engine.status().memories == 1


def test_a_batch_may_be_plain_texts(engine: Engine) -> None:
    receipts = engine.remember_many([CHINESE, {"text": ENGLISH, "kind": "preference"}])
    assert [engine.get(one.id).text for one in receipts] == [CHINESE, ENGLISH]  # type: ignore[union-attr]
    assert len(engine.remember_many(f"第 {n} 条" for n in range(3))) == 3


def test_a_stream_passes_over_what_is_refused(engine: Engine) -> None:
    refused: list[tuple[int, str]] = []
    receipts = list(
        engine.remember_stream(
            [{"text": "one"}, {"text": ""}, {"nonsense": 1}, {"text": "二"}],
            refused=lambda number, fault: refused.append((number, str(fault))),
        )
    )
    assert len(receipts) == 2
    assert [number for number, _ in refused] == [2, 3]
    assert "unknown field 'nonsense'" in refused[1][1]


def test_a_stream_gives_receipts_batch_by_batch(engine: Engine) -> None:
    taken = 0

    def endless() -> Iterator[dict[str, Any]]:
        nonlocal taken
        while True:
            taken += 1
            yield {"text": f"fact {taken} 事实"}

    stream = engine.remember_stream(endless())
    first = next(stream)
    assert taken == BATCH
    assert existing(engine, first.id).text == "fact 1 事实"
    stream.close()


def test_progress(engine: Engine) -> None:
    seen: list[tuple[int, int | None]] = []
    told = [{"text": f"fact {n}"} for n in range(BATCH + 10)]
    engine.remember_many(told, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(BATCH, BATCH + 10), (BATCH + 10, BATCH + 10)]
    assert engine.remember_many([]) == []


def test_the_default_space_is_the_settings(tmp_path: Path) -> None:
    with Engine.in_memory(settings=Settings(space="工作", embedder="none")) as engine:
        for told in ({}, {"space": ""}, {"space": None}):
            assert engine.remember_many([{"text": f"fact {told}", **told}])[0].space == "工作"
        assert engine.remember(ENGLISH).space == "工作"
        assert engine.recall("mode").hits[0].text == ENGLISH
        assert len(engine.list().memories) == 4


@pytest.mark.parametrize("space", ["a b", 0, ["x"], "\ud800"])
def test_a_bad_space_is_refused(engine: Engine, space: Any) -> None:
    with pytest.raises(InvalidInput, match="is no name for a space"):
        engine.remember_many([{"text": ENGLISH, "space": space}])


def test_a_long_text_has_passages(engine: Engine) -> None:
    text = "".join(f"第{n}条：预算是{n}元。Item {n} costs {n} euros.\n" for n in range(100))
    receipt = engine.remember(text)
    assert receipt.passages > 5
    hit = engine.recall("第77条 预算").hits[0]
    assert "第77条" in hit.text
    assert text[hit.passage.start : hit.passage.end] == hit.text
    assert hit.memory.text == text


# Revise


@BOTH
def test_revise_keeps_the_history(engine: Engine, clock: FakeClock, text: str) -> None:
    kept = engine.remember(text, tags=["ui"], metadata={"a": 1})
    clock.advance(days=1)
    receipt = engine.revise(kept.id, text="Mei prefers light mode. 浅色。", confidence=0.5)
    assert (receipt.action, receipt.id) == (Action.REVISED, kept.id)
    clock.advance(days=1)
    engine.revise(kept.id, tags=["界面"], section="s")
    memory = existing(engine, kept.id)
    assert memory.text == "Mei prefers light mode. 浅色。"
    assert (memory.tags, memory.section, memory.confidence) == (("界面",), "s", 0.5)
    assert memory.metadata == {"a": 1}
    assert memory.updated_at == clock.now
    assert memory.created_at == clock.now - timedelta(days=2)
    newest, oldest = engine.history(kept.id)
    assert (oldest.memory.text, oldest.memory.confidence) == (text, 1.0)
    assert oldest.replaced_at == clock.now - timedelta(days=1)
    assert (newest.memory.tags, newest.replaced_at) == (("ui",), clock.now)
    assert engine.recall("light", meaning=False).hits[0].id == kept.id
    assert engine.recall("浅色", meaning=False).hits[0].id == kept.id
    assert not engine.recall("dark 深色", meaning=False).hits


def test_a_field_can_be_cleared(engine: Engine) -> None:
    kept = engine.remember(ENGLISH, valid_to="2027-01-01", tags=["a"], source="chat")
    engine.revise(kept.id, valid_to=None, tags=[], source="")
    memory = existing(engine, kept.id)
    assert (memory.valid_to, memory.tags, memory.source) == (None, (), "")


def test_revising_moves_the_identity(engine: Engine) -> None:
    kept = engine.remember(ENGLISH)
    engine.revise(kept.id, text=CHINESE)
    assert engine.remember(CHINESE).id == kept.id
    assert engine.remember(ENGLISH).action is Action.CREATED


def test_accesses_are_counted_before_the_history_is_written(engine: Engine) -> None:
    kept = engine.remember(ENGLISH)
    engine.recall("dark")
    engine.revise(kept.id, text=CHINESE)
    assert existing(engine, kept.id).access_count == 1
    assert engine.history(kept.id)[0].memory.access_count == 1


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, "nothing to revise; give a text or another field"),
        ({"text": ""}, "text is empty"),
        ({"text": None}, "needs a 'text'"),
        ({"colour": 1}, "unknown field 'colour'"),
        ({"confidence": 2}, "from 0 to 1"),
        ({"id": "x"}, "id cannot be revised"),
        ({"space": "x"}, "space cannot be revised"),
        ({"created_at": "2026-01-01"}, "created_at cannot be revised"),
        ({"updated_at": "2026-01-01"}, "updated_at cannot be revised"),
    ],
)
def test_bad_revisions_change_nothing(engine: Engine, fields: dict[str, Any], says: str) -> None:
    kept = engine.remember(ENGLISH)
    before = existing(engine, kept.id)
    with pytest.raises(InvalidInput, match=says):
        engine.revise(kept.id, **fields)
    assert existing(engine, kept.id) == before
    assert list(engine.history(kept.id)) == []


# Reinforce, forget


def test_reinforce(engine: Engine, clock: FakeClock) -> None:
    kept = engine.remember(ENGLISH)
    clock.advance(days=1)
    assert engine.reinforce(kept.id).action is Action.REINFORCED
    engine.reinforce(kept.id, times=4)
    memory = existing(engine, kept.id)
    assert memory.reinforcement == 5
    assert memory.updated_at < clock.now
    for times in (0, -1, True, 1.5, "2", 10**5_000):
        with pytest.raises(InvalidInput, match="times: expected a whole number from 1"):
            engine.reinforce(kept.id, times=times)  # type: ignore[arg-type]


@BOTH
def test_forget_means_gone(engine: Engine, text: str) -> None:
    kept = engine.remember(text)
    engine.revise(kept.id, text=text + " Really. 真的。")
    other = engine.remember("something else")
    engine.recall("mode 主题")
    assert engine.forget(kept.id).action is Action.FORGOTTEN
    assert engine.get(kept.id) is None
    assert [hit.id for hit in engine.recall("mode 主题 really").hits] == [other.id]
    assert engine.status().memories == 1
    assert engine.remember(text).action is Action.CREATED


@pytest.mark.parametrize("verb", ["revise", "forget", "reinforce", "history"])
@pytest.mark.parametrize("memory_id", ["nobody", "没有", "", "a b", "\0", "\ud800", "\u200b"])
def test_what_is_not_there_is_not_found(engine: Engine, verb: str, memory_id: str) -> None:
    engine.remember(ENGLISH)
    options = {"text": "x"} if verb == "revise" else {}
    with pytest.raises(NotFound, match="no memory has the id"):
        getattr(engine, verb)(memory_id, **options)
    assert engine.get(memory_id) is None
    assert engine.status().memories == 1


def test_an_id_is_text(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match="an id is text, got int"):
        engine.get(5)  # type: ignore[arg-type]


def test_forget_a_space(engine: Engine) -> None:
    engine.remember_many([{"text": f"fact {n}", "space": "工作"} for n in range(3)])
    engine.remember(ENGLISH)
    assert engine.forget_space("工作") == 3
    assert [info.name for info in engine.spaces()] == ["global"]
    assert engine.recall("fact", spaces="工作").status is Status.EMPTY
    with pytest.raises(UnknownSpace, match="there is no space '工作'; known: global"):
        engine.forget_space("工作")
    with pytest.raises(InvalidInput, match="is no name for a space"):
        engine.forget_space("")
    assert engine.forget_space("global") == 1
    assert engine.recall("anything").hits == ()
