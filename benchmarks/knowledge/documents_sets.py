"""Questions to documents that others wrote, each with the sections that answer it.

`benchmarks/sets/documents/NAME.jsonl`: a question, and as `gold` the end of a document's address
with a heading in it, any of which will do; none: the documents do not say. The documents themselves
are not here; the README beside the questions says where to get them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from bethink.vocabulary import Memory

SETS = Path(__file__).parents[1] / "sets" / "documents"
SPLITS = ("dev", "held-out")


class Gold(NamedTuple):
    address: str  # how it ends
    heading: str


class Question(NamedTuple):
    name: str
    split: str
    text: str
    gold: tuple[Gold, ...]

    def is_in(self, memory: Memory) -> bool:
        """Is this memory a section that answers?"""
        heading = heading_of(memory)
        return any(
            memory.source.endswith(one.address) and plain(one.heading) == heading
            for one in self.gold
        )

    def is_from(self, memory: Memory) -> bool:
        """Is it of a document that answers?"""
        return any(memory.source.endswith(one.address) for one in self.gold)


def questions(name: str) -> list[Question]:
    lines = (SETS / f"{name}.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        Question(
            row["id"],
            row["split"],
            row["question"],
            tuple(Gold(one["address"], one["heading"]) for one in row["gold"]),
        )
        for row in rows
    ]


def heading_of(memory: Memory) -> str:
    return plain(memory.section.split("›")[-1])


def plain(heading: str) -> str:
    """Without its number and its anchor."""
    whole = " ".join(heading.split()).removesuffix("¶").strip()
    return re.sub(r"^[\d.]+ ", "", whole).casefold()


def missing(asked: list[Question], sections: list[Memory]) -> list[str]:
    """Questions none of whose sections is there: other documents, or another edition."""
    there = {(section.source, heading_of(section)) for section in sections}
    return [
        f"{one.name}: {one.gold[0].heading}"
        for one in asked
        if one.gold
        and not any(
            source.endswith(gold.address) and plain(gold.heading) == heading
            for gold in one.gold
            for source, heading in there
        )
    ]
