"""The filter before working memory: too unsure, too short, too suspicious, or admitted."""

from __future__ import annotations

from typing import NamedTuple

from recollect.settings import Settings
from recollect.vocabulary import Decision, Memory

RISKY = 0.5  # from here on a person must look; see recollect.text.suspicion


class Filtered(NamedTuple):
    decision: Decision
    reason: str


def filtered(memory: Memory, *, risk: float, findings: tuple[str, ...], by: Settings) -> Filtered:
    """Lengths are in characters: 50 characters of Chinese say more than 50 of English, and both
    are more than noise."""
    if memory.confidence < by.offer_confidence:
        return Filtered(
            Decision.REFUSED,
            f"confidence {memory.confidence:g} is below {by.offer_confidence:g}",
        )
    length = len(memory.text.strip())
    if length < by.offer_characters:
        return Filtered(
            Decision.IGNORED, f"{length} characters are fewer than {by.offer_characters}: noise"
        )
    if risk >= RISKY:
        return Filtered(
            Decision.HELD, f"suspicious (risk {risk:.2f}), a person must look: {findings[0]}"
        )
    return Filtered(Decision.ADMITTED, "sure enough, long enough, and nothing suspicious")
