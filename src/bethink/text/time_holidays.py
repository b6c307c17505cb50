"""When holidays are. Those of the lunar calendar are a table of 2015–2035; outside it they are
unknown, and the phrase is left alone."""

from __future__ import annotations

from datetime import datetime, timedelta

from bethink.text.time_calendar import Period

FIRST_YEAR = 2015
# Month and day, year by year from 2015.
_LUNAR = {
    "spring festival": "0219 0208 0128 0216 0205 0125 0212 0201 0122 0210 0129 0217 0206 0126 0213 "
    "0203 0123 0211 0131 0219 0208",
    "dragon boat": "0620 0609 0530 0618 0607 0625 0614 0603 0622 0610 0531 0619 0609 0528 0616 "
    "0605 0624 0612 0601 0620 0610",
    "mid-autumn": "0927 0915 1004 0924 0913 1001 0921 0910 0929 0917 1006 0925 0915 1003 0922 "
    "0912 1001 0919 0908 0927 0916",
}
_FIXED = {
    "new year": (1, 1),
    "valentine": (2, 14),
    "women": (3, 8),
    "labour": (5, 1),
    "children": (6, 1),
    "national": (10, 1),
    "halloween": (10, 31),
    "double eleven": (11, 11),
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "new year's eve": (12, 31),
}
# Counted in days from another holiday.
_AFTER = {"lunar eve": ("spring festival", -1), "lantern": ("spring festival", 14)}
# How long a holiday is; with a word such as 期间 or "holiday" it is the days that people have off.
DAYS = {"spring festival": 7, "national": 7}
DAYS_OFF = {"labour": 5, "spring festival": 7, "national": 7}
DAYS_OFF_OTHERWISE = 3

CHINESE = {
    "元旦": "new year", "春节": "spring festival", "除夕": "lunar eve", "元宵": "lantern",
    "清明": "qingming", "五一": "labour", "劳动节": "labour", "端午": "dragon boat",
    "中秋": "mid-autumn", "国庆": "national", "十一": "national", "圣诞": "christmas",
    "平安夜": "christmas eve", "情人节": "valentine", "感恩节": "thanksgiving",
    "万圣节": "halloween", "跨年夜": "new year's eve", "儿童节": "children", "六一": "children",
    "妇女节": "women", "双十一": "double eleven", "双11": "double eleven",
}  # fmt: skip
ENGLISH = {
    "new year's day": "new year", "new years day": "new year", "new year's eve": "new year's eve",
    "new years eve": "new year's eve", "valentine's day": "valentine",
    "valentines day": "valentine", "christmas eve": "christmas eve",
    "christmas day": "christmas", "christmas": "christmas", "xmas": "christmas",
    "thanksgiving day": "thanksgiving", "thanksgiving": "thanksgiving",
    "halloween": "halloween", "chinese new year": "spring festival",
    "lunar new year": "spring festival", "spring festival": "spring festival",
    "qingming festival": "qingming", "qingming": "qingming",
    "tomb-sweeping day": "qingming", "dragon boat festival": "dragon boat",
    "mid-autumn festival": "mid-autumn", "singles' day": "double eleven",
}  # fmt: skip


def _first_day(name: str, year: int) -> datetime | None:
    if name in _LUNAR:
        days = _LUNAR[name].split()
        if not 0 <= year - FIRST_YEAR < len(days):
            return None
        day = days[year - FIRST_YEAR]
        return datetime(year, int(day[:2]), int(day[2:]))
    if name in _AFTER:
        other, days_after = _AFTER[name]
        start = _first_day(other, year)
        return start and start + timedelta(days=days_after)
    if name == "qingming":  # the sun at 15°: this rule holds for 2000–2099
        short = year % 100
        return datetime(year, 4, int(short * 0.2422 + 4.81) - short // 4)
    if name == "thanksgiving":  # United States: the fourth Thursday of November
        first = datetime(year, 11, 1)
        return first + timedelta(days=(3 - first.weekday()) % 7 + 21)
    month, day_of_month = _FIXED[name]
    return datetime(year, month, day_of_month)


def holiday(name: str, year: int, *, days_off: bool = False) -> Period | None:
    """The holiday of that year, or None if it is not known."""
    if name == "qingming" and not 2000 <= year < 2100:
        return None
    start = _first_day(name, year)
    if start is None:
        return None
    days = DAYS_OFF.get(name, DAYS_OFF_OTHERWISE) if days_off else DAYS.get(name, 1)
    end = start + timedelta(days=days)
    return Period(start, end, "day" if days == 1 else "span")
