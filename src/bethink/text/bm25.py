"""The lexical contract: what "BM25 order" means in every store.

Statistics are those of one space, so that no space can be felt through another's wall. The formula
is the one that SQLite's FTS5 computes; stores without FTS5 compute it themselves and agree with it
to the last tie. A question's term that is one ideograph stands for every term that begins with it
(`bethink.text.tokenise.stands_for_many`).
"""

from __future__ import annotations

import math
from typing import Final

K1: Final = 1.2  # FTS5's fixed values
B: Final = 0.75


def idf(total: int, holding: int) -> float:
    """How telling a term is that `holding` of `total` passages hold; never negative."""
    return max(math.log((total - holding + 0.5) / (holding + 0.5)), 1e-6)


def longness(length: float, average_length: float) -> float:
    """What a passage of this many terms has against every term in it; the same for all of them."""
    return K1 * (1 - B + B * length / average_length)


def weight(frequency: float, length: float, average_length: float) -> float:
    """How much `frequency` occurrences in a passage of this many terms count."""
    return frequency * (K1 + 1) / (frequency + longness(length, average_length))
