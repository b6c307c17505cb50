"""Rows of the words index, without a database: several segments as one are what all of their
passages would have made at once."""

from __future__ import annotations

import random

import pytest

from bethink.stores.postgres.postings import Worded, chunks_of, inverted, together

WORDS = "alpha beta gamma 预算 磁盘 主题 部署 delta".split() + [f"t{n}" for n in range(300)]


def passages(count: int, chance: random.Random, *, gaps: bool) -> list[Worded]:
    number, made = 0, []
    for _ in range(count):
        number += chance.randint(1, 5) if gaps else 1
        made.append(Worded(number, " ".join(chance.choices(WORDS, k=chance.randint(1, 30)))))
    return made


@pytest.mark.parametrize("gaps", [False, True], ids=["all there", "some forgotten"])
@pytest.mark.parametrize("seed", range(5))
def test_segments_together_are_one_segment(seed: int, gaps: bool) -> None:
    chance = random.Random(seed)
    every = passages(400, chance, gaps=gaps)
    cuts = sorted(chance.sample(range(1, 400), 6))
    segments = [every[a:b] for a, b in zip([0, *cuts], [*cuts, 400], strict=True)]
    rows = [
        (segment[0].number, chunk.data)
        for segment in segments
        for chunk in chunks_of(inverted(segment, segment[0].number))
    ]
    chance.shuffle(rows)  # a database gives them in any order
    low = every[0].number
    assert chunks_of(together(rows, low)) == chunks_of(inverted(every, low))


def test_nothing_together_is_nothing() -> None:
    assert chunks_of(together([], 1)) == []
