"""An answer as JSON, as Markdown for a model, or as lines for a person. Doors print; this decides
what is said. Explaining is printing the trace that every answer carries.

A memory's text is data. In Markdown it never makes a heading, a list or a code block of its own: as
a bullet it is one line, and as a block it is quoted where it holds marks that could. What is
unverified, and every hit of an uncertain answer, says so in every form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from bethink.checks import shown
from bethink.errors import InvalidInput
from bethink.recall.budget import NEIGHBOUR
from bethink.recall.presets import PRESETS
from bethink.recall.timeline import CHANNEL as TIMELINE
from bethink.recall.unverified import LABEL
from bethink.text.clip import clip
from bethink.text.tokens import count_tokens
from bethink.vocabulary import Hit, Recollection, Status, Step

HEADINGS: Mapping[str, tuple[str, str]] = {
    "zh": ("## 历史上下文", "### 记录 {number} (相关度: {score:.2f})"),
    "en": ("## History", "### Record {number} (relevance: {score:.2f})"),
}
CONTRADICTED_LABEL = {"zh": "与较新的 {} 矛盾", "en": "contradicted by the newer {}"}
UNCERTAIN_LABEL = {"zh": "不确定", "en": "uncertain"}
_LINE = 96  # columns
_BRIEF = 160
_LIFTED_BY_TIME = 1.0  # log-odds: it is of the period that was asked for, not only new
_TOO_SMALL = 0.005  # a part of a score that would be shown as 0.00
# What a line of Markdown may begin with, after any indents, quotes and list marks, so that it or
# what follows is no longer plain text: headings, fences, HTML, underlines and rules.
_INDENT = r"(?:[\s>]|[-+*](?=\s)|\d{1,9}[.)](?=\s))*"
_STRUCTURE = rf"{_INDENT}(?:#|```|~~~|<[a-zA-Z!?/]|=+\s*$|[-*_][-*_\s]*$)"


def hit_record(hit: Hit) -> dict[str, Any]:
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


def channels_record(hit: Hit) -> dict[str, Any]:
    """Where each channel had it."""
    return {
        name: {"rank": place.rank, "score": place.score} for name, place in hit.channels.items()
    }


def as_record(answer: Recollection, *, explain: bool = False) -> dict[str, Any]:
    """The answer as JSON-ready values; the trace only where it is asked for."""
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


def search_response(answer: Recollection) -> dict[str, Any]:
    """Results, what they cost, and what is left: the JSON that a notebook's search gives."""
    return answer.as_search_response().as_record()


def as_markdown(answer: Recollection) -> str:
    """What to put before a model: one bullet for each hit; nothing at all when there is none."""
    return "\n".join(
        f"- {_marked(hit, answer)}{_box(hit)}{_as_line(hit.text)}" for hit in answer.hits
    )


def as_history(answer: Recollection, *, language: str = "zh") -> str:
    """A heading, then a record with its relevance for each hit; nothing at all without hits."""
    heading, record = _headings(language)
    if not answer.hits:
        return ""
    records: list[str] = []
    for number, hit in enumerate(answer.hits, start=1):
        line = record.format(number=number, score=hit.score)
        marks = _marks(hit, answer, language)
        doubt = f"({marks})\n" if marks else ""  # in a line of its own: programs read the heading
        records.append(f"{line}\n{doubt}{_as_block(hit.text)}")
    return "\n\n".join((heading, *records))


def _headings(language: str) -> tuple[str, str]:
    if language not in HEADINGS:
        raise InvalidInput(f"language: expected {' or '.join(HEADINGS)}, got {shown(language)}")
    return HEADINGS[language]


def as_brief(answer: Recollection) -> str:
    """A line for each hit: its id, its score, the beginning of its text."""
    return "\n".join(
        f"{hit.id}  {hit.score:.2f}  {_marked(hit, answer)}{clip(hit.text, _BRIEF)}"
        for hit in answer.hits
    )


class Seen(NamedTuple):
    text: str
    tokens: int


def what_a_model_sees(
    answer: Recollection, *, language: str = "zh", count: Callable[[str], int] = count_tokens
) -> Seen:
    """The very text that is put before a model, and what it costs with its headings and marks.

    The preset decides the form: a workflow's history, a skill's brief lines, else bullets.
    """
    _headings(language)  # also where the form has none: a wrong one is always told
    preset = PRESETS.get(answer.trace.preset)
    form = "markdown" if preset is None else preset.form
    text = FORMATS[form](answer, False, language)
    assert isinstance(text, str)
    return Seen(text, count(text))


def _marks(hit: Hit, answer: Recollection, language: str = "en") -> str:
    """What a reader must know before believing it: unverified, uncertain, contradicted."""
    marks = [] if hit.memory.verified else [LABEL[language]]
    if answer.status is Status.UNCERTAIN:
        marks.append(UNCERTAIN_LABEL[language])
    if hit.contradicted_by:
        marks.append(CONTRADICTED_LABEL[language].format(hit.contradicted_by))
    return ", ".join(marks)


def _marked(hit: Hit, answer: Recollection) -> str:
    marks = _marks(hit, answer)
    return f"({marks}) " if marks else ""


def _box(hit: Hit) -> str:
    """A task says whether it is done, where that is known."""
    done = hit.memory.metadata.get("done")
    if hit.memory.kind != "task" or not isinstance(done, bool):
        return ""
    return "[x] " if done else "[ ] "


def _as_line(text: str) -> str:
    line = " ".join(text.split())
    return f"\\{line}" if re.match(_STRUCTURE, line) else line


def _as_block(text: str) -> str:
    lines = text.strip().splitlines()
    if any(re.match(_STRUCTURE, line) for line in lines):
        return "\n".join(f"> {line}" for line in lines)
    return text.strip()


def as_text(answer: Recollection, *, explain: bool = False) -> str:
    """For people."""
    lines: list[str] = []
    for number, hit in enumerate(answer.hits, start=1):
        lines += [f"{number:>2}. {clip(hit.text, _LINE)}", f"    {_about(hit, answer)}"]
    status = (
        f"{answer.status}: hits {len(answer.hits)}, tokens used {answer.tokens_used}, "
        f"{answer.tokens_left} left"
    )
    if answer.confidence is not None:
        status += f", confidence {answer.confidence:.2f}"
    lines.append(status)
    if not explain:  # the explanation ends with them
        lines += [f"    {reason}" for reason in answer.reasons]
    if answer.nearest is not None:
        lines.append(f"nearest miss: {clip(answer.nearest.text, _LINE)}")
        lines.append(f"    {_about(answer.nearest, answer)}")
    if explain:
        lines += explanation(answer)
    return "\n".join(lines)


def _about(hit: Hit, answer: Recollection) -> str:
    done = ", done" if hit.memory.metadata.get("done") is True else ""
    marks = _marks(hit, answer)
    doubt = f", {marks}" if marks else ""
    return f"{hit.score:.3f}  {hit.id}  {hit.memory.kind}{done}{doubt}  ({reason_line(hit)})"


def reason_line(hit: Hit) -> str:
    """Why this hit: its place in every channel, counted from 1 as people do, and what its score is
    made of, unless it is simply that of one channel."""
    memory = hit.memory
    places = ", ".join(f"{name} #{place.rank + 1}" for name, place in sorted(hit.channels.items()))
    parts = {name: value for name, value in hit.parts.items() if abs(value) >= _TOO_SMALL}
    told = [places]
    if hit.relevance is not None and hit.score != hit.relevance:
        told.append(f"relevance {hit.relevance:.2f}")
    if parts.keys() - {"relevance"} and (len(parts) > 1 or parts.keys() != hit.channels.keys()):
        told.append(sum_of(parts, digits=2))
    if NEIGHBOUR in hit.parts:
        told.append("shown with what stands beside it")
    if memory.reinforcement:
        told.append(f"told again {memory.reinforcement}×")
    if TIMELINE in hit.channels or hit.evidence.get("time", 0.0) > _LIFTED_BY_TIME:
        if memory.occurred_at is not None:
            told.append("happened then")
        else:
            told.append("told then, when it happened is not known")
    return "; ".join(filter(None, told))


def sum_of(parts: Mapping[str, float], *, digits: int = 3) -> str:
    """What adds up to a score, as people write a sum."""
    terms = [
        f"{'−' if value < 0 else '+'} {abs(value):.{digits}f} {name}"
        for name, value in parts.items()
    ]
    return " ".join(terms).removeprefix("+ ")


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
        yield f"  hit {number} {_made_of(hit)}"
    if answer.nearest is not None:
        yield f"  nearest miss {_made_of(answer.nearest)}"
    if answer.confidence is not None:
        yield f"  confidence {answer.confidence:.2f}"
    for reason in answer.reasons:
        yield f"  {answer.status}: {reason}"


def _made_of(hit: Hit) -> str:
    parts = sum_of(hit.parts)
    if hit.evidence:
        parts += f"; relevance {hit.relevance:.3f} = σ({sum_of(hit.evidence, digits=2)})"
    channels = "; ".join(
        f"{name}: rank {place.rank + 1}, score {place.score:.4f}"
        for name, place in sorted(hit.channels.items())
    )
    return f"{hit.id}: {hit.score:.3f} = {parts} ({channels})"


# What a door can offer, given whether to explain and the language of headings. Text is printed as
# it is, records as JSON.
FORMATS: Mapping[str, Callable[[Recollection, bool, str], str | dict[str, Any]]] = {
    "text": lambda answer, explain, language: as_text(answer, explain=explain),
    "json": lambda answer, explain, language: as_record(answer, explain=explain),
    "markdown": lambda answer, explain, language: as_markdown(answer),
    "brief": lambda answer, explain, language: as_brief(answer),
    "history": lambda answer, explain, language: as_history(answer, language=language),
    "search-response": lambda answer, explain, language: search_response(answer),
    "model": lambda answer, explain, language: what_a_model_sees(answer, language=language).text,
}
