"""What a sentence states, reduced to what two tellings of one fact must have in common.

    read("Mei 每天下午三点 has no meeting").tokens

Everything that can change a fact becomes a token of one spelling, in the order told: numbers with
their units (三千 and 3,000; 5 MB is not 5 GB), dates and times of day (五月一日 and May 1, 下午3点
and 15:00), identifiers and versions exactly, negations (not, no longer, 不再, 别), and every word
that tells something (stems in English, characters in Chinese, a few dozen words of one meaning as
one). What only colours a sentence goes: articles, particles, politeness, "really", 非常.

It never guesses: a word that it does not know stays as it is, so two sentences come out alike only
if they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple
from unicodedata import category

from bethink.text import fact_words as words
from bethink.text.fold import fold_width
from bethink.text.numerals import (
    MAGNITUDE_PATTERN,
    NUMERALS,
    UNIT_PATTERN,
    chinese_number,
    english_number,
    number,
    time_of_day,
)

NOT = "¬"
# A fact is a sentence or a few; what is longer is compared as it is. Some patterns take the square
# of it in the worst case (a line of dashes): 50 ms at this length.
_MOST_CHARACTERS = 1_000
_NO, _CHANGED, _OPEN, _CLOSE = "\x01", "\x02", "\x03", "\x04"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"


class Reading(NamedTuple):
    """What one text states."""

    tokens: tuple[str, ...]  # all that tells, in order, one spelling each
    numbers: tuple[str, ...]  # with units; times of day too
    dates: tuple[str, ...]
    identifiers: tuple[str, ...]
    names: tuple[str, ...]  # Latin words with a capital, as tokens
    negations: int
    relations: tuple[str, ...]  # before, after, from, to, only, …
    corrects: bool  # it says itself that something has changed: "now", "no longer", 改为
    relative: bool  # it means another day when told on another day: "tomorrow", 昨天
    links: frozenset[int]  # the tokens that stand right behind "is", "has", 是: values, mostly
    event: bool  # something that happened, and may have happened again
    kinds: tuple[str, ...]  # of each token
    replaces: bool  # more than "now": it says itself that the former is over

    @property
    def negative(self) -> bool:
        """Two negations make none."""
        return self.negations % 2 == 1

    @property
    def exact(self) -> tuple[tuple[str, ...], ...]:
        """What no other words can stand for."""
        return tuple(tuple(sorted(p)) for p in (self.numbers, self.dates, self.identifiers))


def read(text: str, *, year: int | None = None) -> Reading:
    """Read a text. `year` is when it was told: a date without a year is one of that year."""
    beginning, rest = text[:_MOST_CHARACTERS], text[_MOST_CHARACTERS:]
    found = list(_tokens(_prepared(beginning, year)))
    told: list[tuple[str, str]] = []
    links: set[int] = set()
    for kind, token in found:
        if kind == "link":
            links.add(len(told))
        elif kind != "changed":
            if told and told[-1][1] in words.BEFORE_TIMES and (kind == "date" or ":" in token):
                links.discard(len(told))
                links.add(len(told) - 1)
                told.pop()
            told.append((kind, token))

    def of(kind: str) -> tuple[str, ...]:
        return tuple(token for one, token in told if one == kind)

    return Reading(
        tokens=(*(token for _, token in told), *((rest,) if rest else ())),
        numbers=of("number"),
        dates=of("date"),
        identifiers=of("identifier"),
        names=of("name"),
        negations=sum(token == NOT for _, token in told),
        relations=of("relation"),
        corrects=any(kind == "changed" for kind, _ in found),
        relative=any(word in beginning for word in words.RELATIVE_CHINESE)
        or not words.RELATIVE.isdisjoint(token for _, token in told),
        links=frozenset(links),
        event="was" in of("relation")
        or re.search("[了过]", beginning) is not None
        or not words.EVENTS.isdisjoint(beginning.lower().split()),
        kinds=(*(kind for kind, _ in told), *(("rest",) if rest else ())),
        replaces=sum(kind == "changed" for kind, _ in found) > _only_now(beginning),
    )


def _only_now(text: str) -> int:
    """How often it says that something is so now, which does not say that all else is over."""
    return len(re.findall("|".join(words.NOW_CHINESE), text)) + sum(
        word in words.NOW for word in re.findall(r"[a-z]+", text.lower())
    )


# Patterns over the folded text, and what each finds becomes. Longer ones go first.
_YEAR = r"(?:19|20)\d\d"
_MONTHS = "january february march april may june july august september october november december"
_MONTH = "|".join([*_MONTHS.split(), *(m[:3] for m in _MONTHS.split()), "sept"])
_CHINESE_DAY = (
    rf"(?:(?P<year>{_YEAR}|[一二][零〇一二三四五六七八九]{{3}})年)?"
    r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?"
    r"(?:(?P<day>3[01]|[12]\d|0?[1-9]|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])[日号])?"
)
_DAY_PART = "凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|晚"
_HOUR = rf"\d{{1,2}}|[{NUMERALS}]{{1,3}}"
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()

_Build = Callable[["re.Match[str]", int | None], str]


def _whole(text: str) -> int:
    return chinese_number(text) if text[0] in NUMERALS else int(text)


def _date(match: re.Match[str], year: int | None) -> str:
    parts = match.groupdict()
    month_named = parts["month"].lower()
    if month_named[:3].isalpha() and month_named.isascii():
        month = [m[:3] for m in _MONTHS.split()].index(month_named[:3]) + 1
    else:
        month = _whole(month_named)
    day = parts.get("day")
    told = _whole(parts["year"]) if parts.get("year") else year
    shown = f"{month:02}" + (f"-{_whole(day):02}" if day else "")
    return _kept("date", f"{told}-{shown}" if told else shown)


def _time(match: re.Match[str], year: int | None) -> str:
    parts = match.groupdict()
    at = time_of_day(
        parts["hour"],
        parts.get("minute") or "",
        part=parts.get("part") or "",
        half=bool(parts.get("half")),
    )
    return match[0] if at is None else _kept("number", at)


def _weekday(match: re.Match[str], year: int | None) -> str:
    day = match["day"].lower()
    number = _WEEKDAYS.index(next(w for w in _WEEKDAYS if w[:3] == day[:3])) + 1 if (
        day.isascii() and not day.isdigit()
    ) else _whole(day)  # fmt: skip
    return _kept("date", f"周{number}")


def _number(match: re.Match[str], year: int | None) -> str:
    parts = match.groupdict()
    sign = {"$": "usd", "€": "eur", "¥": "cny"}.get(parts.get("sign") or "", "")
    value = number(parts["n"], parts.get("magnitude") or "", parts.get("unit") or sign)
    return _kept("number", f"-{value}" if parts.get("minus") else value)


def _percent(match: re.Match[str], year: int | None) -> str:
    return _kept("number", number(match["n"], "", "%"))


def _spelled(match: re.Match[str], year: int | None) -> str:
    value = english_number(match["n"])
    assert value is not None
    return _kept("number", number(str(value), match["magnitude"] or "", match["unit"] or ""))


def _exact(match: re.Match[str], year: int | None) -> str:
    return _kept("identifier", match[0].lower())


def _kept(kind: str, value: str) -> str:
    return f" {_OPEN}{kind}:{value}{_CLOSE} "


_UNIT = rf"(?:\s?(?P<unit>(?:{UNIT_PATTERN})(?![a-z])))?"
_ENGLISH_NUMBER = (
    "(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-(?:one|two|three|four|five|six|"
    "seven|eight|nine))?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|"
    "fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|zero|one"
)
_STAND_APART = r"(?<![a-z0-9_./:\\@#-])"
_RULES: tuple[tuple[str, _Build], ...] = (
    # 2026-05-01, but neither a version nor part of a longer name
    (rf"{_STAND_APART}(?P<year>{_YEAR})(?P<mark>[-/.])(?P<month>0?[1-9]|1[0-2])(?P=mark)"
     r"(?P<day>\d{1,2})(?![\d]|[.-]\d)", _date),
    (r"(?<![a-z0-9_])[a-z][a-z0-9_]*(?:\+\+|#)(?![a-z0-9_])", _exact),
    (r"\b(?:https?://|www\.)[^\s，。；、（）]+", _exact),
    (r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", _exact),
    # versions, codes, flags, paths, dotted and snake_case and camelCase names, numbers with letters
    (r"(?<![\w])--?[a-z][\w-]*(?:=[\w.-]+)?", _exact),
    (rf"(?:(?<![\w/.~])(?:~|\.{{1,2}})?/|\b[a-z]:\\)[^\s/\\，。；、{_HAN}]+(?:[/\\][^\s/\\，。；、{_HAN}]+)*",
     _exact),
    (r"(?<![a-z0-9_.])(?:v?\d+(?:\.\d+){2,}(?:[-+][a-z0-9.]+)?|v\d+(?:\.\d+)*)(?![a-z0-9_])",
     _exact),
    (r"(?<![a-z0-9_])(?=[a-z0-9_.:#/-]*[_\d])(?=[\w.:#/-]*[a-z])[a-z_][a-z0-9_]*(?:[.:#/-]{1,2}[a-z0-9_]+)*"
     r"(?![a-z0-9_])", _exact),
    (_CHINESE_DAY, _date),
    (rf"\b(?P<month>{_MONTH})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s*(?P<year>{_YEAR}))?",
     _date),
    (rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_MONTH})\b"
     rf"(?:,?\s*(?P<year>{_YEAR}))?", _date),
    (rf"\b(?P<month>{_MONTHS.replace(' may', '').replace(' march', '').replace(' ', '|')})\b"
     rf"(?:,?\s*(?P<year>{_YEAR}))?", _date),
    (rf"(?P<part>{_DAY_PART})?(?P<hour>{_HOUR})点(?:(?P<half>半)|(?P<minute>{_HOUR})分?|钟|整)?(?![击赞评])",
     _time),
    (rf"(?P<part>{_DAY_PART})?(?<!\d)(?P<hour>\d{{1,2}}):(?P<minute>\d\d)(?!\d)(?!\s*[ap]\.?m\b)",
     _time),
    (r"\b(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<part>[ap])\.?m\b\.?", _time),
    (r"\b(?P<hour>\d{1,2}|[a-z]+)\s+o'clock\b", _time),
    (r"(?:周|星期|礼拜)(?P<day>[一二三四五六七1-7])(?![个次天])", _weekday),
    (rf"\b(?P<day>{'|'.join(_WEEKDAYS)}|mon|tues?|wed|thu(?:rs?)?|fri)s?\b", _weekday),
    (rf"百分之(?P<n>[{NUMERALS}]+|\d+(?:\.\d+)?)", _percent),
    (rf"(?P<sign>[$€¥])?(?<![A-Za-z0-9_.])(?P<minus>(?<![a-z0-9_)])[-−])?(?P<n>\d+(?:,\d{{3}})*(?:\.\d+)?)"
     rf"(?:\s?(?P<magnitude>{MAGNITUDE_PATTERN}))?{_UNIT}", _number),
    (rf"(?P<n>[{NUMERALS}]+(?:点[零〇一二三四五六七八九]+)?){_UNIT}", _number),
    (rf"\b(?P<n>{_ENGLISH_NUMBER})\b(?:\s(?P<magnitude>hundred|thousand|million|billion))?{_UNIT}",
     _spelled),
)  # fmt: skip


@cache
def _rules() -> tuple[tuple[re.Pattern[str], _Build], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), build) for pattern, build in _RULES)


@cache
def _phrases(chinese: bool) -> re.Pattern[str]:
    listed = words.CHINESE_PHRASES if chinese else words.ENGLISH_PHRASES
    joined = "|".join(map(re.escape, sorted(listed, key=len, reverse=True)))
    return re.compile(joined if chinese else rf"\b(?:{joined})\b", re.IGNORECASE)


def _prepared(text: str, year: int | None) -> str:
    """One spelling for phrases, dates, numbers and names, before anything is cut into words."""
    control = dict.fromkeys(map(ord, _NO + _CHANGED + _OPEN + _CLOSE), " ")
    folded = re.sub("[’‘]", "'", fold_width(text)).translate(control)
    folded = re.sub(r"(?i)\bcan't\b", "can not", folded)
    folded = re.sub(r"(?i)\bwon't\b", "will not", folded)
    folded = re.sub(r"(?i)n't\b", " not", folded)
    folded = re.sub(
        r"(?i)\b(?:stop|quit)(?:s|ped|ting)?\s+(?=\w+ing\b)", f" {_NO}{_CHANGED} ", folded
    )
    folded = folded.replace("!=", "≠")
    folded = _replaced(folded, words.ENGLISH_PHRASES, chinese=False)
    if not folded.isascii():
        folded = _replaced(folded, words.CHINESE_PHRASES, chinese=True)
    for pattern, build in _rules():
        parts = re.split(f"({_OPEN}[^{_CLOSE}]*{_CLOSE})", folded)
        folded = "".join(
            part
            if part.startswith(_OPEN)
            else pattern.sub(lambda m, build=build: build(m, year), part)
            for part in parts
        )
    return folded


def _replaced(text: str, forms: Mapping[str, str], *, chinese: bool) -> str:
    def form(match: re.Match[str]) -> str:
        before = text[match.start() - 1 : match.start()]
        if match[0][0] in NUMERALS and (before.isdigit() or before in (*NUMERALS, "点")):
            return match[0]  # 三点十分 is a time, 3千万 a number
        said = forms[match[0].lower()]
        signs = said.replace("%", f" {_NO} ").replace("+", f" {_CHANGED} ")
        return signs if chinese else f" {signs} "

    return _phrases(chinese).sub(form, text)


def _tokens(prepared: str) -> Iterator[tuple[str, str]]:
    """(kind, token) in the order told."""
    pattern = (
        f"{_OPEN}(?P<kind>[a-z]+):(?P<value>[^{_CLOSE}]*){_CLOSE}|(?P<no>{_NO})|(?P<changed>{_CHANGED})"
        f"|(?P<dash>(?<=[{_HAN}])[-–—]+(?=[{_HAN}]))|(?P<han>[{_HAN}])|(?P<word>[^\\W_{_HAN}]+(?:'[^\\W_{_HAN}]+)*)|(?P<symbol>[^\\w\\s])"
    )
    before = ""
    for match in re.finditer(pattern, prepared):
        if match["kind"]:
            yield match["kind"], match["value"]
        elif match["no"]:
            yield "negation", NOT
        elif match["changed"]:
            yield "changed", ""
        elif match["dash"]:
            yield "relation", "-"
        elif match["symbol"]:
            if category(match["symbol"]) in _SYMBOLS:
                yield "word", match["symbol"]
        elif match["han"]:
            if match["han"] not in words.PARTICLES:
                relation = match["han"] in words.RELATIONS_CHINESE
                yield "relation" if relation else "word", match["han"]
            if match["han"] in words.LINKS_CHINESE:
                yield "link", ""
        else:
            yield from _word(match["word"], before)
            before = match["word"].lower()


_SYMBOLS = frozenset({"Sm", "So", "Sc"})  # a > b is not a < b
_NO_WORDS = frozenset({"US", "IT", "WHO"})  # these are names
_PAST = frozenset({"was", "were", "did", "had"})
_BEFORE_PARTICIPLE = frozenset("is are be been being get gets was were has have".split())


def _word(written: str, before: str) -> Iterator[tuple[str, str]]:
    lower = written.lower()
    if written in _NO_WORDS:
        yield "name", lower
        return
    if lower in ("has", "have", "having"):
        yield "relation", "have"
        yield "link", ""
        return
    if lower in words.LINKS and lower not in words.RELATIONS:
        yield "link", ""
    if lower in words.PERSONS:
        yield "word", words.PERSONS[lower]
        return
    lower = re.sub(r"'(?:s|d|m|ll|re|ve)?\Z", "", lower)
    if lower in words.NEGATIONS:
        yield "negation", NOT
    elif lower in words.DENYING:
        yield "negation", NOT
        denied = words.DENYING[lower]
        if denied == "+":
            yield "changed", ""
        elif denied:
            yield from _word(denied, "")
    elif lower in words.CHANGES:
        yield "changed", ""
    elif lower in _PAST:
        yield "relation", "was"
    elif lower in words.RELATIONS:
        yield "relation", lower
        if lower in words.LINKS:
            yield "link", ""
    elif lower not in words.COLOUR and lower:
        yield "name" if written[0].isupper() else "word", stem(lower)
        if lower.endswith("ed") and len(lower) > 4 and before not in _BEFORE_PARTICIPLE:
            yield "relation", "was"  # who lived there need not live there


@cache
def _one_meaning() -> dict[str, str]:
    groups = (line.split() for line in words.ONE_MEANING.split("\n") if line)
    return {_plain_stem(word): group[0] for group in groups for word in group}


def _plain_stem(word: str) -> str:
    from bethink.text.tokenise import terms

    return "".join(terms(word)[:1]) or word


def stem(word: str) -> str:
    """A word's one spelling."""
    plain = _plain_stem(word)
    return _one_meaning().get(plain, plain)
