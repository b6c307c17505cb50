"""How many tokens a text costs a language model, estimated offline.

Real tokenisers download their tables or weigh tens of megabytes; a budget needs a number that is
right within a tenth. The rates below are per script, fitted on the o200k vocabulary by
benchmarks/token_estimate.py.
"""

from __future__ import annotations

import re

_IDEOGRAPH = re.compile(
    "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]"
)
_WORD = re.compile(r"[A-Za-z]+")
_DIGITS = re.compile(r"\d+")
_SIGN = re.compile(r"[^\w\s]")

PER_IDEOGRAPH = 0.72
PER_WORD = 1.0
PER_LONG_LETTER = 0.12  # each letter of a word beyond the seventh
PER_SIGN = 0.75


def count_tokens(text: str) -> int:
    """The estimated number of tokens; at least 1 for any text at all."""
    if not text:
        return 0
    total = PER_IDEOGRAPH * len(_IDEOGRAPH.findall(text)) if not text.isascii() else 0.0
    for word in _WORD.findall(text):
        total += PER_WORD + PER_LONG_LETTER * max(0, len(word) - 7)
    total += sum((len(d) + 2) // 3 for d in _DIGITS.findall(text))
    total += PER_SIGN * len(_SIGN.findall(text))
    total += text.count("\n") * 0.5
    return max(1, round(total))
