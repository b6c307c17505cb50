"""The page of docs/ from measured figures.

python -m benchmarks.story.page story.json > docs/reference/story-quality.md
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.figures import print_page
from benchmarks.quality.report import markdown
from benchmarks.story.measure import LAST_TEN
from benchmarks.story.report import dialogues_table, shares, sizes
from benchmarks.story.runs import MAIN

_HEAD = """# Story quality

What the context of a scene holds, and what it must not hold. A novel of thirteen chapters and 28
scenes, in English and in Chinese (`benchmarks/story/en`, `benchmarks/story/zh`), is taken in to its
last page; then the context of every scene but the first is asked for, as its author would have
before writing it. An arm breaks and heals, a sword changes hands twice, a secret spreads, an inn
burns down, a promise of chapter 2 is kept in chapter 10, a pedlar is somebody else, two cousins
have nearly the same name. 101 questions for each language say what a context must hold and never.

    python -m benchmarks.story --data DIR --questions 200 --out story.json
    python -m benchmarks.story.page story.json > docs/reference/story-quality.md

- **rules**: no language model. **model**: an OpenAI-compatible server with scripted answers, those
  of a model that reads the plan and the cast and has never seen the novel.
- **states**: a fact as of the scene. **implied** are those of something that the plan does not
  name: the sword that one of two duellists wears.
- **memories**: a passage of an earlier scene among the ten memories; **first 3**: among the first
  three. **timeline**, **threads**: an earlier event, an open question.
- **must** and **never** say whether it has to be there or must not be: a state that has ended or is
  yet to come, a namesake's state, a thread that was closed, a passage about something else.
- States, events and threads are recorded with each scene, as an author or a model would. Nothing
  finds states in a text without a model.
"""

_SHARES = """
## Shares
"""

_HALVES = """
Half of the questions were written before the code was read, and are held out; the other half before
the first figure. One hand wrote novel, questions and scripted answers. Two things were changed
after the first figures, with both halves in view: an event that is found leads to its scene instead
of taking a place beside it, and rules make no phrases of names alone or of the scene before. So for
memories the held-out half is no longer unseen; what it was at first is in `benchmarks/LOG.md`.
"""

_ABLATED = """
## What each part is worth

Only memories are shown: states, timeline and threads need none of these. The plainest way to fill a
context is to hand over the last ten scenes.
"""

_SIZES = """
## How large, how fast, and what leaked

Means over the 27 contexts of a novel. A leak is anything in a context, down to the source of a
fact, that was told at its scene or later: by its place, or by a sentence of the text. Times are of
a busy machine.
"""

_DIALOGUES = """
## Public dialogues

Sessions of LoCoMo (English) and exchanges of MemoryBank (Chinese) taken in as scenes, with who
speaks as the cast and each labelled question as the plan of a scene after the last. They label
passages only, so neither states nor threads can be asked. Each question is also asked as of the
middle of the conversation: nothing later may come back. Rules were chosen with these figures in
view (the second change above), so elsewhere expect less.
"""


def page(measured: Mapping[str, Any]) -> str:
    counted = measured["counted"]
    runs = list(dict.fromkeys(row["run"] for row in counted))
    main = [name for name in runs if name in MAIN]
    memories = [row for row in counted if row["kind"] in ("memories", "first 3", "first 5")]
    parts = [_HEAD, _SHARES, shares(counted, main), _HALVES, shares(counted, main, halves=True)]
    parts += [_ABLATED, _memories(memories, [LAST_TEN, *(r for r in runs if r != LAST_TEN)])]
    parts += [_SIZES, sizes([f for f in measured["figures"] if f["run"] in MAIN])]
    parts += [_leaks(measured)]
    if measured["dialogues"]:
        parts += [_DIALOGUES, dialogues_table(measured["dialogues"])]
    return "\n".join(parts) + "\n"


def _leaks(measured: Mapping[str, Any]) -> str:
    runs = len(measured["figures"])
    return (
        f"\nLeaks in all {runs} runs, with every part taken out in turn: {len(measured['leaks'])}."
    )


def _memories(counted: Sequence[Mapping[str, Any]], runs: Sequence[str]) -> str:
    languages = list(dict.fromkeys(row["language"] for row in counted))
    kinds = [("memories", "must"), ("first 5", "must"), ("first 3", "must"), ("memories", "never")]
    names = {("memories", "must"): "must", ("memories", "never"): "never"}
    columns = [(language, *kind) for language in languages for kind in kinds]
    head = ["made by", *(f"{one[0]}: {names.get(one[1:], one[1])}" for one in columns)]
    body = [[run, *(_of(counted, run, *column) for column in columns)] for run in runs]
    return markdown(head, body)


def _of(counted: Sequence[Mapping[str, Any]], run: str, language: str, kind: str, say: str) -> str:
    fitting = [
        row
        for row in counted
        if (row["run"], row["language"], row["kind"], row["say"]) == (run, language, kind, say)
    ]
    of = sum(row["of"] for row in fitting)
    return f"{sum(row['right'] for row in fitting)} of {of}" if of else ""


def main(arguments: Sequence[str]) -> int:
    return print_page(page, __doc__, arguments)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
