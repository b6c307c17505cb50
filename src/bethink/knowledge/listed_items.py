"""The items of a list in an answer: numbered, bulleted, or named one after the other in a line."""

from __future__ import annotations

import re

from bethink.text.segments import HAN

_MOST = 30
_READ = 8_000  # characters of an answer
_CHINESE_DIGITS = "一二三四五六七八九十"
# 1. / 1) / (1) / 1、 / 一、 / （一） / - / * / • / ①, at the beginning of a line
_NUMBERED = (
    rf"^[ \t>]{{0,8}}(?:[(（]?(?:[0-9]{{1,2}}|[{_CHINESE_DIGITS}]{{1,3}})[.)、．）:：](?![0-9])|"
    r"[①-⑳])[ \t]*(\S.*)$"
)
_BULLETED = r"^[ \t>]{0,8}[-*•·–][ \t]+(\S.*)$"
# the same within one line: "1) the Starter plan, 2) the Team plan", ①…；②…
_MARK = r"(?:[(（]?[0-9]{1,2}[)）.、](?![0-9])|[①-⑳])"
_INLINE = rf"(?<![0-9.]){_MARK}[ \t]*([^\n]{{1,200}}?)(?=[,，;；。]?\s*{_MARK}|[.。\n]|$)"


# 基础版、团队版和企业版; Basic, Team and Enterprise
_HAN_ITEM = rf"[\w{HAN}+.-]{{1,16}}"
_NAMED_HAN = (
    rf"({_HAN_ITEM}?(?:、{_HAN_ITEM}?){{1,29}}?)(?:、|以及|和|与|及|或者|或|还是)({_HAN_ITEM})"
)
_WORDS = r"[\w'+.-]{0,30}\w(?: [\w'+.-]{0,30}\w){0,2}"
_NAMED = rf"(?<!\w)({_WORDS}(?:, {_WORDS}){{1,29}}),? (?:and|or) ({_WORDS})"
_LED_HAN = r"\A.*(?:包括|包含|分为|提供|支持|比较|对比|有|是|为|选|在)"
_LED = (
    r"\A.*\b(?:offers?|have|has|are|is|includes?|supports?|provides?|sells?|between|compare|choose|"
    r"there|we|the|our|a|an|do|does|of)\b\s+"
)
_ENDED_HAN = r"(?:有|的|之间|哪|区别|不同|差别|等|都|三|几|是|怎|如何|分别|可|各|能|要|多少|什么).*"
_ENDED = (
    r"\s+(?:is|are|have|has|do|does|can|in|for|with|on|to|which|that|plans?|versions?|differ|"
    r"cost)\b.*"
)


def named_items(text: str) -> list[str]:
    """Three or more that a sentence names one after the other, as people do without making a list:
    基础版、团队版和企业版. Of several sentences the first that does."""
    text = text[:_READ]
    match = re.search(_NAMED_HAN, text)
    if match is not None:
        items = [*match[1].split("、"), match[2]]
        items[0] = re.sub(_LED_HAN, "", items[0])
        end = items[1][-1:]
        at = items[-1].find(end)
        alike = at > 0 and all(one.endswith(end) for one in items[:-1])
        items[-1] = items[-1][: at + 1] if alike else re.sub(_ENDED_HAN, "", items[-1])
    else:
        match = re.search(_NAMED, text)
        if match is None:
            return []
        items = [*match[1].split(", "), match[2]]
        items[0] = re.sub(_LED, "", items[0], flags=re.IGNORECASE)
        items[-1] = re.sub(_ENDED, "", items[-1], flags=re.IGNORECASE)
    items = [item.strip() for item in items]
    return items[:_MOST] if len(items) >= 3 and all(items) else []


def listed_items(answer: str) -> list[str]:
    """In order; empty where the answer has no list of two items or more. Of a list in a list the
    outer one: it is what "the second" counts."""
    from bethink.knowledge.follow_up_parts import item_name

    text = answer[:_READ]
    for pattern in (_NUMBERED, _BULLETED):
        found = list(re.finditer(pattern, text, re.MULTILINE))
        if len(found) < 2:
            continue
        indent = min(_indent(match[0]) for match in found)
        items = [match[1] for match in found if _indent(match[0]) == indent]
        if len(items) >= 2:
            return [item_name(item) for item in items[:_MOST]]
    items = re.findall(_INLINE, text)
    return [item_name(item) for item in items[:_MOST]] if len(items) >= 2 else []


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t>"))
