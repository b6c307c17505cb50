"""The lines of a Markdown file by what they are: headings, list items, paragraphs, code, comments.

Only as much of Markdown as tells where one thing ends and the next begins. A line is looked at once
or twice, so that no file takes long, and every text is some Markdown: nothing here can fail.
"""

from __future__ import annotations

from typing import NamedTuple

TEXT, CODE, COMMENT = 0, 1, 2  # what a line stands in
_BULLETS = "-*+•"
_TAB = 4


class Heading(NamedTuple):
    level: int
    title: str
    line: int
    after: int  # the first line after it
    end: int  # the first line that is no longer below it: the next heading of its level or higher
    path: tuple[str, ...]  # the titles of those it stands below, and its own
    parent: int  # which heading it stands directly below; -1: none


class Marker(NamedTuple):
    indent: int  # columns before it
    content: int  # characters before the item's own text
    text: str  # as it is written: "-", "*", "3."


class Block(NamedTuple):
    start: int
    end: int
    marker: Marker | None  # None: a paragraph, a table, a block of code


def stands_in(lines: list[str]) -> bytearray:
    """For each line: is it text, in a block of code (fences too), or in a comment?"""
    found = bytearray(len(lines))
    fence = ""
    comment = False
    last_close = max((at for at, line in enumerate(lines) if "-->" in line), default=-1)
    for at, line in enumerate(lines):
        bare = line.strip()
        if fence:
            found[at] = CODE
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
        elif comment or (bare.startswith("<!--") and at <= last_close):
            comment = "-->" not in bare
            # what follows on the same line is text, and so is the line
            found[at] = COMMENT if comment or bare.endswith("-->") else TEXT
        elif bare[:3] in ("```", "~~~") and not (bare[0] == "`" and "`" in bare.lstrip("`")):
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
            found[at] = CODE
    return found


def headings(lines: list[str], within: bytearray | None = None, first: int = 0) -> list[Heading]:
    """The headings from line `first` on, in order. Those in code are none."""
    within = stands_in(lines) if within is None else within
    found: list[tuple[int, str, int, int]] = []
    for at in range(first, len(lines)):
        line = lines[at]
        if within[at] != TEXT or not line:
            continue
        if "#" in line[:4]:
            level, title = _hashes(line)
            if level:
                found.append((level, title, at, at + 1))
        elif line[0] in "=-" and at > first and _underlines(lines, at, first, within):
            found.append((1 if line[0] == "=" else 2, lines[at - 1].strip(), at - 1, at + 1))
    return _nested(found, len(lines))


def _nested(found: list[tuple[int, str, int, int]], count: int) -> list[Heading]:
    ends = [count] * len(found)
    paths: list[tuple[str, ...]] = []
    parents: list[int] = []
    above: list[int] = []  # of the headings that are open, from the outermost
    for at, (level, title, line, _) in enumerate(found):
        while above and found[above[-1]][0] >= level:
            ends[above.pop()] = line
        parents.append(above[-1] if above else -1)
        paths.append((*(paths[above[-1]] if above else ()), title))
        above.append(at)
    return [
        Heading(level, title, line, after, ends[at], paths[at], parents[at])
        for at, (level, title, line, after) in enumerate(found)
    ]


def _hashes(line: str) -> tuple[int, str]:
    bare = line.strip()
    title = bare.lstrip("#")
    level = len(bare) - len(title)
    if not 1 <= level <= 6 or (title and not title[0].isspace()) or indent_of(line) > 3:
        return 0, ""
    title = title.strip()
    closing = title.rstrip("#")
    if closing != title and (not closing or closing[-1].isspace()):
        title = closing.rstrip()
    return level, title


def _underlines(lines: list[str], at: int, first: int, within: bytearray) -> bool:
    """Is this line the underline of a heading? Only below a single line that is a paragraph."""
    bare = lines[at].rstrip()
    above = lines[at - 1]
    if len(bare) < 3 or bare.strip(bare[0]) or within[at - 1] != TEXT or not above.strip():
        return False
    alone = at - 1 == first or not lines[at - 2].strip() or _hashes(lines[at - 2])[0] > 0
    plain = marker_of(above) is None and not is_rule(above) and above.lstrip()[0] not in "#|>"
    return alone and plain and indent_of(above) <= 3


def blocks(lines: list[str], within: bytearray, start: int, end: int) -> list[Block]:
    """The top-level items of lists, each with what is indented below it, and the paragraphs.

    Rules and comments belong to none: they say nothing.
    """
    found: list[Block] = []
    at = start
    while at < end:
        line = lines[at]
        if not line.strip() or within[at] == COMMENT or (within[at] == TEXT and is_rule(line)):
            at += 1
            continue
        marker = marker_of(line) if within[at] == TEXT else None
        stop = _end(lines, within, at, end, marker)
        found.append(Block(at, stop, marker))
        at = stop
    return found


def _end(lines: list[str], within: bytearray, at: int, end: int, marker: Marker | None) -> int:
    last, blank = at, False
    for here in range(at + 1, end):
        line = lines[here]
        if within[here] == CODE and within[here - 1] == CODE:  # goes where its fence went
            if blank:
                break
        elif not line.strip():
            blank = True
            if marker is None or not lines[at][marker.content :].strip():
                break  # an item that begins with a blank line has nothing below
            continue
        elif marker is not None and indent_of(line) >= marker.indent + 2:
            blank = False
        elif blank or within[here] != TEXT or is_rule(line) or _begins_item(line, marker):
            break
        last = here
    return last + 1


def _begins_item(line: str, inside: Marker | None) -> bool:
    found = marker_of(line)
    if found is None:
        return False
    # "1986. A good year" in the middle of a paragraph is no list; after an item it is the next
    return inside is not None or not found.text[0].isdigit() or found.text[:-1] == "1"


def marker_of(line: str) -> Marker | None:
    """The list marker that a line begins with: `-`, `*`, `+`, `•`, `1.`, `2)`, `3、`."""
    bare = line.lstrip(" \t")
    if not bare:
        return None
    lead = len(line) - len(bare)
    if bare[0] in _BULLETS:
        mark = bare[0]
    elif bare[0].isascii() and bare[0].isdigit():
        digits = len(bare) - len(bare.lstrip("0123456789"))
        if digits > 9 or bare[digits : digits + 1] not in (".", ")", "、"):
            return None
        mark = bare[: digits + 1]
    else:
        return None
    rest = bare[len(mark) :]
    if rest and not rest[0].isspace() and mark[-1] not in "、•":
        return None
    gap = len(rest) - len(rest.lstrip(" \t"))
    if gap > _TAB:  # the item's text is itself indented code
        gap = 1
    return Marker(indent_of(line), lead + len(mark) + gap, mark)


def is_rule(line: str) -> bool:
    bare = line.replace(" ", "").strip()
    return len(bare) >= 3 and bare[0] in "-*_" and not bare.strip(bare[0])


def indent_of(line: str) -> int:
    """Columns before the first visible character; a tab goes to the next multiple of four."""
    if line[:1] not in (" ", "\t"):
        return 0
    columns = 0
    for char in line:
        if char == " ":
            columns += 1
        elif char == "\t":
            columns += _TAB - columns % _TAB
        else:
            break
    return columns


def item_text(lines: list[str], block: Block) -> list[str]:
    """The lines of a block without its marker and without the indentation that it asks for."""
    own = lines[block.start : block.end]
    if block.marker is None:
        return own
    width = block.marker.content
    first = own[0][width:].strip() if len(own[0]) > width else ""
    return [first, *(_dedent(line, width) for line in own[1:])]


def _dedent(line: str, width: int) -> str:
    lead = len(line) - len(line.lstrip(" \t"))
    if "\t" in line[:lead]:
        return line[1:] if line[0] == "\t" else line.lstrip(" \t")
    return line[min(lead, width) :]


def in_conflict(lines: list[str], within: bytearray) -> bool:
    """Has git left the marks of a merge, in their order? Both sides would be read as one text."""
    marks = iter(("<<<<<<<", "=======", ">>>>>>>"))
    wanted = next(marks)
    for at, line in enumerate(lines):
        if line[:7] == wanted and line[7:8] in ("", " ") and within[at] != CODE:
            following = next(marks, None)
            if following is None:
                return True
            wanted = following
    return False
