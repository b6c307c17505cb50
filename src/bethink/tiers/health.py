"""What a crash half-way through a decision left, for `doctor`."""

from __future__ import annotations

from collections.abc import Iterator

from bethink.tiers.deciding import came_from
from bethink.tiers.kit import Kit
from bethink.vocabulary import Check, Decision, Offer

_PAGE = 500
_NAMED = 5
_NOT_PROMOTED = [decision for decision in Decision if decision is not Decision.PROMOTED]


def half_promoted(kit: Kit) -> Iterator[Offer]:
    """Offers that nobody promoted as far as the log knows, and whose memory is there."""
    cursor: str | None = None
    while True:
        page = kit.quarantine.scan(decisions=_NOT_PROMOTED, cursor=cursor, limit=_PAGE)
        found = kit.store.get([offer.id for offer in page.offers])
        for offer, memory in zip(page.offers, found, strict=True):
            if memory is not None and came_from(memory, offer):
                yield offer
        cursor = page.cursor
        if cursor is None:
            return


def checks(kit: Kit) -> list[Check]:
    """A line only where there is something to mend."""
    left = list(half_promoted(kit))
    if not left:
        return []
    named = ", ".join(f"{offer.id} ({offer.decision.value})" for offer in left[:_NAMED])
    more = " …" if len(left) > _NAMED else ""
    return [
        Check(
            "promotions",
            False,
            f"{len(left)} in long-term memory without a decision, as a crash leaves it: "
            f"{named}{more}",
            "'bethink promote ID' completes it, 'bethink reject ID' takes it out again",
        )
    ]
