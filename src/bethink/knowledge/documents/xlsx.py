"""XLSX: a section or more for each sheet, each row with the names of its columns."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

from bethink.errors import MissingExtra
from bethink.knowledge.documents.blocks import Block, Limits, Reading, Unreadable
from bethink.knowledge.documents.tables import rows_as_blocks

# A sheet is laid out in memory from its first cell to its last, with all between.
_MOST_CELLS = 30_000_000
_CELL = re.compile(rb'<c [^>]{0,60}?r="([A-Z]{1,3})([0-9]{1,7})"')
_CHUNK = 1 << 20


def read(data: bytes, limits: Limits) -> Reading:
    try:
        import python_calamine
    except ImportError:
        raise MissingExtra("reading XLSX", "documents") from None
    _refuse_what_is_mostly_empty(data)
    blocks: list[Block] = []
    notes: list[str] = []
    rows = 0
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        for told in book.sheets_metadata:
            if told.typ != python_calamine.SheetTypeEnum.WorkSheet:
                continue
            if told.visible != python_calamine.SheetVisibleEnum.Visible:
                notes.append(f"the sheet {told.name!r} is hidden, and left out")
                continue
            sheet = book.get_sheet_by_name(told.name)
            left = limits._replace(rows=max(0, limits.rows - rows))
            found, _, said = rows_as_blocks(_numbered(sheet), left)
            if found:
                blocks += [Block(told.name, level=1, place=found[0].place), *found]
            rows += len(found)
            notes += [f"{told.name}: {note}" for note in said]
    except (python_calamine.CalamineError, ValueError, OSError) as e:
        raise Unreadable(_why_not(str(e))) from None
    return Reading(blocks, unit="row", places=rows, notes=tuple(notes))


def _why_not(error: str) -> str:
    if "assword" in error:
        return "it is encrypted; save it without a password"
    return f"it is damaged, or no XLSX ({error[:200]})"


def _numbered(sheet: Any) -> Iterator[tuple[int, Sequence[object]]]:
    first = sheet.start[0] if sheet.start else 0
    yield from enumerate(sheet.to_python(skip_empty_area=True), start=first + 1)


def _refuse_what_is_mostly_empty(data: bytes) -> None:
    """Two cells in opposite corners would take all the memory there is."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            for name in package.namelist():
                if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                    with package.open(name) as sheet:
                        _check(sheet, name)
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as e:
        raise Unreadable(f"it is a damaged package ({e})") from None


def _check(sheet: Any, name: str) -> None:
    before = b""
    rows = columns = 0
    while chunk := sheet.read(_CHUNK):
        data = before + chunk
        for column, row in set(_CELL.findall(data)):
            rows = max(rows, int(row))
            columns = max(columns, _column(column))
        if rows * columns > _MOST_CELLS:
            raise Unreadable(
                f"{name.rpartition('/')[2]} reaches to column {columns:,} and row {rows:,}, with "
                "almost nothing between; delete the cells far out"
            )
        before = data[-100:]


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
