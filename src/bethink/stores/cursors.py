"""The cursor of a list: opaque to callers, the number of a row to a store."""

from __future__ import annotations

from bethink.errors import InvalidInput


def place(cursor: str) -> int:
    """The number that a cursor stands for."""
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 19):
        raise InvalidInput(f"{cursor!r} is no cursor of this list; start again without one")
    return int(cursor)
