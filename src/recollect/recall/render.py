"""An answer as JSON, as Markdown for a model, or as lines for a person. Doors print; this decides
what is said. Explaining is printing the trace that every answer carries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recollect.vocabulary import Hit, Recollection, Step


def hit_record(hit: Hit) -> dict[str, Any]:
    memory = hit.memory
    return {
        "id": memory.id,
        "space": memory.space,
        "text": hit.text,
        "score": hit.score,
        "tokens": hit.tokens,
        "kind": memory.kind,
        "section": memory.section,
        "tags": list(memory.tags),
        "entities": list(memory.entities),
        "source": memory.source,
        "confidence": memory.confidence,
        "occurred_at": memory.occurred_at and memory.occurred_at.isoformat(),
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
        "reinforcement": memory.reinforcement,
        "access_count": memory.access_count,
        "metadata": dict(memory.metadata),
        "passage": hit.passage._asdict(),
        "channels": {name: place._asdict() for name, place in hit.channels.items()},
        "parts": dict(hit.parts),
        "displaced": list(hit.displaced),
    }


def as_record(answer: Recollection, *, explain: bool = False) -> dict[str, Any]:
    """The answer as JSON-ready values; the trace only where it is asked for."""
    record: dict[str, Any] = {
        "query": answer.query.text,
        "spaces": list(answer.query.spaces),
        "status": answer.status.value,
        "reasons": list(answer.reasons),
        "hits": [hit_record(hit) for hit in answer.hits],
        "tokens_used": answer.tokens_used,
        "tokens_left": answer.tokens_left,
    }
    if explain:
        record["trace"] = {
            "preset": answer.trace.preset,
            "milliseconds": round(answer.trace.milliseconds, 3),
            "steps": [_step_record(step) for step in answer.trace.steps],
        }
    return record


def _step_record(step: Step) -> dict[str, Any]:
    return {
        "stage": step.stage,
        "milliseconds": round(step.milliseconds, 3),
        "received": step.received,
        "passed_on": step.passed_on,
        "notes": list(step.notes),
        "dropped": [dropped._asdict() for dropped in step.dropped],
    }


def as_markdown(answer: Recollection) -> str:
    """What to put before a model: one bullet for each hit; nothing at all when there is none."""
    lines = [f"- {' '.join(hit.text.split())}" for hit in answer.hits]
    return "\n".join(lines)


def reason_line(hit: Hit) -> str:
    """Why this hit: its place in every channel, counted from 1 as people do."""
    places = ", ".join(f"{name} #{place.rank + 1}" for name, place in sorted(hit.channels.items()))
    return (
        f"{places}; told again {hit.memory.reinforcement}×" if hit.memory.reinforcement else places
    )


def explanation(answer: Recollection) -> Iterator[str]:
    """The trace as lines."""
    trace = answer.trace
    yield f"preset {trace.preset}, {trace.milliseconds:.1f} ms"
    for step in trace.steps:
        yield (f"  {step.stage}: {step.received} → {step.passed_on}, {step.milliseconds:.1f} ms")
        for note in step.notes:
            yield f"      {note}"
        for dropped in step.dropped[:10]:
            yield f"      dropped {dropped.memory_id}#{dropped.ordinal}: {dropped.reason}"
        if len(step.dropped) > 10:
            yield f"      … and {len(step.dropped) - 10} more"
    for number, hit in enumerate(answer.hits, start=1):
        parts = " + ".join(f"{value:.3f} {name}" for name, value in hit.parts.items())
        channels = "; ".join(
            f"{name}: rank {place.rank + 1}, score {place.score:.4f}"
            for name, place in sorted(hit.channels.items())
        )
        yield f"  hit {number} {hit.id}: {hit.score:.3f} = {parts} ({channels})"
