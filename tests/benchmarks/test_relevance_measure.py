"""Calibration of the relevance against values worked out by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from benchmarks.relevance.fit import Array
from benchmarks.relevance.gather import Asked
from benchmarks.relevance.measure import Bin, calibration_error, reliability
from benchmarks.relevance.plot import OTHERS, grouped, report


def question(said: list[float], right: list[bool], *, data: str = "parallel_en") -> Asked:
    """The relevance of each candidate is the one number of its row."""
    rows = np.array(said, np.float32).reshape(-1, 1)
    return Asked(data, json.dumps(said), "own", "", 0, rows, np.array(right), max(sum(right), 1))


def as_said(one: Asked) -> Array:
    return one.rows[:, 0].astype(np.float64)


TWO = [
    question([0.75, 0.25, 0.0], [True, False, False]),
    question([0.78, 0.0], [False, False]),
]


def test_bins_hold_what_was_said_and_what_was_true() -> None:
    found = reliability(TWO, as_said)
    expected = [Bin(0.0, 0.0, 2), Bin(0.25, 0.0, 1), Bin(0.765, 0.5, 2)]
    assert [tuple(one) for one in found] == [pytest.approx(tuple(one)) for one in expected]
    assert calibration_error(TWO, as_said) == pytest.approx((0.25 * 1 + 0.265 * 2) / 5)


def test_only_the_first_ten_candidates_count() -> None:
    many = question([0.95] * 10 + [0.15], [True] * 11)
    assert [(one.right, one.candidates) for one in reliability([many], as_said)] == [(1.0, 10)]


def test_certainty_falls_into_the_last_bin() -> None:
    sure = question([1.0, 0.95], [True, True])
    assert [one.candidates for one in reliability([sure], as_said)] == [2]
    assert calibration_error([sure], as_said) == pytest.approx(0.025)


def test_each_set_belongs_to_one_group(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["judging_b_zh", "judging_b_zh_8", "judging_a_en_2", "cmrc_500", "locomo_turn_dev", "x"]
    found = grouped({name: [question([0.5], [True], data=name)] for name in names})
    assert {title: [one.data for one in questions] for title, questions in found.items()} == {
        "spaces of 2 memories": ["judging_a_en_2"],
        "spaces of 8 memories": ["judging_b_zh_8"],
        "judging sets, half b (never fitted on)": ["judging_b_zh"],
        "documents": ["cmrc_500"],
        "talk between people": ["locomo_turn_dev"],
        OTHERS: ["x"],
    }
    report({"parallel_en": TWO}, as_said)  # from .1 on: .25 against 0, and twice .765 against .5
    assert "| short facts | 0.156 | 0.40 | 0.260 | +0.260 |" in capsys.readouterr().out
