"""The door that every vector passes, and what comes of an embedder that misbehaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from bethink.embedders.protocol import (
    Kind,
    embed_question,
    embed_texts,
    embedding_of,
    unit_rows,
)
from bethink.errors import EmbedderError, InvalidVector
from bethink.vocabulary import Vectors


def door(vectors: object) -> Vectors:
    return unit_rows(vectors, rows=2, dimension=3, maker="mine")


@pytest.mark.parametrize(
    "vectors",
    [
        [[3, 0, 0], [0, 0.1, 0]],
        np.array([[3, 0, 0], [0, 5, 0]], np.int8),
        np.array([[1e-20, 0, 0], [0, 1e30, 0]], np.float64),
        np.asfortranarray(np.array([[2, 0, 0], [0, 2, 0]], np.float16)),
        ((1, 0, 0), (0, 1, 0)),
    ],
)
def test_everything_leaves_with_length_one(vectors: object) -> None:
    unit = door(vectors)
    assert unit.dtype == np.float32
    np.testing.assert_allclose(unit, [[1, 0, 0], [0, 1, 0]], atol=1e-6)


@pytest.mark.parametrize(
    ("vectors", "says"),
    [
        ([[1, 0, 0]], "expected (2, 3)"),
        ([[1, 0], [0, 1]], "expected (2, 3)"),
        ([1, 0, 0], "expected (2, 3)"),
        ([], "expected (2, 3)"),
        (None, "mine gave"),
        ("abc", "mine gave"),
        ([[1, 0, 0], [1, 0]], "not 2 rows of numbers"),
        ([["a", "b", "c"]] * 2, "not 2 rows of numbers"),
        ([[10**400, 0, 0]] * 2, "not 2 rows of numbers"),
        ([[np.nan, 0, 0], [1, 0, 0]], "NaN or infinity"),
        ([[np.inf, 0, 0], [1, 0, 0]], "NaN or infinity"),
        ([[None, 0, 0], [1, 0, 0]], "mine gave"),
        ([[0, 0, 0], [1, 0, 0]], "zero vector"),
        ([[1e-44, 0, 0], [1, 0, 0]], "zero vector"),
    ],
    ids=str,
)
def test_what_would_poison_a_ranking_is_refused(vectors: object, says: str) -> None:
    with pytest.raises(InvalidVector) as caught:
        door(vectors)
    assert says in str(caught.value)


class Mine:
    """A user's embedder that does whatever a test tells it."""

    name = "mine"
    fingerprint = "mine/1"
    dimension = 2
    batch = 3

    def __init__(self, give: Callable[[Sequence[str]], Any]) -> None:
        self.give = give
        self.asked: list[tuple[list[str], Kind]] = []

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Any:
        self.asked.append((list(texts), kind))
        return self.give(texts)


def test_batches_keep_the_order() -> None:
    mine = Mine(lambda texts: [[1, float(text)] for text in texts])
    vectors = embed_texts(mine, [str(n) for n in range(7)], kind="document")
    np.testing.assert_allclose(vectors[:, 1] / vectors[:, 0], range(7), atol=1e-5)
    assert [len(texts) for texts, _ in mine.asked] == [3, 3, 1]
    assert {kind for _, kind in mine.asked} == {"document"}


def test_no_texts_need_no_embedder() -> None:
    mine = Mine(lambda texts: 1 / 0)
    assert embed_texts(mine, [], kind="document").shape == (0, 2)
    assert mine.asked == []


def test_a_question_is_asked_as_a_question() -> None:
    mine = Mine(lambda texts: [[0, 5]])
    np.testing.assert_allclose(embed_question(mine, "?"), [0, 1])
    assert mine.asked == [(["?"], "query")]


@pytest.mark.parametrize(
    ("give", "says"),
    [
        (lambda texts: 1 / 0, "mine failed: ZeroDivisionError"),
        (lambda texts: None, "mine gave"),
        (lambda texts: [[1, 1]] * (len(texts) + 1), "expected (1, 2)"),
        (lambda texts: [[1, 1, 1]], "expected (1, 2)"),
        (lambda texts: [[0, 0]], "zero vector"),
        (lambda texts: [[np.nan, 0]], "NaN"),
    ],
)
def test_any_failure_is_one_kind_of_error(give: Callable[[Sequence[str]], Any], says: str) -> None:
    with pytest.raises(EmbedderError) as caught:
        embed_texts(Mine(give), ["a"], kind="query")
    assert says in str(caught.value)
    assert caught.value.__cause__ is not None


def test_an_embedder_that_cannot_say_who_it_is() -> None:
    class Unsure(Mine):
        @property
        def dimension(self) -> int:  # type: ignore[override]
            raise RuntimeError("no model here")

    with pytest.raises(EmbedderError, match="RuntimeError: no model here"):
        embedding_of(Unsure(lambda texts: []))
