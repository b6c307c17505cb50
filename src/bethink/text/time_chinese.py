"""The Chinese half of the grammar of time phrases: patterns over simplified text without full-width
characters, and what each means.

Chinese has no spaces, so most of the care is in what must not stand before or behind: 前天 is in
目前天气 and 周一 in 一周一次.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from bethink.text.time_calendar import PARTS, SEASONS, Calendar, Period, Third, Unit, Which
from bethink.text.time_holidays import CHINESE as HOLIDAYS
from bethink.text.time_holidays import holiday

Match = re.Match[str]
Rule = tuple[str, Callable[[Match, Calendar], Period | None]]

DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
UNITS: dict[str, Unit] = {
    "分钟": "minute", "小时": "hour", "钟头": "hour", "天": "day", "日": "day", "周": "week",
    "星期": "week", "礼拜": "week", "月": "month", "季度": "quarter", "年": "year",
}  # fmt: skip
STEPS = {
    "上上": -2, "大上": -2, "上": -1,
    "上一": -1, "前一": -1, "本": 0, "这": 0, "这一": 0, "下": 1, "下一": 1,
    "下下": 2,
}  # fmt: skip
YEARS = {"大前": -3, "前": -2, "去": -1, "今": 0, "本": 0, "明": 1, "后": 2}
NAMED_DAYS = {
    "大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3,
}  # fmt: skip
DAY_PARTS = {
    "凌晨": "dawn", "清晨": "morning", "早晨": "morning", "早上": "morning", "一早": "morning",
    "上午": "morning", "中午": "noon", "下午": "afternoon", "午后": "afternoon", "傍晚": "dusk",
    "晚上": "night", "晚间": "night", "夜里": "night", "夜间": "night", "深夜": "night",
    "半夜": "night", "晚": "night", "夜": "night", "早": "morning", "晨": "morning",
}  # fmt: skip
THIRDS: dict[str, Third] = {
    "初": "early", "上旬": "early", "中": "mid", "中旬": "mid", "底": "late", "末": "late",
    "下旬": "late",
}  # fmt: skip
SEASON = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
HALVES: dict[str, tuple[Unit, int]] = {
    "年": ("month", 6), "月": ("day", 15), "小时": ("minute", 30), "天": ("hour", 12),
}  # fmt: skip

HALF_MORE: dict[Unit, tuple[Unit, int]] = {"month": ("day", 30), "hour": ("minute", 60)}

_ONE = "[一二三四五六七八九]"
_N = r"(?:[0-9]{1,4}|[零〇一二两三四五六七八九十廿卅百]{1,5})"
_NOT_NUMBER = r"(?<![0-9零〇一二两三四五六七八九十廿卅百千万第.每几半数])"
_WEEK = r"(?:周|星期|礼拜)"
# 一直, 一起 and 三个 are no weekdays, nor are 日常 and 天气.
_WEEKDAY = (
    r"(?P<weekday>一(?![直起样般些共切同边旦路度定并二三])|[二三四五六]|日(?![常程报志期本记元])"
    r"|天(?![气天空])|[1-7](?![0-9]))(?![个次种条位名份件周月遍倍]|天(?!气)|[0-9]|[一二三四五六七八九十]天)"
)
_WEEK_ENDS = (
    r"(?![边围密刊岁长旋]|期(?![末中间待望货])|年(?![会度底终前后])|[0-9一二三四五六七八九十]周)"
)
_MONTH_ENDS = r"(?![亮球饼台经薪票牙老嫂桂季]|天(?!气))"
_BEFORE_FRONT = r"(?<![目以之从提空年月周日天史生])"
_AMOUNT = (
    rf"(?P<count>好几十?|几十?|十几|若干|数|{_N})(?P<about>来|多|几)?"
    r"(?:个(?P<more>多|半)?)?(?P<unit>分钟|小时|钟头|天|日|周|星期|礼拜|(?<=个)月|(?<=个[多半])月|季度|年)"
    r"(?P<half>[半多])?"
)
_UNIT_ENDS = r"(?![亮球级龄纪轻]|气(?!候))"
_STEP = r"(?P<step>上上|大上|下下|上一|前一|这一|下一|上|下|本|这)"
_YEAR = (
    r"(?P<year>(?<![0-9])(?:1[0-9]|20)[0-9]{2}(?=年(?!代))|[一二][零〇九一二三四五六七八]{3}(?=年)"
    r"|(?<!过)去(?=年)|大前(?=年)|" + _BEFORE_FRONT + r"前(?=年(?![轻纪代]))|[今明本](?=年)"
    r"|(?<![然之以往最午])后(?=年(?![轻纪代])))年度?的?"
)
_SHORT_YEAR = r"(?P<year>(?<![0-9])[0-9]{2}(?=年)|[零〇一二三][零〇一二三四五六七八九](?=年))年"
_MONTH = rf"(?<!农历)(?<![阴腊闰])(?P<month>1[0-2]|0?[1-9]|十[一二]?|{_ONE})月份?{_MONTH_ENDS}"
_DAY = (
    rf"(?P<day>3[01]|[12][0-9]|0?[1-9]|[二三]?十{_ONE}?|廿{_ONE}?|卅一?|{_ONE})[日号]"
    r"(?![线楼院机馆码])"
)
_PART = "|".join(sorted((part for part in DAY_PARTS if len(part) > 1), key=len)[::-1])
_PART += "|(?:早|晚|夜|晨)(?![些前就已期年知操会报辈于安])"
_HOLIDAY = "|".join(sorted(set(HOLIDAYS) - {"十一", "五一", "六一"}, key=len)[::-1])
_NUMBER_HOLIDAY = (
    r"(?<![0-9零一二三四五六七八九十双廿百])(?:五一|六一)(?![0-9零一二三四五六七八九十百千万.]"
    r"|[广大]|[路村街口班中年月日号点个元折块])"
)
_OCTOBER = (
    r"(?<![0-9零一二三四五六七八九十双廿百第])十一(?=期间|假期|长假|小长假|黄金周|放假|节)"
    r"|(?<=[今去明前]年)十一(?![月日号点个元折块年天周])"
)
_OFF = r"(?P<off>(?:节?)(?:期间|假期|长假|小长假|黄金周|放假))?节?"


def number(text: str) -> int:
    """三十一, 廿三, 二零二六, 一百, 12."""
    if text.isdigit() and text.isascii():
        return int(text)
    text = text.replace("廿", "二十").replace("卅", "三十")
    if not set(text) & {"十", "百"}:
        return int("".join(str(DIGITS[character]) for character in text))
    total, digit = 0, None
    for character in text:
        if character in DIGITS:
            digit = DIGITS[character]
        else:
            total += (1 if digit is None else digit) * (100 if character == "百" else 10)
            digit = None
    return total + (digit or 0)


def _which(match: Match, calendar: Calendar) -> Which:
    year = match.groupdict().get("year")
    if not year:
        return "begun"
    if year in YEARS:
        return calendar.today.year + YEARS[year]
    value = number(year)
    return value if value > 99 else value + 2000


def _step(match: Match) -> int:
    return STEPS[match["step"]]


def _ago(match: Match, calendar: Calendar) -> Period | None:
    return _amount(match, calendar, -1)


def _from_now(match: Match, calendar: Calendar) -> Period | None:
    return _amount(match, calendar, 1)


def _counted(match: Match) -> tuple[int | None, Unit]:
    """How many (None: a few) of which unit."""
    word, unit = match["count"], UNITS[match["unit"]]
    if word in ("几", "好几", "数", "若干"):
        return None, unit
    if "几十" in word:
        return 20, unit
    count = number("十" if word == "十几" else word)
    if match["half"] == "半" and unit == "year":
        return count * 12 + 6, "month"
    if match["more"] == "半" and unit in HALF_MORE:
        other, many = HALF_MORE[unit]
        return count * many + many // 2, other
    return count, unit


def _amount(match: Match, calendar: Calendar, sign: int) -> Period | None:
    count, unit = _counted(match)
    if count is None:
        return calendar.few_ago(unit) if sign < 0 else calendar.coming(unit, calendar.few(unit))
    if unit == "year" and (1900 <= count < 2100 or (sign > 0 and count > 99)):
        return None  # 2024年前, 718年后: a year, not an age
    if unit in ("minute", "hour") or sign > 0:
        return calendar.unit(unit, sign * count)
    if "几十" in match["count"]:
        return Period(calendar.away(unit, -99), calendar.away(unit, -20), "span")
    if match["about"] == "来" or match["more"] == "半":
        return calendar.about_ago(unit, count)
    if "几" in match["count"] or match["about"] == "几" or "多" in match[0]:
        return calendar.more_than_ago(unit, count)
    return calendar.unit(unit, -count)


def _past(match: Match, calendar: Calendar) -> Period | None:
    count, unit = _counted(match)
    return calendar.past(unit, calendar.few(unit) if count is None else count)


def _coming(match: Match, calendar: Calendar) -> Period | None:
    count, unit = _counted(match)
    return calendar.coming(unit, calendar.few(unit) if count is None else count)


def _half_ago(match: Match, calendar: Calendar) -> Period:
    unit, count = HALVES[match["unit"]]
    if match["more"] or match["much"]:
        return calendar.more_than_ago(unit, count)
    return calendar.unit(unit, -count)


def _weekday(match: Match, calendar: Calendar) -> Period:
    text = match["weekday"]
    weekday = 6 if text in "日天" else number(text) - 1
    if match.groupdict().get("step"):
        return calendar.in_week(weekday, _step(match))
    return calendar.weekday(weekday, "begun")


def _month(match: Match, calendar: Calendar) -> Period | None:
    month = number(match["month"])
    return calendar.yearly(lambda year: calendar.months(year, month), _which(match, calendar))


def _months(match: Match, calendar: Calendar) -> Period | None:
    first, last = number(match["first"]), number(match["month"])
    if not first < last:
        return None
    return calendar.yearly(
        lambda year: calendar.months(year, first, last - first + 1, "span"),
        _which(match, calendar),
    )


def _date(match: Match, calendar: Calendar) -> Period | None:
    month, day = number(match["month"]), number(match["day"])
    return calendar.yearly(lambda year: calendar.date(year, month, day), _which(match, calendar))


def _day_of_month(match: Match, calendar: Calendar) -> Period:
    start = calendar.unit("month", _step(match)).start
    return calendar.date(start.year, start.month, number(match["day"]))


def _year(match: Match, calendar: Calendar) -> Period:
    which = _which(match, calendar)
    assert isinstance(which, int)
    return calendar.year(which)


def _years(match: Match, calendar: Calendar) -> Period:
    first = calendar.year(int(match["first"]))
    return first._replace(end=calendar.year(int(match["last"])).end, grain="span")


def _quarter(match: Match, calendar: Calendar) -> Period | None:
    first = 3 * number(match["quarter"]) - 2
    return calendar.yearly(
        lambda year: calendar.months(year, first, 3, "quarter"), _which(match, calendar)
    )


def _half(match: Match, calendar: Calendar) -> Period | None:
    first = 1 if match["half"] == "上" else 7
    return calendar.yearly(
        lambda year: calendar.months(year, first, 6, "span"), _which(match, calendar)
    )


def _season(match: Match, calendar: Calendar) -> Period | None:
    first = SEASONS[SEASON[match["season"]]]
    return calendar.yearly(
        lambda year: calendar.months(year, first, 3, "span"), _which(match, calendar)
    )


def _holiday(match: Match, calendar: Calendar) -> Period | None:
    name, off = HOLIDAYS[match["holiday"]], bool(match["off"])
    return calendar.yearly(lambda year: holiday(name, year, days_off=off), _which(match, calendar))


def _bare_third(match: Match, calendar: Calendar) -> Period | None:
    """年初 and 月底: the latest that has begun."""
    which = THIRDS[match["third"]]
    unit = UNITS[match["unit"]]
    period = calendar.unit(unit, 0).third(which)
    return period if period.start <= calendar.today else calendar.unit(unit, -1).third(which)


def _recent(match: Match, calendar: Calendar) -> Period | None:
    """Near in time, not in space: 离我最近的."""
    before = match.string[max(0, match.start() - 6) : match.start()]
    return None if "离" in before else calendar.recent()


def _part(match: Match, calendar: Calendar) -> Period:
    return calendar.day(0).part(*PARTS[DAY_PARTS[match["part"]]])


def _weak_part(match: Match, calendar: Calendar) -> Period:
    return _part(match, calendar)._replace(weak=True)


def never(match: Match, calendar: Calendar) -> Period:
    return calendar.day(0)._replace(grain="never")


_NOT_FRONT = r"(?![端台途景锋往])"
_NOT_BACK = r"(?![端台来面续期悔果勤卫备])"

RULES: tuple[Rule, ...] = (
    # What comes again and again is no date.
    (rf"每(?:个|逢)?(?:天|日|{_WEEK}[一二三四五六日天末]?|月|年)"
     rf"(?:[到至]{_WEEK}?[一二三四五六日天末])?的?(?:{_PART})?"
     rf"|[0-9一二两三四五六七八九十几]{_WEEK}[0-9一二两三四五六七八九十]{{1,3}}[次天回]", never),
    # Days.
    (r"(?P<named>大前|(?<![然之以往最午先])(?<!先天)大?后|(?<!大)" + _BEFORE_FRONT + r"前|昨|今"
     r"|(?<![不光文聪发证鲜英黎透照清])明)"
     r"(?:天(?!性|养成|培养|形成|努力|空|皇)|日(?![本报]|头条|方舟|之[^前后星])|儿)(?<!前天(?=气))",
     lambda m, c: c.day(NAMED_DAYS[m["named"]])),
    (r"(?P<named>昨|今|明|(?<![目以之从提])前)(?P<part>早上?|晚上?|夜|晨)(?![报安餐饭点期年会])",
     lambda m, c: c.day(NAMED_DAYS[m["named"]]).part(*PARTS[DAY_PARTS[m["part"]]])),
    (rf"(?P<part>{_PART})", _weak_part),
    (r"(?P<part>(?<![0-9每])上午|(?<!每天)下午)(?![茶])", _part),
    (r"刚才", lambda m, c: c.past("hour", 1)),
    (r"最近(?!一[次回个]|的一|邻|公)|近期|近来|近日|这几[天日]|这些[天日]子?|这两天|这阵子|这段时间|这段日子|这一阵",
     _recent),
    (_BEFORE_FRONT + r"前(?:两天|几[天日]|些[天日]子?|一?阵子?|一?段时间|一?段日子)",
     lambda m, c: c.few_ago("day")),
    # Weeks.
    (_STEP + rf"个?{_WEEK}" + _WEEK_ENDS, lambda m, c: c.unit("week", _step(m))),
    (_STEP + rf"个?{_WEEK}的?" + _WEEKDAY, _weekday),
    (_STEP + r"个?周末", lambda m, c: c.weekend(_step(m))),
    (r"(?<![每一二两三四五六七八九十几半整双隔逢圆0-9])" + _WEEK + _WEEKDAY, _weekday),
    (r"(?<![每双])周末", lambda m, c: c.latest_weekend()),
    # Months.
    (_STEP + r"个?月份?" + _MONTH_ENDS, lambda m, c: c.unit("month", _step(m))),
    (_STEP + r"个?月(?:的|份)?" + _DAY, _day_of_month),
    (_NOT_NUMBER + _MONTH, _month),
    (_YEAR + _MONTH, _month),
    (_SHORT_YEAR + _MONTH, _month),
    (rf"(?:{_YEAR})?" + _NOT_NUMBER + r"(?P<first>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])"
     r"月?份?[到至~\-–—]" + _MONTH, _months),
    (_NOT_NUMBER + _MONTH + "的?" + _DAY, _date),
    (_YEAR + _MONTH + "的?" + _DAY, _date),
    (_SHORT_YEAR + _MONTH + "的?" + _DAY, _date),
    # Years, quarters, halves, seasons.
    (_YEAR + r"(?<!的)(?![级龄轻])", _year),
    (r"(?<![0-9])(?P<first>(?:19|20)[0-9]{2})年?[到至~\-–—](?P<last>(?:19|20)[0-9]{2})年(?!代)",
     _years),
    (r"(?<![0-9])(?P<year>(?:1[0-9]|20)[0-9]0)年代",
     lambda m, c: c.months(int(m["year"]), 1, 120, "span")),
    (r"(?<![一二两三四五六七八九十百0-9几半多个每往周成少当同整全年])(?P<unit>年)(?P<third>[初底末])",
     _bare_third),
    (r"(?<![一二两三四五六七八九十百0-9几半多个每本上下这岁正腊闰同])(?P<unit>月)(?P<third>[底末]|初(?![一二三四五六七八九十]))",
     _bare_third),
    (_STEP + r"个?季度?(?![节军后赛])", lambda m, c: c.unit("quarter", _step(m))),
    (rf"(?:{_YEAR})?(?:第?(?P<quarter>[一二三四1-4])季度)", _quarter),
    (_YEAR + r" ?q(?P<quarter>[1-4])(?![0-9a-z_])", _quarter),
    (rf"(?:{_YEAR})?(?P<half>[上下])半年", _half),
    (_YEAR + r"(?P<season>[春夏秋冬])(?:天|季)", _season),
    # So many of them.
    (r"(?:最近|过去|(?<![附接将靠亲最邻])近|这|(?<![目公])前(?![0-9]{1,4}年|的))的?这?"
     + _AMOUNT + _UNIT_ENDS
     + r"(?:之?内|以?来|里|间)?(?![前后])", _past),
    (_NOT_NUMBER + _AMOUNT + r"以来", _past),
    (r"(?:最近|过去|(?<![附接将靠亲最邻])近|这)的?半个?(?P<unit>年|月|小时|天)(?:多)?(?:之?内|以?来|里)?",
     lambda m, c: c.past(*HALVES[m["unit"]])),
    (r"(?:未来|接下来|今后|往后)的?" + _AMOUNT + _UNIT_ENDS + r"(?:之?内|里)?", _coming),
    (_NOT_NUMBER + _AMOUNT + r"(?:之|以)?前" + _NOT_FRONT, _ago),
    (_NOT_NUMBER + _AMOUNT + r"(?:之|以)?后" + _NOT_BACK, _from_now),
    (r"(?<![一二两三四五六七八九十0-9])(?:大)?半(?:个(?P<more>多)?)?(?P<unit>年|月|小时|天)(?P<much>多)?(?:之|以)?前"
     + _NOT_FRONT, _half_ago),
    # Holidays.
    (rf"(?:{_YEAR})?(?P<holiday>(?:{_HOLIDAY})(?![目岛树老])|{_NUMBER_HOLIDAY}|{_OCTOBER})"
     + _OFF, _holiday),
)  # fmt: skip


@cache
def rules() -> tuple[tuple[re.Pattern[str], Callable[[Match, Calendar], Period | None]], ...]:
    return tuple((re.compile(pattern), build) for pattern, build in RULES)


@cache
def _hints() -> re.Pattern[str]:
    return re.compile(
        r"[天日周月年季]|星期|礼拜|昨|今[早晚晨夜儿]|明[早晚儿]|前晚|小时|分钟|钟头|刚才|[最过]近|近期|近来|"
        r"这阵子|这段|这一阵|前一?阵|前一?段|上午|下午|元旦|[春]节|除夕|元宵|清明|[五六十]一|劳动|端午|中秋|"
        r"国庆|圣诞|平安夜|[人恩圣童女]节|跨年|双11"
    )


def gate(text: str) -> bool:
    """Might there be a time in this text? Most texts stop at this door."""
    return _hints().search(text) is not None
