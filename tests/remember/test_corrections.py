"""Corrections win by default: a sure one supersedes, a doubtful one is marked in recall."""

from __future__ import annotations

import pytest
from benchmarks.corrections import LANGUAGES, pairs, strangers, told

from bethink import Engine
from bethink.recall.render import as_history, as_markdown, as_record, as_text
from bethink.testing import FakeClock
from bethink.vocabulary import TRUST, UNVERIFIED, Action

CASES = [
    (
        "The API timeout is 30 seconds",
        "The API timeout is now 60 seconds",
        "what is the API timeout",
    ),
    ("小美住在上海", "小美现在住在北京，不住上海了", "小美住在哪里"),
    ("Anna leads payments", "Ben leads payments now", "who leads payments"),
    ("The meeting is on Tuesday", "The meeting moves from Tuesday to Thursday", "the meeting"),
    ("例会在周二", "例会改到周四了", "例会是哪天"),
]


@pytest.mark.parametrize(("old", "new", "question"), CASES)
def test_a_sure_correction_supersedes(
    engine: Engine, clock: FakeClock, old: str, new: str, question: str
) -> None:
    former = engine.remember(old)
    before = clock.now
    clock.advance(days=1)
    receipt = engine.remember(new)
    assert receipt.action is Action.REVISED
    (note,) = receipt.notes
    assert note.startswith(f"supersedes {former.id}: {old}") and f"forget {receipt.id}" in note
    assert [hit.id for hit in engine.recall(question, floor=0).hits] == [receipt.id]
    then = engine.recall(question, floor=0, as_of=before)
    assert [hit.id for hit in then.hits] == [former.id]
    assert [one.id for one in engine.succession(receipt.id)] == [former.id, receipt.id]
    assert f"{former.id} holds again" in engine.forget(receipt.id).notes
    assert [hit.id for hit in engine.recall(question, floor=0).hits] == [former.id]
    kept = engine.get(former.id)
    assert kept is not None and kept.valid_to is None and not kept.metadata


@pytest.mark.parametrize(("old", "new", "question"), CASES)
def test_it_can_be_switched_off_and_is_found_among_many(
    engine: Engine, clock: FakeClock, old: str, new: str, question: str
) -> None:
    engine.remember(old)
    clock.advance(days=1)
    kept = engine.remember(new, merge="words")
    assert kept.action is Action.CREATED
    answer = engine.recall(question, floor=0)
    assert answer.hits[0].id == kept.id  # the newer first
    assert [hit.contradicted_by for hit in answer.hits] == ["", kept.id]
    engine.remember_many([{"text": old, "space": "many"}])
    clock.advance(days=1)
    receipts = engine.remember_many(
        [{"text": new, "space": "many"}, {"text": "tea 茶", "space": "many"}]
    )
    assert [one.action for one in receipts] == [Action.REVISED, Action.CREATED]


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("Lunch is in the canteen at noon", "Lunch is at 12:30 now, not at noon", "when is lunch"),
        ("我用VS Code写代码", "我已经不用VS Code了，换成了Neovim", "我还用 VS Code 吗"),
    ],
)
def test_where_it_is_not_sure_both_are_kept(
    engine: Engine, clock: FakeClock, old: str, new: str, question: str
) -> None:
    older = engine.remember(old)
    clock.advance(days=1)
    newer = engine.remember(new)
    assert newer.action is Action.CREATED
    assert any(note.startswith("it may correct this one") for note in newer.notes)
    answer = engine.recall(question, floor=0)
    assert [hit.id for hit in answer.hits] == [newer.id, older.id]
    assert [hit["contradicted_by"] for hit in as_record(answer)["hits"]] == ["", newer.id]
    mark = f"contradicted by the newer {newer.id}"
    assert mark in as_markdown(answer) and mark in as_text(answer)
    assert f"与较新的 {newer.id} 矛盾" in as_history(answer)
    assert f"{older.id} is contradicted by {newer.id}" in as_text(answer, explain=True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Server alpha listens on port 8080", "Server beta listens on port 9090 now"),
        ("测试库的端口是5432", "生产库的端口改成5433了"),
        ("Anna leads payments", "Anna also leads the fraud team now"),
        ("我喜欢喝绿茶", "我早上也喜欢喝咖啡"),
    ],
)
def test_what_may_both_hold_stays(engine: Engine, clock: FakeClock, old: str, new: str) -> None:
    engine.remember(old)
    clock.advance(days=1)
    assert engine.remember(new).action is Action.CREATED
    assert engine.store.count(spaces=["global"], where=None) == 2


@pytest.mark.parametrize(("old", "new", "question"), CASES[:2])
def test_whose_word_does_not_count(
    engine: Engine, clock: FakeClock, old: str, new: str, question: str
) -> None:
    former = engine.remember(old, confidence=0.9)
    clock.advance(days=1)
    for fields in (
        {"space": "other"},
        {"confidence": 0.5},
        {"speaker": "Bo"},
        {"role": "user"},
        {"provenance": {TRUST: UNVERIFIED}, "confidence": 0.95},
        {"occurred_at": "2001-01-01"},
        {"kind": "journal"},
    ):
        receipt = engine.remember(new, **fields)
        assert receipt.action is Action.CREATED, fields
        engine.forget(receipt.id)
    kept = engine.get(former.id)
    assert kept is not None and kept.valid_to is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_development_half(language: str) -> None:
    every = pairs("development", language)
    superseded = [pair.kind for pair in every if told(pair) == "superseded"]
    assert set(superseded) == {"correction"}
    assert len(superseded) >= 20
    assert strangers(every) == 0
