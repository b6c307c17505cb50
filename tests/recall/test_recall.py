"""Asking, from the question to the answer: statuses, trace, counting, filters, walls."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine, Status
from bethink.errors import InvalidInput
from bethink.filters import Condition
from bethink.testing import FakeClock
from tests.embedders_of_tests import Letters

ENGLISH, CHINESE = "Mei prefers dark mode in every editor.", "小美在所有编辑器里都喜欢深色主题。"


BOTH = pytest.mark.parametrize(
    ("text", "question"),
    [(ENGLISH, "which mode does Mei prefer?"), (CHINESE, "小美喜欢什么主题？")],
    ids=["English", "Chinese"],
)


# One status each


@BOTH
def test_answered(engine: Engine, text: str, question: str) -> None:
    engine.remember_many([{"text": ENGLISH}, {"text": CHINESE}, {"text": "It rained. 下雨了。"}])
    answer = engine.recall(question)
    assert answer.status is Status.ANSWERED
    assert answer.reasons == ()
    assert answer.hits[0].text == text
    assert set(answer.hits[0].channels) == {"meaning", "words"}
    assert answer


@pytest.mark.parametrize("question", ["anything at all", "有什么吗", "???", "🙂"])
def test_empty(engine: Engine, question: str) -> None:
    answer = engine.recall(question)
    assert answer.status is Status.EMPTY
    assert answer.hits == ()
    assert answer.tokens_left == answer.query.budget
    assert not answer


@BOTH
def test_degraded_by_a_budget_that_nothing_fits(engine: Engine, text: str, question: str) -> None:
    engine.remember(text)
    answer = engine.recall(question, budget=2)
    assert answer.status is Status.DEGRADED
    assert "none fits in 2 tokens; raise the budget" in answer.reasons[-1]


@BOTH
def test_stale(engine: Engine, text: str, question: str) -> None:
    engine.remember("something embedded")
    with Engine(engine.store, embedder="none") as words_only:
        words_only.remember(text)
        answer = engine.recall(question)
        assert answer.status is Status.STALE
        assert "1 passages wait for their vectors" in answer.reasons[0]
        assert answer.hits[0].text == text


@BOTH
def test_unavailable(clock: FakeClock, text: str, question: str) -> None:
    letters = Letters()
    with Engine.in_memory(embedder=letters) as engine:
        engine.remember(text)
        letters.fails = True
        answer = engine.recall(question, words=False)
        assert answer.status is Status.UNAVAILABLE
        assert "on holiday" in answer.reasons[0]


@BOTH
def test_disabled(engine: Engine, text: str, question: str) -> None:
    engine.remember(text)
    assert engine.recall(question, words=False, meaning=False).status is Status.DISABLED


@BOTH
def test_without_an_embedder_words_answer(text: str, question: str) -> None:
    with Engine.in_memory(embedder="none") as engine:
        engine.remember(text)
        answer = engine.recall(question)
        assert answer.status is Status.ANSWERED
        assert answer.hits[0].text == text
        notes = [note for step in answer.trace.steps for note in step.notes]
        assert "meaning: no embedder is set" in notes


# The trace


def test_the_trace_tells_every_stage(engine: Engine) -> None:
    engine.remember_many(
        [
            {"text": "dark mode " * 200},
            {"text": "dark mode", "kind": "a"},
            {"text": "Dark  Mode", "kind": "b"},
            {"text": "the dark side of the mode"},
            {"text": "dark chocolate"},
        ]
    )
    answer = engine.recall("dark mode", limit=2, budget=60, floor=0)
    trace = answer.trace
    assert trace.preset == "balanced"
    assert [step.stage for step in trace.steps] == [
        "find_period",
        "timeline_path",
        "search_period",
        "search_exact",
        "search_meaning + search_words",
        "search_working",
        "thresholds",
        "fuse",
        "one_per_memory",
        "hydrate",
        "as_of",
        "replies",
        "signals",
        "relevance",
        "one_per_memory",
        "deduplicate",
        "reader",
        "asked_by_name",
        "newer_first",
        "cut",
        "weights",
        "budget",
    ]
    assert all(step.milliseconds >= 0 for step in trace.steps)
    assert trace.milliseconds >= sum(step.milliseconds for step in trace.steps)
    assert trace.steps[0].received == 0
    for before, after in itertools.pairwise(trace.steps):
        assert before.passed_on == after.received
    for step in trace.steps[8:]:
        unfetched = [int(note.split()[0]) for note in step.notes if "not fetched" in note]
        assert step.received == step.passed_on + len(step.dropped) + sum(unfetched)
        assert all(dropped.reason for dropped in step.dropped)
    reasons: dict[str, list[str]] = {}
    for step in trace.steps:
        reasons.setdefault(step.stage, []).extend(d.reason for d in step.dropped)
    assert any("another passage of" in reason for reason in reasons["one_per_memory"])
    assert any("says the same as" in reason for reason in reasons["deduplicate"])
    assert reasons["budget"]
    assert trace.steps[-1].passed_on == len(answer.hits)


def test_a_trace_of_nothing_counts_nothing(engine: Engine) -> None:
    engine.remember("dark mode " * 40)
    answer = engine.recall("dark", budget=1)
    assert answer.trace.steps[-1].passed_on == 0
    assert answer.tokens_used == 0


# One long memory and many others


@pytest.mark.parametrize("part", ["the budget is large. ", "预算很大很大很大。"])
def test_a_long_memory_does_not_crowd_out_the_others(engine: Engine, part: str) -> None:
    engine.remember(part * (15_000 // len(part)))  # more passages than are fetched for ten hits
    others = [engine.remember(f"{part} note {n}").id for n in range(5)]
    answer = engine.recall(part, limit=10, budget=100_000, meaning=False)
    assert {hit.id for hit in answer.hits} > set(others)


# Counting


def test_being_returned_counts_and_changes_nothing_else(engine: Engine, clock: FakeClock) -> None:
    ids = [engine.remember(text).id for text in (ENGLISH, CHINESE)]
    before = [engine.get(i) for i in ids]
    clock.advance(days=3)
    engine.recall("dark mode", limit=1)
    engine.recall("dark mode", limit=1)
    first, second = (engine.get(i) for i in ids)
    assert first is not None
    assert before[0] is not None
    assert (first.access_count, first.reinforcement) == (2, 0)
    assert first.updated_at == before[0].updated_at
    assert second == before[1]
    assert engine.list(where={"access_count": {">": 0}}).memories == [first]
    assert [r["access_count"] for r in engine.export()] == [2, 0]


def test_looking_without_touching(engine: Engine) -> None:
    kept = engine.remember(CHINESE)
    engine.recall("深色主题", touch=False)
    memory = engine.get(kept.id)
    assert memory is not None
    assert memory.access_count == 0


def test_counts_survive_closing(tmp_path: Path) -> None:
    with Engine(tmp_path / "m.db", embedder="none") as engine:
        kept = engine.remember(ENGLISH)
        for _ in range(3):
            engine.recall("dark")
    with Engine(tmp_path / "m.db", embedder="none") as engine:
        memory = engine.get(kept.id)
        assert memory is not None
        assert memory.access_count == 3


def test_counts_of_the_same_few_are_written_before_closing(tmp_path: Path) -> None:
    with Engine(tmp_path / "m.db", embedder="none") as engine:
        kept = engine.remember(ENGLISH)
        for _ in range(520):
            engine.recall("dark")
        (memory,) = engine.store.get([kept.id])
        assert memory is not None
        assert memory.access_count >= 512


# Where and when


def test_where(engine: Engine) -> None:
    engine.remember(ENGLISH, kind="decision", tags=["ui"], metadata={"n": 1})
    engine.remember("Mei dislikes dark chocolate", kind="note", tags=["food"])
    engine.remember("小美不喜欢黑巧克力", kind="笔记", tags=["食物"])

    def texts(question: str, where: Any) -> list[str]:
        return [hit.text for hit in engine.recall(question, where=where).hits]

    assert texts("dark", {"kind": "decision"}) == [ENGLISH]
    assert texts("dark", Condition("kind", None, "=", "decision")) == [ENGLISH]
    assert texts("dark", {"tags": {"in": ["food"]}}) == ["Mei dislikes dark chocolate"]
    assert texts("喜欢", {"kind": "笔记", "tags": "食物"}) == ["小美不喜欢黑巧克力"]
    assert texts("dark", {"metadata.n": {">": 1}}) == []
    assert engine.recall("dark", where={"kind": "none"}).status is Status.EMPTY
    with pytest.raises(InvalidInput, match="unknown filter field"):
        texts("dark", {"colour": 1})
    with pytest.raises(InvalidInput, match="an object like"):
        texts("dark", "kind=decision")


@pytest.mark.parametrize("word", ["office", "办公室"])
def test_as_of(engine: Engine, clock: FakeClock, word: str) -> None:
    engine.remember(f"the {word} is in Berlin", valid_to="2026-01-01T00:00:00Z")
    engine.remember(f"the {word} is in Shanghai", valid_from="2026-01-01T00:00:00Z")
    engine.remember(
        f"the {word} moves to the Moon", valid_from="2027-01-01T00:00:00Z", merge="words"
    )
    engine.remember(f"the {word} has plants")

    def towns(**options: Any) -> set[str]:
        return {hit.text.split()[-1] for hit in engine.recall(word, floor=0, **options).hits}

    assert towns() == {"Shanghai", "plants"}
    # of the plants nobody knew then, and nothing says that there were any
    assert towns(as_of="2025-12-31T23:59:59Z") == {"Berlin"}
    assert towns(as_of="2026-01-01T00:00:00Z") == {"Shanghai", "plants"}
    assert towns(as_of="2028-01-01") == {"Shanghai", "Moon", "plants"}
    clock.advance(days=366)
    assert towns() == {"Shanghai", "Moon", "plants"}
    with pytest.raises(InvalidInput, match="as_of: 'soon' is not a date"):
        engine.recall(word, as_of="soon")


# Spaces are walls


def test_spaces_are_walls(engine: Engine) -> None:
    engine.remember(ENGLISH, space="work")
    engine.remember("Mei likes the dark at home", space="家")
    engine.remember("dark matter")

    def spaces(*names: str) -> set[str]:
        found = engine.recall("dark", spaces=names or None).hits
        return {hit.memory.space for hit in found}

    assert spaces() == {"global"}
    assert spaces("work") == {"work"}
    assert spaces("家") == {"家"}
    assert spaces("work", "家", "work") == {"work", "家"}
    assert {hit.memory.space for hit in engine.recall("dark", spaces="work").hits} == {"work"}


@pytest.mark.parametrize("question", ["dark", "深色", "???"])
@pytest.mark.parametrize("options", [{}, {"meaning": False}, {"words": False}])
def test_an_unseen_space_is_empty_and_the_answer_says_so(
    engine: Engine, question: str, options: dict[str, Any]
) -> None:
    engine.remember(ENGLISH, space="work")
    reason = "nothing was remembered in the space 'wrok' yet"
    nowhere = engine.recall(question, spaces="wrok", **options)
    assert (nowhere.status, nowhere.hits, nowhere.reasons) == (Status.EMPTY, (), (reason,))
    both = engine.recall(question, spaces=["work", "wrok"], **options)
    known = engine.recall(question, spaces="work", **options)
    assert [hit.id for hit in both.hits] == [hit.id for hit in known.hits]
    assert both.reasons == (*known.reasons, reason) and both.status is known.status
    assert "wrok" not in [info.name for info in engine.spaces()]  # a question creates no space
    with pytest.raises(InvalidInput, match="limit: expected"):
        engine.recall(question, spaces="wrok", limit=0)


def test_one_space_is_not_felt_through_anothers_wall(engine: Engine) -> None:
    engine.remember_many([{"text": f"dark {n}", "space": "a"} for n in range(5)])
    before = [(h.text, h.score) for h in engine.recall("dark 3", spaces="a").hits]
    engine.remember_many([{"text": f"dark dark {n}", "space": "b"} for n in range(50)])
    assert [(h.text, h.score) for h in engine.recall("dark 3", spaces="a").hits] == before
