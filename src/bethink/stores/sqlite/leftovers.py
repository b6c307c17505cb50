"""Is anything of a forgotten text left where nothing should be?

With `secure_delete`, SQLite overwrites what it frees. But where it moves rows from one page to
another, a copy may stay in the unused part of the old one (seen once in some 500 erasures among
rows that come and go). Nobody reads it there, and it is in the file all the same. So what the pages
have in their unused parts (a thousandth of a file, the rest of them is zeros) is looked through for
pieces of the text, and whoever finds some has the file written anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from struct import Struct

from bethink.text.linear import Pattern, compiled, escaped

_PIECE = 24  # characters
_EVERY = 200  # characters of a text; what is left may be only a part of it
_MOST_PIECES = 20_000  # of all texts together
# Looked for at once. With 1,000 RE2 has no room left for its tables and takes a hundred times as
# long: 13 s for 8 MB, instead of .07 s with 400.
_AT_ONCE = 200
_CHUNK = 8 * 1024 * 1024  # whole pages, however large they are
_LEAVES = {0x0A, 0x0D}  # pages that hold rows: of an index, of a table
_INNER = {0x02, 0x05}
_HEAD = Struct(">BHHH")  # of a page: its kind, the first gap, how many rows, where they begin
_GAP = Struct(">HH")  # of a gap: where the next one is, how long this one is


def left_in(path: Path, texts: Iterable[str]) -> bool:
    """Is a piece of one of these texts in a part of the file that no row uses?"""
    if not path.exists():
        return False
    unused = b"\0".join(_unused(path))
    return bool(unused) and any(one.search(unused) is not None for one in _patterns(texts))


def _patterns(texts: Iterable[str]) -> Iterator[Pattern]:
    pieces = _pieces(texts)
    for at in range(0, len(pieces), _AT_ONCE):
        some = pieces[at : at + _AT_ONCE]
        yield compiled("|".join(map(escaped, some)), bare=True)


def _pieces(texts: Iterable[str]) -> Sequence[str]:
    found: dict[str, None] = {}
    for text in texts:
        if len(found) >= _MOST_PIECES:
            break
        for at in (*range(0, len(text), _EVERY), max(0, len(text) - _PIECE)):
            found[text[at : at + _PIECE]] = None
    return [piece for piece in found if piece.strip()]


def _unused(path: Path) -> Iterator[bytes]:
    """What stands in the unused parts of the pages, where it is not all zeros."""
    with path.open("rb") as file:
        head = file.read(100)
        size = int.from_bytes(head[16:18], "big") if len(head) == 100 else 0
        page_size = 65_536 if size == 1 else size
        if page_size < 512:
            return
        file.seek(0)
        first = True
        while chunk := file.read(_CHUNK):
            for start in range(0, len(chunk) - page_size + 1, page_size):
                for begin, end in _gaps(chunk, start, page_size, first=first):
                    part = chunk[begin:end]
                    if part != bytes(len(part)):
                        yield part.strip(b"\0")
                first = False


def _gaps(data: bytes, start: int, size: int, *, first: bool) -> Iterator[tuple[int, int]]:
    """In a page of rows: between the list of their places and the first of them, and where a row
    has gone. Other pages hold the rest of long rows, and are overwritten as a whole."""
    head = start + (100 if first else 0)
    kind, gap, rows, content = _HEAD.unpack_from(data, head)
    if kind not in _LEAVES and kind not in _INNER:
        return
    yield head + (8 if kind in _LEAVES else 12) + 2 * rows, start + (content or 65_536)
    while gap and gap + 4 <= size:
        following, length = _GAP.unpack_from(data, start + gap)
        yield start + gap + 4, start + min(gap + length, size)
        if following <= gap:
            return
        gap = following
