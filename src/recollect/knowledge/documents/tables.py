"""Rows: of CSV and sheets each with the names of its columns, so that it can be found by itself;
of tables in prose as Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from recollect.knowledge.documents.blocks import Block, Limits, Reading, Unreadable

_WIDEST = 512  # columns
_LONGEST = 4_000  # characters of a cell
_HEAD_ROWS = 20  # a title above the head may take some


def read_csv(text: str, limits: Limits, *, tabs: bool = False) -> Reading:
    csv.field_size_limit(1_000_000)
    rows = csv.reader(io.StringIO(text), delimiter="\t" if tabs else _delimiter(text))
    try:
        blocks, count, notes = rows_as_blocks(enumerate(rows, start=1), limits)
    except csv.Error as e:
        raise Unreadable(f"it is no sound CSV: {e}") from None
    return Reading(blocks, unit="row", places=count, notes=notes)


def _delimiter(text: str) -> str:
    """The one that cuts the first lines into the same number of columns, and into most."""
    lines = [line for line in text[:20_000].split("\n")[:20] if line.strip()][:10]

    def fits(mark: str) -> tuple[bool, int]:
        counts = [line.count(mark) for line in lines] or [0]
        return (min(counts) > 0 and len(set(counts)) == 1, min(counts))

    return max(",;\t|", key=fits)


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
    for number, row in first[at + 1 :]:
        yield number, _told(names, row)
    for number, row in walk:
        if any(row):
            yield number, _told(names, row)


def _head(rows: list[tuple[int, list[str]]]) -> tuple[list[str], int]:
    """The names of the columns: the first row that is as wide as the table and holds no number."""
    if not rows:
        return [], -1
    width = max(sum(map(bool, row)) for _, row in rows)
    for at, (_, row) in enumerate(rows):
        told = [cell for cell in row if cell]
        if len(told) >= max(1, width * 0.6):
            if len(rows) > 1 and not any(map(_is_number, told)):
                return row, at
            break
    return [], -1


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
    return [" ".join(cell_text(one).split())[:_LONGEST] for one in row[:_WIDEST]]


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
    lines = [
        "| "
        + " | ".join(cell.replace("|", "\\|") for cell in row + [""] * (width - len(row)))
        + " |"
        for row in told
    ]
    rule = "|" + " --- |" * width
    return Block("\n".join(lines[1:]), place=place, head=f"{lines[0]}\n{rule}")
