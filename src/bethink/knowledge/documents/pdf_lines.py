"""The lines of PDF pages: words that were broken between two, and what stands on every page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

BROKEN = "\ufffe"  # what PDFium puts for a hyphen at the end of a line
_EDGE_FROM = 4  # pages, before what repeats at their edges can be told from text
_SMALLER = 0.95  # than the letters of the text: not a part of it
_LONGEST_NUMBERED = 120
_NUMBER = re.compile(r"\d{1,5}|\b[ivxlc]{1,8}\b")
_OF_PAGES = re.compile(r"page|pg|seite|of|p|第|页|頁|共|总|總")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
# The first part of words that keep their hyphen.
_KEEPING = frozenset(
    "well self non long short high low half full part ex all cross co pre post anti multi semi "
    "so to up on off in out over under first second third one two three four five six ten twenty "
    "thirty forty fifty sixty seventy eighty ninety hard soft open close real left right old new "
    "good best better e".split()
)


class Line(NamedTuple):
    text: str
    page: int
    size: float  # of its first letter
    top: float


def unbroken(lines: list[Line]) -> list[Line]:
    """With the words that were broken at the end of a line put together. A hyphen that belongs to
    the word (well-known) is told from one that only breaks it by how the file writes it elsewhere,
    and by its parts."""
    if not any(BROKEN in line.text for line in lines):
        return lines
    broken = re.compile(rf"([\w-]{{0,60}}){BROKEN}(?=([\w-]{{0,60}}))")
    elsewhere = (re.sub(rf"[\w-]{{0,60}}{BROKEN}[\w-]{{0,60}}", " ", line.text) for line in lines)
    words = {word for text in elsewhere for word in re.findall(r"[\w-]+", text.lower())}

    def mended(match: re.Match[str]) -> str:
        return match[1] + ("-" if _keeps_hyphen(match[1], match[2], words) else "")

    return [line._replace(text=broken.sub(mended, line.text)) for line in lines]


def _keeps_hyphen(first: str, second: str, words: set[str]) -> bool:
    one, two = first.lower(), second.lower()
    if not one or not two:
        return False
    if f"{one}-{two}" in words or one + two in words:
        return f"{one}-{two}" in words
    if second[0].isupper() or second[0].isdigit() or first[-1].isdigit():
        return True
    return one in _KEEPING or (len(one) > 2 and len(two) > 2 and {one, two} <= words)


def without_edges(lines: list[Line], pages: int) -> list[Line]:
    """Without running titles and page numbers: lines at the edge of most pages that are the same,
    or the same but for a number that counts the pages."""
    if pages < _EDGE_FROM:
        return lines
    by_page: dict[int, list[Line]] = {}
    sizes: Counter[float] = Counter()
    for line in lines:
        by_page.setdefault(line.page, []).append(line)
        sizes[line.size] += len(line.text)
    small = _SMALLER * sizes.most_common(1)[0][0] if sizes else 0.0
    edges = {page: _edges(own) for page, own in by_page.items()}
    seen = Counter(
        form
        for own in edges.values()
        for form in {form for one in own for form in _forms(one, small)}
    )
    repeated = {form for form, times in seen.items() if times > len(by_page) / 2}
    gone = {
        one for own in edges.values() for one in own if not repeated.isdisjoint(_forms(one, small))
    }
    return [line for line in lines if line not in gone]


def _edges(lines: list[Line]) -> list[Line]:
    """The first and last lines of a page; none where that would be all of it."""
    deep = 2 if len(lines) >= 6 else 1 if len(lines) >= 3 else 0
    return lines[:deep] + lines[len(lines) - deep :]


def _forms(line: Line, small: float) -> Iterator[str]:
    """What must repeat for the line to go. `Article 7` on page 7 is text; `Page 7` is not, and
    neither is `Handbook 7` in small letters."""
    text = line.text.lower()
    yield text
    if len(text) > _LONGEST_NUMBERED:
        return
    for number in _NUMBER.finditer(text):
        around = f"{text[: number.start()]}#{text[number.end() :]}"
        said = any(char.isalpha() for char in _OF_PAGES.sub("", around))
        if not said or line.size < small:
            yield f"{around} {_value(number[0]) - line.page}"


def _value(number: str) -> int:
    if number.isdigit():
        return int(number)
    values = [_ROMAN[letter] for letter in number]
    after = [*values[1:], 0]
    return sum(-one if one < next_one else one for one, next_one in zip(values, after, strict=True))
