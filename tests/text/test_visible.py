"""What would steer a terminal is written out."""

from __future__ import annotations

import json

import pytest

from bethink.text.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;pwned\x07", "\\u001b]0;pwned\\u0007"),
        ("深色\x9b2J模式", "深色\\u009b2J模式"),
        ("a\rb\x7f\x00", "a\\u000db\\u007f\\u0000"),
        ("abc\u202ecba\u2066", "abc\\u202ecba\\u2066"),
        ("odd \udcff name", "odd \\udcff name"),
    ],
)
def test_what_steers_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert json.loads(visible(json.dumps(text, ensure_ascii=False))) == text


def test_other_text_stays_as_it_is() -> None:
    text = "列\ttab\nשלום עולם 👩‍💻 café ＡＢ"
    assert visible(text) == text
    assert visible("one\r\ntwo") == "one\ntwo"
