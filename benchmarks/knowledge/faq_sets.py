"""The sets of frequent questions: entries, and the questions that they are tested by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

SETS = Path(__file__).parent.parent / "sets" / "faq"
LANGUAGES = ("en", "zh")
HALVES = ("dev", "held_out", "unseen")  # bounds are chosen on the first


class Entry(NamedTuple):
    id: str
    half: str
    question: str
    similar: tuple[str, ...]
    negative: tuple[str, ...]
    answers: tuple[str, ...]
    asked: tuple[str, ...]  # the entry answers these
    excluded: tuple[str, ...]  # and must not answer these


class Questions(NamedTuple):
    entries: list[Entry]
    unanswerable: list[tuple[str, str]]  # half, question


def load(language: str) -> Questions:
    entries: list[Entry] = []
    unanswerable: list[tuple[str, str]] = []
    for line in (SETS / f"{language}.jsonl").read_text("utf-8").splitlines():
        told = json.loads(line)
        if "unanswerable" in told:
            unanswerable.append((told["half"], told["unanswerable"]))
            continue
        lists = {name: tuple(told[name]) for name in Entry._fields[3:]}
        entries.append(Entry(told["id"], told["half"], told["question"], **lists))
    return Questions(entries, unanswerable)
