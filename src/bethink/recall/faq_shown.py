"""What is shown of frequent questions: the question with its answers, whichever line was found.

An entry gives way where the question is one that it says it does not answer, and a line that says
so is no reason to show it. Every preset does this when it fetches; it costs nothing where no entry
is among the candidates.
"""

from __future__ import annotations

from collections.abc import Sequence

from bethink.text.bare import bare
from bethink.text.faq_layout import FAQ, Layout, layout_of
from bethink.vocabulary import Candidate, Dropped, Memory, Passage, Place

CHANNEL = FAQ
_WHICH_CHARS = 80


def as_entries(
    candidates: Sequence[Candidate], question: str, *, once: bool = False
) -> tuple[list[Candidate], list[Dropped]]:
    """The candidates with entries as they are shown, and what gave way. `once`: an entry that was
    cut into several pieces comes once."""
    asked = bare(question)
    known: dict[str, tuple[Layout | None, str]] = {}
    seen: set[str] = set()
    kept: list[Candidate] = []
    gone: list[Dropped] = []
    for candidate in candidates:
        memory, passage = candidate.memory, candidate.passage
        if memory is None or passage is None or memory.kind != FAQ:
            kept.append(candidate)
            continue
        if memory.id not in known:
            known[memory.id] = of_entry(memory, asked)
        layout, excluded = known[memory.id]
        if layout is None:
            kept.append(candidate)
        elif excluded:
            gone.append(Dropped(*candidate.key, excluded))
        elif layout.is_negative(passage):
            line = which(memory.text[passage.start : passage.end])
            gone.append(Dropped(*candidate.key, f"found by a question that it excludes: {line}"))
        elif not (once and memory.id in seen):
            seen.add(memory.id)
            kept.append(
                candidate._replace(
                    passage=Passage(candidate.ordinal, *layout.shown),
                    channels={**candidate.channels, CHANNEL: Place(0, 1.0)},
                )
            )
    return kept, gone


def of_entry(memory: Memory, asked: str) -> tuple[Layout | None, str]:
    """Its layout, and why it must not answer what is asked (`bare`), if it must not."""
    layout = layout_of(memory)
    for start, end in () if layout is None else layout.negative:
        if bare(memory.text[start:end]) == asked:
            return layout, f"the question is one that it excludes: {which(memory.text[start:end])}"
    return layout, ""


def which(line: str) -> str:
    """A question for a reason that people read."""
    short = line if len(line) <= _WHICH_CHARS else line[: _WHICH_CHARS - 1] + "…"
    return f"“{short}”"
