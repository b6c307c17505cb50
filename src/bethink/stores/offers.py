"""What every quarantine knows of offers: when two are the same, what a ruling does to one."""

from __future__ import annotations

from dataclasses import replace

from bethink.errors import Conflict, NotFound
from bethink.vocabulary import Offer, Ruling


def check_same(before: Offer, again: Offer) -> None:
    """An offer delivered twice is no news; the same id for something else is refused."""
    if (before.space, before.memory.text) != (again.space, again.memory.text):
        # not in which space: whoever offers may not know that there is one
        raise Conflict(f"the id {before.id!r} is taken by another offer; offer it under another id")


def first_ruling(offer: Offer) -> Ruling:
    return Ruling(offer.id, offer.decision, offer.reason, offer.decided_by, offer.decided_at)


def ruled(offer: Offer, ruling: Ruling) -> Offer:
    """The offer with this decision."""
    return replace(
        offer,
        decision=ruling.decision,
        reason=ruling.reason,
        decided_by=ruling.by,
        decided_at=ruling.at,
    )


def unknown_offer(offer_id: str) -> NotFound:
    return NotFound(f"no offer has the id {offer_id!r}; list the quarantine to see the ids")
