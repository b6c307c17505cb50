"""What was decided about offers as JSON-ready values, the same through every door."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bethink.records import memory_record as as_record
from bethink.records import offer_record
from bethink.vocabulary import Ruling

if TYPE_CHECKING:
    from bethink.tiers.beside import Beside
    from bethink.tiers.digest import Digest, Proposal
    from bethink.tiers.sources import Origin


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
