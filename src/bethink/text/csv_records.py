"""Records of CSV one by one, so that a quote that is never closed costs one and swallows no others;
and cells that no spreadsheet takes for something to compute."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_MOST_BROKEN = 1_000  # each may have been read to the end of the file
_COMPUTED = "=+@\t\r＝＋－＠-"  # what begins a formula, in one spreadsheet or another
_GUARDED = re.compile(rf"'+[{_COMPUTED}]")


class Record(NamedTuple):
    place: int  # its first line, from 1
    cells: list[str]
    fault: str = ""


def csv_records(lines: Sequence[str], after: int, delimiter: str) -> Iterator[Record]:
    """`lines` with their ends; those `after` the first so many. Where a record goes over several
    lines and its quotes do not fit, its first line is at fault, and the next begins anew."""
    at = after
    broken = 0
    while at < len(lines):
        made, used = _record(lines, at, delimiter)
        broken += bool(made.fault)
        if broken > _MOST_BROKEN:
            yield Record(at + 1, [], "cannot be read as CSV, nor can what follows; is it CSV?")
            return
        yield made
        at += used


def _record(lines: Sequence[str], at: int, delimiter: str) -> tuple[Record, int]:
    def from_here() -> Iterator[str]:
        return map(lines.__getitem__, range(at, len(lines)))

    reader = csv.reader(from_here(), delimiter=delimiter)
    try:
        cells = next(reader)
    except csv.Error as e:
        return Record(at + 1, [], f"cannot be read as CSV: {e}"), 1
    if reader.line_num > 1:
        try:
            next(csv.reader(from_here(), delimiter=delimiter, strict=True))
        except csv.Error:
            why = "a quote is opened here and not closed as it should be; close it, or double it"
            return Record(at + 1, [], why), 1
    return Record(at + 1, cells), reader.line_num


def guarded(cell: str) -> str:
    """With an apostrophe before what a spreadsheet would compute; `unguarded` takes it off."""
    computed = cell[:1] and cell[0] in _COMPUTED
    return f"'{cell}" if computed or _GUARDED.match(cell) else cell


def unguarded(cell: str) -> str:
    return cell[1:] if _GUARDED.match(cell) else cell
