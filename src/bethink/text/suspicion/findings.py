"""The words of this package: what was found, and how a rule says what to look for."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from bethink.text.visible import visible

INSTRUCTION = "instruction"
PERSUASION = "persuasion"
TOOL_CALL = "tool call"
EXFILTRATION = "exfiltration"
HIDDEN = "hidden text"
ENCODED = "encoded text"

_LONGEST_SHOWN = 80

# What a reader does not see: written out, so that a reviewer does.
_UNSEEN = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U0010ffff]"
)


class Finding(NamedTuple):
    """One thing that a detector saw. `shown` is short and safe to print."""

    kind: str
    risk: float
    shown: str


class Rule(NamedTuple):
    """A pattern over folded text. It is tried only where one cue of each group stands in the text,
    which is a search for plain characters: most texts never cost the compiling of a pattern."""

    kind: str
    risk: float
    cues: tuple[tuple[str, ...], ...]
    pattern: str


def rule(kind: str, risk: float, cues: str, pattern: str) -> Rule:
    """Cues stand between spaces, their groups between `&`."""
    return Rule(kind, risk, tuple(tuple(group.split()) for group in cues.split("&")), pattern)


def words(alternatives: str) -> str:
    """English words as a whole. `\\b` would not do: beside Chinese it sees no border."""
    return rf"(?<![a-z_])(?:{alternatives})(?![a-z_])"


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def shown(text: str) -> str:
    """Short, in one line, with what is unseen written out."""
    line = " ".join(text[: 4 * _LONGEST_SHOWN].split())
    line = line if len(line) <= _LONGEST_SHOWN else line[: _LONGEST_SHOWN - 1] + "…"
    return compiled(_UNSEEN).sub(lambda found: f"\\u{ord(found[0]):04x}", visible(line))


def either(risks: list[float]) -> float:
    """Noisy or: signs that each say little say much together."""
    none = 1.0
    for risk in risks:
        none *= 1.0 - risk
    return 1.0 - none
