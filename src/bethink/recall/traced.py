"""What is kept of a recall for whoever watches: how it went, never a memory's text.

The question is shortened and secrets are taken out of it. What stages noted repeats its words, so
where it held a secret the notes are left out too.
"""

from __future__ import annotations

from typing import Any

from bethink.recall.render import channels_record, step_record
from bethink.text.both_ends import both_ends
from bethink.vocabulary import Hit, Recollection, Step

_QUESTION_CHARS = 500
_MOST_HITS = 50
_MOST_NOTES = 8  # of one stage
_NOTE_CHARS = 300
_LEFT_OUT = "left out: the question held a secret"


def traced(answer: Recollection) -> dict[str, Any]:
    question, plain = _without_secrets(both_ends(answer.query.text))
    return {
        "question": _short(question, _QUESTION_CHARS),
        "preset": answer.trace.preset,
        "status": answer.status.value,
        "reasons": _notes(answer.reasons, plain),
        "confidence": answer.confidence,
        "hits": [_hit(hit) for hit in answer.hits[:_MOST_HITS]],
        "steps": [_step(step, plain) for step in answer.trace.steps],
        "milliseconds": round(answer.trace.milliseconds, 3),
        "tokens": answer.tokens_used,
    }


def _without_secrets(question: str) -> tuple[str, bool]:
    if plain_words(question):
        return question, True
    from bethink.text.redaction import redact

    redacted = redact(question)
    return redacted.text, not redacted.kinds


# Looking for secrets costs a fresh process 8 ms, and most questions are a few plain words: short,
# of letters alone, and none that a secret is ever called by.
_LONGEST_WORD = 15
_SIGNS = frozenset(" ?!.,'？！。，、；“”")
_CALLED = (
    *"pass pwd psw secret token credential key pin otp mnemonic phrase".split(),
    *"密令暗码碼钥鑰匙杖助短",
)


def plain_words(text: str) -> bool:
    """Can nobody take this for a secret? Where it is not sure: no."""
    lower = text.lower()
    return (
        all("a" <= c <= "z" or c in _SIGNS or "\u4e00" <= c <= "\u9fff" for c in lower)
        and all(len(word) <= _LONGEST_WORD for word in text.split())
        and not any(name in lower for name in _CALLED)
    )


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "id": hit.id,
        "score": hit.score,
        "relevance": hit.relevance,
        "parts": dict(hit.parts),
        "evidence": dict(hit.evidence),
        "channels": channels_record(hit),
        "verified": hit.memory.verified,
    }


def _step(step: Step, plain: bool) -> dict[str, Any]:
    record = step_record(step._replace(dropped=()) if step.dropped else step)
    del record["dropped"]
    record["notes"] = _notes(step.notes, plain)
    return record


def _notes(notes: tuple[str, ...], plain: bool) -> list[str]:
    if not plain:
        return [_LEFT_OUT] if notes else []
    return [_short(note, _NOTE_CHARS) for note in notes[:_MOST_NOTES]]


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
