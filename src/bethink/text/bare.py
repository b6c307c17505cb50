"""Words without how they are set: two texts that differ only in case, width, blanks, line breaks,
punctuation or characters that nobody sees are the same.

For asking whether something was said before, where a wrong no lets a rejected text back in by one
more full stop. Whatever can change a fact stays: what stands between digits (3.5, 12:30), the sign
before a number, and symbols (<, +, %, €).
"""

from __future__ import annotations

import re

from bethink.text.fold import fold

# Between digits they are part of the number, elsewhere they only part words.
_SIGN = r"[^\w\s<>=+~±×÷→←≤≥≠|%#$€£¥°✅❌✓✗-]"
_SETTING = rf"(?<![0-9]){_SIGN}+|{_SIGN}+(?![0-9])|_"
_DASHES = "[\u2010-\u2015\u2212\ufe58\ufe63]"
_DASH_OF_WORDS = r"-(?![0-9])|(?<=[^\W\d_])-"
# A blank between two numbers, or between a number and a sign, tells them apart.
_BLANKS = r"\s+(?![0-9-])|(?<![0-9])\s+"


def bare(text: str) -> str:
    """What is compared; of a text of nothing but punctuation, the text itself."""
    folded = re.sub(_DASHES, "-", fold(text).casefold())
    told = re.sub(_SETTING, " ", folded)
    told = re.sub(_DASH_OF_WORDS, " ", told)
    return re.sub(_BLANKS, "", " ".join(told.split())) or " ".join(folded.split())
