from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.split import OVERLAP_CHARS, PASSAGE_CHARS, split

ENGLISH = "The deploy failed because the disk was full. Nobody had looked at it for days. "
CHINESE = "部署失败了，因为磁盘已满。好几天没有人看过它。我们决定加一个报警。"


def parts(text: str) -> list[str]:
    return [text[p.start : p.end] for p in split(text)]


@pytest.mark.parametrize(
    "text", ["短", "short", "a" * PASSAGE_CHARS, "好" * PASSAGE_CHARS, "🙂" * 500]
)
def test_a_short_text_is_one_passage(text: str) -> None:
    assert parts(text) == [text]


@pytest.mark.parametrize("text", [ENGLISH * 40, CHINESE * 80], ids=["English", "Chinese"])
def test_passages_end_with_sentences(text: str) -> None:
    pieces = parts(text)
    assert len(pieces) > 3
    for piece in pieces[:-1]:
        assert piece.rstrip()[-1] in ".。"
        assert PASSAGE_CHARS // 2 <= len(piece) <= PASSAGE_CHARS


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("a" * 300 + "\n\n" + "b. " * 200, "\n\n"),
        ("好" * 300 + "\n\n" + "好。" * 200, "\n\n"),
        ("a" * 300 + "\n" + "b, " * 200, "\n"),
        ("好" * 300 + "。" + "好，" * 200, "。"),
        ("“" + "好" * 300 + "。”" + "好，" * 200, "。”"),
        ("好" * 300 + "，" + "好" * 400, "，"),
        ("a" * 300 + "! " + "b" * 400, "!"),
        ("a" * 300 + " " + "b" * 400, " "),
    ],
)
def test_the_best_boundary_wins(text: str, end: str) -> None:
    assert parts(text)[0].endswith(end)


def test_a_decimal_point_is_no_sentence_end() -> None:
    text = "x" * 300 + "3.14159" + "y" * 400
    assert len(parts(text)[0]) == PASSAGE_CHARS


def test_neighbours_share_text_and_start_at_a_word() -> None:
    text = "word " * 400
    passages = split(text)
    for before, after in itertools.pairwise(passages):
        assert 0 < before.end - after.start <= OVERLAP_CHARS
        assert text[after.start - 1] == " "


def test_lengths_are_characters() -> None:
    assert [len(p) for p in parts("🙂" * 950)] == [500, 500]


@pytest.mark.parametrize("unit", ["x", "好", " ", "\n", "。", ".", "x\n", "a ", "🙂"])
def test_linear_in_a_million_characters(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    start = time.process_time()
    passages = split(text)
    assert time.process_time() - start < 3
    assert len(passages) < 6_000


@given(st.text(st.sampled_from("ab好的。.!?，, \n\t”\"'"), max_size=3_000))
def test_properties(text: str) -> None:
    passages = split(text)
    assert [p.ordinal for p in passages] == list(range(len(passages)))
    assert all(0 <= p.end - p.start <= PASSAGE_CHARS for p in passages)
    covered: set[int] = set()
    for p in passages:
        covered.update(range(p.start, p.end))
    assert all(i in covered for i, character in enumerate(text) if not character.isspace())
    starts = [p.start for p in passages]
    assert starts == sorted(set(starts))
