"""Markdown to pieces: lists by item, notes by section, in both languages."""

from datetime import UTC, datetime

import pytest

from bethink.notebook.forms import Form
from tests.notebook.parsing import SHANGHAI, only, pieces, texts

# Lists

PREFERENCES = """\
# Preferences 偏好

- 默认用中文回答

## UI

- prefers dark mode
* 喜欢 vim
  快捷键要一致
+ likes 14 pt

  in the editor too

Short answers, please.
In one paragraph.

### Theme
1. Solarized
2) 高对比度
3、不要闪烁

<!-- one line for each -->
---
## Empty

## 其他
> quoted
"""


def test_each_item_and_each_paragraph_of_a_list_is_a_piece() -> None:
    found = pieces(PREFERENCES, "user/preferences.md")
    assert [(p.text, p.section) for p in found] == [
        ("默认用中文回答", ""),
        ("prefers dark mode", "UI"),
        ("喜欢 vim\n快捷键要一致", "UI"),
        ("likes 14 pt\n\nin the editor too", "UI"),
        ("Short answers, please.\nIn one paragraph.", "UI"),
        ("Solarized", "UI > Theme"),
        ("高对比度", "UI > Theme"),
        ("不要闪烁", "UI > Theme"),
        ("> quoted", "其他"),
    ]
    assert {p.kind for p in found} == {"preference"}
    assert [(p.start, p.end) for p in found[:5]] == [(2, 3), (6, 7), (7, 9), (9, 12), (13, 15)]


def test_the_title_counts_as_a_section_when_there_are_two() -> None:
    found = pieces("# 界面\n- a\n## 主题\n- b\n# Editor\n- c\n", "user/preferences.md")
    assert [p.section for p in found] == ["界面", "界面 > 主题", "Editor"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_marks_change_nothing(end: str) -> None:
    plain = pieces(PREFERENCES, "user/preferences.md")
    assert pieces("\ufeff" + PREFERENCES.replace("\n", end), "user/preferences.md") == plain


def test_lines_are_those_of_an_editor() -> None:
    found = pieces("- a\u2028b\x0cc\x85d\n- e\n", "TASKS.md")
    assert [(p.text, p.start) for p in found] == [("a\u2028b\x0cc\x85d", 0), ("e", 1)]


def test_what_is_nested_belongs_to_its_item() -> None:
    text = "- deploy:\n  - build\n    - test\n  - 发布\n\n  ```sh\n- not an item\n\n  ```\n- next\n"
    assert texts(text, "agent/patterns.md") == [
        "deploy:\n- build\n  - test\n- 发布\n\n```sh\n- not an item\n\n```",
        "next",
    ]


def test_tabs_lazy_lines_and_empty_items() -> None:
    text = "-\ta\n\tb\nlazy\n-\n- \n\n   * c\n\n\n\nafter\n- 1986. d\n1986. in text\n"
    assert texts(text, "user/preferences.md") == ["a\nb\nlazy", "c", "after", "1986. d", "in text"]


def test_a_number_within_a_paragraph_begins_no_list() -> None:
    assert texts("It was\n1986. A good year\n- yes\n", "TASKS.md") == [
        "It was\n1986. A good year",
        "yes",
    ]


def test_tasks_say_whether_they_are_done() -> None:
    found = pieces(
        "- [ ] 写文档\n- [x] fix ERR_1042\n* [X] 发版\n- [y] other\n- plain\n", "TASKS.md"
    )
    assert [(p.text, p.metadata.get("done")) for p in found] == [
        ("写文档", False),
        ("fix ERR_1042", True),
        ("发版", True),
        ("[y] other", None),
        ("plain", None),
    ]
    assert {p.kind for p in found} == {"task"}


def test_people_and_things_are_entities_by_their_names() -> None:
    text = (
        "- **张三**：前端负责人\n- Ada Lovelace: wrote the first program\n- Redis — 缓存\n- 王五\n"
    )
    found = pieces(text, "user/entities.md")
    assert [p.entities for p in found] == [("张三",), ("Ada Lovelace",), ("Redis",), ()]
    assert {p.kind for p in found} == {"entity"}


def test_an_item_says_things_of_itself() -> None:
    text = (
        "- port is 9090\n  - since: 2026-05-01\n  - tags: 网络, port\n"
        "- busy\n  - until: Friday\n  - 直到：周五\n"
    )
    port, busy = pieces(text, "agent/decisions.md")
    assert port.text == "port is 9090"
    assert port.valid_from == datetime(2026, 4, 30, 16, tzinfo=UTC)
    assert port.tags == ("网络", "port")
    assert port.end == 3
    assert busy.text == "busy\n- until: Friday\n- 直到：周五"  # no date: it is text


# The journal


def test_journal_entries_have_the_time_of_their_day_and_zone() -> None:
    text = (
        "# 2026-05-01\n\n- 14:30 fixed ERR_1042\n- **09:05** 开会\n- 下午3:20 评审\n"
        "- 11:59 pm late\n- 12:10 AM early\n- no time\n- 25:00 is no time\n- 14:30-ish\n\n"
        "## 16:00 Review 评审\n- ok\n"
    )
    found = pieces(text, "journal/2026-05-01.md")
    local = [
        (p.text, p.occurred_at and f"{p.occurred_at.astimezone(SHANGHAI):%d %H:%M}") for p in found
    ]
    assert local == [
        ("fixed ERR_1042", "01 14:30"),
        ("开会", "01 09:05"),
        ("评审", "01 15:20"),
        ("late", "01 23:59"),
        ("early", "01 00:10"),
        ("no time", "01 00:00"),
        ("25:00 is no time", "01 00:00"),
        ("ish", "01 14:30"),
        ("ok", "01 16:00"),
    ]
    assert {p.kind for p in found} == {"journal"}
    assert found[0].occurred_at == datetime(2026, 5, 1, 6, 30, tzinfo=UTC)


def test_a_daily_note_of_another_folder_has_its_day() -> None:
    (piece,) = pieces("# 周五\n\n写了文档\n", "daily/2026-05-01.md", Form.FOLDER)
    assert piece.kind == "journal"
    assert piece.occurred_at == datetime(2026, 4, 30, 16, tzinfo=UTC)


# What was superseded


def test_history_tells_what_held_until_when() -> None:
    text = (
        "# History\n\n- prefers dark mode\n  - until: 2026-05-02T10:00:00+08:00\n"
        "  - since: 2026-04-01\n  - was in: user/preferences.md § UI > Theme\n"
        "  - replaced by: 不再喜欢 dark mode\n- 自由文字\n"
    )
    old, free = pieces(text, "history.md")
    assert (old.text, old.kind, old.section) == ("prefers dark mode", "preference", "UI > Theme")
    assert old.valid_to == datetime(2026, 5, 2, 2, tzinfo=UTC)
    assert old.valid_from == datetime(2026, 3, 31, 16, tzinfo=UTC)
    assert old.metadata == {
        "was_in": "user/preferences.md § UI > Theme",
        "replaced_by": "不再喜欢 dark mode",
    }
    assert (free.kind, free.valid_to) == ("note", None)


def test_times_that_contradict_each_other_do_not_stop_a_sync() -> None:
    piece = only("- a\n  - since: 2026-05-02\n  - until: 2026-05-01\n", "history.md")
    assert piece.valid_from is None
    assert piece.valid_to is not None
