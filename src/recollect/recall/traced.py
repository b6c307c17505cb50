"""What is kept of a recall for whoever watches: how it went, never a memory's text.

The question is shortened and secrets are taken out of it. What stages noted repeats its words, so
where it held a secret the notes are left out too.
"""

from __future__ import annotations

from typing import Any

from recollect.recall.render import hit_record, step_record
from recollect.text.both_ends import both_ends
from recollect.text.secrets import holds_secret
from recollect.vocabulary import Hit, Recollection, Step

_QUESTION_CHARS = 500
_MOST_HITS = 50
_MOST_NOTES = 8  # of one stage
_NOTE_CHARS = 300
_LEFT_OUT = "left out: the question held a secret"


def traced(answer: Recollection) -> dict[str, Any]:
    question = both_ends(answer.query.text)
    plain = not (secret := holds_secret(question))
    return {
        "question": _short(question, _QUESTION_CHARS) if plain else f"[{secret}]",
        "preset": answer.trace.preset,
        "status": answer.status.value,
        "reasons": _notes(answer.reasons, plain),
        "confidence": answer.confidence,
        "hits": [_hit(hit) for hit in answer.hits[:_MOST_HITS]],
        "steps": [_step(step, plain) for step in answer.trace.steps],
        "milliseconds": round(answer.trace.milliseconds, 3),
        "tokens": answer.tokens_used,
    }


def _hit(hit: Hit) -> dict[str, Any]:
    record = hit_record(hit)
    kept = {name: record[name] for name in ("id", "score", "parts", "channels")}
    return {**kept, "verified": hit.memory.verified}


def _step(step: Step, plain: bool) -> dict[str, Any]:
    record = step_record(step._replace(dropped=()))
    del record["dropped"]
    record["notes"] = _notes(step.notes, plain)
    return record


def _notes(notes: tuple[str, ...], plain: bool) -> list[str]:
    if not plain:
        return [_LEFT_OUT] if notes else []
    return [_short(note, _NOTE_CHARS) for note in notes[:_MOST_NOTES]]


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
