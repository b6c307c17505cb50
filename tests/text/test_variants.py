"""Segments, coverage and variants, in both languages and mixed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from bethink.text.coverage import Asked
from bethink.text.segments import segments, telling_pieces
from bethink.text.variants import MOST, variants


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which theme does Mei like?", ["theme", "Mei"]),
        ("Is dark mode, or light mode, better?", ["dark mode", "light mode", "better"]),
        ("what is the error ERR_CONN_1042 with --no-cache", ["error ERR_CONN_1042", "--no-cache"]),
        ("小美什么时候去北京？", ["小美", "去北京"]),
        ("我们的会议目的是什么", ["会议目的"]),
        ("会议的目的是什么？", ["会议", "目的"]),
        ("为什么重要的会议要改时间", ["重要", "会议要改时间"]),
        ("你了解过敏吗", ["了解过敏"]),
        ("我偏好 dark mode 还是 light mode？", ["偏好 dark mode", "light mode"]),
        ("深色主題", ["深色主题"]),
        ("what is it", []),
        ("是什么", []),
        ("", []),
        ("??? ……", []),
    ],
)
def test_segments(question: str, expected: list[str]) -> None:
    assert segments(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [("what is it", ["what", "is", "it"]), ("是什么", ["是", "什么"]), ("猫呢", ["猫"])],
)
def test_a_question_without_anything_telling_keeps_all(question: str, expected: list[str]) -> None:
    assert telling_pieces(question) == expected


@pytest.mark.parametrize(
    ("question", "passage", "share"),
    [
        ("Which theme does Mei like?", "Mei liked all the themes", 1.0),
        ("Which theme does Mei like?", "Mei is here", 0.5),
        ("Which theme does Mei like?", "lunch", 0.0),
        ("小美喜欢什么主题？", "主题呢，小美都喜欢", 1.0),
        ("小美喜欢什么主题？", "小美来了", 1 / 3),
        ("小美喜欢什么主题？", "中午吃饭", 0.0),
        ("小美喜歡什麼主題？", "小美喜欢主题", 1.0),
        ("深色主题", "主题是深色的", 1.0),
        ("深色主题", "题主色深", 0.0),  # the same characters, another text
        ("猫呢", "一只猫", 1.0),
        ("偏好 dark mode", "她的偏好是 light mode", 2 / 3),
        ("ERR_CONN_1042", "saw ERR_CONN_1042", 1.0),
        ("ERR_CONN_1042", "saw ERR_CONN_1043", 0.5),
        ("what is it", "it is what it is", 1.0),
        ("???", "anything", 0.0),
        ("theme theme theme mode", "theme", 0.5),  # said thrice is asked once
    ],
)
def test_coverage(question: str, passage: str, share: float) -> None:
    assert Asked.of(question).share_in(passage) == approx(share)


@given(st.text(), st.text())
def test_coverage_is_a_share(question: str, passage: str) -> None:
    asked = Asked.of(question)
    assert 0 <= asked.share_in(passage) <= 1
    assert asked.share_in(question) == approx(1.0 if asked.total else 0.0)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            'Can you tell me which "dark mode" setting Mei prefers, please?',
            [
                ("quoted", "dark mode"),
                ("no question words", "dark mode setting Mei prefers"),
            ],
        ),
        (
            "where is the spare key of the blue car",
            [
                ("no question words", "is the spare key of the blue car"),
                ("no stop words", "spare key blue car"),
                ("longest segment", "spare key"),
                ("longest segment", "blue car"),
            ],
        ),
        (
            "请问小美什么时候去北京？",
            [
                ("no question words", "小美 去北京"),
                ("longest segment", "去北京"),
                ("longest segment", "小美"),
                ("something between", "小 美"),
                ("something between", "去 北 京"),
            ],
        ),
        (
            "「深色主题」在哪里设置？",
            [
                ("quoted", "深色主题"),
                ("no question words", "深色主题 设置"),
                ("longest segment", "设置"),
                ("something between", "深 色 主 题"),
                ("something between", "设 置"),
            ],
        ),
        ("预算怎么定的", [("no question words", "预算"), ("something between", "预 算")]),
        ("猫呢？", [("no question words", "猫")]),
        (
            "“蓝鸟” rollback 怎么做",
            [
                ("quoted", "蓝鸟"),
                ("no question words", "蓝鸟 rollback"),
                ("longest segment", "rollback"),
                ("something between", "蓝 鸟"),
            ],
        ),
        ("what is it?", []),
        ("是什么？", []),
        ("zebra", []),
        ("", []),
    ],
)
def test_variants(question: str, expected: list[tuple[str, str]]) -> None:
    assert [(v.kind, v.text) for v in variants(question)] == expected


@pytest.mark.parametrize(
    ("passage", "fits"),
    [
        ("她养了一只猫", True),
        ("她养了两三只小猫", True),
        ("养鸡养鸭养猫", True),
        ("养鸡，也爱猫", False),
        ("養貓", True),
        ("猫养的", False),
        ("她养了一条狗，后来邻居家有了一只猫", False),
    ],
)
def test_something_between(passage: str, fits: bool) -> None:
    variant = next(v for v in variants("谁养猫") if v.apart)
    assert variant.fits(passage) is fits


@given(st.text(alphabet=st.characters() | st.sampled_from('我的猫吗“”「」" ?？abcXYZ_-1042')))
def test_any_text(question: str) -> None:
    found = variants(question)
    assert len(found) <= MOST
    assert all(v.text for v in found)
    assert len({v.text.lower() for v in found}) == len(found)


@pytest.mark.parametrize(
    "block", ["的", "猫", '"', "“a", "什么时", "a ", "a的", "？", "((((", "can you tell me "]
)
def test_of_a_long_question_both_ends_are_read(block: str) -> None:
    question = f"“first 头” {block * (800_000 // len(block))} “last 尾”"
    found = variants(question)
    assert len(found) <= MOST
    assert {v.text for v in found if v.kind == "quoted"} >= (
        {"first 头", "last 尾"} if "“" not in block else {"first 头"}
    )
