"""What a sentence states, in one spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.facts import NOT, read
from bethink.text.numerals import chinese_number, number, time_of_day


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("三点开会", "3点开会"),
        ("下午三点开会", "15:00开会"),
        ("at 3 pm", "at 15:00"),
        ("at three o'clock", "at 3:00"),
        ("三千五百元", "3,500 yuan"),
        ("1.5万", "15000"),
        ("百分之二十", "20%"),
        ("5MB", "5 MB"),
        ("twenty-one days", "21 天"),
        ("2026-05-01", "May 1, 2026"),
        ("2026年5月1日", "1 May 2026"),
        ("五月一日", "5月1号"),
        ("on Mondays", "on Monday"),
        ("周一", "星期一"),
        ("don't go", "do not go"),
        ("不要去", "别去"),
        ("I dislike tea", "I don't like tea"),
        ("Ｍei ｐrefers ｄark", "Mei prefers dark"),
        ("團隊", "团队"),
        ("I like tea", "I really like tea a lot"),
        ("三点十分", "3:10"),
        ("the demo on Friday", "the demo Friday"),
        ("例会在周三", "例会周三"),
        ("Tea, please!", "tea"),
    ],
)
def test_one_spelling(one: str, other: str) -> None:
    assert read(one).tokens == read(other).tokens


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("port 8080", "port 9090"),
        ("5 MB", "5 GB"),
        ("version 2.4.1", "version 2.4.2"),
        ("2026-05-01", "2026-05-02"),
        ("三点", "四点"),
        ("prefers dark mode", "no longer prefers dark mode"),
        ("喜欢", "不再喜欢"),
        ("always", "never"),
        ("before lunch", "after lunch"),
        ("提交前", "提交后"),
        ("Mei", "Wei"),
        ("user_id", "order_id"),
        ("--force", "--force-with-lease"),
        ("/etc/hosts", "/etc/host"),
        ("lives in Rome", "lived in Rome"),
        ("住在北京", "以前住在北京"),
        ("my port", "your port"),
        ("with sugar", "without sugar"),
        ("A to B", "B to A"),
        ("the cat is in the box", "the cat is on the box"),
        ("works with Li", "works for Li"),
        ("Mei is a doctor", "Mei has a doctor"),
        ("他在公司", "他有公司"),
        ("这个服务器", "那个服务器"),
        ("uses C", "uses C++"),
        ("uses C", "uses C#"),
        ("x > 5", "x < 5"),
        ("a = b", "a != b"),
        ("rated 👍", "rated 👎"),
        ("it is -5 degrees", "it is 5 degrees"),
        ("the US office", "our office"),
        ("should ask", "must ask"),
        ("北京-上海", "上海-北京"),
        ("$5", "€5"),
        ("1.5", "15"),
        ("10:30", "10:03"),
    ],
)
def test_what_differs_stays_different(one: str, other: str) -> None:
    assert read(one).tokens != read(other).tokens


def test_a_date_without_a_year_is_of_the_year_it_was_told_in() -> None:
    assert read("5月1日发布", year=2026).dates == read("2026-05-01 发布").dates
    assert read("5月1日发布", year=2025).dates != read("2026-05-01 发布").dates
    assert read("5月1日发布").dates != read("2026-05-01 发布").dates


@pytest.mark.parametrize(
    ("text", "negations"),
    [
        ("非常好", 0),
        ("特别喜欢", 0),
        ("别人的猫", 0),
        ("未来的计划", 0),
        ("千万别去", 1),
        ("我不讨厌茶", 2),
        ("not only tea", 0),
        ("I don't dislike it", 2),
        ("没有猫", 1),
        ("turned off", 1),
    ],
)
def test_negations_are_counted_and_only_they(text: str, negations: int) -> None:
    assert read(text).negations == negations
    assert read(text).negative is (negations % 2 == 1)


def test_what_says_that_something_changed() -> None:
    assert read("The port is now 9090").corrects
    assert read("端口改为9090").corrects
    assert not read("The port is 9090").corrects


def test_the_kinds_of_what_must_be_identical() -> None:
    told = read("On 2026-05-01 Mei set user_id to 42 MB, 不用 --force")
    assert told.dates == ("2026-05-01",)
    assert told.numbers == ("42 mb",)
    assert told.identifiers == ("user_id", "--force")
    assert NOT in told.tokens
    assert "mei" in told.names


@pytest.mark.parametrize(
    ("text", "value"),
    [("十", 10), ("二十五", 25), ("一百零五", 105), ("三千五", 3500), ("两万", 20000),
     ("一亿三千万", 130_000_000), ("二零二六", 2026), ("廿三", 23), ("一百二", 120)],
)  # fmt: skip
def test_chinese_numbers(text: str, value: int) -> None:
    assert chinese_number(text) == value


def test_numbers_and_times_in_one_spelling() -> None:
    assert number("1,000") == "1000"
    assert number("2.50", "", "GB") == "2.5 gb"
    assert number("3", "million") == "3000000"
    assert time_of_day("12", part="a") == "00:00"
    assert time_of_day("3", "30", part="p") == "15:30"
    assert time_of_day("77") is None


@given(st.text(max_size=200))
def test_any_text_is_read_and_reading_is_stable(text: str) -> None:
    assert read(text) == read(text)


@given(
    st.text(alphabet="0123456789零一二三四五六七八九十百千万亿点年月日号:-.,%$ apm", max_size=40)
)
def test_any_pile_of_digits_is_read(text: str) -> None:
    read(text)
