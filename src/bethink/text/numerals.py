"""Numbers as people write them in English and Chinese, in one spelling: 三千五 and 3,500, 1.5万 and
15000, 5 MB and 5MB, 下午三点 and 3 pm."""

from __future__ import annotations

import re
from decimal import Decimal

NUMERALS = "零〇一二两三四五六七八九十廿百千万亿"
_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_PLACES = {"十": 10, "百": 100, "千": 1_000}
_GROUPS = {"万": 10_000, "亿": 100_000_000}
_ENGLISH = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()
    )
} | {
    word: 10 * value
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
_MAGNITUDES = {
    "k": 10**3, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9,
    "百": 100, "千": 10**3, "万": 10**4, "亿": 10**8, "百万": 10**6, "千万": 10**7,
}  # fmt: skip
# The first of each group is the unit's one spelling.
_UNITS = """
b byte bytes 字节
kb kib kilobytes
mb mib megabyte megabytes 兆
gb gib gigabyte gigabytes
tb tib terabyte terabytes
ms millisecond milliseconds 毫秒
s sec secs second seconds 秒 秒钟
min mins minute minutes 分钟
h hr hrs hour hours 小时 钟头 个小时
day days 天
week weeks 周 星期 礼拜 个星期
month months 个月
year years 年
% percent pct
usd dollar dollars 美元 美金
cny yuan rmb 元 块 人民币
eur euro euros 欧元
kg kilo kilos kilogram kilograms 公斤 千克
g gram grams 克
km kilometre kilometres kilometer kilometers 公里 千米
m metre metres meter meters 米
cm 厘米 公分
times 次 遍
people person persons 人 个人
px pixel pixels 像素
℃ °c degrees 度
"""
_UNIT = {form: line.split()[0] for line in _UNITS.split("\n") if line for form in line.split()}
UNIT_PATTERN = "|".join(sorted(map(re.escape, _UNIT), key=len, reverse=True))
MAGNITUDE_PATTERN = "百万|千万|hundred|thousand|million|billion|[百千万亿]|k(?![a-z])"
_AFTERNOON = {"下午", "傍晚", "晚上", "晚", "中午", "p"}


def unit_of(form: str) -> str:
    return _UNIT.get(form.lower(), "")


def english_number(word: str) -> int | None:
    """seven, twenty-one."""
    tens, _, ones = word.lower().partition("-")
    if tens not in _ENGLISH or (ones and ones not in _ENGLISH):
        return None
    return _ENGLISH[tens] + (_ENGLISH[ones] if ones else 0)


def chinese_number(text: str) -> int:
    """三十一, 廿三, 二零二六, 两万五, 一亿三千万."""
    text = text.replace("廿", "二十")
    if not set(text) & {*_PLACES, *_GROUPS}:
        return int("".join(str(_DIGITS[character]) for character in text))
    total = group = 0
    digit: int | None = None
    place = 1
    for character in text:
        if character in _DIGITS:
            digit = _DIGITS[character]
            if digit == 0:
                place = 1  # 一百零五: the five is no fifty
        elif character in _PLACES:
            place = _PLACES[character]
            group += (1 if digit is None else digit) * place
            digit = None
        else:
            place = _GROUPS[character]
            group += digit or 0
            if character == "亿":
                total = (total + group or 1) * place
            else:
                total += (group or 1) * place
            group, digit = 0, None
    if digit is not None and place > 10 and text[-2] not in "零〇":
        digit *= place // 10  # 三千五 is 3,500
    return total + group + (digit or 0)


def number(digits: str, magnitude: str = "", unit: str = "") -> str:
    """One spelling: no commas, no zeros at the end, the magnitude multiplied out."""
    if digits[0] in NUMERALS:
        whole, _, part = digits.partition("点")
        value = Decimal(chinese_number(whole))
        if part:
            value += Decimal("0." + "".join(str(_DIGITS[c]) for c in part))
    else:
        value = Decimal(digits.replace(",", ""))
    value *= _MAGNITUDES.get(magnitude.lower(), 1)
    shown = f"{value:f}"
    if "." in shown:
        shown = shown.rstrip("0").rstrip(".")
    return f"{shown} {unit_of(unit)}" if unit_of(unit) else shown


def time_of_day(hour: str, minute: str = "", *, part: str = "", half: bool = False) -> str | None:
    """15:00 for 3 pm, 下午三点 and 15:00; None where there is no such hour."""
    named = english_number(hour)
    if named is not None:
        at = named
    elif hour[0] in NUMERALS:
        at = chinese_number(hour)
    elif hour.isdigit():
        at = int(hour)
    else:
        return None
    past = 30 if half else 0
    if minute:
        past = chinese_number(minute) if minute[0] in NUMERALS else int(minute)
    part = part.lower()
    if part in _AFTERNOON and at < 12 and not (part == "中午" and at == 11):
        at += 12
    elif part in ("a", "凌晨") and at == 12:
        at = 0
    if at > 24 or past > 59:
        return None
    return f"{at:02}:{past:02}"
