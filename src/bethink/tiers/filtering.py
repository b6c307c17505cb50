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


def filtered(memory: Memory, *, risk: float, kinds: Sequence[str], by: Settings) -> Filtered:
    """Lengths are in characters: 50 characters of Chinese say more than 50 of English, and both
    are more than noise. A reason quotes nothing: it is told to whoever watches."""
    if memory.confidence < by.offer_confidence:
        return Filtered(
            Decision.REFUSED,
            f"confidence {memory.confidence:g} is below {by.offer_confidence:g}",
        )
    length = len(memory.text.strip())
    if length < by.offer_characters:
        return Filtered(
            Decision.IGNORED,
            f"{length} character{'s' * (length != 1)}, fewer than {by.offer_characters}: noise",
        )
    if risk >= RISKY:
        return Filtered(
            Decision.HELD,
            f"suspicious (risk {risk:.2f}), a person must look: {', '.join(dict.fromkeys(kinds))}",
        )
    return Filtered(Decision.ADMITTED, "sure enough, long enough, and nothing suspicious")
