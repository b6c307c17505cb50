"""From quarantine or working memory into long-term memory, back again, and out for good.

A promotion splits, embeds in batches and writes in one transaction, as every write does. Under the
offer's own id it can be repeated: a crash between the memory and the ruling is mended by promoting
again. Nothing is decided twice: what holds already changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.remember.ingress import identity
from recollect.remember.pipeline import BATCH
from recollect.remember.succession import SUPERSEDED_BY, SUPERSEDES, unlink
from recollect.tiers.kit import Kit
from recollect.tiers.offering import tier_of
from recollect.vocabulary import (
    TRUST,
    UNVERIFIED,
    VERIFIED,
    Action,
    Decision,
    Entry,
    Memory,
    Offer,
    Receipt,
    Ruling,
)

RULES = "the rules"  # who decides, where nobody did


def promote(
    offers: Sequence[Offer],
    *,
    by: str,
    reason: str,
    verified: bool,
    kit: Kit,
    supersedes: str | None = None,
) -> list[Receipt]:
    """`verified`: somebody looked, or somebody trusted said it. A receipt for each, in order."""
    if len(offers) > BATCH:
        raise InvalidInput(f"{len(offers)} at once are too many; promote at most {BATCH:,}")
    for offer in offers:
        if offer.decision is Decision.REJECTED:
            raise Conflict(f"{offer.id} was rejected ({offer.reason}); restore it first")
    fresh = [offer for offer in offers if offer.decision is not Decision.PROMOTED]
    memories = [_as_trusted(offer, verified) for offer in fresh]
    receipts = dict(
        zip(
            (offer.id for offer in fresh),
            kit.remember(memories, supersedes) if fresh else [],
            strict=True,
        )
    )
    now = kit.clock()
    rulings = [
        Ruling(offer.id, Decision.PROMOTED, reason, by, now, memory_id=receipts[offer.id].id)
        for offer in fresh
    ]
    kit.quarantine.decide(rulings)
    if verified:
        _vouch([receipts[offer.id] for offer in fresh], kit)
    for offer, ruling in zip(fresh, rulings, strict=True):
        _in_working(offer, ruling, kit)
        kit.changed(offer, ruling, tier_of(offer.decision), tier_of(Decision.PROMOTED))
    return [
        receipts.get(offer.id) or Receipt(held_by(offer, kit), offer.space, Action.UNCHANGED)
        for offer in offers
    ]


def reject(offers: Sequence[Offer], *, by: str, reason: str, kit: Kit) -> list[Offer]:
    """It stays in the log, and nobody finds it."""
    for offer in offers:
        if offer.decision is Decision.PROMOTED:
            raise Conflict(f"{offer.id} is in long-term memory; undo its promotion first")
    return _ruled(offers, Decision.REJECTED, by=by, reason=reason, kit=kit)


def restore(offers: Sequence[Offer], *, by: str, reason: str, kit: Kit) -> list[Offer]:
    """Into working memory after all: somebody looked at what was held, refused or rejected."""
    for offer in offers:
        if offer.decision is Decision.PROMOTED:
            raise Conflict(f"{offer.id} is in long-term memory already; nothing to restore")
    return _ruled(offers, Decision.ADMITTED, by=by, reason=reason, kit=kit)


def undo(offer: Offer, *, by: str, kit: Kit) -> Offer:
    """Take the last decision back; what was promoted leaves long-term memory."""
    standing: list[Ruling] = []
    for ruling in kit.quarantine.rulings(offer.id):
        if ruling.undo:
            standing.pop()
        else:
            standing.append(ruling)
    if len(standing) < 2:
        raise Conflict(f"nothing to undo: {offer.id} is as the filter left it")
    last, former = standing[-1], standing[-2]
    if last.decision is Decision.PROMOTED:
        _out_of_long_term(offer, last.memory_id, kit)
    again = ""
    if former.decision is Decision.PROMOTED:
        verified = former.by != RULES or offer.trusted
        again = kit.remember([_as_trusted(offer, verified)], None)[0].id
    reason = f"{last.decision.value} is taken back: {former.reason}"
    back = former._replace(reason=reason, by=by, at=kit.clock(), undo=True, memory_id=again)
    return _rule(offer, back, kit)


def withdraw(offer: Offer, *, by: str, reason: str, kit: Kit) -> Offer:
    """Out of every tier at once; in the log it is rejected."""
    if offer.decision is Decision.PROMOTED:
        _out_of_long_term(offer, held_by(offer, kit), kit)
    return _ruled([offer], Decision.REJECTED, by=by, reason=reason, kit=kit)[0]


def held_by(offer: Offer, kit: Kit) -> str:
    """The memory that holds what was promoted."""
    promoted = [r for r in kit.quarantine.rulings(offer.id) if r.decision is Decision.PROMOTED]
    return promoted[-1].memory_id if promoted else offer.id


def the_offers(ids: Sequence[str], kit: Kit, spaces: Sequence[str] | None = None) -> list[Offer]:
    """All of them, in these spaces, or NotFound."""
    found = [
        offer if offer is not None and (spaces is None or offer.space in spaces) else None
        for offer in kit.quarantine.get(ids)
    ]
    for offer_id, offer in zip(ids, found, strict=True):
        if offer is None:
            raise NotFound(
                f"nothing was offered under the id {offer_id!r}; 'recollect quarantine' shows all"
            )
    return [offer for offer in found if offer is not None]


def _ruled(
    offers: Sequence[Offer], decision: Decision, *, by: str, reason: str, kit: Kit
) -> list[Offer]:
    now = kit.clock()
    return [
        offer
        if offer.decision is decision
        else _rule(offer, Ruling(offer.id, decision, reason, by, now), kit)
        for offer in offers
    ]


def _rule(offer: Offer, ruling: Ruling, kit: Kit) -> Offer:
    kit.quarantine.decide([ruling])
    _in_working(offer, ruling, kit)
    kit.changed(offer, ruling, tier_of(offer.decision), tier_of(ruling.decision))
    return replace(
        offer,
        decision=ruling.decision,
        reason=ruling.reason,
        decided_at=ruling.at,
        decided_by=ruling.by,
    )


def _in_working(offer: Offer, ruling: Ruling, kit: Kit) -> None:
    """What is promoted stays recent; everything else is there only while it is admitted."""
    if ruling.decision is Decision.ADMITTED:
        kit.admit([offer.memory])
    elif ruling.decision is not Decision.PROMOTED:
        kit.working.remove([offer.id])


def _as_trusted(offer: Offer, verified: bool) -> Memory:
    trust = VERIFIED if verified else UNVERIFIED
    return replace(offer.memory, provenance={**offer.memory.provenance, TRUST: trust})


def _vouch(receipts: Sequence[Receipt], kit: Kit) -> None:
    """What was there before, unverified, is verified by the same words from somebody trusted."""
    merged = [receipt.id for receipt in receipts if receipt.action is not Action.CREATED]
    doubted = [m for m in kit.store.get(merged) if m is not None and not m.verified]
    _write_over([replace(m, provenance={**m.provenance, TRUST: VERIFIED}) for m in doubted], kit)


def _out_of_long_term(offer: Offer, memory_id: str, kit: Kit) -> None:
    memory = kit.store.get([memory_id])[0]
    if memory is None:  # forgotten since
        return
    if memory.id != offer.id:  # it was there before: only this telling of it goes
        if memory.reinforcement:
            _write_over([replace(memory, reinforcement=memory.reinforcement - 1)], kit)
        return
    superseded = memory.metadata.get(SUPERSEDES)
    old = kit.store.get([superseded])[0] if isinstance(superseded, str) else None
    if old is not None and old.metadata.get(SUPERSEDED_BY) == memory.id:
        unlink(kit.store, old)
    kit.forget(memory)


def _write_over(memories: Sequence[Memory], kit: Kit) -> None:
    """Change what nobody said otherwise: no former form is kept, words and vectors stay."""
    entries = [Entry(m, (), (), identity(m), merge=False) for m in memories]
    if entries:
        kit.store.revise_many(entries, history=False)
