"""Labelled retrieval sets: memories, questions, and which memories answer which question.

A set is a folder with `corpus.jsonl` (id, text, group; timestamp, speaker, seq), `queries.jsonl`
(id, text, group; time, type, answerable, asof), `qrels.tsv` (query, document, relevance) and
`meta.json`. A question may see the documents of its own group only, and of those only the ones with
`seq < asof` if it has `asof`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    text: str
    group: str
    seq: int
    speaker: str = ""
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    text: str
    group: str
    time: datetime | None = None
    type: str = ""
    answerable: bool = True
    asof: int | None = None


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """`relevant` maps a question to the documents that answer it."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    relevant: Mapping[str, frozenset[str]]


def load(folder: Path, *, qrels: str = "qrels.tsv") -> LabelledSet:
    """Read a folder. `qrels` names other labels, which are used where the set has them."""
    documents = tuple(
        Document(
            id=row["id"],
            text=row["text"],
            group=row["group"],
            seq=row.get("seq", number),
            speaker=row.get("speaker", ""),
            time=moment(row.get("timestamp")),
        )
        for number, row in enumerate(_lines(folder / "corpus.jsonl"))
    )
    questions = tuple(
        Question(
            id=row["id"],
            text=row["text"],
            group=row["group"],
            time=moment(row.get("time")),
            type=row.get("type", ""),
            answerable=row.get("answerable", True),
            asof=row.get("asof"),
        )
        for row in _lines(folder / "queries.jsonl")
    )
    labels = folder / qrels
    relevant = read_labels(labels if labels.is_file() else folder / "qrels.tsv")
    return LabelledSet(folder.name, documents, questions, relevant)


def read_labels(path: Path) -> dict[str, frozenset[str]]:
    relevant: dict[str, set[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        question, document, relevance = line.split("\t")
        if int(relevance) > 0:
            relevant.setdefault(question, set()).add(document)
    return {question: frozenset(documents) for question, documents in relevant.items()}


def folders_in(directory: Path) -> list[Path]:
    """The sets below a directory; the directory itself if it is one."""
    if (directory / "corpus.jsonl").is_file():
        return [directory]
    return sorted(path.parent for path in directory.glob("*/corpus.jsonl"))


# How the public sets write a moment, after what is in brackets (the weekday) is taken out.
_FORMATS = ("%Y/%m/%d %H:%M", "%Y/%m/%d", "%I:%M %p on %d %B, %Y", "%d %B, %Y", "%d %B %Y")


def moment(text: object) -> datetime | None:
    """A moment in UTC, or None where there is none or it cannot be read."""
    if not isinstance(text, str):
        return None
    plain = re.sub(r"\([^)]*\)", " ", text)
    plain = re.sub(r"\s+", " ", plain).strip()
    try:
        read = datetime.fromisoformat(plain)
    except ValueError:
        for form in _FORMATS:
            try:
                read = datetime.strptime(plain, form)
                break
            except ValueError:
                continue
        else:
            return None
    return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)
