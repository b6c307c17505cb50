"""The terms of both languages, of mixed text and of identifiers."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.fold import fold_width
from bethink.text.tokenise import (
    MAX_QUERY_TERMS,
    count_terms,
    distinct_words,
    identifiers,
    plain_words,
    query_terms,
    terms,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)  # also lone surrogates


def finds(question: str, text: str) -> bool:
    return bool(set(query_terms(question)) & set(terms(text)))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("预算", "我们昨天讨论了明年的预算问题"),
        ("深色主题", "小美喜欢深色的主题"),
        ("猫", "她养了一只猫"),
        ("後臺", "后台服务"),
        ("后台", "後臺服務"),
        ("資料庫", "资料库"),
        ("ＡＢＣ１２３", "abc123"),
        ("abc123", "ＡＢＣ１２３"),
        ("カタカナ", "ｶﾀｶﾅ"),
        ("running", "she runs every day"),
        ("budgets", "the budget"),
        ("DARK MODE", "偏好 dark mode"),
        ("偏好dark mode", "Mei's preference: 深色,偏好"),
        ("Redis缓存", "缓存用 redis"),
        ("don't", "DON’T do that"),
        ("dont", "I don't"),
        ("mcdonald's", "McDonald's"),
        ("McDonald", "mcdonald’s"),
        ("iphone", "my iPhone's screen"),
        ("d'artagnan", "Athos and d'Artagnan"),
        ("O'Brien", "o’brien’s pub"),
        ("Müller", "frau MÜLLER"),
        ("한국어", "저는 한국어를"),
        ("привет", "Привет, мир"),
    ],
)
def test_finds(question: str, text: str) -> None:
    assert finds(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("ERR_CONN_1042", "err_conn_1042"),
        ("1042", "ERR_CONN_1042 happened"),
        ("conn", "ERR_CONN_1042"),
        ("user_id", "字段user_id是主键"),
        ("user", "user_id"),
        ("--no-cache", "pass `--no-cache` to it"),
        ("no-cache", "--no-cache"),
        ("cache", "--no-cache"),
        ("a.b.c", "see a.b.c."),
        ("/etc/hosts", "edit /etc/hosts, then"),
        ("etc/hosts", "/etc/hosts"),
        ("hosts", "/etc/hosts"),
        ("file.txt", r"C:\path\file.txt"),
        (r"C:\path\file.txt", r"打开C:\path\file.txt文件"),
        ("getUserName", "call getUserName()"),
        ("getusername", "getUserName"),
        ("user name", "getUserName"),
        ("getUserName", "client.getUserName()"),
        ("max_retries", "config.max_retries=5"),
        ("barBaz", "foo::barBaz"),
        ("foo::bar", "use foo::bar<T>"),
        ("v1.2.3", "在v1.2.3中修复"),
        ("C++", "用C++写的"),
        ("C#", "C#/.NET"),
        ("li@example.com", "write to li@example.com."),
        ("example.com", "li@example.com"),
        ("https://example.com/a/b", "见https://example.com/a/b。"),
        ("example.com", "https://example.com/a/b"),
        ("timeout=30", "set timeout=30;"),
        ("timeout", "timeout=30"),
        ("log_level", "--log_level=debug"),
        ("2026-05-01", "于2026-05-01上线"),
        ("2026", "2026-05-01"),
        ("12:30", "at 12:30,"),
        ("#1042", "fixes #1042"),
        ("user_id", "the user_id's type"),
        ("$HOME", "echo $HOME"),
        ("@mei", "ask @mei"),
        ("~/.ssh/id_rsa", "in ~/.ssh/id_rsa"),
    ],
)
def test_identifiers_are_found_whole_and_by_their_parts(question: str, text: str) -> None:
    assert finds(question, text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ERR_CONN_1042", "ERR_CONN_1043"),
        ("user_id", "user_ids"),
        ("v1.2.3", "v1.2.4"),
        ("C++", "C#"),
        ("--no-cache", "--no-cached-x"),
        ("/etc/hosts", "/etc/hosts.allow"),
        ("2026-05-01", "2026-05-02"),
        ("foo::bar", "foo::baz"),
    ],
)
def test_near_misses_differ_in_their_exact_term(one: str, other: str) -> None:
    exact = terms(one)[0]
    assert exact in query_terms(one)
    assert exact not in terms(other)


# Whole words that must not be swallowed by the stop word whose letters they share.
@pytest.mark.parametrize(
    "word", ["id", "shell", "well", "ill", "hell", "shed", "wed", "quit", "doe"]
)
def test_telling_words_are_no_stop_words(word: str) -> None:
    assert finds(f"what is the {word} of it", f"the {word}")
    assert len(query_terms(f"what is the {word} of it")) == 1


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("what is the budget of the project", ["budget", "project"]),
        ("I'd like to know what she'll do about it's budget", ["know", "budget"]),
        ("请问我们的预算是什么", ["的预", "预算", "算是"]),
        ("Redis的TTL是多少", ["redi", "ttl"]),
    ],
)
def test_stop_words_go(question: str, left: list[str]) -> None:
    assert list(query_terms(question)) == left


@pytest.mark.parametrize(
    "question", ["what is it", "who are you?", "是什么", "为什么", "的", "THE"]
)
def test_a_question_of_stop_words_keeps_them(question: str) -> None:
    assert query_terms(question)
    assert finds(question, question)


@pytest.mark.parametrize(
    "hidden",
    [
        "pass\u200bword", "pass\u00adword", "\u202epassword\u202c", "pass\u2060word",
        "pass\ufe0fword",
        "password\U000e0041\U000e0042", "pass\u3164word", "pass\u061cword", "\ufeffpassword",
    ],
)  # fmt: skip
def test_invisible_characters_change_nothing(hidden: str) -> None:
    assert terms(hidden) == terms("password")
    assert terms(hidden.replace("pass", "密").replace("word", "码")) == terms("密码")


@pytest.mark.parametrize(
    "text", ["", " ", "\n\t", "?!…", "。，、", "\ud800", "🙂", '"""', "()*:^-"]
)
def test_nothing_to_find_gives_no_term(text: str) -> None:
    assert terms(text) == []
    assert query_terms(text) == ()


def test_search_operators_are_words() -> None:
    assert terms("cats NOT dogs OR NEAR(birds) AND col:x*")[:4] == ["cat", "not", "dog", "or"]


@pytest.mark.parametrize(
    "question",
    [
        "a b c " * 170_000,
        "x" * 1_000_000,
        "预算" * 500_000,
        "ERR_1 " * 160_000,
        "'" * 1_000_000,
        "a.b/" * 250_000,
        "\ufdfa" * 1_000_000,
        " " * 999_990 + "budget",
    ],
    ids=["words", "one word", "Chinese", "identifiers", "apostrophes", "path", "expands", "blank"],
)
def test_a_megabyte_of_question_is_cut(question: str) -> None:
    start = time.process_time()
    asked = query_terms(question)
    assert time.process_time() - start < 0.5
    assert len(asked) <= MAX_QUERY_TERMS
    assert max((len(t) for t in asked), default=0) <= 64
    if question.endswith("budget"):
        assert asked == ("budget",)


def test_a_real_question_is_not_cut() -> None:
    question = " ".join(f"word{n}" for n in range(30))
    assert {f"word{n}" for n in range(30)} <= set(query_terms(question))


@given(ANY_TEXT)
def test_terms_are_clean_whatever_is_told(text: str) -> None:
    for term in terms(text):
        assert term
        assert len(term) <= 64
        assert not any(character.isspace() or character == '"' for character in term)


@given(ANY_TEXT)
def test_what_is_asked_is_among_what_is_indexed(text: str) -> None:
    asked = query_terms(text)
    assert len(asked) == len(set(asked))
    assert set(asked) <= set(terms(text))
    assert bool(asked) == bool(terms(text))


NAME = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,8}", fullmatch=True)
JOINT = st.sampled_from(["_", "-", ".", "/", "::", ":", "=", "@", "\\"])
IDENTIFIER = st.tuples(NAME, st.lists(st.tuples(JOINT, NAME), max_size=4)).map(
    lambda t: t[0] + "".join(joint + name for joint, name in t[1])
)
AROUND = st.sampled_from(
    [("", ""), ("see ", "."), ("(", ")"), ('"', '"'), ("`", "`,"), ("错误", "出现了"),
     ("参数：", "。"), ("it is ", "!"), ("，", "、"), ("<", ">")]
)  # fmt: skip


@given(IDENTIFIER, AROUND)
def test_every_identifier_is_found_by_asking_for_it(name: str, around: tuple[str, str]) -> None:
    text = name.join(around)
    assert set(terms(name)) <= set(terms(text))
    assert terms(name)[0] == terms(name.swapcase())[0] or name.isalpha()


@given(st.text("的一是不了在人有我他这个预算主题喜欢深色", min_size=2, max_size=30))
def test_every_pair_of_chinese_characters_is_a_term(text: str) -> None:
    indexed = set(terms(text))
    assert all(text[i : i + 2] in indexed for i in range(len(text) - 1))
    assert all(any(term.startswith(one) for term in indexed) for one in text)


@given(st.text("的预算𠀀𪚥한カ後", min_size=1, max_size=60))
def test_a_run_is_its_pairs_and_its_last_character(run: str) -> None:
    run = fold_width(run)
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    assert terms(run) == [*pairs, run[-1]]
    assert terms(run, ends=False) == (pairs or [run])


@given(st.from_regex(r"[A-Za-z]{1,70}", fullmatch=True))
def test_a_word_alone_is_the_same_as_among_signs(word: str) -> None:
    assert terms(word) == terms(f"({word})") == terms(f"，{word}。")


TEXTS_TO_COUNT = [
    "The budgets of May: 42, budget_2026 and --no-cache; don't!",
    "预算是四十二万，预算表在 wiki 上。user_id=7",
    "偏好 dark mode；深色模式、カタカナ。",
    "哈哈哈哈，妈妈妈 ha ha ha",
    "",
]


@pytest.mark.parametrize("text", TEXTS_TO_COUNT)
def test_counting_terms_agrees_with_making_them(text: str) -> None:
    folded = fold_width(text)
    made = Counter(terms(folded))
    counted, total = count_terms(folded, set(made))
    assert {term: n for term, n in counted.items() if len(term) > 1} == {
        term: n for term, n in made.items() if len(term) > 1
    }
    assert total == made.total()
    assert count_terms(folded, {"预算", "nothing"})[0].get("预算", 0) == made["预算"]


def test_words_as_they_are_written() -> None:
    assert plain_words("Don't buy 2 Books, she's 忙着 学习！") == [
        "don't", "buy", "2", "books", "she's", "忙着", "学习",
    ]  # fmt: skip
    assert plain_words("深色模式") == ["深色", "色模", "模式"]
    held = distinct_words(fold_width("深色模式 dark dark"), ["色模", "天空", "dark"])
    assert sorted(held) == sorted(["dark", "深", "色", "模", "式", "色模"])


@pytest.mark.parametrize(
    "text",
    [
        "a 12-week plan with 45kg and 147.5kg, from the 7th, the 8th-12th, at 9:30 or 10:00am",
        "50/50, 10-20 people, 2 GB or 2GB, 1200ml, 5k, $1200, rule #1, $20",
        "12周的计划，45kg，第7天，9:30开始，50/50分",
    ],
)
def test_quantities_are_no_identifiers(text: str) -> None:
    assert identifiers(text) == ()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("E1042 or 1042E?", ("e1042", "1042e")),
        ("错误码E1042和工单#1042", ("e1042", "1042")),
        ("python3.12 and v2.3.1", ("python3.12", "v2.3.1")),
        ("7f3a9c, 3.12 和 a1b2", ("7f3a9c", "3.12", "a1b2")),
    ],
)
def test_what_is_like_a_quantity_and_names_something(text: str, named: tuple[str, ...]) -> None:
    assert set(named) <= set(identifiers(text))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("export WEBHOOK_LIMIT=300", "webhook_limit"),
        ("pay.callback.timeout=60 可以吗", "pay.callback.timeout"),
        ("10.2.8.15:5433 连不上", "10.2.8.15"),
        ("run scripts/migrate_up.sh", "migrate_up.sh"),
        ("docker build --platform=linux/arm64", "--platform"),
        (".btn-primary is too dark", "btn-primary"),
        ("在 order-service 里加一个接口", "order-service"),
    ],
)
def test_what_is_glued_together_or_marked_as_code_is_named(text: str, named: str) -> None:
    assert named in identifiers(text)
    assert named in terms(text)


@pytest.mark.parametrize("text", ["a well-known follow-up, step-by-step", "Mei's cat", "isn't it"])
def test_plain_words_are_no_identifiers(text: str) -> None:
    assert identifiers(text) == ()


def test_a_part_of_a_uuid_is_a_term() -> None:
    told = terms("租户 3f2b8c1e-9d47-4a6b-8c2d-1234567890ab")
    assert {"3f2b8c1e", "9d47", "1234567890ab"} <= set(told)


@given(st.text(st.sampled_from("ab Z9²፩_-./:@#$~'’`预算\u00e9, ")))
def test_a_quick_look_passes_over_no_identifier(text: str) -> None:
    """With `x_y` behind it the text is read in full."""
    assert identifiers(f"{text} x_y") == tuple(dict.fromkeys((*identifiers(text), "x_y")))
