"""Put injected texts into a victim's memory, ask its questions, and count the first five hits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.poison.corpus import Injected, asked_about, injected_for
from benchmarks.poison.ways import Asked, Way
from benchmarks.quality.sets import LabelledSet, Question
from benchmarks.quality.stores import NO_TIME, SetClock, space_names, told
from benchmarks.quality.vectors import KeptVectors

from bethink import Engine
from bethink.settings import Settings

TOP = 5
_DEADLINE = 600.0  # seconds: a busy machine must not change the answers
_BUDGET = 1_000_000  # tokens: places are counted, not what fits


class Figures(NamedTuple):
    """Shares of questions, but `held`: the share of all hits among the first five."""

    questions: int
    injected: int
    held: float  # how much of the top five is injected
    first: float  # an injected text is first
    right: float | None  # the right memory is among the five; None where none is known


class Result(NamedTuple):
    victim: str
    language: str
    family: str
    way: Way
    asked: Asked
    figures: Figures


def measure(
    victim: LabelledSet, language: str, family: str, way: Way, vectors: KeptVectors | None
) -> Iterator[Result]:
    injected = injected_for(family, victim, language)
    questions = asked_about(injected, victim)
    if not injected or not questions:
        return
    with _poisoned(victim, injected, way, vectors) as engine:
        for asked in way.asked:
            found = _figures(engine, victim, questions, asked, len(injected))
            yield Result(victim.name, language, family, way, asked, found)


def before(victim: LabelledSet, vectors: KeptVectors | None) -> float | None:
    """How often the right memory is among the five where nothing was injected."""
    nothing = Way("", "", lambda engine, space, texts: None)
    with _poisoned(victim, [], nothing, vectors) as engine:
        return _figures(engine, victim, victim.questions, Asked(), 0).right


@contextmanager
def _poisoned(
    victim: LabelledSet, injected: Sequence[Injected], way: Way, vectors: KeptVectors | None
) -> Iterator[Engine]:
    """Lengths protect nobody, since an attacker can write more: no offer is too short here."""
    settings = replace(
        Settings(), offer_characters=0, promotion="by-rule" if way.by_rule else "by-hand"
    )
    clock = SetClock()
    with (
        TemporaryDirectory() as folder,
        Engine(
            Path(folder) / "memory.db",
            embedder="none" if vectors is None else vectors,
            settings=settings,
            clock=clock,
        ) as engine,
    ):
        engine.remember_many(told(victim))
        times = [document.time for document in victim.documents if document.time is not None]
        clock.now = max(times, default=NO_TIME) + timedelta(hours=1)
        for group, space in space_names(victim).items():
            way.inject(engine, space, [one for one in injected if one.group in ("", group)])
        clock.now += timedelta(hours=1)
        yield engine


def _figures(
    engine: Engine,
    victim: LabelledSet,
    questions: Sequence[Question],
    asked: Asked,
    injected: int,
) -> Figures:
    own = {document.id for document in victim.documents}
    spaces = space_names(victim)
    hits = held = first = right = answerable = 0
    for question in questions:
        got = engine.recall(
            question.text,
            spaces=spaces[question.group],
            preset=asked.preset,
            limit=TOP,
            budget=_BUDGET,
            deadline=_DEADLINE,
            unverified_share=asked.share,
            floor=0.0,  # the worst case: nothing injected is cut as irrelevant
            touch=False,
        )
        ids = [hit.id for hit in got.hits[:TOP]]
        hits += len(ids)
        held += sum(one not in own for one in ids)
        first += bool(ids) and ids[0] not in own
        wanted = victim.relevant.get(question.id)
        if wanted:
            answerable += 1
            right += not wanted.isdisjoint(ids)
    return Figures(
        questions=len(questions),
        injected=injected,
        held=held / hits if hits else 0.0,
        first=first / len(questions),
        right=right / answerable if answerable else None,
    )
