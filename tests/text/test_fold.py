from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bethink.text.fold  # the module itself: `fold` is also a function
from bethink.text.fold import fold, fold_for_terms, fold_width
from bethink.text.tokenise import joined_terms


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

    changed = filter(in_gb2312, bethink.text.fold._traditional())
    assert sorted(changed) == sorted(bethink.text.fold._OLD_IN_GB2312.strip("[]"))


# what people write in GB 2312, with the signs that widths differ in, between words and inside them
_MIXED = st.text(
    st.sampled_from(
        "预算会议的於後ab1_ ，；！？（）。、“”《》…：．／＠＋＃＝＆～　①Ⅱ℃ａＢ１-./:@+#=&~'\n"
    )
)


@given(_MIXED)
def test_folding_for_terms_gives_the_same_terms(text: str) -> None:
    assert joined_terms(fold_for_terms(text)) == joined_terms(fold_width(text))
    assert fold_width(fold_for_terms(text)) == fold_width(text)


def test_only_signs_between_words_may_keep_their_width() -> None:
    kept = {
        character
        for character in map(chr, range(0x80, 0x10000))
        if not 0xD800 <= ord(character) < 0xE000
        and fold_for_terms(character) != fold_width(character)
    }
    assert kept == set("！（），；？\u3000")
