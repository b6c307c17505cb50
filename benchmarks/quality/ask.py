"""Ask the questions of a set through `Engine.recall`, keep what came back, and measure it.

Time is simulated: a memory is told when it happened, and a question is asked at its own time, else
a day after the last memory of its group. So no figure depends on the day of the run.
"""

from __future__ import annotations

import math
import time
from collections import Counter as Tally
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.quality.metrics import auroc, mean, measures, percentile
from benchmarks.quality.progress import Counter, say
from benchmarks.quality.runs import Run
from benchmarks.quality.sets import LabelledSet, Question
from benchmarks.quality.stores import NO_TIME, SetClock, opened, space_names

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.vocabulary import Recollection

_LIMIT = 10  # as a user asks by default: a larger one would look deeper
_BUDGET = 1_000_000  # tokens: the ranking is measured, not what fits
_DEADLINE = 600.0  # seconds: a busy machine must not change the answers


@dataclass(frozen=True, slots=True)
class Answer:
    """What one question got: documents best first, with falling scores."""

    question: Question
    ranked: tuple[tuple[str, float], ...]
    confidence: float
    milliseconds: float
    cpu_milliseconds: float  # of all threads: on a busy machine it says more
    status: str


class Filled:
    """A store that holds a set; ask it."""

    def __init__(self, data: LabelledSet, engine: Engine, clock: SetClock) -> None:
        self._data = data
        self._engine = engine
        self._clock = clock
        self._spaces = space_names(data)
        self._after: dict[str, datetime] = {}
        for document in data.documents:
            if document.time is not None:
                last = max(document.time, self._after.get(document.group, document.time))
                self._after[document.group] = last

    def ask(self, run: Run, *, what: str = "asked") -> list[Answer]:
        answers: list[Answer] = []
        counter = Counter(what, len(self._data.questions))
        for question in self._data.questions[:1]:
            self._recall(question, run)  # whatever is loaded at the first question is not timed
        for question in self._data.questions:
            began, busy = time.perf_counter(), time.process_time()
            got = self._recall(question, run)
            spent = (time.perf_counter() - began) * 1000
            cpu = (time.process_time() - busy) * 1000
            status = "refused" if got is None else str(got.status)
            answers.append(Answer(question, ranking(got), confidence(got), spent, cpu, status))
            counter.add(1)
        return answers

    def _recall(self, question: Question, run: Run) -> Recollection | None:
        """None where the engine takes it for no question: one public set has an empty one."""
        last = self._after.get(question.group)
        self._clock.now = question.time or (last + timedelta(days=1) if last else NO_TIME)
        before = None if question.asof is None else {"metadata.seq": {"<": question.asof}}
        options: dict[str, Any] = {
            "limit": _LIMIT, "budget": _BUDGET, "deadline": _DEADLINE, "touch": False,
            "where": before, **run.options,
        }  # fmt: skip
        space = self._spaces[question.group]
        try:
            return self._engine.recall(question.text, spaces=space, preset=run.preset, **options)
        except InvalidInput:
            return None


@contextmanager
def filled(data: LabelledSet, *, embedder: str, cache: Path) -> Iterator[Filled]:
    """A store with the whole set in it, and every question's vector at hand."""
    clock = SetClock()
    with opened(data, embedder=embedder, cache=cache, clock=clock) as (engine, kept):
        if kept is not None:
            kept.embed([question.text.strip() for question in data.questions], kind="query")
        yield Filled(data, engine, clock)


def ranking(recollection: Recollection | None) -> tuple[tuple[str, float], ...]:
    """Memories in the order of the hits. Scores are lowered where they would say otherwise, so
    that whoever sorts a run file by score finds this order.
    """
    placed: dict[str, float] = {}
    ceiling = math.inf
    for hit in recollection.hits if recollection else ():
        if hit.id not in placed:
            score = min(float(hit.score), math.nextafter(ceiling, -math.inf))
            placed[hit.id] = ceiling = score
    return tuple(placed.items())


def confidence(recollection: Recollection | None) -> float:
    """How sure the engine is that there is an answer; where it does not say, the top score."""
    if recollection is None:
        return 0.0
    said = getattr(recollection, "confidence", None)
    if said is not None:
        return float(said)
    return float(recollection.hits[0].score) if recollection.hits else 0.0


def figures(data: LabelledSet, answers: Sequence[Answer]) -> dict[str, Any]:
    """The measures of one run over one set, also by type of question."""
    rows: list[dict[str, float]] = []
    by_type: dict[str, list[dict[str, float]]] = {}
    for answer in answers:
        right = data.relevant.get(answer.question.id)
        if answer.question.answerable and right:
            row = measures([document for document, _ in answer.ranked], right)
            rows.append(row)
            by_type.setdefault(answer.question.type or "-", []).append(row)
    sure: dict[bool, list[float]] = {True: [], False: []}
    for answer in answers:
        sure[answer.question.answerable].append(answer.confidence)
    spent = [answer.milliseconds for answer in answers]
    return {
        "questions": len(rows),
        "unanswerable": len(sure[False]),
        **mean(rows),
        "AUROC": auroc(sure[True], sure[False]),
        "p50_ms": percentile(spent, 0.50),
        "p95_ms": percentile(spent, 0.95),
        "cpu_ms": percentile([answer.cpu_milliseconds for answer in answers], 0.50),
        "status": dict(Tally(answer.status for answer in answers)),
        "types": {name: {"questions": len(r), **mean(r)} for name, r in sorted(by_type.items())},
    }


def measure(
    data: LabelledSet, runs: Mapping[str, Run], *, cache: Path, out: Path | None = None
) -> dict[str, dict[str, Any]]:
    """Every run over one set: figures by the run's name, and run files below `out`."""
    results: dict[str, dict[str, Any]] = {}
    for embedder in dict.fromkeys(run.embedder for run in runs.values()):
        with filled(data, embedder=embedder, cache=cache) as store:
            for name, run in runs.items():
                if run.embedder != embedder:
                    continue
                began = time.monotonic()
                answers = store.ask(run, what=f"{data.name}, {name}: asked")
                results[name] = figures(data, answers)
                say(f"{data.name}: {name} in {time.monotonic() - began:.0f} s")
                if out is not None:
                    write_run(out / "runs" / name / f"{data.name}.tsv", answers)
    return {name: results[name] for name in runs}


def write_run(path: Path, answers: Sequence[Answer]) -> None:
    """`question<TAB>document<TAB>score`, best first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for answer in answers:
            for document, score in answer.ranked:
                file.write(f"{answer.question.id}\t{document}\t{score!r}\n")
