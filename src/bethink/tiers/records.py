"""Offers and what was decided about them as JSON-ready values, the same through every door."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bethink.records import memory_record as as_record
from bethink.tiers.deciding import tier_of
from bethink.vocabulary import Offer, Ruling

if TYPE_CHECKING:
    from bethink.tiers.beside import Beside
    from bethink.tiers.digest import Digest, Proposal
    from bethink.tiers.sources import Origin


def offer_record(offer: Offer) -> dict[str, Any]:
    memory = offer.memory
    return {
        "id": offer.id,
        "space": offer.space,
        "text": memory.text,
        "tier": tier_of(offer.decision).value,
        "decision": offer.decision.value,
        "reason": offer.reason,
        "decided_at": offer.decided_at.isoformat(),
        "decided_by": offer.decided_by,
        "who": offer.by.name,
        "door": offer.by.door,
        "trusted": offer.trusted,
        "source": memory.source,
        "source_hash": offer.source_hash,
        "parents": list(offer.parents),
        "risk": round(offer.risk, 3),
        "findings": list(offer.findings),
        "redacted": list(offer.redacted),
        "confidence": memory.confidence,
        "kind": memory.kind,
        "section": memory.section,
        "tags": list(memory.tags),
        "entities": list(memory.entities),
        "occurred_at": memory.occurred_at and memory.occurred_at.isoformat(),
        "valid_from": memory.valid_from and memory.valid_from.isoformat(),
        "valid_to": memory.valid_to and memory.valid_to.isoformat(),
        "offered_at": memory.created_at.isoformat(),
        "metadata": dict(memory.metadata),
    }


def ruling_record(ruling: Ruling) -> dict[str, Any]:
    return {
        **ruling._asdict(),
        "decision": ruling.decision.value,
        "at": ruling.at.isoformat(),
    }


def digest_record(digest: Digest) -> dict[str, Any]:
    return {
        "space": digest.space,
        "waiting": digest.waiting,
        "left_out": digest.left_out,
        "proposals": [_proposal_record(proposal) for proposal in digest.proposals],
    }


def _proposal_record(proposal: Proposal) -> dict[str, Any]:
    return {
        "id": proposal.id,
        "promote": proposal.promote,
        "reasons": list(proposal.reasons),
        "verified": proposal.verified,
        "sources": proposal.sources,
        "disputed": proposal.disputed,
        "conflicts": [_beside_record(conflict) for conflict in proposal.conflicts],
        "offers": [offer_record(offer) for offer in proposal.offers],
    }


def _beside_record(beside: Beside) -> dict[str, Any]:
    return {**beside._asdict(), "verdict": beside.verdict.value}


def origin_record(origin: Origin) -> dict[str, Any]:
    return {
        "source": origin.source,
        "offers": [offer_record(offer) for offer in origin.offers],
        "derived": [offer_record(offer) for offer in origin.derived],
        "memories": [as_record(memory) for memory in origin.memories],
    }
