from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from bethink.text.bm25 import idf, weight


def test_known_values() -> None:
    assert idf(100, 1) == approx(math.log(99.5 / 1.5))
    assert idf(10, 10) == 1e-6
    assert weight(1, 10, 10) == approx(1.0)
    assert weight(2, 10, 10) == approx(1.375)
    assert weight(1, 20, 10) == approx(2.2 / 3.1)


@given(st.integers(1, 10**6), st.data())
def test_rarer_is_more_telling_and_never_negative(total: int, data: st.DataObject) -> None:
    holding = data.draw(st.integers(1, total))
    assert idf(total, holding) > 0
    assert idf(total, holding) <= idf(total, holding - 1)


@given(st.integers(1, 1_000), st.integers(1, 10_000), st.floats(1, 10_000))
def test_weight_grows_with_frequency_and_falls_with_length(
    frequency: int, length: int, average: float
) -> None:
    assert 0 < weight(frequency, length, average) < 2.2
    assert weight(frequency + 1, length, average) > weight(frequency, length, average)
    assert weight(frequency, length + 1, average) < weight(frequency, length, average)
