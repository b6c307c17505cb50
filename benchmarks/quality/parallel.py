"""The parallel set: the same memories and questions in Chinese and in English.

`benchmarks/sets/parallel/pairs.jsonl` holds them once; the five sets are made from it here.
A line is a memory (`memory`, `topic`, `zh`, `en`) or a question (`question`, `style`, `zh`, `en`,
`answers`). A question without answers is unanswerable; its style says whether its topic is there
(`near`) or not (`far`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.quality.sets import Document, LabelledSet, Question

PAIRS = Path(__file__).parents[1] / "sets" / "parallel" / "pairs.jsonl"
_GROUP = "parallel"
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pairs:
    memories: tuple[Row, ...]
    questions: tuple[Row, ...]


def read_pairs(path: Path = PAIRS) -> Pairs:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return Pairs(
        tuple(row for row in rows if "memory" in row),
        tuple(row for row in rows if "question" in row),
    )


def parallel_sets(pairs: Pairs | None = None) -> dict[str, LabelledSet]:
    """By name: one language, crossed both ways (`parallel_zh_en`: Chinese questions, English
    memories), and mixed: every other memory in Chinese, the rest in English, asked in both.
    """
    pairs = pairs or read_pairs()
    halves = [("zh", "en")[number % 2] for number in range(len(pairs.memories))]
    plans: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
        "parallel_zh": (["zh"], ["zh"] * len(halves)),
        "parallel_en": (["en"], ["en"] * len(halves)),
        "parallel_zh_en": (["zh"], ["en"] * len(halves)),
        "parallel_en_zh": (["en"], ["zh"] * len(halves)),
        "parallel_mixed": (["zh", "en"], halves),
    }
    return {name: _set(name, pairs, asked, held) for name, (asked, held) in plans.items()}


def _set(name: str, pairs: Pairs, asked: Sequence[str], held: Sequence[str]) -> LabelledSet:
    documents = tuple(
        Document(row["memory"], row[language], _GROUP, seq)
        for seq, (row, language) in enumerate(zip(pairs.memories, held, strict=True))
    )
    language_of = {
        document.id: language for document, language in zip(documents, held, strict=True)
    }
    questions: list[Question] = []
    relevant: dict[str, frozenset[str]] = {}
    for row in pairs.questions:
        for language in asked:
            key = f"{row['question']}-{language}"
            style = row["style"]
            if len(asked) > 1 and row["answers"]:  # which way a mixed question goes
                style = f"{language}→{language_of[row['answers'][0]]}"
            questions.append(
                Question(key, row[language], _GROUP, type=style, answerable=bool(row["answers"]))
            )
            if row["answers"]:
                relevant[key] = frozenset(row["answers"])
    return LabelledSet(name, documents, tuple(questions), relevant)
