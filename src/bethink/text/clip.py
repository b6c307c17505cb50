"""One line of a longer text, and lines that stand in columns."""

from __future__ import annotations


def clip(text: str, width: int) -> str:
    """One line of at most so many columns; Chinese characters take two."""
    line = " ".join(text.split())
    used = 0
    for position, character in enumerate(line):
        used += _columns(character)
        if used > width:
            return line[:position] + "…"
    return line


def padded(text: str, width: int) -> str:
    """With blanks behind it, up to so many columns."""
    return text + " " * (width - sum(map(_columns, text)))


def _columns(character: str) -> int:
    return 2 if ord(character) > 0x2E7F else 1
