"""How many tokens a text costs a language model, estimated offline.

Real tokenisers download their tables or weigh tens of megabytes; a budget needs a number that is
right within a tenth. The rates below are fitted on the o200k vocabulary, for both languages and for
code, by benchmarks/token_estimate.py; the errors that are left stand in benchmarks/LOG.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from operator import mul
from types import MappingProxyType

# Patterns are kept as text: `re` compiles each at its first use and keeps it. Compiling all at
# import would cost every cold process some milliseconds for patterns that it never needs.
_IDEOGRAPH = "[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f]+"
# The characters that make up a third of any Chinese text. They merge with their neighbours, so
# the more of them a text has, the fewer tokens each character costs: 0.7 in talk, 1.0 in a report.
_COMMON = (
    "[的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后"
    "作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因"
    "只从想实日]+"
)
_KANA_HANGUL = "[\u3040-\u30ff\uac00-\ud7af]+"
_WORD = "[A-Za-z]+"
_OTHER_LETTER = "[^\\W\\d_A-Za-z\u3040-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]+"
_DIGITS = r"\d+"
_SIGNS = r"[!-/:-@\[-`{-~]+"
_WIDE_SIGN = r"[^\w\s!-~]+"
_INDENT = r"\n[ \t]+"
_SHORT_WORD = 7  # letters; longer words are more often made of several tokens
# English is cut by tables, a third of the time that patterns take: its letters, and all but them.
_LETTERS = bytes(code if chr(code).isalpha() else 32 for code in range(128)).ljust(256)
_NO_LETTERS = bytes(32 if chr(code).isalpha() else code for code in range(128)).ljust(256)

RATES: Mapping[str, float] = MappingProxyType(
    {
        "ideograph": 1.19,
        "common ideograph": -0.95,
        "kana or hangul": 1.09,
        "word": 0.96,
        "letter of a long word": 0.09,
        "other letter": 1.38,
        "three digits": 1.35,
        "sign": 0.14,
        "run of signs": 0.74,
        "wide sign": 0.75,
        "line": 0.7,
        "indent": 0.77,
    }
)


def measure(text: str) -> dict[str, int]:
    """What the estimate looks at, counted."""
    wide = not text.isascii()
    ideographs = common = 0
    if wide:  # most of a Chinese text goes at once; what stands for it separates, and is no indent
        common = _count(_COMMON, text)
        rest, runs = re.subn(_IDEOGRAPH, "\r", text)
        ideographs = len(text) - len(rest) + runs
        text = rest
        words: Sequence[str | bytes] = re.findall(_WORD, text)
    else:
        signs_and_letters = text.encode()
        words = signs_and_letters.translate(_LETTERS).split()
        rest = b" ".join(signs_and_letters.translate(_NO_LETTERS).split()).decode()
    signs = re.findall(_SIGNS, rest)
    lines = text.count("\n")
    return {
        "ideograph": ideographs,
        "common ideograph": common,
        "kana or hangul": _count(_KANA_HANGUL, text) if wide else 0,
        "word": len(words),
        "letter of a long word": sum([n - _SHORT_WORD for n in map(len, words) if n > _SHORT_WORD]),
        "other letter": _count(_OTHER_LETTER, text) if wide else 0,
        "three digits": sum([(len(d) + 2) // 3 for d in re.findall(_DIGITS, rest)]),
        "sign": sum(map(len, signs)),
        "run of signs": len(signs),
        "wide sign": _count(_WIDE_SIGN, text) if wide else 0,
        "line": lines,
        "indent": len(re.findall(_INDENT, text)) if lines else 0,
    }


def _count(runs: str, text: str) -> int:
    """How many characters the runs hold: one match for each run, not for each character."""
    return sum(map(len, re.findall(runs, text)))


def count_tokens(text: str) -> int:
    """The estimated number of tokens; at least 1 for any text at all."""
    if not text:
        return 0
    # both in the same order: looking every rate up by its name takes as long as a pattern
    tokens: float = sum(map(mul, RATES.values(), measure(text).values()))
    return max(1, round(tokens))
