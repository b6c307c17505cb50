"""The measures against values worked out by hand."""

from __future__ import annotations

import math

import pytest
from benchmarks.quality.metrics import auroc, mean, measures, percentile


def test_one_right_document_at_rank_three() -> None:
    assert measures(["x", "y", "a", "z"], {"a"}) == {
        "hit@1": 0.0,
        "R@5": 1.0,
        "R@10": 1.0,
        "NDCG@10": 0.5,  # 1 / log2(4), and the best possible is 1
        "MRR": pytest.approx(1 / 3),
    }


def test_two_of_three_right_documents() -> None:
    found = measures(["a", "x", "x2", "x3", "x4", "b"], {"a", "b", "c"})
    gain = 1 + 1 / math.log2(7)  # ranks 1 and 6
    best = 1 + 1 / math.log2(3) + 1 / 2  # ranks 1, 2 and 3
    assert found["hit@1"] == 1
    assert found["R@5"] == pytest.approx(1 / 3)
    assert found["R@10"] == pytest.approx(2 / 3)
    assert found["NDCG@10"] == pytest.approx(gain / best)
    assert found["NDCG@10"] == pytest.approx(0.6364, abs=1e-4)
    assert found["MRR"] == 1


def test_beyond_ten_counts_for_mrr_only_and_beyond_a_hundred_not_at_all() -> None:
    eleventh = measures([f"x{n}" for n in range(10)] + ["a"], {"a"})
    assert eleventh["R@10"] == 0 and eleventh["NDCG@10"] == 0
    assert eleventh["MRR"] == pytest.approx(1 / 11)
    assert measures([f"x{n}" for n in range(100)] + ["a"], {"a"})["MRR"] == 0


def test_more_right_documents_than_ten_can_still_be_perfect() -> None:
    right = [f"a{n}" for n in range(20)]
    found = measures(right, right)
    assert found["NDCG@10"] == pytest.approx(1)
    assert found["R@10"] == 0.5


def test_nothing_found() -> None:
    assert set(measures([], {"a"}).values()) == {0.0}


def test_mean_is_over_questions() -> None:
    assert mean([{"MRR": 1.0}, {"MRR": 0.5}]) == {"MRR": 0.75}
    assert mean([]) == {}


@pytest.mark.parametrize(
    ("answerable", "unanswerable", "expected"),
    [
        ([0.9, 0.8], [0.1, 0.2], 1.0),
        ([0.1], [0.9], 0.0),
        ([0.5, 0.5], [0.5], 0.5),  # a tie says nothing
        ([0.9, 0.4], [0.5, 0.4], 0.625),  # 2 + 0.5 of 4 pairs
        ([0.9], [], None),
        ([], [0.9], None),
    ],
)
def test_auroc(answerable: list[float], unanswerable: list[float], expected: float | None) -> None:
    assert auroc(answerable, unanswerable) == expected


def test_percentiles_are_values_that_were_measured() -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.0
    assert percentile([4.0, 1.0, 3.0, 2.0], 0.95) == 4.0
    assert math.isnan(percentile([], 0.5))
