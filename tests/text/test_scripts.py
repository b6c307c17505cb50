"""In which letters a text is written."""

from __future__ import annotations

import pytest

from bethink.text.scripts import mostly_latin


@pytest.mark.parametrize(
    ("text", "latin"),
    [
        ("Mei prefers dark mode", True),
        ("Chen Wei (陈薇) takes her coffee with oat milk", True),
        ("Café Müller opens at noon", True),
        ("小美喜欢深色主题", False),
        ("我们把主库换成了 PostgreSQL，连接池上限是五十", False),
        ("Привет, мир", False),
        ("おはようございます", False),
        ("1042 · 3.14", False),
        ("🎉🎉", False),
        ("x", False),
        ("", False),
    ],
)
def test_half_of_the_words_decide(text: str, latin: bool) -> None:
    assert mostly_latin(text) is latin


def test_only_the_beginning_is_looked_at() -> None:
    assert mostly_latin("The minutes of the meeting. " * 100 + "会议记录" * 5_000)
    assert not mostly_latin("会议记录" * 1_000 + "the minutes of the meeting " * 1_000)
