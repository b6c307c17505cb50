"""How an entry of frequent questions stands in one memory, and which of it are passages.

    How do I get my money back?          the question: a passage, and the beginning of the next
    Ask for it within 30 days.           the answers: with the question, what is shown of an entry

    Also asked:
    - can I have a refund                similar questions: a passage each

    Not meant:
    - how do I return a library book     negative questions: a passage each, so that it can be told
                                         how near a question is to them. Found, they show nothing.

The counts in `metadata["faq"]` say how many lines are what. Where they do not fit the text
(somebody told a memory of this kind in their own form, or revised its text), it is a text like any
other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bethink.text.split import split
from bethink.vocabulary import Candidate, Json, Memory, Passage

FAQ = "faq"  # the kind, and the key in the metadata
IN_ID = "~faq/"  # what the ids of entries hold, whoever named them
_ITEM = "- "
_SIMILAR = {"en": "Also asked:", "zh": "相似问题："}
_NEGATIVE = {"en": "Not meant:", "zh": "反例问题："}

Span = tuple[int, int]


class Layout(NamedTuple):
    """Where everything stands in the text: [start, end)."""

    question: Span
    answers: tuple[Span, ...]
    similar: tuple[Span, ...]
    negative: tuple[Span, ...]

    @property
    def shown(self) -> Span:
        return self.question[0], max(self.question[1], *(end for _, end in self.answers))

    def is_negative(self, passage: Passage) -> bool:
        return bool(self.negative) and passage.start >= self.negative[0][0]


def composed(
    question: str, answers: Sequence[str], similar: Sequence[str], negative: Sequence[str]
) -> tuple[str, dict[str, Json]]:
    """The text of an entry and its part of the metadata. Questions must be single lines."""
    language = "zh" if any("\u3400" <= c <= "\u9fff" for c in question) else "en"
    lines = [question]
    counts: list[int] = []
    for answer in answers:
        own = answer.split("\n")
        counts.append(len(own))
        lines += own
    for label, questions in ((_SIMILAR, similar), (_NEGATIVE, negative)):
        if questions:
            lines += ["", label[language], *(_ITEM + one for one in questions)]
    told: dict[str, Json] = {
        "answers": list(counts),
        "similar": len(similar),
        "negative": len(negative),
    }
    return "\n".join(lines), told


def layout_of(memory: Memory) -> Layout | None:
    """None for whatever is not an entry in this form."""
    told = memory.metadata.get(FAQ) if memory.kind == FAQ else None
    return _layout(memory.text, told) if isinstance(told, Mapping) else None


def passages_of(memory: Memory) -> tuple[Passage, ...]:
    """The passages of any memory, by its kind."""
    layout = layout_of(memory) if memory.kind == FAQ else None
    return split(memory.text) if layout is None else _passages(memory.text, layout)


def passage_at(memory: Memory, ordinal: int, otherwise: Passage) -> Passage:
    """The passage that was found, where a candidate shows more of its entry than that."""
    layout = layout_of(memory)
    passages = () if layout is None else _passages(memory.text, layout)
    return passages[ordinal] if ordinal < len(passages) else otherwise


def found_text(candidate: Candidate) -> str:
    """What was found, of an entry the line that was: its answers may share no word with it."""
    memory, passage = candidate.memory, candidate.passage
    if memory is None or passage is None or memory.kind != FAQ:
        return candidate.text
    found = passage_at(memory, candidate.ordinal, passage)
    return memory.text[found.start : found.end]


def _passages(text: str, layout: Layout) -> tuple[Passage, ...]:
    start, end = layout.shown
    spans = [layout.question]
    spans += [(start + part.start, start + part.end) for part in split(text[start:end])]
    spans += [*layout.similar, *layout.negative]
    return tuple(Passage(ordinal, *span) for ordinal, span in enumerate(spans))


def _layout(text: str, told: Mapping[str, Json]) -> Layout | None:
    similar, negative = told.get("similar"), told.get("negative")
    answers = told.get("answers")
    if not isinstance(similar, int) or not isinstance(negative, int):
        return None
    lines: list[Span] = []
    at = 0
    for line in text.split("\n"):
        lines.append((at, at + len(line)))
        at += len(line) + 1
    not_meant = _listed(text, lines, negative, _NEGATIVE)
    also_asked = None if not_meant is None else _listed(text, lines, similar, _SIMILAR)
    if not_meant is None or also_asked is None or len(lines) < 2:
        return None
    return Layout(lines[0], _answers(lines[1:], answers), also_asked, not_meant)


def _listed(
    text: str, lines: list[Span], count: int, labels: Mapping[str, str]
) -> tuple[Span, ...] | None:
    """Take a list off the end, with its label and the empty line above it."""
    if count <= 0:
        return () if count == 0 else None
    if len(lines) < count + 3:
        return None
    items = lines[-count:]
    (start, end), (above, below) = lines[-count - 1], lines[-count - 2]
    if text[start:end] not in labels.values() or above != below:
        return None
    if not all(text.startswith(_ITEM, start, end) for start, end in items):
        return None
    del lines[-count - 2 :]
    return tuple((start + len(_ITEM), end) for start, end in items)


def _answers(lines: list[Span], counts: Json) -> tuple[Span, ...]:
    """Several where the counts fit, else all of it as one."""
    known = counts if isinstance(counts, list) else []
    sizes = [n for n in known if isinstance(n, int) and n > 0]
    if sum(sizes) != len(lines) or len(sizes) != len(known):
        sizes = [len(lines)]
    found: list[Span] = []
    at = 0
    for size in sizes:
        found.append((lines[at][0], lines[at + size - 1][1]))
        at += size
    return tuple(found)
