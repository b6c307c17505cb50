"""Lines as an editor counts them: ended by LF, CR LF or a lone CR, and by nothing else.

`str.splitlines` also cuts at form feeds and at U+2028, which stand inside a line in every editor:
line numbers would not be those that a person sees.
"""

from __future__ import annotations


def split_lines(text: str) -> list[str]:
    """The lines without their ends."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def split_lines_with_ends(text: str) -> list[str]:
    """The same lines with their ends: joined, they are the text again, byte for byte."""
    import re

    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)
