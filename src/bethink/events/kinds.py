"""Every kind of event, and what its data holds. `docs/reference/events.md` says the same.

No data ever holds a memory's text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bethink.vocabulary import Event

TIER_CHANGE = "tier_change"
NODE_STATE_CHANGE = "node_state_change"
MEMORY_RETRIEVAL_ERROR = "memory_retrieval_error"
RETRIEVAL_TRACE = "retrieval_trace"
KNOWLEDGE_CHANGE = "knowledge_change"
GAP = "gap"  # never kept: made for a follower who came too late

# kind → field → what it holds
KINDS: Mapping[str, Mapping[str, str]] = {
    TIER_CHANGE: {
        "offer_id": "the offer, and the memory that it became",
        "from": "`quarantine`, `working`, `long_term`, or nothing for what was just offered",
        "to": "the same; nothing for what left every tier",
        "decision": "`admitted`, `ignored`, `refused`, `held`, `promoted` or `rejected`",
        "reason": "why, where the filter or the rules decided; a person's stays in quarantine",
        "by": "who decided",
        "memory_id": "the long-term memory that holds it, or nothing",
        "risk": "how suspicious its text is, 0 to 1",
        "redacted": "kinds of secrets that were taken out of it",
        "undo": "whether this takes a former decision back",
    },
    NODE_STATE_CHANGE: {
        "node": "the node's name",
        "run": "the same for all events of one call of the node",
        "state": "`running` or `completed`",
        "status": "of the recollection; when completed",
        "hits": "how many memories were handed on; when completed",
        "milliseconds": "how long it took; when completed",
        "error": "why retrieval failed, or nothing; when completed",
        "emit_error": "why the workflow's own `emit` failed, or nothing; when completed",
    },
    MEMORY_RETRIEVAL_ERROR: {
        "node": "the node's name",
        "run": "the same for all events of one call of the node",
        "error": "what happened and what to do",
    },
    RETRIEVAL_TRACE: {
        "question": "the beginning of what was asked, secrets taken out",
        "preset": "which pipeline answered",
        "status": "of the recollection",
        "reasons": "why it is not simply `answered` or `empty`",
        "confidence": "the relevance of the best, 0 to 1, or nothing",
        "hits": (
            "each with `id`, `score`, `relevance`, `parts`, `evidence`, `channels` and `verified`"
        ),
        "steps": "each with `stage`, `milliseconds`, `received`, `passed_on` and `notes`",
        "milliseconds": "how long it took",
        "tokens": "how many the hits cost",
    },
    KNOWLEDGE_CHANGE: {
        "of": "`document` or `faq`",
        "action": "`added`, `replaced`, `removed`, `enabled` or `disabled`; `faq`: `told` for the "
        "first two",
        "count": "how many documents or entries",
    },
    GAP: {
        "from": "the first id that is kept no more",
        "to": "the last",
    },
}


def event_record(event: Event) -> dict[str, Any]:
    """As JSON-ready values, the same through every door."""
    return {
        "id": event.id,
        "at": event.at.isoformat(),
        "kind": event.kind,
        "spaces": list(event.spaces),
        "data": dict(event.data),
    }
