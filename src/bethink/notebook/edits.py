"""Edits of a Markdown list as its author would make them: one item more, or one in another's place.

Every line that is not touched stays as it is, byte for byte. What is added takes the style of what
is there: the marker, the numbering, blank lines between items, the way headings are written, line
ends. Before an edit counts it is read again: if any other piece of the file would read differently,
another way to write it is tried, and if there is none it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC
from pathlib import PurePosixPath
from typing import NamedTuple

from bethink.errors import InvalidInput
from bethink.notebook import markdown
from bethink.notebook.forms import Form
from bethink.notebook.front_matter import front_matter
from bethink.notebook.lines import split_lines, split_lines_with_ends
from bethink.notebook.markdown import Block, Heading, Marker
from bethink.notebook.parse import Piece, parse

_DEEP = 4  # columns: from here on a line of an item can be no heading


class Edit(NamedTuple):
    text: str
    line: int  # of the item, from 0


class Item(NamedTuple):
    """What is to be written: the text, and what is said of it in items below."""

    text: str
    fields: tuple[tuple[str, str], ...] = ()
    box: str = ""  # of a task: " " is open, "x" is done


class _Page(NamedTuple):
    lines: list[str]
    raw: list[str]  # with their ends
    within: bytearray
    heads: list[Heading]
    first: int  # line after front matter
    titled: bool
    end: str  # how its lines end


def appended(
    text: str, item: Item, section: Sequence[str], *, path: PurePosixPath, form: Form, title: str
) -> Edit:
    """The text with this item at the end of a section, which is made if it is not there."""
    page = _page(text, path)
    if not page.lines:
        text = f"# {title}\n"
        page = _page(text, path)
    before = parse(text, path, book_form=form, zone=UTC)
    for deep, apart in ((False, False), (True, False), (False, True), (True, True)):
        edit = _append(page, item, tuple(section), deep=deep, apart=apart)
        if _sound(edit, before, path, form, gone=()):
            return edit
    raise _would_break(path)


def replaced(text: str, old: Piece, item: Item, *, path: PurePosixPath, form: Form) -> Edit:
    """The text with this item in the place of that piece."""
    page = _page(text, path)
    before = parse(text, path, book_form=form, zone=UTC)
    for deep in (False, True):
        edit = _replace(page, old, item, deep=deep)
        if _sound(edit, before, path, form, gone=(old.start,)):
            return edit
    raise _would_break(path)


def removed(text: str, old: Piece, *, path: PurePosixPath, form: Form) -> str:
    """The text without that piece, nor the blank line that set it apart."""
    page = _page(text, path)
    raw, start, end = page.raw, old.start, old.end
    apart = start > 0 and not page.lines[start - 1].strip()
    if apart and end < len(raw) and not page.lines[end].strip():
        end += 1
    left = "".join([*raw[:start], *raw[end:]])
    before = parse(text, path, book_form=form, zone=UTC)
    kept = [(p.text, p.section, p.kind) for p in before if p.start != old.start]
    after = parse(left, path, book_form=form, zone=UTC)
    if kept != [(p.text, p.section, p.kind) for p in after]:
        raise _would_break(path)
    return left


def placed(text: str, item: Item, before: Piece, *, path: PurePosixPath, form: Form) -> Edit | None:
    """The text with this item above that piece, or None where other lines would read differently
    then."""
    page = _page(text, path)
    marker = markdown.marker_of(page.lines[before.start])
    if marker is None:
        return None
    new = _written(item, _lead_of_line(page.lines[before.start], marker), deep=False, box=item.box)
    at = before.start
    if at + 1 < len(page.lines) and before.end < len(page.lines):
        new += [""] if not page.lines[before.end].strip() and _loose_after(page, before) else []
    edit = Edit("".join([*page.raw[:at], *(line + page.end for line in new), *page.raw[at:]]), at)
    same = parse(text, path, book_form=form, zone=UTC)
    return edit if _sound(edit, same, path, form, gone=()) else None


def ticked(text: str, old: Piece) -> Edit:
    """The text with the box of that task ticked."""
    raw = split_lines_with_ends(text)
    raw[old.start] = raw[old.start].replace("[ ]", "[x]", 1)
    return Edit("".join(raw), old.start)


def piece_at(edit: Edit, path: PurePosixPath, form: Form) -> Piece | None:
    """What the edited place reads as."""
    pieces = parse(edit.text, path, book_form=form, zone=UTC)
    return next((piece for piece in pieces if piece.start == edit.line), None)


def _would_break(path: PurePosixPath) -> InvalidInput:
    return InvalidInput(
        f"written into {path}, this text would change how other lines read (an open ``` or "
        "<!--, in it or in the file); close it, or tell it on one line"
    )


def _sound(
    edit: Edit, before: list[Piece], path: PurePosixPath, form: Form, *, gone: Sequence[int]
) -> bool:
    """Is the new piece there, and does all else read as it did?"""
    after = parse(edit.text, path, book_form=form, zone=UTC)
    others = [(p.text, p.section, p.kind) for p in after if p.start != edit.line]
    return len(others) < len(after) and others == [
        (p.text, p.section, p.kind) for p in before if p.start not in gone
    ]


def _page(text: str, path: PurePosixPath) -> _Page:
    lines = split_lines(text)
    raw = split_lines_with_ends(text)
    within = markdown.stands_in(lines)
    first = front_matter(lines, path).lines
    heads = markdown.headings(lines, within, first)
    tops = [head for head in heads if head.level == 1]
    ends = [line[len(line.rstrip("\r\n")) :] for line in raw]
    end = next((one for one in ends if one), "\n")
    return _Page(lines, raw, within, heads, first, len(tops) == 1 and heads[0].level == 1, end)


# Appending


def _append(page: _Page, item: Item, section: tuple[str, ...], *, deep: bool, apart: bool) -> Edit:
    start, end, missing, above = _place(page, section)
    own = markdown.blocks(page.lines, page.within, start, end) if not missing else []
    items = [block for block in own if block.marker is not None]
    lead = _lead(page, items)
    written = _written(item, lead, deep=deep, box=item.box)
    if missing:
        return _with_sections(page, end, missing, above, written)
    new: list[str] = []
    if own:
        at = own[-1].end
        loose = len(items) > 1 and not page.lines[items[-1].start - 1].strip()
        if own[-1].marker is None or loose or apart:
            new.append("")
    else:
        remarks = [at for at in range(start, end) if page.within[at] == markdown.COMMENT]
        at = remarks[-1] + 1 if remarks else min(start + _blanks(page, start, end), end)
        if at > 0 and page.lines[at - 1].strip():
            new.append("")
    line = at + len(new)
    new += written
    follows = at < len(page.lines) and page.lines[at].strip()
    if follows and (not own or apart):
        new.append("")
    return Edit(_inserted(page, at, new), line)


def _place(
    page: _Page, section: tuple[str, ...]
) -> tuple[int, int, tuple[str, ...], Heading | None]:
    """Where a section's own lines are; or where to make it, which of its titles are missing, and
    below which heading."""
    skip = 1 if page.titled else 0
    if not section:
        first = page.heads[0] if page.heads else None
        if page.titled and first is not None:
            return first.after, _next_heading(page, first.after), (), first
        return page.first, first.line if first else len(page.lines), (), None
    for depth in range(len(section), 0, -1):
        for head in page.heads:
            if head.path[skip:] == section[:depth]:
                if depth == len(section):
                    return head.after, _next_heading(page, head.after), (), head
                return head.after, head.end, section[depth:], head
    return 0, len(page.lines), section, None


def _next_heading(page: _Page, line: int) -> int:
    return next((head.line for head in page.heads if head.line >= line), len(page.lines))


def _blanks(page: _Page, start: int, end: int) -> int:
    """One blank line below a heading belongs to it."""
    return 1 if start < end and not page.lines[start].strip() else 0


def _lead(page: _Page, items: list[Block]) -> str:
    """How the new item begins: as the last one of the section does, else of the file."""
    if not items:
        every = markdown.blocks(page.lines, page.within, page.first, len(page.lines))
        others = [b for b in every if b.marker is not None and not b.marker.text[0].isdigit()]
        return _lead_of(page, others[-1]) if others else "- "
    return _lead_of(page, items[-1])


def _lead_of(page: _Page, block: Block) -> str:
    marker = block.marker
    assert marker is not None
    lead = _lead_of_line(page.lines[block.start], marker)
    if marker.text[0].isdigit():
        number = str(int(marker.text[:-1]) + 1)
        lead = lead.replace(marker.text, number + marker.text[-1], 1)
    return lead


def _lead_of_line(line: str, marker: Marker) -> str:
    lead = line[: marker.content]
    return lead if lead[-1].isspace() or marker.text[-1] in "、•" else lead + " "


def _loose_after(page: _Page, piece: Piece) -> bool:
    """Does another item follow, after a blank line?"""
    following = piece.end
    while following < len(page.lines) and not page.lines[following].strip():
        following += 1
    return following < len(page.lines) and markdown.marker_of(page.lines[following]) is not None


def _written(item: Item, lead: str, *, deep: bool, box: str) -> list[str]:
    width = len(lead.expandtabs(4))
    indent = " " * (max(width, _DEEP) if deep else max(width, 2))
    lines = split_lines(item.text.strip("\r\n")) or [""]
    first = lead + (f"[{box}] " if box else "") + lines[0].strip()
    rest = [indent + line if line.strip() else "" for line in lines[1:]]
    return [first, *rest, *(f"{indent}- {name}: {value}" for name, value in item.fields)]


def _with_sections(
    page: _Page, at: int, missing: tuple[str, ...], above: Heading | None, written: list[str]
) -> Edit:
    while at > page.first and not page.lines[at - 1].strip():
        at -= 1
    beside = [head.level for head in page.heads if len(head.path) == (2 if page.titled else 1)]
    level = above.level + 1 if above is not None else (beside[0] if beside else 2)
    new: list[str] = [""] if at > 0 else []
    for title in missing:
        new += [*_heading(page, title, min(level, 6)), ""]
        level += 1
    line = at + len(new)
    new += written
    if at < len(page.lines) and page.lines[at].strip():
        new.append("")
    return Edit(_inserted(page, at, new), line)


def _heading(page: _Page, title: str, level: int) -> list[str]:
    beside = [head for head in page.heads if head.level == level]
    if beside and beside[-1].after - beside[-1].line == 2:  # underlined
        return [title, ("=" if level == 1 else "-") * max(3, len(title))]
    closed = beside and page.lines[beside[-1].line].rstrip().endswith("#")
    return ["#" * level + " " + title + (" " + "#" * level if closed else "")]


def _inserted(page: _Page, at: int, new: list[str]) -> str:
    head, tail = page.raw[:at], page.raw[at:]
    ends = [line + page.end for line in new]
    if head and not head[-1].endswith(("\n", "\r")):  # the file ends without a line end: so be it
        head = [*head[:-1], head[-1] + page.end]
        ends[-1] = new[-1]
    return "".join([*head, *ends, *tail])


# Replacing


def _replace(page: _Page, old: Piece, item: Item, *, deep: bool) -> Edit:
    found = markdown.marker_of(page.lines[old.start])
    lead = page.lines[old.start][: found.content] if found is not None else ""
    if found is not None and not (lead[-1].isspace() or found.text[-1] in "、•"):
        lead += " "
    rest = page.lines[old.start][len(lead) :]
    boxed = rest[:1] == "[" and rest[1:3] in (" ]", "x]", "X]")
    box = (item.box or " ") if boxed else ""
    new = _written(item, lead, deep=deep, box=box)
    if not lead:
        new = [line.strip() for line in new]
    ends = [line + page.end for line in new]
    last = page.raw[old.end - 1]
    ends[-1] = new[-1] + last[len(last.rstrip("\r\n")) :]
    text = "".join([*page.raw[: old.start], *ends, *page.raw[old.end :]])
    return Edit(text, old.start)


def kept_fields(text: str, old: Piece) -> Iterator[tuple[str, str]]:
    """What is said of a piece in items below it, and goes on to be true of what replaces it."""
    from bethink.notebook.meta_list import field_of, item_field

    for line in split_lines(text)[old.start + 1 : old.end]:
        told = item_field(line)
        if told is not None and field_of(told[0]) in ("tags", "entities"):
            yield told
