"""What is recent is there once, however often it is told."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.remember.ingress import identity
from recollect.tiers.kit import Kit
from recollect.vocabulary import Memory, Offer


def make_recent(offers: Sequence[Offer], kit: Kit) -> None:
    """Into working memory. Of the same words the newest telling stays, unless somebody trusted told
    them before: what is unverified takes nothing verified away."""
    told = {(offer.space, offer.identity): offer for offer in offers}
    if not told:
        return
    before: dict[tuple[str, str], Memory] = {}
    gone: list[str] = []
    for space in dict.fromkeys(offer.space for offer in offers):
        kept = kit.settings_for([space]).working_kept
        for memory in kit.working.recent([space], now=kit.clock(), limit=kept):
            key = space, identity(memory)
            offer = told.get(key)
            if offer is None or memory.id == offer.id:
                continue
            if memory.verified and not offer.trusted and key not in before:
                before[key] = memory
            else:
                gone.append(memory.id)
    if gone:
        kit.working.remove(gone)
    kit.admit([before.get(key, offer.memory) for key, offer in told.items()])
