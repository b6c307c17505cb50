"""What a question is about, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.keywords import MAX_KEYWORDS, keywords, quoted, without_scaffolding
from bethink.text.tokenise import query_terms, telling_terms


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Can you tell me what theme Mei likes?", "what theme Mei likes"),
        ("What do you know about the budget", "the budget"),
        ("Do you remember where Anna Smith lives?", "where Anna Smith lives"),
        ("please, could you remind me of the release plan?", "the release plan"),
        ("I was wondering if we fixed the login bug, thanks", "we fixed the login bug"),
        ("Hey, I'd like to know who owns payments", "who owns payments"),
        ("I can’t remember which port the proxy uses", "which port the proxy uses"),
        ("Is there anything about the offsite?", "the offsite"),
        ("Search my notes for ERR_CONN_1042", "ERR_CONN_1042"),
        ("According to my notes, what is the wifi password?", "what is the wifi password"),
        ("Tell me everything you know about Rust", "Rust"),
        ("where does Bob live, do you remember?", "where does Bob live"),
        ("TELL ME ABOUT DARK MODE", "DARK MODE"),
        ("请问小美喜欢什么主题？", "小美喜欢什么主题"),
        ("你还记得我上次说的预算吗？", "我上次说的预算"),
        ("能不能告诉我支付模块的负责人是谁", "支付模块的负责人是谁"),
        ("帮我查一下 ERR_CONN_1042 的原因", "ERR_CONN_1042 的原因"),
        ("关于深色主题的相关信息有哪些", "深色主题"),
        ("我的生日是哪天，你还记得吗？", "我的生日是哪天"),
        ("麻烦你帮我找一下 dark mode 的设置", "dark mode 的设置"),
        ("你好，我想问一下上海的会议在哪里开", "上海的会议在哪里开"),
        ("你能帮我回忆一下我和李雷吃了什么吗？", "我和李雷吃了什么"),
        ("還記得我們上次討論的預算嗎", "我们上次讨论的预算"),
        ("你知道Redis的端口吗", "Redis的端口"),
        ("tell me about dark mode 偏好", "dark mode 偏好"),
        ("请问 the release plan 定了吗", "the release plan 定了"),
    ],
)
def test_scaffolding_goes(question: str, left: str) -> None:
    assert without_scaffolding(question) == left


@pytest.mark.parametrize(
    "question",
    [
        "remember the milk",
        "who told Bob about the party",
        "knowledge base of the team",
        "the tell-tale sign",
        "find the file a.py",
        "So-Yeon's birthday",
        "知道分子是什么",
        "请假的流程是什么",
        "小美知道密码",
        "我的偏好",
        "记得买牛奶",
        "银行的电话",
        "what is it",
        "tell me",
        "你还记得吗",
        "你知道吗",
    ],
)
def test_what_is_no_scaffolding_stays(question: str) -> None:
    assert without_scaffolding(question) == question


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ('find "dark mode" and “release plan”', ("dark mode", "release plan")),
        ("「深色主题」和『三体』还有《活着》", ("深色主题", "三体", "活着")),
        ("run `pip install` again, `pip install`", ("pip install",)),
        ("don't use 'it' or Bob's", ()),
        ('an open " quote', ()),
        ('"" 「」 " "', ()),
        ("‘深色模式’", ("深色模式",)),
    ],
)
def test_quoted(text: str, phrases: tuple[str, ...]) -> None:
    assert quoted(text) == phrases


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("where does Anna Smith live", ("Anna Smith", "live")),
        ("What broke in New York?", ("New York", "broke")),
        ("Bob's sister", ("Bob", "sister")),
        ("why ERR_CONN_1042 after --no-cache", ("err_conn_1042", "--no-cache")),
        ('the "dark mode" of Mei', ("dark mode", "Mei")),
        ("小美喜欢什么主题", ("小美喜欢", "主题")),
        ("支付模块的负责人是谁", ("支付模块", "负责人")),
        ("《三体》的作者是谁", ("三体", "作者")),
        ("重要会议的目的", ("重要会议", "目的")),
        ("dark mode 的设置", ("设置", "dark", "mode")),
        ("what is it", ()),
        ("这是什么", ()),
    ],
)
def test_keywords(text: str, words: tuple[str, ...]) -> None:
    assert keywords(text)[: len(words)] == words
    assert bool(keywords(text)) is bool(words)


def test_keywords_are_few() -> None:
    assert len(keywords(" ".join(f"word{n}" for n in range(100)))) == MAX_KEYWORDS


PIECES = st.sampled_from(
    """tell me about can you please know remember what do “ ” 「 」 " Anna ERR_1 请问 你 还
    记得 关于 吗 的 信息 偏好 来着 ， ? 谢谢 帮我 查一下 i was wondering if""".split()
)


@given(st.one_of(st.text(), st.lists(PIECES).map(" ".join), st.lists(PIECES).map("".join)))
def test_any_text(text: str) -> None:
    """Never raises; never loses all that tells; done twice, nothing more goes wrong."""
    left = without_scaffolding(text)
    assert bool(telling_terms(left)) is bool(telling_terms(text))
    assert len(keywords(text)) <= MAX_KEYWORDS
    assert all(phrase == phrase.strip() != "" for phrase in quoted(text))


@pytest.mark.parametrize(
    "text",
    ["请" * 8000, "please " * 2000, "can you " * 2000, "“" * 8000, "A " * 8000, "你还能" * 3000,
     "tell me" + " " * 8000 + "x", "的相关" * 3000, "i am " * 2000, "a," * 4000],
)  # fmt: skip
def test_long_nonsense_ends(text: str) -> None:
    assert isinstance(without_scaffolding(text), str)
    assert len(keywords(text)) <= MAX_KEYWORDS


@pytest.mark.parametrize(
    ("question", "word"),
    [("let 怎么用", "let"), ("JS 里的 this 指向什么", "this"), ("with语句是什么意思", "with")],
)
def test_a_stop_word_alone_within_chinese_is_what_is_asked(question: str, word: str) -> None:
    assert word in query_terms(question) and word in telling_terms(question)
    assert "the" not in query_terms("the theme 小美 likes 是什么")
