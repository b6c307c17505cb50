"""Products by one thread are the products."""

from __future__ import annotations

import numpy as np
import pytest

from bethink.one_thread import dots, product

_RANDOM = np.random.default_rng(7)


@pytest.mark.parametrize("rows", [0, 1, 3, 4, 5, 700])
def test_the_same_numbers(rows: int) -> None:
    some = _RANDOM.standard_normal((rows, 128)).astype(np.float32)
    vector = _RANDOM.standard_normal(128).astype(np.float32)
    np.testing.assert_allclose(dots(some, vector), some @ vector, rtol=1e-4, atol=1e-4)
    assert dots(some, vector).dtype == np.float32
    for width in (0, 1, 300, 5000):
        others = _RANDOM.standard_normal((width, 128)).astype(np.float32)
        for matrix in (others.T, np.ascontiguousarray(others.T)):
            made = product(some, matrix)
            assert made.shape == (rows, width)
            np.testing.assert_allclose(made, some @ matrix, rtol=1e-4, atol=1e-4)
