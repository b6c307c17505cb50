"""Rows: of CSV and sheets each with the names of its columns, so that it can be found by itself;
of tables in prose as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from bethink.knowledge.documents.blocks import Block, Limits

_WIDEST = 512  # columns to which short rows of a table are filled up
_LONGEST_NAME = 200  # characters of a column's name, since it stands in every row
_HEAD_ROWS = 20  # a title above the head may take some
_YEAR = re.compile(r"(?:19|20)\d\d(?:[-/.]\d{1,2}){0,2}")


def rows_as_blocks(
    rows: Iterable[tuple[int, Sequence[object]]], limits: Limits
) -> tuple[list[Block], int, tuple[str, ...]]:
    """The rows below the head, each as `name: value; name: value`, with their numbers; how many
    there are, and what was left out. Empty rows are passed over."""
    blocks: list[Block] = []
    last = 0
    chars = 0
    for number, line in _with_names(rows):
        if len(blocks) >= limits.rows or chars > limits.chars:
            return blocks, last, (f"read up to row {last:,}; the rest is left out",)
        last = number
        chars += len(line)
        blocks.append(Block(line, place=number, close=True))
    return blocks, last, ()


def _with_names(rows: Iterable[tuple[int, Sequence[object]]]) -> Iterator[tuple[int, str]]:
    first: list[tuple[int, list[str]]] = []
    walk = ((number, cells(row)) for number, row in rows)
    for number, row in walk:
        if any(row):
            first.append((number, row))
        if len(first) == _HEAD_ROWS:
            break
    names, at = _head(first)
    for number, row in first[: max(at, 0)]:  # what stands above the head
        yield number, "; ".join(filter(None, row))
    if any(len(name) > _LONGEST_NAME for name in names):  # once in full
        yield first[at][0], "; ".join(filter(None, names))
        names = [
            name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
            for name in names
        ]
    for number, row in first[at + 1 :]:
        yield number, _told(names, row)
    for number, row in walk:
        if any(row):
            yield number, _told(names, row)


def _head(rows: list[tuple[int, list[str]]]) -> tuple[list[str], int]:
    """The names of the columns: the first row that is as wide as the table and holds no number, or
    none but years and the like that the rows below it do not hold."""
    if not rows:
        return [], -1
    width = max(sum(map(bool, row)) for _, row in rows)
    for at, (_, row) in enumerate(rows):
        told = [cell for cell in row if cell]
        if len(told) >= max(1, width * 0.6):
            below = [other for _, other in rows[at + 1 :]]
            if len(rows) > 1 and (not any(map(_is_number, told)) or _counts_up(row, below)):
                return row, at
            break
    return [], -1


def _counts_up(row: list[str], below: list[list[str]]) -> bool:
    """Are its numbers names of columns? Years, months or days in their order, or 1, 2, 3, beside a
    column of words; and most rows below hold other numbers in these columns."""
    at = [column for column, cell in enumerate(row) if _is_number(cell)]
    words = set(range(len(row))) - set(at)
    beside = any(
        row[column] or any(column < len(one) and one[column] for one in below) for column in words
    )
    alike = sum(_in_order([one[column] for column in at if column < len(one)]) for one in below)
    return beside and bool(below) and _in_order([row[c] for c in at]) and alike * 2 < len(below)


def _in_order(numbers: list[str]) -> bool:
    if not numbers or len(set(numbers)) < len(numbers):
        return False
    if all(map(_YEAR.fullmatch, numbers)):
        ordered = [[int(part) for part in re.split(r"[-/.]", one)] for one in numbers]
        return ordered in (sorted(ordered), sorted(ordered, reverse=True))
    if len(numbers) < 3 or not all(one.isascii() and one.isdigit() for one in numbers):
        return False
    first = int(numbers[0][:9])
    return first in (0, 1) and numbers == [str(first + step) for step in range(len(numbers))]


def _is_number(cell: str) -> bool:
    return cell.replace(".", "").replace(",", "").replace("-", "").replace("%", "").isdigit()


def _told(names: list[str], row: list[str]) -> str:
    parts: list[str] = []
    for at, cell in enumerate(row):
        if cell:
            name = names[at] if at < len(names) else ""
            parts.append(f"{name}: {cell}" if name else cell)
    return "; ".join(parts)


def cells(row: Sequence[object]) -> list[str]:
    return [" ".join(cell_text(one).split()) for one in row]


def cell_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def as_table(rows: Sequence[Sequence[str]], place: int = 0) -> Block | None:
    """A table in prose, as Markdown."""
    told = [cells(row) for row in rows]
    told = [row for row in told if any(row)]
    if not told:
        return None
    width = max(map(len, told))
    if width == 1:
        return Block("\n".join(row[0] for row in told), place=place)
    filled = min(width, _WIDEST)
    lines = [
        "| "
        + " | ".join(cell.replace("|", "\\|") for cell in row + [""] * (filled - len(row)))
        + " |"
        for row in told
    ]
    rule = "|" + " --- |" * width
    return Block("\n".join(lines[1:]), place=place, head=f"{lines[0]}\n{rule}")
