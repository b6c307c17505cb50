"""An entry of frequent questions as one text, and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.faq_layout import FAQ, composed, layout_of, passage_at, passages_of
from bethink.text.split import split
from bethink.vocabulary import Memory, Passage
from tests.recall.kits import NOW

LINES = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1).map(
    lambda text: " ".join(text.split()) or "?"
)


def entry(text: str, told: Any, kind: str = FAQ) -> Memory:
    return Memory(
        id="a", space="s", text=text, kind=kind, metadata={FAQ: told}, created_at=NOW,
        updated_at=NOW,
    )  # fmt: skip


def pieces(memory: Memory) -> list[str]:
    return [memory.text[p.start : p.end] for p in passages_of(memory)]


@pytest.mark.parametrize(
    ("question", "answers", "similar", "negative", "labels"),
    [
        ("How?", ["So.", "Or\nthus."], ["in which way", "how come"], ["how many"], "Also asked:"),
        ("怎么退款？", ["三十天内。"], ["钱能退吗"], ["怎么退出", "怎么退群"], "相似问题："),
    ],
)
def test_what_is_a_passage(
    question: str, answers: list[str], similar: list[str], negative: list[str], labels: str
) -> None:
    memory = entry(*composed(question, answers, similar, negative))
    shown = "\n".join([question, *answers])
    assert pieces(memory) == [question, shown, *similar, *negative]
    assert labels in memory.text  # for whoever reads the memory as it is kept
    layout = layout_of(memory)
    assert layout is not None
    assert memory.text[slice(*layout.shown)] == shown
    assert [memory.text[slice(*span)] for span in layout.answers] == answers
    excluded = [p for p in passages_of(memory) if layout.is_negative(p)]
    assert [memory.text[p.start : p.end] for p in excluded] == negative


@given(LINES, st.lists(LINES, min_size=1, max_size=4), st.lists(LINES), st.lists(LINES))
def test_whatever_is_composed_is_read_again(
    question: str, answers: list[str], similar: list[str], negative: list[str]
) -> None:
    memory = entry(*composed(question, answers, similar, negative))
    layout = layout_of(memory)
    assert layout is not None
    for spans, told in (
        ([layout.question], [question]),
        (layout.answers, answers),
        (layout.similar, similar),
        (layout.negative, negative),
    ):
        assert [memory.text[slice(*span)] for span in spans] == told
    ordinals = [p.ordinal for p in passages_of(memory)]
    assert ordinals == list(range(len(ordinals)))


def test_a_long_answer_is_several_passages_and_shown_whole() -> None:
    answer = "一句很长的话，说明怎么退款。" * 80
    memory = entry(*composed("怎么退款？", [answer], ["退钱"], ["退群"]))
    assert len(passages_of(memory)) > 4
    layout = layout_of(memory)
    assert layout is not None
    assert memory.text[slice(*layout.shown)] == f"怎么退款？\n{answer}"
    last = passages_of(memory)[-1]
    assert layout.is_negative(last) and not layout.is_negative(passages_of(memory)[-2])
    assert passage_at(memory, 0, last) == Passage(0, 0, 5)
    assert passage_at(memory, 99, last) == last


FORM = composed("How?", ["So."], ["in which way"], ["how many"])


@pytest.mark.parametrize(
    ("text", "told", "kind"),
    [
        ("Q: how?\nA: so.", None, FAQ),  # told in a form of its own
        ("问：怎么退款？\n答：三十天内。", {}, FAQ),
        ("How?", FORM[1], FAQ),  # revised
        ("How?\nSo.\n\nAlso asked:\n- in which way\n- and how", FORM[1], FAQ),
        (FORM[0], {**FORM[1], "similar": -1}, FAQ),
        (FORM[0], {**FORM[1], "negative": "1"}, FAQ),
        (FORM[0], FORM[1], "note"),
    ],
)
def test_what_is_not_in_this_form_is_a_text_like_any_other(text: str, told: Any, kind: str) -> None:
    memory = entry(text, told, kind)
    assert layout_of(memory) is None
    assert passages_of(memory) == split(text)


def test_counts_of_answers_that_do_not_fit_make_one_answer() -> None:
    memory = entry(FORM[0], {**FORM[1], "answers": [7]})
    layout = layout_of(memory)
    assert layout is not None
    assert [memory.text[slice(*span)] for span in layout.answers] == ["So."]
