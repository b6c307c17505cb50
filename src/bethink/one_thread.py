"""Small products of matrices, by one thread.

`a @ b` would do. But the library behind it takes a thread for each core, for some hundred rows
already, and where somebody else is at work on one of the cores, the others wait for it, busily:
8 ms and more instead of half of one for 10,000 rows. One thread takes about as long as two at best.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_ALONE = 2**18  # multiplications for which OpenBLAS takes no other thread


def dots(matrix: Floats, vector: Floats) -> Floats:
    """Of each row with the vector."""
    return np.asarray(np.einsum("ij,j->i", matrix, vector), np.float32)


def product(rows: Floats, matrix: Floats) -> Floats:
    """`rows @ matrix`, some rows at a time."""
    step = max(1, _ALONE // max(1, matrix.size))
    if len(rows) <= step:
        return rows @ matrix
    return np.concatenate([rows[at : at + step] @ matrix for at in range(0, len(rows), step)])
