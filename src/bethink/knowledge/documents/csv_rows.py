"""CSV: its rows, whichever mark stands between the cells, and whatever a stray quote does."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from bethink.knowledge.documents.blocks import Limits, Reading, Unreadable
from bethink.knowledge.documents.tables import rows_as_blocks

_CELL = 1_000_000  # characters; a cell that seems longer has lost its quote
_MOST_MENDED = 100


def read(text: str, limits: Limits, *, tabs: bool = False) -> Reading:
    csv.field_size_limit(_CELL)
    rows = Rows(text, "\t" if tabs else _delimiter(text))
    try:
        blocks, count, notes = rows_as_blocks(enumerate(rows, start=1), limits)
    except csv.Error as e:
        raise Unreadable(f"it is no sound CSV: {e}") from None
    return Reading(blocks, unit="row", places=count, notes=(*rows.notes(), *notes))


def _delimiter(text: str) -> str:
    """The one that cuts the first lines into the same number of columns, and into most."""
    lines = [line for line in text[:20_000].split("\n")[:20] if line.strip()][:10]

    def fits(mark: str) -> tuple[bool, int]:
        counts = [line.count(mark) for line in lines] or [0]
        return (min(counts) > 0 and len(set(counts)) == 1, min(counts))

    return max(",;\t|", key=fits)


class Rows:
    """One pass over the rows. A quote that is never closed would make one cell of all that follows:
    it is taken for a character, and the next line is a row again."""

    def __init__(self, text: str, delimiter: str) -> None:
        self._lines = [line + "\n" for line in text.split("\n")]
        self._delimiter = delimiter
        self._mended: list[int] = []

    def notes(self) -> tuple[str, ...]:
        if not self._mended:
            return ()
        told = ", ".join(f"{row:,}" for row in self._mended[:5])
        more = ", …" if len(self._mended) > 5 else ""
        return (f"a quote that is never closed, taken for a character: row {told}{more}",)

    def __iter__(self) -> Iterator[list[str]]:
        line, count = 0, 0
        while line < len(self._lines):
            reader = csv.reader(self._lines[line:], delimiter=self._delimiter)
            first, done = line, 0
            while True:
                try:
                    row = next(reader, None)
                except csv.Error:
                    if reader.line_num - done < 2:
                        raise
                    row, broken = [], True
                else:
                    if row is None:
                        return
                    broken = first + reader.line_num == len(self._lines) and self._is_open(
                        first + done
                    )
                count += 1
                if not broken:
                    done = reader.line_num
                    yield row
                    continue
                line = first + done
                self._mended.append(count)
                yield from self._without_quotes(line)
                if len(self._mended) == _MOST_MENDED:
                    return
                line += 1
                break

    def _is_open(self, line: int) -> bool:
        """Does the row that begins here, the last, end inside quotes? Then it swallows one more."""
        if len(self._lines) - line < 2:
            return False
        more = [*self._lines[line:], "end\n"]
        try:
            return sum(1 for _ in csv.reader(more, delimiter=self._delimiter)) == 1
        except csv.Error:  # the cell has become too long by it
            return True

    def _without_quotes(self, line: int) -> Iterator[list[str]]:
        """This row; where too many were broken before, all that follow as well."""
        last = line + 1 if len(self._mended) < _MOST_MENDED else len(self._lines)
        yield from csv.reader(
            self._lines[line:last], delimiter=self._delimiter, quoting=csv.QUOTE_NONE
        )
