"""How the parts of a document know each other: a card with its title, and sections in order.

All are memories. A section's id is made of the card's and its place, so that whoever has a section
can ask for the one beside it without looking for it.
"""

from __future__ import annotations

from bethink.text.searched import SECTION as SECTION
from bethink.vocabulary import Memory

DOCUMENT = "document"  # the kind of a card; a section's is known where texts are searched
_MOST = 1_000_000  # sections; whoever may write may write a card that claims any number


def section_id(card_id: str, ordinal: int) -> str:
    return f"{card_id}.{ordinal:05d}"


def sections_of(card: Memory) -> int:
    """How many sections a card says there are."""
    told = card.metadata.get("sections")
    if isinstance(told, bool) or not isinstance(told, int):
        return 0
    return max(0, min(told, _MOST))


def document_of(memory: Memory) -> str | None:
    """The id of the card of the document that this is a part of."""
    told = memory.metadata.get("document")
    return told if memory.kind in (DOCUMENT, SECTION) and isinstance(told, str) else None


def sections_beside(memory: Memory) -> tuple[str | None, str | None]:
    """The ids of the sections before and after this one, as far as there can be any."""
    card, ordinal = document_of(memory), memory.metadata.get("ordinal")
    if card is None or memory.kind != SECTION:
        return None, None
    if isinstance(ordinal, bool) or not isinstance(ordinal, int):
        return None, None
    if memory.id != section_id(card, ordinal):  # told by somebody else: nothing is known of it
        return None, None
    before = section_id(card, ordinal - 1) if ordinal > 0 else None
    return before, section_id(card, ordinal + 1)
