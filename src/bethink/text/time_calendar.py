"""Calendar arithmetic for time phrases: days, weeks, months and years as they hang on a wall.

Everything here is wall time without a zone: a day is from one midnight to the next, however many
hours that takes. The zone is put on at the very end, so a change to summer time cannot shift a day.
Errors of arithmetic (a 30th of February, the year 10000) are raised; the caller drops the phrase.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal, NamedTuple

Grain = Literal["hour", "part", "day", "week", "month", "quarter", "year", "span", "never"]
Unit = Literal["minute", "hour", "day", "week", "month", "quarter", "year"]
Third = Literal["early", "mid", "late"]
# Which of the Marches, Fridays or Christmases: the latest that has begun, the latest that is over,
# that of the current year or week, the first that is still to come; or that of a year by number.
Which = Literal["begun", "over", "this", "next"] | int

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
# Open ends stop here: a day that every zone can still turn into UTC.
FIRST = datetime(2, 1, 1)
LAST = datetime(9999, 1, 1)
FEW: dict[Unit, int] = {"day": 7}  # "a few days": up to a week
FEW_OTHERWISE = 5

# Parts of a day in hours from midnight; a night ends in the next morning.
PARTS = {
    "dawn": (0, 6),
    "morning": (5, 12),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "dusk": (17, 20),
    "evening": (17, 24),
    "night": (18, 30),
}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


class Period(NamedTuple):
    """A stretch of wall time, `[start, end)`."""

    start: datetime
    end: datetime
    grain: Grain
    cycle: Literal["", "week", "year"] = ""  # comes again: only "the latest" was meant
    weak: bool = False  # counts only beside a word that says that it is a time

    def part(self, first_hour: int, last_hour: int) -> Period:
        """These hours of a day."""
        return self._replace(
            start=self.start + first_hour * HOUR, end=self.start + last_hour * HOUR, grain="part"
        )

    def third(self, which: Third) -> Period:
        """Early, in the middle of, or late in a month (ten days) or a year (a third)."""
        if self.grain == "year":
            first, last = {"early": (1, 4), "mid": (5, 9), "late": (10, 13)}[which]
            start = self.start.replace(month=first)
            end = self.end if last == 13 else self.start.replace(month=last)
        else:
            first, last = {"early": (1, 11), "mid": (11, 21), "late": (21, 32)}[which]
            start = self.start.replace(day=first)
            end = self.end if last == 32 else self.start.replace(day=last)
        return self._replace(start=start, end=end, grain="span", weak=False)


def add_months(day: datetime, months: int) -> datetime:
    """The same day of another month, or that month's last day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    first = day.replace(year=year, month=month + 1, day=1)
    last = (first + 31 * DAY).replace(day=1) - DAY
    return first.replace(day=min(day.day, last.day))


def moved(period: Period, times: int) -> Period:
    """The same weekday some weeks, or the same date some years, away."""
    if period.cycle == "week":
        return period._replace(
            start=period.start + 7 * times * DAY, end=period.end + 7 * times * DAY
        )
    return period._replace(
        start=period.start.replace(year=period.start.year + times),
        end=period.end.replace(year=period.end.year + times),
    )


def from_to(first: Period, last: Period) -> Period | None:
    """From the one to the other; of what comes again, take the pair that fits together."""
    if first.cycle and (not last.cycle or first.start >= last.end):
        first = _near(first, last.start, later=False)
    elif last.cycle and not first.cycle:
        last = _near(last, first.start, later=True)
    if first.start >= last.end:
        return None
    return Period(first.start, last.end, "span")


def _near(period: Period, limit: datetime, *, later: bool) -> Period:
    """The last one not after the limit, or the first one not before it."""
    if period.cycle == "week":
        weeks = (limit - period.start).days // 7
        found = moved(period, weeks)
    else:
        found = moved(period, limit.year - period.start.year)
        if found.start > limit:
            found = moved(found, -1)
    return moved(found, 1) if later and found.start < limit else found


class Calendar:
    """What the words mean, seen from one moment in one zone."""

    def __init__(self, now: datetime, zone: tzinfo) -> None:
        self.zone = zone
        self.now = now.astimezone(UTC)
        self.today = self._wall(self.now).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)

    def _wall(self, moment: datetime) -> datetime:
        return moment.astimezone(self.zone).replace(tzinfo=None)

    def day(self, offset: int) -> Period:
        start = self.today + offset * DAY
        return Period(start, start + DAY, "day")

    def date(self, year: int, month: int, day: int) -> Period:
        start = self.today.replace(year=year, month=month, day=day)
        return Period(start, start + DAY, "day")

    def months(self, year: int, month: int, count: int = 1, grain: Grain = "month") -> Period:
        start = self.today.replace(year=year, month=month, day=1)
        return Period(start, add_months(start, count), grain)

    def year(self, year: int) -> Period:
        return self.months(year, 1, 12, "year")

    def unit(self, unit: Unit, offset: int) -> Period:
        """The whole day, week, month, quarter or year that is so many away from the current one."""
        today = self.today
        match unit:
            case "day":
                return self.day(offset)
            case "week":
                start = today + (7 * offset - today.weekday()) * DAY
                return Period(start, start + 7 * DAY, "week")
            case "month":
                start = add_months(today.replace(day=1), offset)
                return self.months(start.year, start.month)
            case "quarter":
                start = add_months(
                    today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1), 3 * offset
                )
                return self.months(start.year, start.month, 3, "quarter")
            case "year":
                return self.year(today.year + offset)
            case "hour" | "minute":
                start = self._hour(
                    offset if unit == "hour" else 0, offset if unit == "minute" else 0
                )
                return Period(start, start + HOUR, "hour")

    def _hour(self, hours: int, minutes: int = 0) -> datetime:
        """The beginning of the clock hour that is so far away."""
        moment = self.now + timedelta(hours=hours, minutes=minutes)
        return self._wall(moment).replace(minute=0, second=0, microsecond=0)

    def away(self, unit: Unit, count: int) -> datetime:
        """Midnight of the day that is so many units from today."""
        match unit:
            case "day" | "week":
                return self.today + count * (7 if unit == "week" else 1) * DAY
            case _:
                return add_months(self.today, count * {"quarter": 3, "year": 12}.get(unit, 1))

    def past(self, unit: Unit, count: int) -> Period:
        """The past N units: from midnight N units ago to the end of today (or of this hour)."""
        if unit in ("hour", "minute"):
            end = self._hour(0) + HOUR
            return Period(self.unit(unit, -count).start.replace(fold=0), end, "span")
        return Period(self.away(unit, -count), self.today + DAY, "span")

    def coming(self, unit: Unit, count: int) -> Period:
        """The next N units: from today to the end of the day N units away (or that hour)."""
        if unit in ("hour", "minute"):
            return Period(self._hour(0).replace(fold=0), self.unit(unit, count).end, "span")
        return Period(self.today, self.away(unit, count) + DAY, "span")

    def few_ago(self, unit: Unit) -> Period:
        """A few units ago: from FEW units ago to the last one."""
        first = self.unit(unit, -self.few(unit)).start
        return Period(first, self.unit(unit, 0).start, "span")

    def few(self, unit: Unit) -> int:
        return FEW.get(unit, FEW_OTHERWISE)

    def more_than_ago(self, unit: Unit, count: int) -> Period:
        """More than N ago: up to one more, a fifth more, or the next ten after a round number."""
        more = 10 if count and count % 10 == 0 else max(1, count // 5)
        return Period(self.away(unit, -(count + more)), self.away(unit, -count), "span")

    def about_ago(self, unit: Unit, count: int) -> Period:
        """About N units ago: a fifth more or less."""
        slack = max(1, count // 5)
        return Period(
            self.unit(unit, -count - slack).start, self.unit(unit, -count + slack).end, "span"
        )

    def weekday(self, weekday: int, which: Which) -> Period:
        """Monday is 0."""
        since = (self.today.weekday() - weekday) % 7
        match which:
            case "begun":
                return self.day(-since)._replace(cycle="week")
            case "over":
                return self.day(-(since or 7))
            case "next":
                return self.day(7 - since)
            case _:
                return self.in_week(weekday, 0)

    def in_week(self, weekday: int, week: int) -> Period:
        start = self.unit("week", week).start + weekday * DAY
        return Period(start, start + DAY, "day")

    def weekend(self, week: int) -> Period:
        monday = self.unit("week", week).start
        return Period(monday + 5 * DAY, monday + 7 * DAY, "span")

    def latest_weekend(self) -> Period:
        return self.weekend(0 if self.today.weekday() >= 5 else -1)

    def recent(self) -> Period:
        return self.past("day", 7)

    def yearly(self, build: Callable[[int], Period | None], which: Which) -> Period | None:
        """One of the things that come once a year; a leap day may be eight years away."""
        if isinstance(which, int):
            return build(which)
        this = self.today.year
        if which == "this":
            return build(this)
        years = range(this, this + 9) if which == "next" else range(this, this - 9, -1)
        for year in years:
            try:
                period = build(year)
            except ValueError:  # no 29th of February in this year
                continue
            if period is None:
                continue
            if which == "begun" and period.start <= self.today:
                return period._replace(cycle="year")
            if which == "over" and period.end <= self.today:
                return period
            if which == "next" and period.start > self.today:
                return period
        return None
