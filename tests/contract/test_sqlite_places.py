"""Where a passage stands in a file: by its number, where numbers are given in a row; else searched
for. Both ways say the same."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from bethink.stores.sqlite.sidecar import places_of
from bethink.stores.sqlite.vectors import Places

NUMBERS = st.integers(1, 40)


def _ints(numbers: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(numbers, np.int64)


def _looked_for(wanted: list[int], held: list[int]) -> list[int]:
    return [held.index(number) for number in wanted if number in held]


@given(held=st.lists(NUMBERS, unique=True), wanted=st.lists(NUMBERS))
@example(held=[3, 7], wanted=[7])  # farther from the first than there are places
@example(held=[3, 4, 7], wanted=[1])
@example(held=[30, 31], wanted=[1, 30])
def test_a_number_stands_where_it_is_found(held: list[int], wanted: list[int]) -> None:
    held.sort()
    assert places_of(_ints(wanted), _ints(held)).tolist() == _looked_for(wanted, held)


@given(first=NUMBERS, count=st.integers(0, 40), wanted=st.lists(NUMBERS))
def test_in_a_row(first: int, count: int, wanted: list[int]) -> None:
    held = list(range(first, first + count))
    assert places_of(_ints(wanted), _ints(held)).tolist() == _looked_for(wanted, held)


@given(held=st.lists(NUMBERS, unique=True), gone=st.sets(NUMBERS), wanted=st.lists(NUMBERS))
@example(held=[1, 2, 33], gone={1}, wanted=[33])
@example(held=[5, 3, 9], gone=set(), wanted=[9, 3])
def test_in_any_order_and_with_some_erased(
    held: list[int], gone: set[int], wanted: list[int]
) -> None:
    """A passage that got its vector later stands further down; one that is erased has no number."""
    left = [-1 if number in gone else number for number in held]
    found = Places(_ints(left)).of(_ints(wanted)).tolist()
    assert found == _looked_for(wanted, left)
