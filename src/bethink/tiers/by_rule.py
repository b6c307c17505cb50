"""The rules at work. They compare and count without keeping anybody from deciding, and look again
before they promote."""

from __future__ import annotations

from bethink.settings import Settings
from bethink.text.suspicion import RISKY
from bethink.tiers.beside import in_long_term, said
from bethink.tiers.deciding import PASSED, the_offers
from bethink.tiers.digest import Proposal, as_trusted_now, digest
from bethink.tiers.kit import RULES, Kit
from bethink.tiers.promoting import promote
from bethink.tiers.rules import Spoken, ancestry_of, speaks_for
from bethink.tiers.telling import telling
from bethink.vocabulary import Decision, Offer, Receipt

_SAME = 1_000  # offers of the same words that the rules look at


def promote_by_rules(space: str, kit: Kit) -> list[Receipt]:
    """All that they speak for in a space and that nothing disputes; a receipt for each proposal.
    Others of the same telling are counted with it."""
    receipts: list[Receipt] = []
    for proposal in digest(space, kit).proposals:
        if proposal.promote:
            with kit.quarantine.alone():
                if _still_so(proposal, kit):
                    first, *others = proposal.offers
                    told = [first, *(one for one in others if _goes_with(one, first))]
                    reason = "; ".join(proposal.reasons)
                    receipts += promote(told, by=RULES, reason=reason, kit=kit)[:1]
    return receipts


def promote_if_spoken_for(made: Offer, rules: Settings, kit: Kit) -> Offer:
    """What was offered just now, together with those that told the very same."""
    if (
        not _spoken(made, rules, kit)[1].promote
        or in_long_term([said(made.memory)], kit)[0].disputed
    ):
        return made
    with kit.quarantine.alone():
        same, spoken = _spoken(made, rules, kit)  # somebody may have decided meanwhile
        waiting = [one for one in same if _goes_with(one, made)]
        if not spoken.promote or all(one.id != made.id for one in waiting):
            return kit.quarantine.get([made.id])[0] or made
        waiting.sort(key=lambda one: (not one.trusted, one.id != made.id))
        promote(waiting, by=RULES, reason="; ".join(spoken.reasons), kit=kit)
        return the_offers([made.id], kit)[0]


def _spoken(made: Offer, rules: Settings, kit: Kit) -> tuple[list[Offer], Spoken]:
    """Who told the very same, and what speaks for it."""
    page = kit.quarantine.scan(
        spaces=[made.space], identities=[made.identity], decisions=PASSED, limit=_SAME
    )
    told = telling(made.memory)
    same = as_trusted_now([one for one in page.offers if telling(one.memory) == told], kit)
    if not same:  # rejected or forgotten at this very moment
        return [], Spoken(False, ())
    return same, speaks_for(same, rules, ancestry_of(same, kit))


def _still_so(proposal: Proposal, kit: Kit) -> bool:
    """Has nobody decided about any of them since they were looked at?"""
    now = kit.quarantine.get([offer.id for offer in proposal.offers])
    there = as_trusted_now([offer for offer in now if offer is not None], kit)
    seen = [(offer.id, offer.decision, offer.trusted) for offer in proposal.offers]
    return [(offer.id, offer.decision, offer.trusted) for offer in there] == seen


def _goes_with(one: Offer, first: Offer) -> bool:
    """The same once more: promoted with it, it is counted and waits no longer."""
    same = telling(one.memory) == telling(first.memory)
    return same and one.decision is Decision.ADMITTED and one.risk < RISKY
