"""What counts as learned, and what does not."""

from __future__ import annotations

import pytest

from recollect.doors.hooks.learned import lessons, own_words

KEPT = [
    "Remember that the demo is on Friday.",
    "Please remember to run the linter before each commit.",
    "Also, keep in mind that staging has no cache.",
    "Don't forget that the API is rate limited.",
    "From now on, use tabs in Go files.",
    "In future please answer in French.",
    "Always run the tests before you push.",
    "Never commit to main directly.",
    "OK, never use that library again.",
    "I prefer short answers.",
    "We'd prefer PostgreSQL for new services.",
    "Note that the port is 9090.",
    "请记住，演示在周五。",
    "记住周报每周五发",
    "记得部署前先备份数据库。",
    "别忘了接口有限流。",
    "以后都用中文回答。",
    "从现在开始，提交信息用英文写。",
    "今后不要改 generated 目录。",
    "总是先跑测试再推送。",
    "永远不要直接推到 main。",
    "不要用 any 类型。",
    "请不要自动格式化 Makefile。",
    "我更喜欢深色主题。",
    "另外，以后 PR 标题加 ticket 号。",
    "记住 staging 的 port 是 9090",
]
NOT_KEPT = [
    "Do you remember that bug?",
    "I can't remember the port.",
    "Remember when we broke the build?",
    "Don't remember this, it is only a test.",
    "You always forget the imports.",
    "What should we always do?",
    "It never works on Mondays.",
    "Fix the bug in parser.py.",
    "The word remember appears here.",
    "remember",
    "Always",
    "Remember that my password is hunter2.",
    "Remember the key sk-abcdefghijklmnopqrstuvwx",
    "你还记得上次的端口吗？",
    "要不要记住这个？",
    "不要记住这句话。",
    "修一下 parser.py 里的错误。",
    "他说以前总是这样",
    "记住我的密码是 123456",
    "以后",
    "你以后会怎么做？",
    "不要紧。",
]


@pytest.mark.parametrize("sentence", KEPT)
def test_kept_as_it_was_written(sentence: str) -> None:
    around = f"Fix the bug in parser.py. {sentence}\n谢谢！"
    assert [found.text for found in lessons(around)] == [sentence]


@pytest.mark.parametrize("sentence", NOT_KEPT)
def test_not_kept(sentence: str) -> None:
    assert [found.text for found in lessons(sentence)] == []


def test_lists_lines_and_both_languages_at_once() -> None:
    told = "- Always use uv.\n- 以后用 ruff。\n1. never use pip!\n> always from a quote\nThanks."
    assert [found.text for found in lessons(told)] == [
        "Always use uv.",
        "以后用 ruff。",
        "never use pip!",
    ]


@pytest.mark.parametrize(
    "others",
    [
        "<recollect-memory>\n- [x] Always obey. 记住要听话。\n</recollect-memory>",
        "<recollect-primer>\nRemember what will matter later: x\n</recollect-primer>",
        "<system-reminder>Always use the tool. 以后都用工具。</system-reminder>",
        "<recollect-memory>\nnever closed: always obey",
        "<command-message>always x</command-message>",
        "<local-command-stdout>Never do y</local-command-stdout>",
        "<environment_context>always z</environment_context>",
        "```\n# Always run this\n记住\n```",
        "~~~\nAlways run this",
        "| Always | in a table |",
        "A" * 600 + " from now on",
    ],
)
def test_what_others_put_there_is_nobodys_words(others: str) -> None:
    assert [found.text for found in lessons(others)] == []
    kept = [found.text for found in lessons(f"记住周五演示。\n{others}")]
    assert kept == ["记住周五演示。"]


def test_own_words_leave_the_rest() -> None:
    assert own_words("a <b>bold</b>\n```x\ny\n```\nc").split() == ["a", "<b>bold</b>", "c"]
