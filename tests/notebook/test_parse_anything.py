"""Any text is some Markdown: nothing fails, nothing is lost, no line is counted twice."""

from datetime import UTC, datetime
from pathlib import PurePosixPath
from zoneinfo import ZoneInfo

from hypothesis import example, given
from hypothesis import strategies as st

from bethink.errors import NotebookFileRefused
from bethink.notebook.forms import Form
from bethink.notebook.front_matter import front_matter
from bethink.notebook.layout import Reading, reading_of
from bethink.notebook.lines import split_lines, split_lines_with_ends
from bethink.notebook.markdown import COMMENT, headings, is_rule, stands_in
from bethink.notebook.meta_list import META_TITLES
from bethink.notebook.parse import Piece, parse
from bethink.remember.ingress import accept

ZONE = ZoneInfo("America/New_York")
NOW = datetime(2026, 5, 1, tzinfo=UTC)
PATHS = [
    PurePosixPath(name)
    for name in (
        "user/preferences.md user/entities.md TASKS.md agent/decisions.md history.md a.md "
        "journal/2026-05-01.md journal/2026-03-08.md notes/笔记.md"
    ).split()
]

# Lines that mean something, and lines of anything.
_LINES = st.sampled_from(
    [
        *(
            "",
            " ",
            "---",
            "===",
            "- - -",
            "***",
            "```",
            "~~~~",
            "```sh",
            "<!--",
            "-->",
            "<!-- x -->",
        ),
        *("# 标题", "## Meta", "### 元数据", "###### six", "#no", "#", "## a ##", "# T"),
        *("- a", "* b", "+ c", "• d", "1. e", "2) f", "3、g", "-", "- [ ] 待办", "- [x] done"),
        *("  - tags: a, b", "- tags: 网络、x", "  - until: 2026-05-01", "- kind: k", "\t- x"),
        *("- 14:30 did", "- 下午3:05 开会", "## 09:00 Review", "- 张三：前端", "plain", "  缩进"),
        *(
            "title: x",
            "tags: [a",
            "a: *b",
            "- was in: user/preferences.md § UI",
            "> 引用",
            "| a | b |",
        ),
    ]
) | st.text(max_size=20)
TEXTS = st.builds(
    lambda lines, ends: "".join(a + b for a, b in zip(lines, ends, strict=False)),
    st.lists(_LINES, max_size=25),
    st.lists(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"]), min_size=25, max_size=25),
) | st.text(max_size=200)


def read(text: str, path: PurePosixPath, form: Form) -> list[Piece] | None:
    try:
        return parse(text, path, book_form=form, zone=ZONE)
    except NotebookFileRefused:
        assert text.removeprefix("\ufeff").startswith("---")
        return None


@given(TEXTS, st.sampled_from(PATHS), st.sampled_from(list(Form)))
@example("---\na: &a [*a]\n---\n", PATHS[0], Form.NOTES)
@example("---\n\n---\n", PATHS[0], Form.NOTEBOOK)
@example("# \n## Meta\n- tags: a\n", PATHS[0], Form.NOTEBOOK)
def test_any_text_is_read(text: str, path: PurePosixPath, form: Form) -> None:
    pieces = read(text, path, form)
    if pieces is None:
        return
    count = len(split_lines(text.removeprefix("\ufeff")))
    last = 0
    for piece in pieces:
        assert last <= piece.start < piece.end <= count
        last = piece.end
        assert piece.text.strip()
        assert len(piece.section) <= 512
        told = piece._asdict()
        del told["start"], told["end"]
        if not any(0xD800 <= ord(char) < 0xE000 or char == "\0" for char in text):
            accept(told, now=NOW)


@given(TEXTS, st.sampled_from(PATHS), st.sampled_from(list(Form)))
@example("a\n---\n\n- b\n", PATHS[0], Form.NOTEBOOK)
def test_every_line_that_says_something_is_in_a_piece(
    text: str, path: PurePosixPath, form: Form
) -> None:
    pieces = read(text, path, form)
    if pieces is None:
        return
    lines = split_lines(text.removeprefix("\ufeff"))
    within = stands_in(lines)
    front = front_matter(lines, path).lines
    heads = headings(lines, within, front)
    lists = reading_of(path, form) is Reading.LISTS
    said: set[int] = set(range(front))  # lines that are not text
    for at, head in enumerate(heads):
        if lists or not head.title:
            said.update(range(head.line, head.after))
        if head.title.strip(" *_:：").lower() in META_TITLES:
            said.update(range(head.line, heads[at + 1].line if at + 1 < len(heads) else len(lines)))
    held = {at for piece in pieces for at in range(piece.start, piece.end)}
    for at, line in enumerate(lines):
        if at in said or at in held or (lists and within[at] == COMMENT):
            continue
        assert is_rule(line) or not any(map(str.isalnum, line)), (at, line)


@given(TEXTS)
def test_lines_with_their_ends_are_the_text(text: str) -> None:
    assert "".join(split_lines_with_ends(text)) == text
    assert [line.rstrip("\r\n") for line in split_lines_with_ends(text)] == split_lines(text)
