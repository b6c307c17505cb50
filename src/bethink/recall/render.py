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
from bethink.recall.presets import BALANCED, PRESETS
from bethink.recall.sections import box, is_file
from bethink.recall.timeline import CHANNEL as TIMELINE
from bethink.recall.unverified import LABEL
from bethink.records import as_record as as_record
from bethink.records import channels_record as channels_record
from bethink.records import hit_record as hit_record
from bethink.records import step_record as step_record
from bethink.settings import Settings
from bethink.text.tokens import count_tokens
from bethink.text.visible import clip
from bethink.vocabulary import Hit, Recollection, Status

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


def search_response(answer: Recollection) -> dict[str, Any]:
    """Results, what they cost, and what is left: the JSON that a notebook's search gives."""
    return answer.as_search_response().as_record()


def as_markdown(answer: Recollection) -> str:
    """What to put before a model: one bullet for each hit; nothing at all when there is none. A
    file is a bullet with its path, and a bullet below it for each entry."""
    lines: list[str] = []
    for hit in answer.hits:
        if is_file(hit):
            lines.append(f"- {_marked(hit, answer)}{_as_line(hit.memory.source)}")
            lines += _file_lines(hit)
        else:
            lines.append(f"- {_marked(hit, answer)}{box(hit.memory)}{_as_line(hit.text)}")
    return "\n".join(lines)


def _file_lines(hit: Hit) -> list[str]:
    """The entries of a file, each as one line; a heading becomes an entry of its own."""
    lines: list[str] = []
    for line in hit.text.splitlines():
        if line.startswith("- "):
            mark = next((m for m in ("[ ] ", "[x] ") if line.startswith(m, 2)), "")
            lines.append(f"  - {mark}{_as_line(line[2 + len(mark) :])}")
        elif line.startswith("## "):
            lines.append(f"  - {line[3:]}:")
        elif line.strip():
            lines[-1] += f" {line.strip()}"
    return lines


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


def language_of(answer: Recollection, language: str | None, settings: Settings) -> str:
    """Return the language of headings: the caller's, else the setting's, else the preset's."""
    if language is None:
        language = settings.heading_language
    if language == "preset":
        preset = PRESETS.get(answer.trace.preset)
        language = BALANCED.language if preset is None else preset.language
    _headings(language)  # also where the form has none: a wrong one is always told
    return language


def what_a_model_sees(
    answer: Recollection,
    *,
    language: str | None = None,
    count: Callable[[str], int] = count_tokens,
) -> Seen:
    """The very text that is put before a model, and what it costs with its headings and marks.

    The preset decides the form: a workflow's history, a skill's brief lines, else bullets. Without
    a language it is that of the preset.
    """
    preset = PRESETS.get(answer.trace.preset)
    if language is None:
        language = BALANCED.language if preset is None else preset.language
    _headings(language)  # also where the form has none: a wrong one is always told
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
        if is_file(hit):
            lines.append(f"{number:>2}. {hit.memory.source}")
            lines += [f"      {line}".rstrip() for line in hit.text.splitlines()]
        else:
            lines.append(f"{number:>2}. {clip(hit.text, _LINE)}")
        lines.append(f"    {_about(hit, answer)}")
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
