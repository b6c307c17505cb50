"""One line of a longer text."""

from __future__ import annotations


def clip(text: str, width: int) -> str:
    """One line of at most so many columns; Chinese characters take two."""
    line = " ".join(text.split())
    used = 0
    for position, character in enumerate(line):
        used += 2 if ord(character) > 0x2E7F else 1
        if used > width:
            return line[:position] + "…"
    return line
