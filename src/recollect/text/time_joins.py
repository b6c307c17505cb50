"""How single times join: Friday + morning, end of + March, from Monday + to Wednesday, since + May.

The words between and around decide, in both languages at once, so "from 周一 to 周三" is one range.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

from recollect.text.time_calendar import DAY, FIRST, LAST, Calendar, Period, Third, from_to
from recollect.text.time_chinese import THIRDS, number


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
    r"(?!级)(?<!初(?=[一二三四五六七八九十]))",
    "open": r" ?(?:(?P<word>以来|至今|到现在|到今天|以前|之前|前|以后|之后|后|为止|开始|起)"
    r"(?![端台途景锋往提者来面续期悔果勤卫备点床飞诉后])| (?P<on>on|onwards?)(?![a-z]))",
    "range_end": r"(?:的?(?:这段时间|这期间|之?间|期间|为止))",
    "last_day": r"(?:日|号)? ?(?:到|至|~|-|–|—| to | through | and ) ?"
    r"(?P<day>[0-9]{1,2}|[一二三四五六七八九十廿]{1,3})(?P<mark>日|号|st|nd|rd|th)?"
    r"(?:,? (?P<year>(?:19|20)[0-9]{2}))?(?![0-9a-z_%$:/月年个点]|\.[0-9])",
}
_BETWEEN = {  # all that may stand between two times
    "part": r" ?的?(?:in the |at )?",
    "together": r"[,，]? ?[(（]?",
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


def _before(text: str, low: int, name: str) -> re.Match[str] | None:
    return _pattern("before", name).search(text, max(0, low - _NEAR), low)


def _after(text: str, high: int, name: str) -> re.Match[str] | None:
    return _pattern("after", name).match(text, high, high + _NEAR)


def _joined(text: str, one: Found, two: Found, name: str) -> bool:
    if two.low - one.high > _NEAR:
        return False
    return _pattern("between", name).fullmatch(text, one.high, two.low) is not None


def join(found: list[Found], text: str, calendar: Calendar) -> list[Found]:
    """Join what belongs together, and let go of what is no time after all."""
    found = _pairs(found, lambda one, two: _weekday_of_date(text, one, two))
    found = _pairs(found, lambda one, two: _part_of_day(text, one, two))
    found = [_third(text, _week_of(text, one)) for one in found]
    found = [_last_day(text, one) for one in found]
    found = _pairs(found, lambda one, two: _range(text, one, two))
    found = [_open_end(text, one, calendar) for one in found]
    return [_with_its_preposition(text, one) for one in found if _is_sure(text, one)]


def _pairs(found: list[Found], joined: Callable[[Found, Found], Found | None]) -> list[Found]:
    result: list[Found] = []
    for one in found:
        both = joined(result[-1], one) if result else None
        if both:
            result[-1] = both
        else:
            result.append(one)
    return result


def _weekday_of_date(text: str, one: Found, two: Found) -> Found | None:
    """Monday, + March 23; 10月9日 + 星期六: the date knows better."""
    if one.period.grain != "day" or two.period.grain != "day":
        return None
    if (one.period.cycle == "week") == (two.period.cycle == "week"):
        return None
    if not _joined(text, one, two, "together"):
        return None
    date = two.period if one.period.cycle == "week" else one.period
    return Found(one.low, two.high, date._replace(weak=False))


def _part_of_day(text: str, one: Found, two: Found) -> Found | None:
    """Friday + morning, 昨天 + 下午, the morning of + May 3."""
    grains = (one.period.grain, two.period.grain)
    if grains == ("day", "part") and _joined(text, one, two, "part"):
        day, part = one, two
    elif grains == ("part", "day") and _joined(text, one, two, "part_of"):
        day, part = two, one
    else:
        return None
    midnight = part.period.start.replace(hour=0)
    shift = day.period.start - midnight
    period = day.period._replace(
        start=part.period.start + shift, end=part.period.end + shift, grain="part"
    )
    return Found(one.low, two.high, period)


def _week_of(text: str, one: Found) -> Found:
    """The week of + May 6."""
    before = _before(text, one.low, "week_of") if one.period.grain == "day" else None
    if not before:
        return one
    monday = one.period.start - one.period.start.weekday() * DAY
    return Found(before.start(), one.high, Period(monday, monday + 7 * DAY, "week"))


def _third(text: str, one: Found) -> Found:
    """End of + March, 去年 + 年底."""
    if one.period.grain not in ("month", "year"):
        return one
    before, after = _before(text, one.low, "third"), _after(text, one.high, "third")
    if before:
        word = " ".join(before["word"].split())
        return Found(before.start(), one.high, one.period.third(_THIRDS[word]))
    if after and (one.period.grain == "year") == after["word"].startswith("年"):
        word = after["word"].lstrip("年月")
        return Found(one.low, after.end(), one.period.third(_THIRDS[word]))
    return one


def _last_day(text: str, one: Found) -> Found:
    """5月3日 + 到6日, May 3 + -6."""
    if one.period.grain != "day" or one.period.cycle == "week":
        return one
    tail = _after(text, one.high, "last_day")
    if not tail or ("and" in tail[0] and not _before(text, one.low, "between")):
        return one
    hanzi = tail["mark"] in ("日", "号")
    written = text[one.low : one.high]
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
    start = _before(text, one.low, "from")
    period = Period(first, last + DAY, "span")
    end = _after(text, tail.end(), "range_end")
    return Found(start.start() if start else one.low, end.end() if end else tail.end(), period)


def _range(text: str, one: Found, two: Found) -> Found | None:
    """From A to B, A 到 B, between A and B, A 和 B 之间."""
    ends = _after(text, two.high, "range_end")
    if not _joined(text, one, two, "range") and not (
        _joined(text, one, two, "both") and (ends or _before(text, one.low, "between"))
    ):
        return None
    start = _before(text, one.low, "from")
    if (one.period.weak or two.period.weak) and not start:
        return None
    try:
        period = from_to(one.period, two.period)
    except (ValueError, OverflowError):
        return None
    if period is None:
        return None
    return Found(start.start() if start else one.low, ends.end() if ends else two.high, period)


def _open_end(text: str, one: Found, calendar: Calendar) -> Found:
    """Since May, before 2024, 三月之前, 五月以来."""
    before, after = _before(text, one.low, "open"), _after(text, one.high, "open")
    low, high, period = one
    if period.weak and period.grain == "part":  # 早前, "until dawn"
        return one
    if before:
        low, word = before.start(), before["word"] or before["hanzi"]
    elif after:
        high, word = after.end(), after["word"] or after["on"]
        begins = _before(text, low, "from")
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


def _is_sure(text: str, one: Found) -> bool:
    """In March, for 2024: the word before makes a month or a year of what could be none."""
    if not one.period.weak:
        return True
    return one.period.grain != "part" and _before(text, one.low, "known") is not None


def _with_its_preposition(text: str, one: Found) -> Found:
    """In March, on Friday, over the weekend: the little word belongs to the phrase."""
    before = _before(text, one.low, "with")
    return one._replace(low=before.start()) if before else one
