"""Is anything of a forgotten text left where nothing should be?

With `secure_delete`, SQLite overwrites what it frees. But where it moves rows from one page to
another, a copy may stay in the unused part of the old one (seen once in some 500 erasures among
rows that come and go). Nobody reads it there, and it is in the file all the same. So the file is
looked through for pieces of the text, and whoever finds some in an unused part has it written anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from recollect.text.linear import Pattern, compiled, escaped

_PIECE = 24  # characters
_EVERY = 200  # characters of a text; what is left may be only a part of it
_MOST_PIECES = 1_000  # of all texts together
# Looked for at once. With 1,000 RE2 has no room left for its tables and takes a hundred times as
# long: 13 s for 8 MB, instead of .07 s with 400.
_AT_ONCE = 200
_CHUNK = 8 * 1024 * 1024
_OVERLAP = 4 * _PIECE  # bytes
_LEAVES = {0x0A, 0x0D}  # pages that hold rows: of an index, of a table
_INNER = {0x02, 0x05}


def left_in(path: Path, texts: Iterable[str]) -> bool:
    """Is a piece of one of these texts in a part of the file that no row uses?"""
    pieces = _pieces(texts)
    if not pieces or not path.exists():
        return False
    some = (pieces[at : at + _AT_ONCE] for at in range(0, len(pieces), _AT_ONCE))
    return any(_any_left(path, compiled("|".join(map(escaped, one)), bare=True)) for one in some)


def _any_left(path: Path, wanted: Pattern) -> bool:
    with path.open("rb") as file:
        head = file.read(100)
        size = int.from_bytes(head[16:18], "big") if len(head) == 100 else 0
        page_size = 65_536 if size == 1 else size
        if page_size < 512:
            return False
        for at in _found(path, wanted):
            start = at // page_size * page_size
            file.seek(start)
            if _is_unused(file.read(page_size), at - start, first=start == 0):
                return True
    return False


def _pieces(texts: Iterable[str]) -> Sequence[str]:
    found: dict[str, None] = {}
    for text in texts:
        for at in (*range(0, len(text), _EVERY), max(0, len(text) - _PIECE)):
            if len(found) < _MOST_PIECES:
                found[text[at : at + _PIECE]] = None
    return [piece for piece in found if piece.strip()]


def _found(path: Path, wanted: Pattern) -> Iterator[int]:
    with path.open("rb") as file:
        before, at = b"", 0
        while chunk := file.read(_CHUNK):
            data = before + chunk
            for match in wanted.finditer(data):
                yield at - len(before) + match.start()
            at += len(chunk)
            before = data[-_OVERLAP:]


def _is_unused(page: bytes, place: int, *, first: bool) -> bool:
    """In a page of rows: between the list of their places and the first of them, or in a gap that
    a row has left. Other pages hold the rest of long rows, and are overwritten as a whole."""
    head = 100 if first else 0
    kind = page[head]
    if kind not in _LEAVES | _INNER:
        return False
    rows = int.from_bytes(page[head + 3 : head + 5], "big")
    content = int.from_bytes(page[head + 5 : head + 7], "big") or 65_536
    listed = head + (8 if kind in _LEAVES else 12) + 2 * rows
    if listed <= place < content:
        return True
    gap = int.from_bytes(page[head + 1 : head + 3], "big")
    while gap and gap + 4 <= len(page):
        length = int.from_bytes(page[gap + 2 : gap + 4], "big")
        if gap <= place < gap + length:
            return True
        following = int.from_bytes(page[gap : gap + 2], "big")
        if following <= gap:
            return False
        gap = following
    return False
