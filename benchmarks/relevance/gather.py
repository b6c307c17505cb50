"""What the signals say about right and wrong memories, gathered through `Engine.recall`.

Each question is asked three ways: in its own space, where some candidates are right; in the space
of another group, where none is; and in its own space without its right memories. The last two are
what a question about something never told looks like.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from benchmarks.quality.progress import Counter
from benchmarks.quality.sets import Document, LabelledSet, Question
from benchmarks.quality.stores import NO_TIME, SetClock, opened, space_names
from numpy.typing import NDArray

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.recall.draft import Draft, Kit
from bethink.recall.presets import PRESETS, Preset
from bethink.recall.signals import SIGNALS, ReadSignals

OWN, FOREIGN, REMOVED = "own", "foreign", "removed"
_TODAY = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Recorder:
    """A stage that keeps the drafts that pass."""

    name: ClassVar[str] = "recorder"
    drafts: list[Draft] = field(default_factory=list)

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        self.drafts.append(draft)
        return draft


class Asked(NamedTuple):
    """One question asked one way: a row of signals for each memory that was a candidate."""

    data: str
    question: str
    kind: str  # own, foreign, removed; or the kind of a judging set's question
    group: str
    fold: int
    rows: NDArray[np.float32]
    right: NDArray[np.bool_]
    gold: int  # how many memories answer it


def recording(preset: str = "balanced") -> tuple[Preset, Recorder]:
    """A preset's stages up to the signals, then a recorder."""
    stages = PRESETS[preset].stages
    at = next(i for i, stage in enumerate(stages) if isinstance(stage, ReadSignals))
    recorder = Recorder()
    return Preset(f"{preset} recorded", (*stages[: at + 1], recorder)), recorder


def gather(
    data: LabelledSet, *, embedder: str, cache: Path, most: int = 400, folds: int = 5
) -> list[Asked]:
    clock = SetClock()
    preset, recorder = recording()
    with opened(data, embedder=embedder, cache=cache, clock=clock) as (engine, kept):
        chosen = spread(data.questions, most)
        if kept is not None:
            kept.embed([question.text.strip() for question in chosen], kind="query")
        asking = Asking(data, engine, clock, preset, recorder, folds)
        counter = Counter(f"{data.name}: asked", len(chosen))
        found: list[Asked] = []
        for question in chosen:
            found += asking.ways(question)
            counter.add(1)
        return found


Keep = Callable[[Asked, Draft, frozenset[str], Sequence[str]], None]


class Asking:
    def __init__(
        self,
        data: LabelledSet,
        engine: Engine,
        clock: SetClock,
        preset: Preset,
        recorder: Recorder,
        folds: int,
        keep: Keep | None = None,  # called with every draft
    ) -> None:
        self._keep = keep
        self._data, self._engine, self._clock = data, engine, clock
        self._preset, self._recorder = preset, recorder
        self._spaces = space_names(data)
        groups = list(dict.fromkeys(question.group for question in data.questions))
        self._next = dict(zip(groups, [*groups[1:], *groups[:1]], strict=True))
        # several groups: folds by group; one: by question
        several = len(groups) >= folds
        self._fold = {g: n % folds for n, g in enumerate(groups)} if several else {}
        self._folds = folds
        self._last: dict[str, datetime] = {}
        for document in data.documents:
            if document.time is not None:
                before = self._last.get(document.group, document.time)
                self._last[document.group] = max(document.time, before)
        self._count = 0

    def ways(self, question: Question) -> Iterator[Asked]:
        self._count += 1
        gold = self._data.relevant.get(question.id, frozenset())
        if question.id.startswith("judging:"):
            yield from self._ask(question, question.type, question.group, gold, ())
            return
        if question.answerable and gold:
            yield from self._ask(question, OWN, question.group, gold, ())
            yield from self._ask(question, REMOVED, question.group, gold, gold)
        if self._next[question.group] != question.group:
            yield from self._ask(question, FOREIGN, self._next[question.group], frozenset(), ())

    def _ask(
        self,
        question: Question,
        kind: str,
        group: str,
        gold: frozenset[str],
        without: Sequence[str] | frozenset[str],
    ) -> Iterator[Asked]:
        last = self._last.get(question.group)
        self._clock.now = question.time or (last + timedelta(days=1) if last else NO_TIME)
        conditions: list[dict[str, Any]] = []
        if question.asof is not None and kind != FOREIGN:
            conditions.append({"metadata.seq": {"<": question.asof}})
        if without:
            conditions.append({"not": {"id": {"in": sorted(without)}}})
        where = {"and": conditions} if conditions else None
        self._recorder.drafts.clear()
        try:
            self._engine.recall(
                question.text, spaces=self._spaces[group], preset=self._preset, where=where,
                budget=1_000_000, deadline=600.0, touch=False,
            )  # fmt: skip
        except InvalidInput:
            return  # one public set has an empty question
        for draft in self._recorder.drafts[-1:]:
            if draft.signals is None:
                continue
            keys = [candidate.key for candidate in draft.candidates]
            best = _best_passages(draft)
            keys = [key for key in keys if key in best]
            one = Asked(
                self._data.name,
                question.id,
                kind,
                group,
                self._fold.get(question.group, self._count % self._folds),
                np.array([draft.signals.rows[key] for key in keys], np.float32),
                np.array([key[0] in gold and key[0] not in without for key in keys], np.bool_),
                len(gold) - len(without),
            )
            if self._keep is not None:
                self._keep(one, draft, gold, tuple(without))
            yield one


def _best_passages(draft: Draft) -> set[tuple[str, int]]:
    """Of every memory the passage that fits best: only one of them is shown."""
    assert draft.signals is not None
    own = [SIGNALS.index(n) for n in ("words.share", "meaning.weighed", "near words.weighed")]
    fit = {key: sum(row[at] for at in own) for key, row in draft.signals.rows.items()}
    best: dict[str, tuple[str, int]] = {}
    for key, value in fit.items():
        if key[0] not in best or value > fit[best[key[0]]]:
            best[key[0]] = key
    return set(best.values())


def spread(questions: Sequence[Question], most: int) -> list[Question]:
    """Evenly over the set."""
    if len(questions) <= most:
        return list(questions)
    step = len(questions) / most
    return [questions[int(n * step)] for n in range(most)]


def judging_set(path: Path, *, size: int | None = None) -> LabelledSet:
    """A judging set: `memories` and `questions` of several kinds, in one space; or with a `size` in
    many small ones, where a question that needs memories of two of them is left out."""
    read = json.loads(path.read_text("utf-8"))
    name = f"judging_{path.parent.name}_{path.stem}" + (f"_{size}" if size else "")
    small = size or len(read["memories"])
    place = {one["id"]: f"part {at // small}" for at, one in enumerate(read["memories"])}
    places = list(dict.fromkeys(place.values()))

    def group(at: int, gold: Sequence[str]) -> str | None:
        if not gold:
            return places[at % len(places)]
        found = {place[one] for one in gold}
        return found.pop() if len(found) == 1 else None

    documents = tuple(
        Document(
            id=one["id"], text=one["text"], group=place[one["id"]], seq=at,
            speaker=one.get("speaker") or "",
            time=_TODAY - timedelta(days=one.get("days_ago") or 0, hours=at % 9),
        )
        for at, one in enumerate(read["memories"])
    )  # fmt: skip
    questions = tuple(
        Question(
            id=f"judging:{one['id']}", text=one["text"], group=where, type=one["kind"],
            time=_TODAY, answerable=bool(one["gold"]),
        )
        for at, one in enumerate(read["questions"])
        if (where := group(at, one["gold"])) is not None
    )  # fmt: skip
    relevant = {f"judging:{q['id']}": frozenset(q["gold"]) for q in read["questions"] if q["gold"]}
    return LabelledSet(name, documents, questions, relevant)


__all__ = ["FOREIGN", "OWN", "REMOVED", "SIGNALS", "Asked", "gather", "judging_set"]
