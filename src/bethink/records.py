"""Answers, memories and offers as JSON-ready values; the same in every door. `to_dict()` of the
values in `vocabulary` gives them to programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bethink.vocabulary import Hit, Memory, Offer, Recollection, Step


def memory_record(memory: Memory) -> dict[str, Any]:
    """Return a memory as JSON-ready values, every field present."""
    record: dict[str, Any] = {}
    for field in fields(memory):
        value = getattr(memory, field.name)
        if isinstance(value, datetime):
            value = value.isoformat()
        elif isinstance(value, tuple):
            value = list(value)
        elif isinstance(value, Mapping):
            value = dict(value)
        record[field.name] = value
    return record


def hit_record(hit: Hit) -> dict[str, Any]:
    """Return a hit as JSON-ready values, with its reasons."""
    memory = hit.memory
    return {
        "id": memory.id,
        "space": memory.space,
        "text": hit.text,
        "score": hit.score,
        "relevance": hit.relevance,
        "tokens": hit.tokens,
        "kind": memory.kind,
        "section": memory.section,
        "tags": list(memory.tags),
        "entities": list(memory.entities),
        "source": memory.source,
        "confidence": memory.confidence,
        "tier": hit.tier.value,
        "verified": memory.verified,
        "contradicted_by": hit.contradicted_by,
        "occurred_at": memory.occurred_at and memory.occurred_at.isoformat(),
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
        "reinforcement": memory.reinforcement,
        "access_count": memory.access_count,
        "metadata": dict(memory.metadata),
        "passage": hit.passage._asdict(),
        "channels": channels_record(hit),
        "parts": dict(hit.parts),
        "evidence": dict(hit.evidence),
        "displaced": list(hit.displaced),
    }


def offer_record(offer: Offer) -> dict[str, Any]:
    """Return an offer as JSON-ready values, with the decision that holds."""
    memory = offer.memory
    return {
        "id": offer.id,
        "space": offer.space,
        "text": memory.text,
        "tier": offer.decision.tier.value,
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


def channels_record(hit: Hit) -> dict[str, Any]:
    """Return the rank and score in each channel that found it."""
    return {
        name: {"rank": place.rank, "score": place.score} for name, place in hit.channels.items()
    }


def as_record(answer: Recollection, *, explain: bool = False) -> dict[str, Any]:
    """Return the answer as JSON-ready values; with its trace if `explain`."""
    record: dict[str, Any] = {
        "query": answer.query.text,
        "spaces": list(answer.query.spaces),
        "status": answer.status.value,
        "reasons": list(answer.reasons),
        "confidence": answer.confidence,
        "hits": [hit_record(hit) for hit in answer.hits],
        "nearest": answer.nearest and hit_record(answer.nearest),
        "tokens_used": answer.tokens_used,
        "tokens_left": answer.tokens_left,
    }
    if explain:
        record["trace"] = {
            "preset": answer.trace.preset,
            "milliseconds": round(answer.trace.milliseconds, 3),
            "steps": [step_record(step) for step in answer.trace.steps],
        }
    return record


def step_record(step: Step) -> dict[str, Any]:
    """Return what one stage did as JSON-ready values."""
    return {
        "stage": step.stage,
        "milliseconds": round(step.milliseconds, 3),
        "received": step.received,
        "passed_on": step.passed_on,
        "notes": list(step.notes),
        "dropped": [
            {"memory_id": memory_id, "ordinal": ordinal, "reason": reason}
            for memory_id, ordinal, reason in step.dropped
        ],
    }
