"""English time phrases: patterns over lower-case text, and what each of them means.

A rule is a pattern and a function from its match to a period, or None where the words turn out to
mean something else. Rules that answer `NEVER` hold their words back from all other rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from bethink.text.time_calendar import DAY, PARTS, SEASONS, Calendar, Period, Unit, Which
from bethink.text.time_holidays import ENGLISH as HOLIDAYS
from bethink.text.time_holidays import holiday

Match = re.Match[str]
Rule = tuple[str, Callable[[Match, Calendar], Period | None]]

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "mon tue wed thu fri sat sun".split()
_ONES = "zero one two three four five six seven eight nine ten eleven twelve".split()
NUMBERS = {word: value for value, word in enumerate(_ONES)} | {
    "a": 1, "an": 1, "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90,
    "couple": 2, "couple of": 2, "a couple": 2, "a couple of": 2,
}  # fmt: skip
FEW = frozenset({"few", "a few", "several"})
LEANS: dict[str, Which] = {
    "last": "over", "past": "over", "previous": "over", "this past": "over", "this": "this",
    "this upcoming": "next", "next": "next", "coming": "next",
    "this coming": "next", "upcoming": "next",
}  # fmt: skip
STEP: dict[Which, int] = {"over": -1, "this": 0, "next": 1}
UNITS: dict[str, Unit] = {
    "min": "minute", "minute": "minute", "hr": "hour", "hour": "hour", "day": "day",
    "week": "week", "month": "month", "quarter": "quarter", "year": "year",
}  # fmt: skip
NAMED_DAYS = {
    "day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1,
    "day after tomorrow": 2,
}  # fmt: skip

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b(?:(?<![a-z]{4})\.(?=\s?[0-9]))?"
)
_WEEKDAY = r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
_SHORT_WEEKDAY = r"(?P<weekday>mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b(?!')"
_LEAN = (
    r"(?:(?P<lean>this\spast|this\s(?:up)?coming|last|past|previous|this|next|coming|upcoming)\s)"
)
_UNIT = r"(?P<unit>minute|min|hour|hr|day|week|month|quarter|year)s?\b"
_COUNT = (
    r"(?P<count>[0-9]{1,4}|(?:a\s)?couple(?:\sof)?|(?:a\s)?few|several|an?|"
    + "|".join(sorted(set(NUMBERS) - {"a", "an", "zero"} - {w for w in NUMBERS if " " in w}))
    + r")\s"
)
_YEAR = r"(?P<year>(?:1[5-9]|20)[0-9]{2})(?![0-9a-z_%$]|[.,:/-][0-9])"
_DAY = r"(?P<day>0?[1-9]|[12][0-9]|3[01])"
_PART = r"(?P<part>morning|noon|afternoon|evening|night|dawn)\b"
_B = r"(?<![a-z0-9_.$#@/-])(?<![0-9],)"  # a word begins here, and no name, path, price or version


def _lean(words: str) -> Which:
    return LEANS[" ".join(words.split())]


def _which(match: Match, calendar: Calendar) -> Which:
    """The year that is named, or the leaning word, or the latest."""
    named = match.groupdict()
    if named.get("year"):
        return int(named["year"])
    if named.get("of"):
        return calendar.today.year + STEP[_lean(named["of"])]
    return _lean(named["lean"]) if named.get("lean") else "begun"


def _count(match: Match) -> int | None:
    """The number, or None for "a few"."""
    word = " ".join(match["count"].split())
    if word in FEW:
        return None
    return int(word) if word[0].isdigit() else NUMBERS[word]


def _unit(match: Match) -> Unit:
    return UNITS[match["unit"]]


def _ago(match: Match, calendar: Calendar) -> Period | None:
    count, unit = _count(match), _unit(match)
    if count is None:
        return calendar.few_ago(unit)
    if match["or_two"]:
        first = calendar.unit(unit, -count - 1)
        return first._replace(end=calendar.unit(unit, -count).end, grain="span")
    if count and match["more"]:
        if match["more"] in ("over", "more than"):
            return calendar.more_than_ago(unit, count)
        return calendar.about_ago(unit, count)
    return calendar.unit(unit, -count)


def _past(match: Match, calendar: Calendar) -> Period:
    unit = _unit(match)
    count = _count(match)
    return calendar.past(unit, calendar.few(unit) if count is None else count)


def _coming(match: Match, calendar: Calendar) -> Period:
    unit = _unit(match)
    count = _count(match)
    return calendar.coming(unit, calendar.few(unit) if count is None else count)


def _leaning_unit(match: Match, calendar: Calendar) -> Period | None:
    step = STEP[_lean(match["lean"])]
    if match["unit"] == "weekend":
        return calendar.weekend(step)
    if match["lean"].endswith("past"):
        return calendar.past(_unit(match), 1)
    return calendar.unit(_unit(match), step)


def _weekday(match: Match, calendar: Calendar) -> Period | None:
    number = WEEKDAYS.index(match["weekday"][:3])
    week = match.groupdict().get("week")
    if week:
        return calendar.in_week(number, STEP[_lean(week)])
    return calendar.weekday(number, _which(match, calendar))


def _month(match: Match, calendar: Calendar) -> Period | None:
    number = MONTHS.index(match["month"][:3]) + 1
    which = _which(match, calendar)
    found = calendar.yearly(lambda year: calendar.months(year, number), which)
    # "may", "march", names of people and short forms want a word beside them.
    sure = match["month"] in ("january", "february", "july", "september", "october", "november",
                              "december")  # fmt: skip
    doubtful = which == "this" and match["month"] in ("may", "march")  # "this may help"
    return found and found._replace(weak=doubtful or (which == "begun" and not sure))


def _date(match: Match, calendar: Calendar) -> Period | None:
    number, day = MONTHS.index(match["month"][:3]) + 1, int(match["day"])
    which = _which(match, calendar)
    found = calendar.yearly(lambda year: calendar.date(year, number, day), which)
    # "may 6 people come", "march 3 miles": weak, unless it is written with a capital.
    plain = match["month"] in ("may", "march", "mar") and not match["ordinal"]
    return found and found._replace(
        weak=plain and which == "begun" and match.start("month") < match.start("day")
    )


def _edge(match: Match, calendar: Calendar) -> Period | None:
    """The first or last week or day of a month, a quarter or a year."""
    if match["unit"]:
        whole: Period | None = calendar.unit(_unit(match), STEP[_lean(match["lean"])])
    else:
        whole = _month(match, calendar)
    if whole is None:
        return None
    length = (7 if match["piece"] == "week" else 1) * DAY
    if match["edge"] == "first":
        return whole._replace(end=whole.start + length, grain="span", weak=False)
    return whole._replace(start=whole.end - length, grain="span", weak=False)


def _days(match: Match, calendar: Calendar) -> Period | None:
    """3-6 May 2026."""
    number = MONTHS.index(match["month"][:3]) + 1

    def build(year: int) -> Period:
        first = calendar.date(year, number, int(match["first"]))
        return first._replace(end=calendar.date(year, number, int(match["day"])).end, grain="span")

    return calendar.yearly(build, _which(match, calendar))


def _day_of_month(match: Match, calendar: Calendar) -> Period | None:
    """The 15th (of last month); without a month, the latest such day."""
    lean = match.groupdict().get("lean")
    for offset in [STEP[_lean(lean)]] if lean else range(0, -3, -1):
        start = calendar.unit("month", offset).start
        try:
            found = calendar.date(start.year, start.month, int(match["day"]))
        except ValueError:  # this month has no 31st
            continue
        if lean or found.start <= calendar.today:
            return found
    return None


def _quarter(match: Match, calendar: Calendar) -> Period | None:
    words = {"first": 1, "second": 2, "third": 3, "fourth": 4}
    number = words.get(match["quarter"]) or int(match["quarter"][0])
    return calendar.yearly(
        lambda year: calendar.months(year, 3 * number - 2, 3, "quarter"), _which(match, calendar)
    )


def _half(match: Match, calendar: Calendar) -> Period | None:
    first = 1 if match["half"] in ("first", "1st", "1") else 7
    return calendar.yearly(
        lambda year: calendar.months(year, first, 6, "span"), _which(match, calendar)
    )


def _season(match: Match, calendar: Calendar) -> Period | None:
    first = SEASONS[match["season"]]
    return calendar.yearly(
        lambda year: calendar.months(year, first, 3, "span"), _which(match, calendar)
    )


def _holiday(match: Match, calendar: Calendar) -> Period | None:
    name, off = HOLIDAYS[" ".join(match["holiday"].split())], bool(match["off"])
    return calendar.yearly(lambda year: holiday(name, year, days_off=off), _which(match, calendar))


def _part_today(match: Match, calendar: Calendar) -> Period:
    part = "night" if match[0].endswith("night") else match["part"]
    return calendar.day(-1 if match[0].startswith("last") else 0).part(*PARTS[part])


def _bare_part(match: Match, calendar: Calendar) -> Period:
    return calendar.day(0).part(*PARTS[match["part"]])._replace(weak=True)


def never(match: Match, calendar: Calendar) -> Period:
    return calendar.day(0)._replace(grain="never")


_HOLIDAY_NAMES = "|".join(sorted((name.replace(" ", r"\s") for name in HOLIDAYS), key=len)[::-1])
_OF_YEAR = rf"(?:,?\s(?:of\s|in\s)?(?:{_YEAR}|(?P<of>last|this|next)\syear\b))"
_SINGULAR = r"(?P<unit>week|weekend|month|quarter|year)\b"
_THE = r"(?:the\s)?"

RULES: tuple[Rule, ...] = (
    # Words that look like times and are none.
    (_B + r"(?:every|each|most|black|good|ash|super|cyber|casual)\s(?:other\s)?"
     r"(?:[a-z]+day|week|weekend|month|quarter|year|morning|afternoon|evening|night)s?\b", never),
    (_B + r"(?:(?:most|more|less)\srecent(?:ly)?|recent\s(?:call|first)"
     r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:days?|weeks?)\soff"
     r"|recent\s(?:decades|times|history)|in\stoday's)\b", never),
    (_B + r"(?:to|will|can|could|may|might|should|would|must|usually|typically|often|only)\slast\s"
     + _COUNT + _UNIT, never),
    (_B + r"recent\s" + _UNIT, lambda m, c: c.past(_unit(m), c.few(_unit(m)))),
    # Days.
    (_B + _THE + r"(?P<named>day\sbefore\syesterday|day\safter\stomorrow|yesterday|today"
     r"|tomorrow)\b",
     lambda m, c: c.day(NAMED_DAYS[" ".join(m["named"].split())])),
    (_B + r"(?:this\s" + _PART + r"|tonight\b|last\snight\b)", _part_today),
    (_B + _PART, _bare_part),
    (_B + r"(?:just\snow|a\s(?:moment|while|minute)\sago)\b", lambda m, c: c.past("hour", 1)),
    (_B + r"(?:the\s)?night\sbefore\slast\b", lambda m, c: c.day(-2).part(*PARTS["night"])),
    (_B + r"the\sother\sday\b", lambda m, c: c.few_ago("day")),
    (_B + r"(?:recent|recently|lately)\b", lambda m, c: c.recent()),
    # Weeks, months, quarters, years.
    (_B + _THE + _LEAN + _SINGULAR, _leaning_unit),
    (_B + r"(?:the\s)?(?P<unit>week|month|quarter|year)\sbefore\slast\b",
     lambda m, c: c.unit(_unit(m), -2)),
    (_B + r"(?:the\s)?(?P<unit>week|month|quarter|year)\safter\snext\b",
     lambda m, c: c.unit(_unit(m), 2)),
    (_B + r"(?:the|over\sthe|at\sthe)\sweekend\b", lambda m, c: c.latest_weekend()),
    # So many of them.
    (_B + _THE + r"(?:(?:these\s)?(?:last|past)|previous)\s" + _COUNT + _UNIT, _past),
    (_B + _THE + r"(?:past|last)\shour\b", lambda m, c: c.past("hour", 1)),
    (_B + _THE + r"next\s" + _COUNT + _UNIT, _coming),
    (_B + r"(?:(?P<more>over|more\sthan|about|around|almost|nearly|roughly)\s)?" + _COUNT + _UNIT
     + r"(?P<or_two>\sor\stwo)?\s(?:ago|back)\b", _ago),
    (_B + r"half\sa\syear\sago\b", lambda m, c: c.unit("month", -6)),
    (_B + r"half\san\shour\sago\b", lambda m, c: c.unit("minute", -30)),
    (_B + _COUNT + _UNIT + r"\sfrom\snow\b", lambda m, c: c.unit(_unit(m), _count(m) or 3)),
    # Weekdays.
    (_B + _LEAN + "?" + _WEEKDAY, _weekday),
    (_B + _LEAN + _SHORT_WEEKDAY, _weekday),
    (_B + r"on\s" + _SHORT_WEEKDAY, _weekday),
    (_B + _WEEKDAY + r",?\s(?:of\s)?(?P<week>last|this|next)\sweek\b", _weekday),
    (_B + r"(?P<week>last|this|next)\sweek(?:'s)?,?\s(?:on\s)?" + _WEEKDAY, _weekday),
    # Months and dates.
    (_B + _LEAN + "?" + _MONTH, _month),
    (_B + _MONTH + _OF_YEAR, _month),
    (_B + _LEAN + "?" + _MONTH + r"\s(?:the\s)?" + _DAY + r"(?P<ordinal>st|nd|rd|th)?"
     rf"(?![0-9a-z_%$]|[.:/][0-9])(?:,?\s{_YEAR})?", _date),
    (_B + r"(?:the\s)?" + _DAY + r"(?P<ordinal>st|nd|rd|th)?(?:\sday)?\s(?:of\s)?"
     + _MONTH + rf"(?:,?\s(?:of\s|in\s)?{_YEAR})?", _date),
    (_B + r"(?P<first>0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?(?:\s?[-–~]\s?|\s(?:to|through)\s)"
     + _DAY + r"(?:st|nd|rd|th)?\s(?:of\s)?" + _MONTH + rf"(?:,?\s{_YEAR})?", _days),
    (_B + r"(?:the\s)?(?P<edge>first|last)\s(?P<piece>week|day)\sof\s(?:"
     + _MONTH + _OF_YEAR + r"?|(?P<lean>last|this|next)\s(?P<unit>month|quarter|year)\b)", _edge),
    (_B + r"the\s" + _DAY + r"(?:st|nd|rd|th)\sof\s(?P<lean>last|this|next)\smonth\b",
     _day_of_month),
    (_B + r"on\sthe\s" + _DAY + r"(?:st|nd|rd|th)(?=\s?(?:$|[?!.,;，。？！]))", _day_of_month),
    # Quarters, halves, seasons, years.
    (_B + _LEAN + r"?q(?P<quarter>[1-4])(?![0-9a-z_:)]|\s:|\.[0-9a-z])" + _OF_YEAR + "?", _quarter),
    (_B + r"(?P<year>(?:19|20)[0-9]{2})(?:\s|-)?q(?P<quarter>[1-4])"
     r"(?![0-9a-z_])", _quarter),
    (_B + r"(?:the\s)?(?P<quarter>first|second|third|fourth|1st|2nd|3rd|4th)\squarter" + _OF_YEAR,
     _quarter),
    (_B + r"(?:the\s)?(?P<half>first|second|1st|2nd)\shalf" + _OF_YEAR, _half),
    (_B + r"h(?P<half>[12])\s" + _YEAR, _half),
    (_B + _LEAN + r"(?P<season>spring|summer|autumn|fall|winter)\b(?!\sfestival)", _season),
    (_B + r"(?:the\s)?(?P<season>spring|summer|autumn|fall|winter)" + _OF_YEAR, _season),
    (_B + r"(?:the\s)?(?P<year>(?:1[5-9]|20)[0-9]0)s\b",
     lambda m, c: c.months(int(m["year"]), 1, 120, "span")),
    (_B + _YEAR, lambda m, c: c.year(int(m["year"]))._replace(weak=True)),
    # Holidays.
    (_B + _LEAN + rf"?(?P<holiday>{_HOLIDAY_NAMES})\b(?P<off>\s(?:holidays?|break|week|vacation))?"
     + _OF_YEAR + "?", _holiday),
)  # fmt: skip


@cache
def rules() -> tuple[tuple[re.Pattern[str], Callable[[Match, Calendar], Period | None]], ...]:
    return tuple((re.compile(pattern.replace(r"\s", r"(?:[ \t\n]{1,3})")), build)
                 for pattern, build in RULES)  # fmt: skip


@cache
def _words() -> frozenset[str]:
    """Every phrase has at least one of these words, or digits."""
    months = "january february march april may june july august september october november december"
    plurals = {unit + "s" for unit in UNITS}
    parts = {
        "today",
        "tomorrow",
        "yesterday",
        "tonight",
        "weekend",
        "now",
        "while",
        "moment",
        "other",
    }
    recent = {"recent", "recently", "lately"}
    days = {day + "day" for day in "mon tues wednes thurs fri satur sun".split()}
    short = {*MONTHS, "sept", *WEEKDAYS, "tues", "thur", "thurs"}
    holidays = {word for name in HOLIDAYS for word in re.findall("[a-z]{4,}", name)}
    names = {*months.split(), *UNITS, *plurals, *parts, *recent, *days, *short, *holidays}
    return frozenset(names | set(PARTS) | set(SEASONS))


@cache
def _finders() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile("[a-z]+"), re.compile(r"(?:1[5-9]|20)[0-9]{2}|q[1-4]|h[12]|on the [0-9]")


def gate(text: str) -> bool:
    """Might there be a time in this text? Most texts stop at this door."""
    words, digits = _finders()
    return not _words().isdisjoint(words.findall(text)) or digits.search(text) is not None
