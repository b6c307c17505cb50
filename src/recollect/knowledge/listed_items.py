"""The items of a list in an answer: numbered, bulleted, or named one after the other in a line."""

from __future__ import annotations

import re

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


def listed_items(answer: str) -> list[str]:
    """In order; empty where the answer has no list of two items or more. Of a list in a list the
    outer one: it is what "the second" counts."""
    from recollect.knowledge.follow_up_parts import item_name

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
