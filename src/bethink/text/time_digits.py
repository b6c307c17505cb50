"""Dates written in digits, the same in every language: 2026-05-06, 2026/5/6, 05/06/2026, 2026-05.

05/06/2026 is the sixth of May: the month comes first, unless that cannot be. A date needs a year
of four digits: 5/6 is a fraction, 1.2.3 a version, 24/7 always.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from bethink.text.time_calendar import Calendar, Period

Match = re.Match[str]

# Neither inside a name, a path, an error code, an address, a price nor a longer number.
_BEGINS = r"(?<![a-z0-9_./:$€£¥#@+\\-])"
_ENDS = r"(?![a-z0-9_%/\\-]|[.:,][0-9])"
_TIME = r"(?:t[0-9]{2}(?::[0-9]{2}){0,2}(?:\.[0-9]{1,9})?(?:z|[+-][0-9]{2}:?[0-9]{2})?)?"


def _date(match: Match, calendar: Calendar) -> Period:
    return calendar.date(int(match["year"]), int(match["month"]), int(match["day"]))


def _year_last(match: Match, calendar: Calendar) -> Period:
    month, day = int(match["one"]), int(match["two"])
    if month > 12:
        month, day = day, month
    return calendar.date(int(match["year"]), month, day)


def _month(match: Match, calendar: Calendar) -> Period:
    return calendar.months(int(match["year"]), int(match["month"]))


_YEAR = r"(?P<year>(?:19|20)[0-9]{2})"
RULES: tuple[tuple[str, Callable[[Match, Calendar], Period | None]], ...] = (
    (_YEAR + r"(?P<mark>[-/])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})" + _TIME, _date),
    (r"(?P<one>[0-9]{1,2})(?P<mark>[-/])(?P<two>[0-9]{1,2})(?P=mark)" + _YEAR, _year_last),
    (_YEAR + r"-(?P<month>0[1-9]|1[0-2])", _month),
)


@cache
def rules() -> tuple[tuple[re.Pattern[str], Callable[[Match, Calendar], Period | None]], ...]:
    return tuple((re.compile(_BEGINS + pattern + _ENDS), build) for pattern, build in RULES)


@cache
def _hints() -> re.Pattern[str]:
    return re.compile(r"[0-9][-/][0-9]")


def gate(text: str) -> bool:
    """Might there be a time in this text? Most texts stop at this door."""
    return _hints().search(text) is not None
