from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bethink.text.time_chinese import number
from bethink.text.time_phrases import MOST_CHARACTERS, TimePhrase, find_time_phrases
from tests.text.time_phrase_table import CHINESE, ENGLISH, NO_TIME, NOW, SHANGHAI, Row

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")


def find(text: str, now: datetime = NOW, zone: tzinfo = SHANGHAI) -> tuple[TimePhrase, ...]:
    return find_time_phrases(text, now=now, zone=zone)


def days(text: str, now: datetime = NOW, zone: tzinfo = SHANGHAI) -> list[tuple[str, str, str]]:
    """The words with their first and last moment, short."""
    return [(p.text, _short(p.start), _short(p.end)) for p in find(text, now, zone)]


def _short(moment: datetime) -> str:
    return moment.isoformat()[: 10 if moment.hour == moment.minute == 0 else 16]


def test_the_tables_are_large() -> None:
    assert len({row.phrase for row in ENGLISH}) >= 60
    assert len({row.phrase for row in CHINESE}) >= 60
    assert len(set(NO_TIME)) >= 30


@pytest.mark.parametrize("row", ENGLISH + CHINESE, ids=lambda row: row.phrase)
def test_phrase(row: Row) -> None:
    assert find(row.phrase) == (TimePhrase(row.start, row.end, (0, len(row.phrase)), row.phrase),)


@pytest.mark.parametrize("row", ENGLISH, ids=lambda row: row.phrase)
def test_phrase_in_an_english_question(row: Row) -> None:
    """Also in capitals and inside other words of the question."""
    text = f"Tell me what we decided {row.phrase}, please?"
    (found,) = find(text)
    assert (found.start, found.end) == (row.start, row.end)
    assert text[slice(*found.span)] == found.text == row.phrase
    (loud,) = find(row.phrase.upper())
    assert (loud.start, loud.end) == (row.start, row.end)


@pytest.mark.parametrize("row", CHINESE, ids=lambda row: row.phrase)
def test_phrase_in_a_chinese_question(row: Row) -> None:
    text = f"请问，{row.phrase}我们决定了什么？"
    (found,) = find(text)
    assert (found.start, found.end) == (row.start, row.end)
    assert text[slice(*found.span)] == found.text == row.phrase


@pytest.mark.parametrize("text", NO_TIME)
def test_no_phrase(text: str) -> None:
    assert find(text) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "what did I say about the budget last Tuesday, 上周五呢, and in March?",
            [
                ("last Tuesday", "2026-05-12", "2026-05-13"),
                ("上周五", "2026-05-08", "2026-05-09"),
                ("in March", "2026-03-01", "2026-04-01"),
            ],
        ),
        ("last Tuesday 的会议", [("last Tuesday", "2026-05-12", "2026-05-13")]),
        ("from 周一 to 周三", [("from 周一 to 周三", "2026-05-11", "2026-05-14")]),
        ("今年Q1的 OKR", [("今年Q1", "2026-01-01", "2026-04-01")]),
        (
            "昨天和今天",
            [("昨天", "2026-05-13", "2026-05-14"), ("今天", "2026-05-14", "2026-05-15")],
        ),
        (
            "周一上午和周二下午",
            [
                ("周一上午", "2026-05-11T05:00", "2026-05-11T12:00"),
                ("周二下午", "2026-05-12T12:00", "2026-05-12T18:00"),
            ],
        ),
        (
            "this week and last week",
            [
                ("this week", "2026-05-11", "2026-05-18"),
                ("last week", "2026-05-04", "2026-05-11"),
            ],
        ),
        # What stands behind makes another word of the end.
        ("上周一起吃饭", [("上周", "2026-05-04", "2026-05-11")]),
        ("上周三个会", [("上周", "2026-05-04", "2026-05-11")]),
        ("上周日常工作", [("上周", "2026-05-04", "2026-05-11")]),
        ("上周年会", [("上周", "2026-05-04", "2026-05-11")]),
        ("上周期末考试", [("上周", "2026-05-04", "2026-05-11")]),
        ("昨天后台报错", [("昨天", "2026-05-13", "2026-05-14")]),
        ("今天前端崩了", [("今天", "2026-05-14", "2026-05-15")]),
        ("三天前提交的代码", [("三天前", "2026-05-11", "2026-05-12")]),
        ("一百年前的", [("一百年前", "1926-01-01", "1927-01-01")]),
        ("a recent bug", [("recent", "2026-05-07", "2026-05-15")]),
        ("yesterday's notes", [("yesterday", "2026-05-13", "2026-05-14")]),
        ("early  March", [("early  March", "2026-03-01", "2026-03-11")]),
        ("on may 6", [("on may 6", "2026-05-06", "2026-05-07")]),
        ("Monday, March 23", [("Monday, March 23", "2026-03-23", "2026-03-24")]),
        ("5月6日（星期三）的会", [("5月6日（星期三）", "2026-05-06", "2026-05-07")]),
        ("in April. Then", [("in April", "2026-04-01", "2026-05-01")]),
        ("in recent years", [("in recent years", "2021-05-14", "2026-05-15")]),
        ("from May 1st to 3rd.", [("from May 1st to 3rd", "2026-05-01", "2026-05-04")]),
        ("August 14-15, 2026", [("August 14-15, 2026", "2026-08-14", "2026-08-16")]),
        ("May 10, 1871", [("May 10, 1871", "1871-05-10", "1871-05-11")]),
        ("在1940年代", [("1940年代", "1940-01-01", "1950-01-01")]),
        ("in the 1990s", [("in the 1990s", "1990-01-01", "2000-01-01")]),
        ("七月初五", [("七月", "2025-07-01", "2025-08-01")]),
        ("他说明天来", [("明天", "2026-05-15", "2026-05-16")]),
        ("from 3 May to 5 May", [("from 3 May to 5 May", "2026-05-03", "2026-05-06")]),
        ("今天早些时候", [("今天", "2026-05-14", "2026-05-15")]),
        ("2024年底", [("2024年底", "2024-10-01", "2025-01-01")]),
        ("今年初中毕业", [("今年", "2026-01-01", "2027-01-01")]),
        ("May 3 - 5 days ago", [("May 3 - 5 days ago", "2026-05-03", "2026-05-10")]),
        (
            "May 9, 2026 - 6 days ago",
            [
                ("May 9, 2026", "2026-05-09", "2026-05-10"),
                ("6 days ago", "2026-05-08", "2026-05-09"),
            ],
        ),
        # Places are those of the text as it was given.
        ("𝔘𝔫𝔦 ２０２６－０５－０６。", [("２０２６－０５－０６", "2026-05-06", "2026-05-07")]),
        ("İİ 上週五", [("上週五", "2026-05-08", "2026-05-09")]),
        ("ＬＡＳＴ　ＷＥＥＫ", [("ＬＡＳＴ　ＷＥＥＫ", "2026-05-04", "2026-05-11")]),
    ],
)
def test_in_other_text(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert days(text) == expected


@pytest.mark.parametrize(
    ("now", "text", "start", "end"),
    [
        ("2026-03-31", "last month", "2026-02-01", "2026-03-01"),
        ("2026-03-31", "past month", "2026-02-28", "2026-04-01"),
        ("2024-03-31", "近一个月", "2024-02-29", "2024-04-01"),
        ("2024-02-29", "past year", "2023-02-28", "2024-03-01"),
        ("2024-02-29", "今天", "2024-02-29", "2024-03-01"),
        ("2024-03-01", "yesterday", "2024-02-29", "2024-03-01"),
        ("2027-05-14", "2月29日", "2024-02-29", "2024-03-01"),
        ("2026-01-01", "昨天", "2025-12-31", "2026-01-01"),
        ("2026-01-01", "last week", "2025-12-22", "2025-12-29"),
        ("2026-01-01", "上个月", "2025-12-01", "2026-01-01"),
        ("2026-01-01", "上季度", "2025-10-01", "2026-01-01"),
        ("2026-01-01", "last December", "2025-12-01", "2026-01-01"),
        ("2025-12-31", "last December", "2024-12-01", "2025-01-01"),
        ("2025-12-31", "in December", "2025-12-01", "2026-01-01"),
        ("2025-12-31", "next month", "2026-01-01", "2026-02-01"),
        ("2025-12-31", "tomorrow", "2026-01-01", "2026-01-02"),
        ("2026-01-15", "from December 20 to January 5", "2025-12-20", "2026-01-06"),
        ("2026-12-25", "between December 20 and January 5", "2025-12-20", "2026-01-06"),
        ("2026-01-15", "从11月到1月", "2025-11-01", "2026-02-01"),
        # A Sunday is the end of its week; a Monday begins one.
        ("2026-05-17", "last Sunday", "2026-05-10", "2026-05-11"),
        ("2026-05-17", "on Sunday", "2026-05-17", "2026-05-18"),
        ("2026-05-17", "the weekend", "2026-05-16", "2026-05-18"),
        ("2026-05-17", "last weekend", "2026-05-09", "2026-05-11"),
        ("2026-05-17", "上周日", "2026-05-10", "2026-05-11"),
        ("2026-05-18", "this week", "2026-05-18", "2026-05-25"),
        ("2026-05-18", "last Monday", "2026-05-11", "2026-05-12"),
        ("2026-05-18", "上周一", "2026-05-11", "2026-05-12"),
        ("2026-05-19", "from Monday to Wednesday", "2026-05-11", "2026-05-14"),
        ("2026-05-19", "上周一到周三", "2026-05-11", "2026-05-14"),
        # Holidays: the latest that has begun, the latest that is over.
        ("2026-10-03", "国庆", "2026-10-01", "2026-10-08"),
        ("2026-09-30", "国庆", "2025-10-01", "2025-10-08"),
        ("2026-12-25", "Christmas", "2026-12-25", "2026-12-26"),
        ("2026-12-25", "last Christmas", "2025-12-25", "2025-12-26"),
        ("2027-03-01", "春节", "2027-02-06", "2027-02-13"),
        ("2027-01-20", "春节期间", "2026-02-17", "2026-02-24"),
        ("2026-09-26", "中秋", "2026-09-25", "2026-09-26"),
        ("2023-12-01", "Thanksgiving", "2023-11-23", "2023-11-24"),
        ("2024-04-10", "清明", "2024-04-04", "2024-04-05"),
    ],
)
def test_borders(now: str, text: str, start: str, end: str) -> None:
    noon = datetime.fromisoformat(now).replace(hour=12, tzinfo=SHANGHAI)
    ((_, *found),) = days(text, noon)
    assert found == [start, end]


def test_a_lunar_holiday_outside_the_table_is_unknown() -> None:
    assert days("2012年的春节") == [("2012年", "2012-01-01", "2013-01-01")]


@pytest.mark.parametrize(
    ("zone", "now", "text", "start", "end"),
    [
        # 29 March 2026 has 23 hours in Berlin, 25 October has 25; New York: 8 March, 1 November.
        (BERLIN, "2026-03-30T10:00Z", "yesterday", "2026-03-29T00:00+01:00",
         "2026-03-30T00:00+02:00"),
        (BERLIN, "2026-10-26T10:00Z", "昨天", "2026-10-25T00:00+02:00", "2026-10-26T00:00+01:00"),
        (BERLIN, "2026-03-31T10:00Z", "past 3 days", "2026-03-28T00:00+01:00",
         "2026-04-01T00:00+02:00"),
        (BERLIN, "2026-11-02T10:00Z", "两周前", "2026-10-19T00:00+02:00", "2026-10-26T00:00+01:00"),
        (NEW_YORK, "2026-03-09T15:00Z", "last Sunday", "2026-03-08T00:00-05:00",
         "2026-03-09T00:00-04:00"),
        (NEW_YORK, "2026-11-02T15:00Z", "上周日", "2026-11-01T00:00-04:00",
         "2026-11-02T00:00-05:00"),
        # No midnight in Cairo on 24 April 2026: the day begins at one.
        (ZoneInfo("Africa/Cairo"), "2026-04-25T10:00Z", "前天", "2026-04-23T00:00+02:00",
         "2026-04-24T01:00+03:00"),
        # The same moment is two days: it is the zone that says which day it is.
        (NEW_YORK, "2026-05-14T02:30Z", "today", "2026-05-13T00:00-04:00",
         "2026-05-14T00:00-04:00"),
        (SHANGHAI, "2026-05-13T17:30Z", "今天", "2026-05-14T00:00+08:00",
         "2026-05-15T00:00+08:00"),
        # Hours are counted in true time: 02:30 comes twice on 25 October in Berlin.
        (BERLIN, "2026-10-25T01:30Z", "an hour ago", "2026-10-25T02:00+02:00",
         "2026-10-25T03:00+01:00"),
        (BERLIN, "2026-10-25T01:30Z", "past 2 hours", "2026-10-25T01:00+02:00",
         "2026-10-25T03:00+01:00"),
        (BERLIN, "2026-03-29T01:30Z", "一小时前", "2026-03-29T01:00+01:00",
         "2026-03-29T02:00+01:00"),
    ],
)  # fmt: skip
def test_summer_time(zone: tzinfo, now: str, text: str, start: str, end: str) -> None:
    (found,) = find(text, datetime.fromisoformat(now), zone)
    assert found.start.tzinfo is zone
    assert found.end.tzinfo is zone
    # In seconds, because an hour that comes twice is never equal to that of another zone.
    assert found.start.timestamp() == datetime.fromisoformat(start).timestamp()
    assert found.end.timestamp() == datetime.fromisoformat(end).timestamp()


@pytest.mark.parametrize(
    ("text", "value"),
    [("一", 1), ("两", 2), ("十", 10), ("十二", 12), ("二十", 20), ("三十一", 31), ("廿", 20),
     ("廿三", 23), ("卅一", 31), ("二零二六", 2026), ("二〇二六", 2026), ("一百", 100),
     ("一百二十", 120), ("一百零五", 105), ("12", 12)],
)  # fmt: skip
def test_chinese_numbers(text: str, value: int) -> None:
    assert number(text) == value


def test_only_the_beginning_of_a_document_is_read() -> None:
    assert find("x " * MOST_CHARACTERS + "yesterday") == ()
    assert len(find("yesterday " + "x " * MOST_CHARACTERS)) == 1


PAGE = Path(__file__).parents[2] / "docs/reference/time-phrases.md"


def test_the_documented_table_is_true() -> None:
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text("utf-8").splitlines()]
    told = [
        (phrase.strip("`"), start, end)
        for words, _, start, end in (row for row in rows if len(row) == 4)
        if start[:1].isdigit() and "-" in start
        for phrase in words.split(", ")
    ]
    assert len(told) > 50
    for phrase, start, end in told:
        assert days(phrase) == [(phrase, start, end)]


WORDS = st.sampled_from(
    """last next this past from to between and since before after until the in on of may march May 6
    31 29 february feb 2024 2026-02-30 q3 first half year week days ago few a couple friday fri
    morning night christmas 五 月 日 号 年 前 后 上 下 周 天 个 多 来 半 十 廿 百 零 2 99 9999 最近
    过去 到 至 从 之间 以来 之前 季度 国庆 春节 五一 十一 底 初 晚上 去 今 明 每 ， ? - / 0000 ０
    週 後
    """.split()
)
ZONES = st.sampled_from([SHANGHAI, BERLIN, NEW_YORK, UTC, timezone(timedelta(hours=-12))])
MOMENTS = st.datetimes(datetime(3, 1, 1), datetime(9997, 12, 31), timezones=ZONES)


@given(
    st.one_of(
        st.text(st.characters(exclude_categories=())),
        st.lists(WORDS, max_size=12).map(" ".join),
        st.lists(WORDS, max_size=12).map("".join),
    ),
    MOMENTS,
    ZONES,
)
@example("99999999 days ago 9999年12月31日之后 二零二六年二月三十日", NOW, SHANGHAI)
def test_any_text(text: str, now: datetime, zone: tzinfo) -> None:
    """Never raises; phrases are in order, inside the text, apart, and not empty."""
    at = 0
    for phrase in find_time_phrases(text, now=now, zone=zone):
        low, high = phrase.span
        assert at <= low < high <= len(text)
        assert text[low:high] == phrase.text
        assert phrase.start < phrase.end
        assert phrase.start.tzinfo is zone
        assert phrase.end.tzinfo is zone
        phrase.start.astimezone(UTC)
        phrase.end.astimezone(UTC)
        at = high


@pytest.mark.parametrize("text", ["what did we say yesterday?", "昨天说了什么？"])
def test_now_and_here_unless_said_otherwise(text: str) -> None:
    before = datetime.now(UTC)
    (found,) = find_time_phrases(text)
    assert timedelta() <= before - found.start.astimezone(UTC) <= timedelta(days=2, hours=1)
    (told,) = find_time_phrases(text, now=NOW.astimezone(BERLIN))
    assert told == find_time_phrases(text, now=NOW, zone=BERLIN)[0]
    naive = NOW.astimezone(SHANGHAI).replace(tzinfo=None)
    assert find_time_phrases(text, now=naive, zone=SHANGHAI) == find(text)
