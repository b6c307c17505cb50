"""From what an agent hears to what it knows: offers are logged in quarantine, filtered into working
memory, and promoted into long-term memory by hand or by rule. Every decision is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "Decision",
    "Digest",
    "Offer",
    "Origin",
    "Principal",
    "Proposal",
    "RolledBack",
    "Ruling",
    "Tier",
    "TierKeeper",
]

if TYPE_CHECKING:
    from bethink.tiers.digest import Digest, Proposal
    from bethink.tiers.keeper import TierKeeper
    from bethink.tiers.sources import Origin, RolledBack
    from bethink.vocabulary import Decision, Offer, Principal, Ruling, Tier
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.tiers.digest": "Digest Proposal",
            "bethink.tiers.keeper": "TierKeeper",
            "bethink.tiers.sources": "Origin RolledBack",
            "bethink.vocabulary": "Decision Offer Principal Ruling Tier",
        },
    )
