"""Plain text: paragraphs, and headings where the text itself has the form of one."""

from __future__ import annotations

import re
from functools import cache

from bethink.knowledge.documents.blocks import Block, Reading

_LONGEST = 60  # characters of a heading
_DIGITS = "0-9０-９零〇一二三四五六七八九十百千两"


@cache
def _chinese() -> tuple[tuple[int, re.Pattern[str]], ...]:
    ends = r"(?:\s|　|：|:|$)"
    return (
        (1, re.compile(rf"第[{_DIGITS}]{{1,8}}[编篇部卷]{ends}")),
        (2, re.compile(rf"第[{_DIGITS}]{{1,8}}[章回讲]{ends}")),
        (3, re.compile(rf"第[{_DIGITS}]{{1,8}}节{ends}")),
        (3, re.compile(r"[一二三四五六七八九十]{1,3}、\S")),
        (4, re.compile(r"[（(][一二三四五六七八九十]{1,3}[)）]\S")),
    )


@cache
def _english() -> re.Pattern[str]:
    return re.compile(r"(?:chapter|part|appendix|section)\s+(?:\d+|[ivxlc]+|[a-z])\b", re.I)


@cache
def _numbered() -> re.Pattern[str]:
    return re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,4})[.．、]?\s+\S")


def heading_level(line: str) -> int:
    """1 to 6 if the line reads like a heading, else 0. What ends like a sentence is none."""
    bare = line.strip()
    if not 2 <= len(bare) <= _LONGEST or bare[-1] in "。！？；，,;.!?…":
        return 0
    for level, pattern in _chinese():
        if pattern.match(bare):
            return level
    return 2 if _english().match(bare) else 0


def numbered_level(line: str) -> int:
    """The depth of a number like 2.1 that a heading begins with; only where the line stands alone,
    since items of a list look the same."""
    bare = line.strip()
    found = _numbered().match(bare)
    if not found or len(bare) > _LONGEST or bare[-1] in "。！？；，,;.!?…":
        return 0
    return min(6, found[1].count(".") + 2)


def read(text: str, place: int = 0) -> Reading:
    blocks: list[Block] = []
    for paragraph in re.split(r"\n[ \t　]*\n", text):
        lines = [line.rstrip() for line in paragraph.strip("\n").splitlines()]
        kept: list[str] = []
        for line in lines:
            level = heading_level(line)
            if not level and len(lines) == 1 and "." in line[:8]:
                level = numbered_level(line)
            if level:
                _add(blocks, kept, place)
                blocks.append(Block(line.strip(), level=level, place=place))
            else:
                kept.append(line)
        _add(blocks, kept, place)
    return Reading(blocks)


def _add(blocks: list[Block], lines: list[str], place: int) -> None:
    text = "\n".join(lines).strip()
    if text:
        blocks.append(Block(text, place=place))
    lines.clear()
