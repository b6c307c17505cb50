"""Edits that keep what a person wrote, byte for byte."""

from __future__ import annotations

from datetime import UTC
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink.errors import InvalidInput
from bethink.notebook.edits import Edit, Item, appended, piece_at, replaced
from bethink.notebook.forms import Form
from bethink.notebook.parse import Piece, parse

PATH = PurePosixPath("user/preferences.md")


def append(text: str, told: str, *section: str, box: str = "") -> Edit:
    item = Item(told, box=box)
    return appended(text, item, section, path=PATH, form=Form.NOTEBOOK, title="Preferences")


def pieces(text: str) -> list[Piece]:
    return parse(text, PATH, book_form=Form.NOTEBOOK, zone=UTC)


@pytest.mark.parametrize(
    ("before", "section", "after"),
    [
        ("", (), "# Preferences\n\n- new\n"),
        ("", ("UI", "Theme"), "# Preferences\n\n## UI\n\n### Theme\n\n- new\n"),
        ("# P\n\n- a\n", (), "# P\n\n- a\n- new\n"),
        ("# P\n\n- a", (), "# P\n\n- a\n- new"),
        ("# P\r\n\r\n* a\r\n", (), "# P\r\n\r\n* a\r\n* new\r\n"),
        ("# P\n\n+   a\n", (), "# P\n\n+   a\n+   new\n"),
        ("# P\n\n1. a\n2. b\n", (), "# P\n\n1. a\n2. b\n3. new\n"),
        ("# P\n\n9) a\n", (), "# P\n\n9) a\n10) new\n"),
        ("1、茶\n", (), "1、茶\n2、new\n"),
        ("# P\n\n- a\n\n- b\n", (), "# P\n\n- a\n\n- b\n\n- new\n"),
        ("# P\n\n- a\n  - deep\n", (), "# P\n\n- a\n  - deep\n- new\n"),
        ("# P\n\nprose\n", (), "# P\n\nprose\n\n- new\n"),
        ("# P\n\n- a\n\n## UI\n\n* x\n\n## Net\n", ("UI",),
         "# P\n\n- a\n\n## UI\n\n* x\n* new\n\n## Net\n"),
        ("# P\n\n- a\n\n## UI\n\n- x\n", (), "# P\n\n- a\n- new\n\n## UI\n\n- x\n"),
        ("# P\n\n## UI\n## Net\n- b\n", ("UI",), "# P\n\n## UI\n\n- new\n\n## Net\n- b\n"),
        ("# P\n\n## UI\n\n- x\n\n## Net\n", ("UI", "Theme"),
         "# P\n\n## UI\n\n- x\n\n### Theme\n\n- new\n\n## Net\n"),
        ("P\n===\n\n界面设置\n-------\n\n- x\n", ("Net",),
         "P\n===\n\n界面设置\n-------\n\n- x\n\nNet\n---\n\n- new\n"),
        ("# P #\n\n## UI ##\n\n- x\n", ("Net",),
         "# P #\n\n## UI ##\n\n- x\n\n## Net ##\n\n- new\n"),
        ("---\ntags: [a]\n---\n\n# P\n\n- a\n", (), "---\ntags: [a]\n---\n\n# P\n\n- a\n- new\n"),
        ("# P\n\n```\n# no heading\n- no item\n```\n", (),
         "# P\n\n```\n# no heading\n- no item\n```\n\n- new\n"),
        ("# 偏好\n\n- 喜欢茶\n\n## 界面\n\n- 深色\n", ("界面",),
         "# 偏好\n\n- 喜欢茶\n\n## 界面\n\n- 深色\n- new\n"),
        ("- a\n\n\n\n", (), "- a\n- new\n\n\n\n"),
        ("# P\n\n<!-- one line each 每行一条 -->\n", (),
         "# P\n\n<!-- one line each 每行一条 -->\n\n- new\n"),
        ("# P\n\n<!-- a\nb -->\n\n## UI\n", (), "# P\n\n<!-- a\nb -->\n\n- new\n\n## UI\n"),
    ],
)  # fmt: skip
def test_an_item_more(before: str, section: tuple[str, ...], after: str) -> None:
    edit = append(before, "new", *section)
    assert edit.text == after
    piece = piece_at(edit, PATH, Form.NOTEBOOK)
    assert piece is not None
    assert piece.text == "new"
    assert piece.section == " > ".join(section)


def test_a_task_has_a_box() -> None:
    assert append("# T\n\n- [x] a\n", "b", box=" ").text == "# T\n\n- [x] a\n- [ ] b\n"


def test_several_lines_and_fields() -> None:
    item = Item("one\ntwo\n\nthree", (("tags", "a, b"),))
    edit = appended("- x\n", item, (), path=PATH, form=Form.NOTEBOOK, title="P")
    assert edit.text == "- x\n- one\n  two\n\n  three\n  - tags: a, b\n"
    piece = pieces(edit.text)[-1]
    assert (piece.text, piece.tags) == ("one\ntwo\n\nthree", ("a", "b"))


def test_a_line_that_looks_like_a_heading_is_none() -> None:
    edit = append("# P\n\n- a\n\n## UI\n\n- b\n", "see:\n# not a heading\nend", "UI")
    assert [p.section for p in pieces(edit.text)] == ["", "UI", "UI"]
    assert "# not a heading" in pieces(edit.text)[-1].text


def test_an_open_fence_would_swallow_the_rest() -> None:
    before = "# P\n\n## UI\n\n- b\n\n## Net\n\n- c\n"
    with pytest.raises(InvalidInput, match="would change how other lines read"):
        append(before, "see:\n```\ncode", "UI")
    closed = append(before, "see:\n```\ncode\n```", "UI")
    assert [p.text for p in pieces(closed.text)] == ["b", "see:\n```\ncode\n```", "c"]


@pytest.mark.parametrize(
    ("before", "at", "after"),
    [
        ("# P\r\n\r\n* a\r\n* b\r\n* c", 1, "# P\r\n\r\n* a\r\n* new\r\n* c"),
        ("- a\n- b\n  more\n  - deep\n- c\n", 1, "- a\n- new\n- c\n"),
        ("1. a\n2. b\n3. c\n", 1, "1. a\n2. new\n3. c\n"),
        ("- a\n\nprose here\nand on\n\n- c\n", 1, "- a\n\nnew\n\n- c\n"),
        ("- a\n- [x] b", 1, "- a\n- [ ] new"),
        ("   - a\n   - b\n", 1, "   - a\n   - new\n"),
    ],
)
def test_one_in_anothers_place(before: str, at: int, after: str) -> None:
    edit = replaced(before, pieces(before)[at], Item("new"), path=PATH, form=Form.NOTEBOOK)
    assert edit.text == after


# Any file that a person may have written

_WORDS = st.sampled_from(
    ["tea", "茶", "dark mode", "深色 主题", "port 8080", "*bold* text", "a: b"]
)
_MARKS = st.sampled_from(["- ", "* ", "+ ", "-   ", "1. ", "2) ", "- [ ] ", "- [x] ", "• "])
_LINES = st.one_of(
    st.just(""),
    st.builds(lambda m, w: m + w, _MARKS, _WORDS),
    st.builds(lambda w: "  " + w, _WORDS),
    st.builds(lambda m, w: "    " + m + w, _MARKS, _WORDS),
    st.builds(lambda n, w: "#" * n + " " + w, st.integers(1, 4), _WORDS),
    st.sampled_from(["---", "```", "~~~", "<!-- c -->", "> quote", "| a | b |", "===", "\ttab"]),
    _WORDS,
)
_FILES = st.builds(
    lambda lines, end, last: end.join(lines) + (end if last else ""),
    st.lists(_LINES, max_size=14),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
_TOLD = st.sampled_from(["new thing", "新的事", "two\nlines", "with\n\n# gap", "1. odd", "[ ] odd"])
_SECTIONS = st.sampled_from([(), ("tea",), ("茶",), ("tea", "Sub"), ("Brand new",)])


@settings(max_examples=400, deadline=None)
@given(_FILES, _TOLD, _SECTIONS)
def test_nothing_else_is_touched(text: str, told: str, section: tuple[str, ...]) -> None:
    try:
        edit = append(text, told, *section)
    except InvalidInput:
        return  # refused: nothing is written at all
    if text:
        assert _without_one_run(edit.text, text)
    before, after = pieces(text), pieces(edit.text)
    assert len(after) == len(before) + 1
    others = [p for p in after if p.start != edit.line]
    assert [(p.text, p.section, p.kind) for p in others] == [
        (p.text, p.section, p.kind) for p in before
    ]
    if "\n" in text:
        assert edit.text.endswith("\n") is text.endswith("\n") or edit.text.startswith(text)


def _without_one_run(after: str, before: str) -> bool:
    """Is `before` what is left when one run of characters is taken out of `after`?"""
    start = 0
    while start < len(before) and before[start] == after[start]:
        start += 1
    end = len(before) - start
    return after.endswith(before[start:]) if end else True


@settings(max_examples=300, deadline=None)
@given(_FILES, _TOLD, st.integers(0, 20))
def test_only_the_replaced_lines_change(text: str, told: str, which: int) -> None:
    before = pieces(text)
    if not before:
        return
    old = before[which % len(before)]
    try:
        edit = replaced(text, old, Item(told), path=PATH, form=Form.NOTEBOOK)
    except InvalidInput:
        return
    raw, new = text.splitlines(keepends=True), edit.text.splitlines(keepends=True)
    assert new[: old.start] == raw[: old.start]
    behind = len(raw) - old.end
    assert new[len(new) - behind :] == raw[old.end :]
    assert len(pieces(edit.text)) == len(before)
