"""Each hit adds something, and the list stays sorted by what it shows."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from bethink.errors import InvalidInput
from bethink.recall.diversify import Diversify
from bethink.recall.draft import Draft
from bethink.vocabulary import Query
from tests.recall.kits import candidate, draft, kit


def order(after: Draft) -> list[str]:
    return [c.memory_id for c in after.candidates]


@pytest.mark.parametrize(
    ("first", "echo", "other"),
    [
        ("Mei prefers the dark theme in her editor",
         "In her editor Mei prefers the dark theme", "The theme is set in settings.json"),
        ("小美喜欢在编辑器里用深色主题", "在编辑器里小美喜欢用深色主题", "主题写在配置文件里"),
        ("小美在 editor 里用 dark mode", "小美在 editor 里都用 dark mode",
         "dark mode 写在 settings.json"),
    ],
)  # fmt: skip
def test_what_says_something_else_comes_before_an_echo(first: str, echo: str, other: str) -> None:
    before = draft(
        [
            candidate("A", first, score=0.9),
            candidate("B", echo, score=0.8),
            candidate("C", other, score=0.7),
        ]
    )
    after = Diversify()(before, kit())
    assert order(after) == ["A", "C", "B"]
    assert after.notes == ("2 of 3 changed their place so that each adds something",)
    assert order(Diversify(balance=1.0)(before, kit())) == ["A", "B", "C"]


def test_the_score_is_what_it_adds_and_the_parts_say_so() -> None:
    after = Diversify()(
        draft(
            [
                candidate("A", "one two three four", score=0.9),
                candidate("B", "one two five six", score=0.8),
            ]
        ),
        kit(),
    )
    first, second = after.candidates
    assert (first.score, dict(first.parts)) == (0.9, {})
    taken = 0.3 / 0.7 * (2 / 6)
    assert second.score == approx(0.8 - taken)
    assert second.parts == {"relevance": 0.8, "repeats": approx(-taken)}


def test_parts_that_are_there_are_kept() -> None:
    mixed = candidate("B", "one two", score=0.8)._replace(parts={"relevance": 0.5, "recency": 0.3})
    after = Diversify()(draft([candidate("A", "one two", score=0.9), mixed]), kit())
    assert after.candidates[1].parts == {
        "relevance": 0.5,
        "recency": 0.3,
        "repeats": approx(-0.3 / 0.7),
    }


def test_what_is_behind_keeps_its_order_below() -> None:
    texts = ["same words here"] * 3 + ["完全不同的内容", "别的事情"]
    before = [candidate(str(n), text, score=1 - n / 10) for n, text in enumerate(texts)]
    after = Diversify(among=3)(draft(before), kit())
    assert order(after) == ["0", "1", "2", "3", "4"]
    assert after.candidates[3].score <= after.candidates[2].score


@pytest.mark.parametrize("balance", [0.0, -1.0, 1.1, float("nan")])
def test_a_balance_that_makes_no_sense_is_refused(balance: float) -> None:
    with pytest.raises(InvalidInput, match="diversify: balance"):
        Diversify(balance=balance)


def test_one_or_none_stays() -> None:
    for some in ([], [candidate("A")]):
        before = draft(some)
        assert Diversify()(before, kit()) is before


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["预算", "主题", "dark", "mode", "x1"])), st.floats(0, 1)
        ),
        max_size=12,
    ),
    st.floats(0.05, 1),
    st.integers(1, 12),
    st.integers(1, 12),
)
def test_sorted_by_what_is_shown(
    given: list[tuple[list[str], float]], balance: float, limit: int, among: int
) -> None:
    told = sorted(given, key=lambda one: -one[1])
    candidates = [candidate(str(n), " ".join(w), score=s) for n, (w, s) in enumerate(told)]
    query = Query(text="?", limit=limit)
    after = Diversify(balance, among)(Draft(query, candidates=tuple(candidates)), kit())
    assert sorted(order(after)) == sorted(c.memory_id for c in candidates)
    shown = [c.score for c in after.candidates]
    assert all(a >= b - 1e-12 for a, b in pairwise(shown))
    assert all(0 <= score <= 1 for score in shown)
    for one in after.candidates:
        if one.parts:
            assert sum(one.parts.values()) == approx(one.score)
    assert order(after)[:1] == [c.memory_id for c in candidates[:1]]
