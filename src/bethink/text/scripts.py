"""In which letters a text is written: who reads English alone need not be asked about Chinese."""

from __future__ import annotations

import re

_LOOKED_AT = 2_000  # characters: a page tells
_LATIN = r"A-Za-zÀ-ɏ"
_A_WORD = 2  # letters of another script: a Chinese word has about two


def mostly_latin(text: str) -> bool:
    """Are at least half of its words in Latin letters? Of digits and signs alone: no."""
    some = text[:_LOOKED_AT]
    words = len(re.findall(f"[{_LATIN}]{{2,}}", some))
    if not words or some.isascii():
        return words > 0
    return _A_WORD * words >= len(re.findall(rf"[^\W\d_{_LATIN}]", some))
