"""Text for a terminal: what would steer it is written out instead, and what is too long for a
line is cut to its columns."""

from __future__ import annotations

# Controls but tab and line feed (C0, DEL, C1), what turns the direction of writing (a text could
# read otherwise than it is), and halves of characters, which stand for bytes of odd file names.
_STEERING = (
    *range(0x00, 0x09),
    *range(0x0B, 0x20),
    *range(0x7F, 0xA0),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
)
_WRITTEN_OUT = {code: f"\\u{code:04x}" for code in _STEERING}


def visible(text: str) -> str:
    """The same text with such characters as `\\u001b`, which is how JSON writes them too."""
    shown = text.replace("\r\n", "\n").translate(_WRITTEN_OUT)
    if shown.isascii():
        return shown
    return shown.encode("utf-8", "backslashreplace").decode("utf-8")


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
