"""Through the log of offers, a page at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bethink.tiers.kit import Kit
from bethink.vocabulary import Decision, Offer

_PAGE = 500


def same_words(
    space: str, identities: Sequence[str], kit: Kit, *, decisions: Sequence[Decision] | None = None
) -> Iterator[Offer]:
    """Every offer of these words, newest first, however many."""
    cursor: str | None = None
    while True:
        page = kit.quarantine.scan(
            spaces=[space], identities=identities, decisions=decisions, cursor=cursor, limit=_PAGE
        )
        yield from page.offers
        cursor = page.cursor
        if cursor is None:
            return
