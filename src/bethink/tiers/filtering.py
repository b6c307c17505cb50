"""The filter before working memory: too unsure, too short, too suspicious, or admitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bethink.settings import Settings
from bethink.text.suspicion import RISKY
from bethink.vocabulary import Decision, Memory


class Filtered(NamedTuple):
    decision: Decision
    reason: str


# How many Latin letters a character of Chinese, Japanese or Korean counts for. The same sentences
# have 3.6 times as many characters in English (benchmarks/sets/parallel, median); two is cautious.
_WIDE = 2


def information(text: str) -> int:
    """Return the length of a text in characters of Latin script, as far as it says something: an
    ideograph, a kana or a Hangul syllable counts twice, white space around the text not at all."""
    bare = text.strip()
    return len(bare) + (_WIDE - 1) * sum(map(_is_wide, bare))


def _is_wide(character: str) -> bool:
    return "\u3040" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3"


def filtered(memory: Memory, *, risk: float, kinds: Sequence[str], by: Settings) -> Filtered:
    """Return whether an offer is admitted, and why. A reason quotes nothing: it is told to whoever
    watches."""
    if memory.confidence < by.offer_confidence:
        return Filtered(
            Decision.REFUSED,
            f"confidence {memory.confidence:g} is below {by.offer_confidence:g}",
        )
    length = information(memory.text)
    if length < by.offer_characters:
        characters = len(memory.text.strip())
        said = f"{characters} character{'s' * (characters != 1)}"
        if length > characters:
            said += f", which count{'s' * (characters == 1)} as {length}"
        return Filtered(Decision.IGNORED, f"{said}, fewer than {by.offer_characters}: noise")
    if risk >= RISKY:
        return Filtered(
            Decision.HELD,
            f"suspicious (risk {risk:.2f}), a person must look: {', '.join(dict.fromkeys(kinds))}",
        )
    return Filtered(Decision.ADMITTED, "sure enough, long enough, and nothing suspicious")
