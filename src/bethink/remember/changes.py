"""What a text says has changed: "moved from Tuesday to Thursday", 改到周四.

A sentence that reports a change has three parts: what it is about, the former value if it is named,
and the new value if it is told apart. `changed` finds them by patterns in English and Chinese, and
`compare` says whether such a sentence replaces an older one:

- sure: the older text is about the same and holds the former value, or a value of the same kind in
  its place;
- doubtful: about the same as far as one can tell, but one of the two says more than the other;
- neither: something that tells them apart is in both ("the board meeting", "the team meeting").

No list of verbs is complete. What is not found here is not replaced, and both are kept.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from bethink.text.facts import NOT, Reading, read

_TYPED = frozenset({"number", "date", "identifier"})


class Replaces(StrEnum):
    SURELY = "surely"
    PERHAPS = "perhaps"
    NOT = "not"


class Changed(NamedTuple):
    """The parts of a sentence that reports a change."""

    about: str  # with the new value, where that is not told apart
    former: str = ""  # the value that is over
    value: str = ""  # the value that holds from now on


_VERBS = (
    r"(?:mov|switch|chang|renam|migrat|rais|lower|increas|reduc|decreas|extend|shorten|postpon|"
    r"delay|push|bring|brought|upgrad|downgrad|bump|transfer|relocat|shift|reschedul|updat|swap|"
    r"convert|adjust|promot|correct|revis|reassign|hand|set|pull)(?:e?d|es?|s|ing|p?ed)?"
    r"|cut|went|gone|goes|grew|grown|rose|risen|fell|fallen|drop(?:ped|s)?|put|"
    r"is now set|is set"
)
_AUX = (
    r"(?:(?:is|are|was|were|has|have|had|been|be|being|got|gets?|now|just|also|will|recently)\s+)*"
)
_END = r"(?:\s+(?:now|instead|from now on))?[.!]*$"
_ENGLISH = (
    # replaced A with B; A was replaced by B; B replaces A
    rf"(?P<about>.*?)\breplac(?:ed|es|ing)\s+(?P<former>.+?)\s+(?:with|by)\s+(?P<value>.+?)"
    rf"(?P<more>\s+(?:as|for|in|on|at)\s.*)?{_END}",
    rf"(?P<former>.+?)\s+{_AUX}replaced\s+(?:with|by)\s+(?P<value>.+?)"
    rf"(?P<more>\s+(?:as|for|in|on|at)\s.*)?{_END}",
    rf"(?P<value>.+?)\s+(?:has\s+)?replace[sd]\s+(?P<former>.+?)"
    rf"(?P<more>\s+(?:as|for|in|on|at)\s.*)?{_END}",
    rf"(?P<value>.+?)\s+(?:has\s+|have\s+)?(?:took|taken|takes)\s+over\s+(?P<about>.+?)\s+from\s+"
    rf"(?P<former>.+?){_END}",
    # changed from A to B
    rf"(?P<about>.*?)\b(?:{_VERBS})\b(?P<more>.*?)\bfrom\s+(?P<former>[^,;]+?)\s+(?:in)?to\s+"
    rf"(?P<value>[^,;]+?){_END}",
    # B instead of A; B, not A
    rf"(?P<about>.+?),?\s+(?:instead\s+of|rather\s+than|in\s+place\s+of)\s+(?P<former>[^,;]+?)"
    rf"{_END}",
    rf"(?P<about>.+?),\s+(?:and\s+)?not\s+(?:(?:at|on|in|by|to)\s+)?(?P<former>[^,;]+?)"
    rf"(?:\s+any\s?more|\s+any\s+longer)?{_END}",
    # left A and works at B
    rf"(?P<about>.+?)\s+(?:has\s+)?(?:left|quit|resigned\s+from)\s+(?P<former>[^,;]+?)"
    rf"(?:,|;|\s+and|\s+for)(?P<more>\s.+?){_END}",
    # we moved S to B; S was moved to B
    rf"(?:we|they|i|he|she)\s+(?:have\s+|has\s+|had\s+)?(?:{_VERBS})\s+(?P<about>(?!to\b|from\b).+?)\s+"
    rf"(?:back\s+|up\s+|down\s+)?(?:to|until|into)\s+(?P<value>[^,;]+?){_END}",
    rf"(?P<about>.+?)\s+{_AUX}(?:{_VERBS})(?:\s+(?:up|down|back|forward|out))?\s+"
    rf"(?:to|until|till|into)\s+(?P<value>[^,;]+?){_END}",
)  # fmt: skip
_VERBS_CHINESE = (
    "(?:改签|改|换|搬|迁移|迁|移|挪|调整|调|升级|升|降|提高|提升|提前|推迟|延期|延长|延|缩短|增加|增|"
    "减少|减|转|变更|变|切换|切|更新|更换|放宽|收紧|涨|跌|上调|下调|压缩|砍|顺延)"
)
_TO = "(?:成为|成了|成|到了|到|至|为|去了|去|用了|用|由)"
_ALREADY = "(?:已经|现已|已|现在|目前|要|将|会|都|统一|正式|临时|也|又)*"
_CHINESE = (
    rf"(?P<about>.*?)由(?P<former>[^，。；,由]+?){_VERBS_CHINESE}{_TO}(?P<value>[^，。；,]+?)"
    r"了?(?P<more>[，。；,].*)?[。！]*$",
    rf"(?P<about>.*?)从(?P<former>[^，。；,从]+?){_VERBS_CHINESE}{_TO}(?P<value>[^，。；,]+?)"
    r"了?(?P<more>[，。；,].*)?[。！]*$",
    r"(?P<about>.*?)从(?P<former>[^，。；,从]+?)(?:离职|辞职|离开|退出)了?[，,；。](?P<more>.+?)[。！]*$",
    rf"(?P<about>.*?)把(?P<former>[^，。；,]+?){_VERBS_CHINESE}{_TO}(?P<value>[^，。；,]+?)了?[。！]*$",
    r"(?P<about>.+?)[，,]?(?:而)?(?:不是|不再是|不在|不用|不再用|不再)(?P<former>[^，。；,了]+?)了?[。！]*$",
    r"(?P<about>.*?)(?:不是|不再是|不再用|不用)(?P<former>[^，。；,了]+?)了?[，,；](?P<more>.+?)[。！]*$",
    rf"(?P<about>.+?){_ALREADY}{_VERBS_CHINESE}由(?P<value>[^，。；,]+?)"
    r"(?P<more>负责|主持|管理|维护|带|牵头|担任|处理|主讲)?了?[。！]*$",
    rf"(?P<about>.+?)[，,]?{_ALREADY}{_VERBS_CHINESE}{_TO}(?P<value>[^，。；,]+?)了?[。！]*$",
)
_LEAD_IN = re.compile(
    r"^\s*(?:correction|update|updated|actually|as of \w+|from now on|"
    r"更正|更新|订正|补充更正|其实|通知)"
    r"\s*[:：,，]?\s*",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\b(?:no longer|any ?more|any longer)\b|不再|不[^，。；,不]{1,8}了$|已经不", re.I
)
# Says that it comes beside what is known.
_BESIDE = re.compile(
    r"\b(?:also|too|as well|additionally|besides|another|second|both)\b|[也还]|另外|此外|同时|以及",
    re.IGNORECASE,
)


_SIGNS = re.compile(
    r"\b(?:now|no longer|any ?more|any longer|instead|rather than|replac\w+|took over|correction|"
    r"actually|not|left|mov(?:ed|es)|switch\w+|chang(?:ed|es)|renamed|migrated|raised|lowered|"
    r"increased|reduced|decreased|extended|shortened|postponed|delayed|rescheduled|upgraded|"
    r"downgraded|bumped|transferred|relocated|shifted|updated|cut to|went (?:up|down)|"
    r"from now on)\b"
    r"|现在|如今|目前|不再|不是|更正|其实|改|换|搬|迁|挪|调|推迟|提前|提高|降|减|升|延|离职|"
    r"新的?(?:手机|电话|密码|地址|邮箱)",
    re.IGNORECASE,
)


def says_changed(text: str) -> bool:
    """Return True if a text holds a sign of a change. Cheap: most texts hold none."""
    return _SIGNS.search(text) is not None


def comes_beside(text: str) -> bool:
    """Return True if a text says itself that it adds to what is known."""
    return _BESIDE.search(text) is not None


@cache
def _patterns(chinese: bool) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(p, re.IGNORECASE) for p in (_CHINESE if chinese else _ENGLISH))


@lru_cache(maxsize=256)
def changed(text: str) -> tuple[Changed, ...]:
    """The ways in which a text can be read as a report of a change; none for most texts."""
    plain = _LEAD_IN.sub("", text.strip())
    chinese = not plain.isascii() and re.search("[\u4e00-\u9fff]", plain) is not None
    found: list[Changed] = []
    for pattern in _patterns(chinese):
        if (match := pattern.match(plain)) is not None:
            parts = match.groupdict()
            about = " ".join(filter(None, (parts.get("about"), parts.get("more"))))
            found.append(Changed(about, parts.get("former") or "", parts.get("value") or ""))
    clauses = re.split(r"\s*[,;.，；。]\s*|\s+(?:and|but)\s+", plain)
    over = [clause for clause in clauses if _OVER.search(clause)]
    rest = [clause for clause in clauses if clause and clause not in over]
    if over and rest:
        found.append(Changed(" ".join(rest), " ".join(over)))
    return tuple(found)


# What is said of a value in either way, and tells nothing about what it is.
_HARMLESS = frozenset(
    "in on at to for from by as with was have will can be plan schedul set due take place current "
    "now new we they he she it use run held start last new will would be time date go get live "
    "I's been longer 在 于 用 是 有 定 计 划 安 排 时 间 日 期 为 由 到 从 已 经 住 能 会 要 可 "
    "新 值 号 码 上 里 了 现 改 换 成 这 那 我 们".split()
)
_PRONOUNS = frozenset({"we", "they", "he", "she", "you"})


def compare(old: Reading, new: Changed, *, attributes: frozenset[str]) -> Replaces:
    """Whether a text that says this replaces the older one."""
    about, former, value = (_told(part) for part in (new.about, new.former, new.value))
    if former.tokens:
        return _names_the_former(old, about, former, value, attributes)
    return _in_its_place(old, about, value)


@lru_cache(maxsize=512)
def _told(text: str) -> Reading:
    return read(text)


def _names_the_former(
    old: Reading, about: Reading, former: Reading, value: Reading, attributes: frozenset[str]
) -> Replaces:
    over = [token for token in former.tokens if token not in _HARMLESS and token != NOT]
    held = list(old.tokens)
    apart = [token for token in over if token not in about.tokens]
    for token in over:
        same = next((one for one in held if _alike(one, token)), None)
        if same is None:
            if token in about.tokens:  # said again of what it is about
                continue
            return Replaces.NOT
        held.remove(same)
    if not over or not (apart or value.tokens or set(about.tokens) - set(old.tokens)):
        return Replaces.NOT
    known = {*about.tokens, *former.tokens, *value.tokens}
    lacking = [t for t in held if t not in known and t not in _HARMLESS and t not in attributes]
    more = (
        [
            t
            for t in about.tokens
            if t not in old.tokens and t not in _HARMLESS and t not in attributes and t != NOT
        ]
        if value.tokens
        else []
    )
    shared = [t for t in held if t in about.tokens]
    if not lacking and not more and (shared or not _telling(held)):
        return Replaces.SURELY
    if lacking and more:
        return Replaces.NOT
    return Replaces.PERHAPS if shared and _size(lacking) <= _size(old.tokens) / 2 else Replaces.NOT


def _in_its_place(old: Reading, about: Reading, value: Reading) -> Replaces:
    """The former value is not named: it must stand where the new one would."""
    subject = [t for t in about.tokens if t not in _PRONOUNS and t != NOT]
    held = Counter(old.tokens)
    more = [t for t in subject if t not in held and t not in _HARMLESS]
    telling = [t for t in subject if t in held and t not in _HARMLESS]
    if not telling or not value.tokens:
        return Replaces.NOT
    rest = [
        (token, kind)
        for token, kind in zip(old.tokens, old.kinds, strict=True)
        if token not in subject and token not in value.tokens and token not in _HARMLESS
    ]
    typed = [(t, k) for t, k in rest if k in _TYPED]
    told = [(t, k) for t, k in zip(value.tokens, value.kinds, strict=True) if k in _TYPED]
    if typed and told:
        fits = sorted(map(_sort_of, typed)) == sorted(map(_sort_of, told))
        others = [t for t, k in rest if k not in _TYPED]
        if not fits or (more and others):
            return Replaces.NOT
        return Replaces.PERHAPS if more or others else Replaces.SURELY
    if typed or told or more or not rest:
        return Replaces.NOT
    contiguous = _stand_together([t for t, _ in rest], old.tokens)
    linked = "由" in old.tokens or any(
        at in old.links for at, t in enumerate(old.tokens) if t == rest[0][0]
    )
    specific = _size(telling) >= 2 or _size([t for t, _ in rest]) <= 2
    if contiguous and linked and specific and _size([t for t, _ in rest]) <= 3:
        return Replaces.SURELY
    return Replaces.PERHAPS if specific else Replaces.NOT


def _alike(one: str, other: str) -> bool:
    """The same, or the same number where one leaves out the unit: "from 14 to 30 days"."""
    if one == other:
        return True
    mine, yours = (re.match(r"-?[\d.]+", text) for text in (one, other))
    bare = mine is not None and yours is not None and mine[0] == yours[0]
    return bare and (mine[0] == one or yours[0] == other) and ":" not in one + other  # type: ignore[index]


def _sort_of(typed: tuple[str, str]) -> str:
    token, kind = typed
    if kind != "number":
        return "day" if token.startswith("周") else kind
    return "time" if ":" in token else "number" + re.sub(r"^-?[\d.,]+", "", token)


def _stand_together(tokens: list[str], among: tuple[str, ...]) -> bool:
    places = [among.index(token) for token in tokens]
    gap = set(range(min(places), max(places) + 1)) - set(places)
    return all(among[at] in _HARMLESS for at in gap)


def _telling(tokens: list[str]) -> list[str]:
    return [token for token in tokens if token not in _HARMLESS]


def _size(tokens: list[str] | tuple[str, ...]) -> float:
    return sum(0.5 if len(t) == 1 and not t.isascii() else 1.0 for t in tokens)
