"""What is kept of a recall: how it went, never a memory's text, and no secret of the question."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.events.kinds import KINDS, RETRIEVAL_TRACE
from bethink.recall.traced import plain_words
from bethink.settings import Settings
from bethink.text.redaction import redact
from bethink.text.secret_labels import TRACE
from tests.embedders_of_tests import Letters
from tests.text.made_up_secrets import KEYS

ZH = "小美喜欢深色主题,字号要大。"
EN = "Mei prefers dark mode in every editor."


def trace_of(engine: Engine, question: str, **options: Any) -> dict[str, Any]:
    engine.recall(question, **options)
    return dict(engine.events.since(kinds=RETRIEVAL_TRACE, limit=10_000)[-1].data)


def test_a_recall_leaves_how_it_went(engine: Engine) -> None:
    first = engine.remember(ZH, space="a").id
    second = engine.remember(EN, space="a").id
    answer = engine.recall("小美 prefers which theme? 主题", spaces="a", floor=0)
    (event,) = engine.events.since()
    data = event.data
    assert event.spaces == ("a",)
    assert data.keys() == KINDS[RETRIEVAL_TRACE].keys()
    assert data["question"] == "小美 prefers which theme? 主题"
    assert data["status"] == answer.status
    hits: Any = data["hits"]
    assert {hit["id"] for hit in hits} == {first, second}
    assert [hit["score"] for hit in hits] == [hit.score for hit in answer.hits]
    assert all(hit["verified"] is True for hit in hits)
    keys = {"id", "score", "relevance", "parts", "evidence", "channels", "verified"}
    assert all(hit.keys() == keys for hit in hits)
    steps: Any = data["steps"]
    assert [step["stage"] for step in steps] == [step.stage for step in answer.trace.steps]
    assert "dropped" not in steps[0]
    assert data["tokens"] == answer.tokens_used
    kept = json.dumps(data, ensure_ascii=False)
    assert "深色主题" not in kept
    assert "dark mode" not in kept


@pytest.mark.parametrize(
    ("question", "secret"),
    [
        ("why is ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 refused?", "ghp_a1B2"),
        ("my password is Swordfish77, who else knows it?", "Swordfish77"),
        ("数据库的密码是 Tiger-2026!, 谁改过?", "Tiger-2026"),
        ("密码是什么意思: password = hunter2x9", "hunter2x9"),
    ],
)
def test_a_secret_in_the_question_is_nowhere(engine: Engine, question: str, secret: str) -> None:
    engine.remember(ZH)
    data = trace_of(engine, question)
    kept = json.dumps(data, ensure_ascii=False)
    assert secret not in kept
    assert secret.lower() not in kept.lower()
    assert "[redacted: " in str(data["question"])
    assert "left out: the question held a secret" in kept


def test_what_is_kept_is_bounded() -> None:
    with Engine.in_memory(embedder=Letters(), settings=Settings(limit=200)) as engine:
        for number in range(120):
            engine.remember(f"第 {number} 条笔记:主题 theme number {number}")
        data = trace_of(engine, "主题 theme " * 40_000, limit=200, budget=100_000)
    assert len(data["question"]) == 500
    assert data["question"].endswith("…")
    assert len(data["hits"]) <= 50
    assert all(len(note) <= 300 for step in data["steps"] for note in step["notes"])
    assert len(json.dumps(data)) < 100_000


def test_a_recall_that_fails_leaves_none(engine: Engine) -> None:
    engine.remember(ZH)
    with pytest.raises(InvalidInput, match="limit"):
        engine.recall("主题", limit=-1)
    assert engine.events.since() == []


def test_why_not_leaves_none(engine: Engine) -> None:
    memory = engine.remember(ZH)
    engine.why_not(memory.id, "主题")
    assert engine.events.since() == []


def test_switched_off_it_costs_and_leaves_nothing() -> None:
    with Engine.in_memory(embedder=Letters(), settings=Settings(keep_events=0)) as engine:
        engine.remember(ZH)
        assert engine.recall("主题").hits
        assert engine.events.since() == []


@pytest.mark.parametrize(
    "text", ["which theme does Mei like?", "小美喜欢什么主题？", "it's 主题, ok!"]
)
def test_plain_words_are_plain(text: str) -> None:
    assert plain_words(text)


@given(st.from_regex(TRACE, fullmatch=True))
def test_what_names_a_secret_is_looked_at_closely(label: str) -> None:
    """Whatever the redaction takes for a label: whoever adds one is told here to mind it."""
    for text in (label, f"the {label} is swordfish", f"我的{label}是芝麻开门"):
        assert not plain_words(text)


@pytest.mark.parametrize("kind", KEYS)
def test_no_key_is_plain(kind: str) -> None:
    rng = random.Random(7)
    for make in KEYS[kind]:
        assert not any(plain_words(make(rng)) for _ in range(20))


@given(st.text(max_size=60))
def test_any_text_that_is_plain_has_no_secret(text: str) -> None:
    if plain_words(text):
        assert redact(text).kinds == ()
