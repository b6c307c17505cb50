"""Find time phrases in a question, in English and Chinese, and say which days they mean.

    find_time_phrases("what did we decide last Tuesday, 上周五呢", now=now, zone=zone)

A phrase becomes `[start, end)` in the zone of the person who asks, and says where it stands in the
text. No library reads both languages, and those that read one well are slow or large. What this
one refuses: guesses. What is not in the grammar is not found, and the question goes to search.

What the words mean (with examples: docs/reference/time-phrases.md):

- A day is from midnight to midnight on the wall; a week begins on Monday.
- "last Tuesday": the latest Tuesday before today. "this Tuesday": that of the current week. "next
  Tuesday": the first after today. "on Tuesday", 周二: the latest, today included. 上周二 and
  "Tuesday of last week": that of the week before; 下周二: that of the week after.
- "last week, month, quarter, year": the whole one before this one. "past week": rolling.
- "last March", "last Christmas": the latest that is over. "in March", 三月, "Q3", 国庆, 5月3日
  without a year: the latest that has begun. "this March", 今年三月: that of this year.
- "past N days", 最近三天: from midnight N days ago to the end of today. "recently", 最近, 这几天:
  the same with seven days. "a few": seven days, or five of any other unit.
- "N days ago" is that day, "N weeks ago" that whole week, and so on. "more than", 多: up to one
  more, or to the next ten. "about", 来: a fifth more or less. Hours are whole hours of the clock.
- "since A", A以来: from A to the end of today. "before A": from the year 2. "after A": up to the
  year 9999. "until A", "by A": with A.
- "from A to B": with both; of what comes again (Monday, May 3) the latest pair that fits.
- 05/06/2026 is the sixth of May; 25/12/2025 can only be Christmas.
- Parts of a day: 凌晨 0–6, morning 早上 上午 5–12, noon 中午 11–14, afternoon 下午 12–18, 傍晚
  17–20, evening 17–24, night 晚上 18 to 6 of the next day.
- Seasons are those of the north: summer is June, July and August.
- A date that cannot be (30 February) is no phrase, nor is its month.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from functools import cache
from typing import NamedTuple

from bethink.text import time_chinese, time_digits, time_english
from bethink.text.time_calendar import FIRST, LAST, Calendar
from bethink.text.time_joins import Found, join

# A question is short; what is longer is a document, and only its beginning is read for times.
MOST_CHARACTERS = 20_000

# Only the characters of the grammar, one for one, so that places in the text stay the same.
_TRADITIONAL = """
週周 號号 個个 這这 後后 來来 過过 國国 慶庆 節节 禮礼 兩两 時时 間间 鐘钟 頭头 從从 與与
勞劳 動动 聖圣 誕诞 萬万 婦妇 兒儿 雙双 內内 裡里 裏里 當当 幾几 數数 氣气 邊边 圍围 級级
齡龄 紀纪 輕轻 並并 條条 場场 種种 將将 離离 陣阵 剛刚 黃黄 長长 會会 終终 養养 臺台 餅饼
經经 報报 記记 樣样 為为 開开 點点 續续 歲岁 線线 樓楼 機机 館馆 碼码 廣广 塊块 鋒锋 備备
衛卫 飛飞 訴诉 軍军 賽赛 鄰邻 親亲
"""


class TimePhrase(NamedTuple):
    """Some words of a text and the time that they mean, `[start, end)`."""

    start: datetime
    end: datetime
    span: tuple[int, int]
    text: str


@cache
def _folds() -> dict[int, str]:
    table = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    table |= {ord(pair[0]): pair[1] for pair in _TRADITIONAL.split()}
    table |= {0x3000: " ", 0xA0: " ", 0x2019: "'", 0x2018: "'", 0x301C: "~"}
    capitals = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    table |= {code: letter.lower() for code, letter in table.items()}
    return table | capitals


def _fold(text: str) -> str:
    """Small letters, half width, simplified: as long as the text was."""
    return text.lower() if text.isascii() else text.translate(_folds())


def find_time_phrases(
    text: str, *, now: datetime | None = None, zone: tzinfo | None = None
) -> tuple[TimePhrase, ...]:
    """Return the time phrases in order of appearance; the longest match wins, none overlap.

    They are read as of `now`, by default this moment, in `zone`, by default that of `now` or else
    this machine's.
    """
    if now is None:
        now = datetime.now(UTC)
    elif zone is None:
        zone = now.tzinfo
    if zone is None:
        zone = datetime.now().astimezone().tzinfo or UTC
    if now.tzinfo is None:
        now = now.replace(tzinfo=zone)
    folded = _fold(text[:MOST_CHARACTERS])
    grammars = [g for g in (time_english, time_chinese, time_digits) if g.gate(folded)]
    if not grammars:
        return ()
    calendar = Calendar(now, zone)
    found: list[Found] = []
    for grammar in grammars:
        for pattern, build in grammar.rules():
            for match in pattern.finditer(folded):
                try:
                    period = build(match, calendar)
                except (ValueError, OverflowError):  # no such day, or outside all calendars
                    period = calendar.day(0)._replace(grain="never")
                if period is None:
                    continue
                if period.weak and _has_capital_month(match, text):
                    period = period._replace(weak=False)
                found.append(Found(match.start(), match.end(), period))
    phrases = join(_longest(found), folded, calendar)
    return tuple(phrase for one in phrases if (phrase := _phrase(one, text, zone)))


def _has_capital_month(match: re.Match[str], text: str) -> bool:
    """May 6 and this March, not may 6 nor this may; a May alone is often the first word."""
    named = match.groupdict()
    beside = named.get("day") or named.get("lean")
    return bool(beside and named.get("month")) and text[match.start("month")].isupper()


def _longest(found: list[Found]) -> list[Found]:
    """Those that no longer one overlaps, in order; what is held back as no time wins a tie."""
    chosen: list[Found] = []
    taken: set[int] = set()
    never = {one for one in found if one.period.grain == "never"}
    for one in sorted(found, key=lambda f: (f.low - f.high, f not in never, f.period.weak, f.low)):
        places = range(one.low, one.high)
        if taken.isdisjoint(places):
            taken.update(places)
            chosen.append(one)
    return sorted(one for one in chosen if one not in never)


def _phrase(one: Found, text: str, zone: tzinfo) -> TimePhrase | None:
    start = _moment(max(one.period.start, FIRST), zone)
    end = _moment(min(one.period.end, LAST), zone)
    if start >= end:
        return None
    return TimePhrase(start, end, (one.low, one.high), text[one.low : one.high])


def _moment(wall: datetime, zone: tzinfo) -> datetime:
    """Where the clock jumped over this time, the first that there was."""
    return wall.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)
