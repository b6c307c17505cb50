"""What may be asked, and how much may come back: bounds, odd questions, vectors of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bethink import Engine
from bethink.errors import InvalidInput, InvalidVector
from bethink.text.tokens import count_tokens
from tests.embedders_of_tests import Letters

ENGLISH, CHINESE = "Mei prefers dark mode in every editor.", "小美在所有编辑器里都喜欢深色主题。"


# Bounds


def test_limit_and_budget(engine: Engine) -> None:
    engine.remember_many([{"text": f"dark number {n} 深色"} for n in range(30)])
    assert len(engine.recall("dark", floor=0).hits) == 10
    assert len(engine.recall("深色", limit=25, floor=0).hits) == 25
    answer = engine.recall("dark", limit=30, budget=50, floor=0)
    assert answer.tokens_used == sum(count_tokens(hit.text) for hit in answer.hits) <= 50
    assert answer.tokens_left == 50 - answer.tokens_used
    assert 0 < len(answer.hits) < 30


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"limit": 0}, "limit: expected a whole number from 1 to 1,000, got 0"),
        ({"limit": 1_001}, "limit: expected"),
        ({"limit": True}, "limit: expected"),
        ({"limit": 2.5}, "limit: expected"),
        ({"limit": "5"}, "limit: expected"),
        ({"limit": 10**5_000}, "limit: expected"),
        ({"budget": 0}, "budget: expected a whole number from 1 to 1,000,000, got 0"),
        ({"budget": -1}, "budget: expected"),
        ({"deadline": 0}, "deadline: expected seconds from 0.001 to 3,600, got 0"),
        ({"deadline": float("nan")}, "deadline: expected"),
        ({"deadline": "1"}, "deadline: expected"),
        ({"spaces": []}, "name at least one space"),
        ({"spaces": ["a b"]}, "is no name for a space"),
        ({"spaces": [5]}, "is no name for a space"),
        ({"preset": "magic"}, "there is no preset 'magic'"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else ",".join(value),
)
def test_bad_bounds(engine: Engine, options: Any, says: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        engine.recall("dark", **options)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("", "the question is empty; ask for something"),
        (" \n\u3000", "the question is empty"),
        (None, "the question must be text, got NoneType"),
        (b"dark", "the question must be text, got bytes"),
        ("x" * 2_000_001, "at most 2,000,000 are read"),
    ],
    ids=["empty", "blank", "none", "bytes", "long"],
)
def test_bad_questions(engine: Engine, question: Any, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        engine.recall(question)


@pytest.mark.parametrize(
    "question",
    ["dark\0mode", "\ud800 dark", '"dark" OR NEAR(', "dark*", "'; DROP TABLE dark; --",
     "dark " * 200_000, " " * 100_000 + "dark", "🙂 dark", "\u202edark"],
    ids=lambda q: ascii(q[:12]),
)  # fmt: skip
def test_odd_questions_are_answered(engine: Engine, question: str) -> None:
    engine.remember(ENGLISH)
    answer = engine.recall(question)
    assert [hit.text for hit in answer.hits] == [ENGLISH]
    assert answer.query.text.encode("utf-8")


# A vector of one's own


def test_a_given_vector_is_used_instead_of_the_embedder(engine: Engine) -> None:
    engine.remember(ENGLISH)
    engine.remember(CHINESE)
    letters = Letters()
    for text in (ENGLISH, CHINESE):
        vector = letters.embed([text], kind="query")[0] * 7
        answer = engine.recall("?", vector=vector, words=False)
        assert answer.hits[0].text == text
        assert answer.hits[0].channels["meaning"].score == pytest.approx(1, abs=1e-2)


@pytest.mark.parametrize(
    ("vector", "says"),
    [
        ([0.0] * 64, "zero vector"),
        ([float("nan")] * 64, "NaN"),
        ([1.0] * 63, r"expected \(1, 64\)"),
        ([[1.0] * 64], r"expected \(1, 64\)"),
        (["a"] * 64, "rows of numbers"),
        (np.full(64, np.inf), "infinity"),
    ],
)
def test_a_bad_vector_is_the_callers_to_mend(engine: Engine, vector: Any, says: str) -> None:
    engine.remember(ENGLISH)
    with pytest.raises(InvalidVector, match=says):
        engine.recall("dark", vector=vector)


def test_identifiers_are_exact(engine: Engine) -> None:
    engine.remember("ERR_CONN_1043 means that the port is taken")
    wanted = engine.remember("错误 ERR_CONN_1042：连接超时").id
    engine.remember("error codes of connections are listed in the manual")
    assert engine.recall("ERR_CONN_1042").hits[0].id == wanted
    assert engine.recall("ERR_CONN_1042 是什么").hits[0].id == wanted
