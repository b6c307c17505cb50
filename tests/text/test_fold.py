from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recollect.text.fold  # the module itself: `fold` is also a function
from recollect.text.fold import fold, fold_width


@pytest.mark.parametrize(
    ("told", "folded"),
    [
        ("ABC", "abc"),
        ("ＡＢＣ１２３！", "abc123!"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("資料庫與後臺", "资料库与后台"),
        ("頭髮", "头发"),
        ("①㎏", "1kg"),
        ("e\u0301", "é"),
        ("a\u200bb\u00adc", "abc"),
        ("\u202eabc\u202c", "abc"),
        ("hi\U000e0049\U000e0047", "hi"),
        ("x\u3164\uffa0y", "xy"),
        ("\ud800", "\ud800"),
        ("", ""),
    ],
)
def test_fold(told: str, folded: str) -> None:
    assert fold(told) == folded


def test_width_keeps_case() -> None:
    assert fold_width("ＧetＵserName") == "GetUserName"


@given(st.text(st.characters(exclude_categories=())))
def test_never_raises_and_strips_what_is_not_seen(text: str) -> None:
    folded = fold(text)
    hidden = {"\u200b", "\u202e", "\u2066", "\ufeff", "\u1160", "\U000e0041"}
    assert not hidden & set(folded)


@given(st.text(st.characters(codec="ascii")))
def test_ascii_only_loses_its_case(text: str) -> None:
    assert fold(text) == text.lower()


def test_the_listed_characters_of_gb2312_are_all_that_the_table_changes() -> None:
    def in_gb2312(character: str) -> bool:
        try:
            return bool(character.encode("gb2312"))
        except UnicodeEncodeError:
            return False

    changed = filter(in_gb2312, recollect.text.fold._traditional())
    assert sorted(changed) == sorted(recollect.text.fold._OLD_IN_GB2312.strip("[]"))
