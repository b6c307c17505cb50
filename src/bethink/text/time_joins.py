"""How single times join: Friday + morning, end of + March, from Monday + to Wednesday, since + May.

The words between and around decide, in both languages at once, so "from 周一 to 周三" is one range.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

from bethink.text.time_calendar import DAY, FIRST, LAST, Calendar, Period, Third, from_to
from bethink.text.time_chinese import THIRDS, number


class Found(NamedTuple):
    low: int
    high: int
    period: Period


_BEFORE = {  # words that end right before a time
    "third": r"(?<![a-z])(?:the )?(?P<word>early|mid|late|(?:beginning|start|middle|end) of)(?: |-)"
    r"(?:in )?(?:the )?\Z",
    "open": r"(?<![a-z])(?P<word>since|after|before|until|till|by|prior to|up to) (?:the )?\Z"
    r"|(?P<hanzi>截至|截止到?|直到)\Z",
    "from": r"(?:(?<![a-z])(?:from|between) (?:the )?|自从?|从)\Z",
    "between": r"(?<![a-z])between (?:the )?\Z",
    "known": r"(?<![a-z])(?:in|on|during|of|for|throughout) (?:the )?\Z",
    "with": r"(?<![a-z])(?:(?:back )?in|on|during|over|within|at|throughout)(?: the)? \Z"
    r"|(?<![a-z])the \Z",
    "week_of": r"(?<![a-z])(?:the )?week (?:of|containing) (?:the )?\Z",
}
_AFTER = {  # words that begin right behind a time
    "third": r"的?(?P<word>月?初|月?底|月?末|上旬|中旬|下旬|年初|年底|年末)"
    r"(?<!初(?=[一二三四五六七八九十中级恋次衷]))",
    "open": r" ?(?:(?P<word>以来|至今|到现在|到今天|以前|之前|前|以后|之后|后|为止|开始|起)"
    r"(?![端台途景锋往提者来面续期悔果勤卫备点床飞诉后])| (?P<on>on|onwards?)(?![a-z]))",
    "range_end": r"(?:的?(?:这段时间|这期间|之?间|期间|为止))",
    "last_day": r"(?:日|号)? ?(?:到|至|~|-|–|—| to | through | and ) ?"
    r"(?P<day>[0-9]{1,2}|[一二三四五六七八九十廿]{1,3})(?P<mark>日|号|st|nd|rd|th)?"
    r"(?:,? (?P<year>(?:19|20)[0-9]{2}))?(?![0-9a-z_%$:/月年个点]|\.[0-9])",
}
_BETWEEN = {  # all that may stand between two times
    "part": r" ?的?(?:in the |at )?",
    "together": r"[,，]? ?[(]?",
    "part_of": r" of (?:the )?",
    "range": r" ?(?:到|至|~|-|–|—|直到|(?:up )?to(?: the)?|through|thru|until|till) ?",
    "both": r" ?(?:和|与|跟|and)(?: the)? ?",
}
_THIRDS: dict[str, Third] = THIRDS | {
    "early": "early", "beginning of": "early", "start of": "early", "mid": "mid",
    "middle of": "mid", "late": "late", "end of": "late",
}  # fmt: skip
_OPEN: dict[str, Literal["since", "before", "after", "until"]] = {
    "since": "since", "after": "after", "before": "before", "until": "until", "till": "until",
    "by": "until", "prior to": "before", "up to": "until", "截至": "until", "截止": "until",
    "截止到": "until", "直到": "until", "以来": "since", "至今": "since", "到现在": "since",
    "到今天": "since", "以前": "before", "之前": "before", "前": "before", "以后": "after",
    "之后": "after", "后": "after", "为止": "until", "开始": "since", "起": "since",
    "on": "since", "onward": "since", "onwards": "since",
}  # fmt: skip
_NEAR = 24  # no word of the tables is longer


@cache
def _pattern(table: str, name: str) -> re.Pattern[str]:
    text = {"before": _BEFORE, "after": _AFTER, "between": _BETWEEN}[table][name]
    return re.compile(text.replace(" ", r"(?:[ \t\n]{1,3})"))


class Words:
    """The text around the times, up to the neighbours: no word is used twice."""

    def __init__(self, text: str) -> None:
        self.text, self.low, self.high = text, 0, len(text)

    def before(self, one: Found, name: str) -> re.Match[str] | None:
        return _pattern("before", name).search(
            self.text, max(self.low, one.low - _NEAR, 0), one.low
        )

    def after(self, high: int, name: str) -> re.Match[str] | None:
        return _pattern("after", name).match(self.text, high, max(high, self.high))

    def joined(self, one: Found, two: Found, name: str) -> bool:
        if two.low - one.high > _NEAR:
            return False
        return _pattern("between", name).fullmatch(self.text, one.high, two.low) is not None

    def _until(self, found: list[Found], place: int) -> int:
        """Where the next time begins; one that is in doubt (2026) may become part of this one."""
        for following in range(place, len(found)):
            if not found[following].period.weak:
                return found[following].low
        return len(self.text)

    def each(self, found: list[Found], change: Callable[[Found], Found]) -> list[Found]:
        result: list[Found] = []
        for place, one in enumerate(found):
            self.low = result[-1].high if result else 0
            self.high = self._until(found, place + 1)
            result.append(change(one))
        return result

    def pairs(
        self, found: list[Found], both: Callable[[Found, Found], Found | None]
    ) -> list[Found]:
        result: list[Found] = []
        for place, one in enumerate(found):
            self.low = result[-2].high if len(result) > 1 else 0
            self.high = self._until(found, place + 1)
            joined = both(result[-1], one) if result else None
            if joined:
                result[-1] = joined
            else:
                result.append(one)
        return result


def join(found: list[Found], text: str, calendar: Calendar) -> list[Found]:
    """Join what belongs together, and let go of what is no time after all."""
    words = Words(text)
    found = words.pairs(found, lambda one, two: _weekday_of_date(words, one, two))
    found = words.pairs(found, lambda one, two: _part_of_day(words, one, two))
    found = words.each(found, lambda one: _third(words, _week_of(words, one)))
    found = words.pairs(found, lambda one, two: _range(words, one, two))
    found = words.each(found, lambda one: _last_day(words, one))
    found = words.each(found, lambda one: _open_end(words, one, calendar))
    found = words.each(found, lambda one: _sure(words, one))
    return words.each(
        [one for one in found if not one.period.weak],
        lambda one: _with_its_preposition(words, one),
    )


def _weekday_of_date(words: Words, one: Found, two: Found) -> Found | None:
    """Monday, + March 23; 10月9日 + 星期六: the date knows better."""
    if one.period.grain != "day" or two.period.grain != "day":
        return None
    if (one.period.cycle == "week") == (two.period.cycle == "week"):
        return None
    if not words.joined(one, two, "together"):
        return None
    date = two.period if one.period.cycle == "week" else one.period
    closed = "(" in words.text[one.high : two.low] and words.text.startswith(")", two.high)
    return Found(one.low, two.high + closed, date._replace(weak=False))


def _part_of_day(words: Words, one: Found, two: Found) -> Found | None:
    """Friday + morning, 昨天 + 下午, the morning of + May 3."""
    grains = (one.period.grain, two.period.grain)
    if grains == ("day", "part") and words.joined(one, two, "part"):
        day, part = one, two
    elif grains == ("part", "day") and words.joined(one, two, "part_of"):
        day, part = two, one
    else:
        return None
    midnight = part.period.start.replace(hour=0)
    shift = day.period.start - midnight
    period = day.period._replace(
        start=part.period.start + shift, end=part.period.end + shift, grain="part"
    )
    return Found(one.low, two.high, period)


def _week_of(words: Words, one: Found) -> Found:
    """The week of + May 6."""
    before = words.before(one, "week_of") if one.period.grain == "day" else None
    if not before:
        return one
    monday = one.period.start - one.period.start.weekday() * DAY
    return Found(before.start(), one.high, Period(monday, monday + 7 * DAY, "week"))


def _third(words: Words, one: Found) -> Found:
    """End of + March, 去年 + 年底."""
    if one.period.grain not in ("month", "year"):
        return one
    before, after = words.before(one, "third"), words.after(one.high, "third")
    if before:
        word = " ".join(before["word"].split())
        return Found(before.start(), one.high, one.period.third(_THIRDS[word]))
    if after and after["word"][0] != {"year": "月", "month": "年"}[one.period.grain]:
        word = after["word"].lstrip("年月")
        return Found(one.low, after.end(), one.period.third(_THIRDS[word]))
    return one


def _last_day(words: Words, one: Found) -> Found:
    """5月3日 + 到6日, May 3 + -6."""
    if one.period.grain != "day" or one.period.cycle == "week":
        return one
    tail = words.after(one.high, "last_day")
    if not tail or ("and" in tail[0] and not words.before(one, "between")):
        return one
    hanzi = tail["mark"] in ("日", "号")
    written = words.text[one.low : one.high]
    if hanzi != (written[-1] in "日号") or not (hanzi or re.search("[a-z]", written)):
        return one
    try:
        first = one.period.start
        if tail["year"] and one.period.cycle:  # August 14-15, 2026
            first = first.replace(year=int(tail["year"]))
        last = first.replace(day=number(tail["day"]))
    except (ValueError, KeyError):
        return one
    if last <= first:
        return one
    start = words.before(one, "from")
    period = Period(first, last + DAY, "span")
    end = words.after(tail.end(), "range_end")
    return Found(start.start() if start else one.low, end.end() if end else tail.end(), period)


def _range(words: Words, one: Found, two: Found) -> Found | None:
    """From A to B, A 到 B, between A and B, A 和 B 之间."""
    ends = words.after(two.high, "range_end")
    if not words.joined(one, two, "range") and not (
        words.joined(one, two, "both") and (ends or words.before(one, "between"))
    ):
        return None
    start = words.before(one, "from")
    if (one.period.weak or two.period.weak) and not start:
        return None
    try:
        period = from_to(one.period, two.period)
    except (ValueError, OverflowError):
        return None
    if period is None:
        return None
    return Found(start.start() if start else one.low, ends.end() if ends else two.high, period)


def _open_end(words: Words, one: Found, calendar: Calendar) -> Found:
    """Since May, before 2024, 三月之前, 五月以来."""
    before, after = words.before(one, "open"), words.after(one.high, "open")
    low, high, period = one
    if period.weak and period.grain == "part":  # 早前, "until dawn"
        return one
    if before:
        low, word = before.start(), before["word"] or before["hanzi"]
    elif after:
        high, word = after.end(), after["word"] or after["on"]
        begins = words.before(one, "from")
        if after["on"] and not begins:
            return one
        low = begins.start() if begins else low
    else:
        return one
    match _OPEN[" ".join(word.split())]:
        case "before":
            period = Period(FIRST, period.start, "span")
        case "until":
            period = Period(FIRST, period.end, "span")
        case "after":
            period = Period(period.end, LAST, "span")
        case "since":
            tomorrow = calendar.today + DAY
            period = Period(period.start, tomorrow if period.start < tomorrow else LAST, "span")
    return Found(low, high, period)


def _sure(words: Words, one: Found) -> Found:
    """In March, for 2024: the word before makes a month or a year of what could be none."""
    if one.period.weak and one.period.grain != "part" and words.before(one, "known"):
        return one._replace(period=one.period._replace(weak=False))
    return one


def _with_its_preposition(words: Words, one: Found) -> Found:
    """In March, on Friday, over the weekend: the little word belongs to the phrase."""
    before = words.before(one, "with")
    return one._replace(low=before.start()) if before else one
