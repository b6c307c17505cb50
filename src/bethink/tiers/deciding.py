"""Decisions about offers: what holds, who said it, and how one is written down.

Whoever decides holds `quarantine.alone()` from the look at an offer until the ruling is written, so
that of two who decide at once the second sees what the first did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bethink.errors import Conflict, no_such_offer
from bethink.tiers.kit import RULES, Kit
from bethink.tiers.recent import bring_back, make_recent, take_out
from bethink.tiers.scanning import same_words
from bethink.tiers.telling import telling
from bethink.vocabulary import Decision, Memory, Offer, Ruling

PASSED = (Decision.ADMITTED, Decision.PROMOTED)


def the_offers(ids: Sequence[str], kit: Kit, spaces: Sequence[str] | None = None) -> list[Offer]:
    """All of them, in these spaces, or NotFound."""
    found = [
        offer if offer is not None and (spaces is None or offer.space in spaces) else None
        for offer in kit.quarantine.get(ids)
    ]
    for offer_id, offer in zip(ids, found, strict=True):
        if offer is None:
            raise no_such_offer(offer_id)
    return [offer for offer in found if offer is not None]


def standing(offer: Offer, kit: Kit) -> list[Ruling]:
    """The rulings that hold or would hold again, oldest first: without those that were undone."""
    held: list[Ruling] = []
    for ruling in kit.quarantine.rulings(offer.id):
        if ruling.undo:
            held.pop()
        else:
            held.append(ruling)
    return held


def is_vouched(offer: Offer, ruling: Ruling) -> bool:
    """Does this promotion make it verified? A person looked, or somebody trusted said it."""
    return ruling.by != RULES or offer.trusted


def came_from(memory: Memory, offer: Offer) -> bool:
    """Was this memory made by promoting the offer? Its id alone proves nothing: anybody may
    remember or offer something under an id of their own."""
    made, ours = memory.provenance, offer.memory.provenance
    return (memory.id, memory.space) == (offer.id, offer.space) and all(
        made.get(key) == ours.get(key) for key in ("who", "door", "source_hash")
    )


def held_by(offer: Offer, kit: Kit) -> Memory | None:
    """The memory that holds what was promoted: under the offer's id, under that of another offer
    of the same words, or one that was there before. None: it is not there any more."""
    recorded = [r.memory_id for r in kit.quarantine.rulings(offer.id) if r.memory_id]
    ids = [*reversed(recorded), offer.id]
    for memory in kit.store.get(ids, spaces=[offer.space]):
        if memory is not None and (memory.id != offer.id or came_from(memory, offer)):
            return memory
    same = same_words(offer.space, [offer.identity], kit, decisions=[Decision.PROMOTED])
    told = telling(offer.memory)
    promoted = [other for other in same if telling(other.memory) == told]
    found = kit.store.get([other.id for other in promoted], spaces=[offer.space])
    for memory, other in zip(found, promoted, strict=True):
        if memory is not None and came_from(memory, other):
            return memory
    return None


def rule(
    offers: Sequence[Offer], decision: Decision, *, by: str, reason: str, kit: Kit
) -> list[Offer]:
    """The same decision for all of them, in one transaction; where it holds already nothing is
    written."""
    now = kit.clock()
    changed = [offer for offer in offers if offer.decision is not decision]
    decided = decide(
        changed, [Ruling(offer.id, decision, reason, by, now) for offer in changed], kit
    )
    by_id = {offer.id: offer for offer in decided}
    return [by_id.get(offer.id, offer) for offer in offers]


def decide(offers: Sequence[Offer], rulings: Sequence[Ruling], kit: Kit) -> list[Offer]:
    """Let a ruling hold for each. A crash on the way leaves less in working memory than there
    could be, never more: what leaves it does so first, what comes in does so last."""
    pairs = list(zip(offers, rulings, strict=True))
    with kit.quarantine.settling():
        gone = take_out([offer for offer, ruling in pairs if ruling.decision not in PASSED], kit)
        kit.quarantine.decide([ruling for _, ruling in pairs])
        make_recent([offer for offer, ruling in pairs if ruling.decision is Decision.ADMITTED], kit)
        bring_back(gone, kit)
    for offer, ruling in pairs:
        kit.changed(offer, ruling, offer.decision.tier, ruling.decision.tier)
    return [
        replace(
            offer,
            decision=ruling.decision,
            reason=ruling.reason,
            decided_at=ruling.at,
            decided_by=ruling.by,
        )
        for offer, ruling in pairs
    ]


def restore(offers: Sequence[Offer], *, by: str, reason: str, kit: Kit) -> list[Offer]:
    """Into working memory after all: somebody looked at what was held, refused or rejected. What
    had expired there is recent again."""
    for offer in offers:
        if offer.decision is Decision.PROMOTED:
            raise Conflict(f"{offer.id} is in long-term memory already; nothing to restore")
    admitted = [offer for offer in offers if offer.decision is Decision.ADMITTED]
    if admitted:
        with kit.quarantine.settling():
            there = kit.working.get([offer.id for offer in admitted], now=kit.clock())
            make_recent([o for o, held in zip(admitted, there, strict=True) if held is None], kit)
    return rule(offers, Decision.ADMITTED, by=by, reason=reason, kit=kit)
