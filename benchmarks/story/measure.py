"""Ingest a novel once, ask for the context of every scene in every way, and count."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.story.checks import Verdict, leaks, verdicts
from benchmarks.story.model import Script, serving
from benchmarks.story.novel import Novel, Scene
from benchmarks.story.runs import Run

from bethink import Engine
from bethink.llms.openai_compatible import OpenAICompatibleLLM
from bethink.settings import Settings
from bethink.story.models import Cast, SceneMemoryContext, ScenePlan
from bethink.story.story import Story
from bethink.text.tokens import count_tokens

PROJECT = "salt-lamp"
_SECONDS = 60.0  # for a context: the machine is shared, and late is not what is measured
LAST_TEN = "the last ten scenes"
LATEST = 10  # scenes before this one, as the plainest way to fill a context


def plan_of(scene: Scene) -> ScenePlan:
    return ScenePlan(
        title=scene.title,
        summary=scene.summary,
        location=scene.location,
        characters=list(scene.characters),
        beats=list(scene.beats),
        time=scene.time,
    )


def ingest(novel: Novel, store: Path, embedder: str) -> dict[str, str]:
    """The whole novel, to its last page; the ids that our threads got."""
    threads: dict[str, str] = {}
    with Engine(store, embedder=embedder, settings=Settings()) as engine:
        story = Story(engine, PROJECT)
        story.set_cast(Cast.model_validate({"characters": list(novel.cast)}))
        for scene in novel.scenes:
            place = scene.at
            story.add_scene(
                *place, scene.text, plan=plan_of(scene), states=scene.states, events=[scene.event]
            )
            for thread in scene.opens:
                threads[thread.id] = story.open_thread(
                    thread.title, *place, entities=thread.entities
                )
            for closed in scene.closes:
                story.close_thread(threads[closed], *place)
    return threads


class Asked(NamedTuple):
    verdicts: list[Verdict]
    leaks: list[str]
    figures: dict[str, float]
    faults: list[str]  # what a context said was missing, beside the model


def ask(novel: Novel, store: Path, embedder: str, run: Run, threads: Mapping[str, str]) -> Asked:
    """The context of every scene but the first, from a store that holds the whole novel."""
    found: list[Verdict] = []
    leaked: list[str] = []
    faults: list[str] = []
    contexts: list[SceneMemoryContext] = []
    spent = 0.0
    with _engine(novel, store, embedder, run) as engine, run.without():
        story = Story(engine, PROJECT)
        for scene in novel.scenes[1:]:
            began = time.perf_counter()
            context = story.scene_context(plan_of(scene), None, *scene.at, deadline=_SECONDS)
            spent += time.perf_counter() - began
            contexts.append(context)
            found += verdicts(novel, scene.at, context, threads)
            leaked += [f"{scene.at}: {leak}" for leak in leaks(novel, scene.at, context)]
            faults += [fault for fault in context.missing if not _expected(fault, run)]
    return Asked(found, leaked, _sizes(contexts, spent), faults)


def _expected(fault: str, run: Run) -> bool:
    return (not run.model and fault.startswith("language model: none")) or (
        run.words and fault.startswith("memories:")
    )


@contextmanager
def _engine(novel: Novel, store: Path, embedder: str, run: Run) -> Iterator[Engine]:
    embedder = "none" if run.words else embedder
    if not run.model:
        with Engine(store, embedder=embedder, llm="none", settings=Settings()) as engine:
            yield engine
        return
    script = Script(novel)
    with serving(script) as address:
        llm = OpenAICompatibleLLM("scripted", endpoint=address)
        try:
            with Engine(store, embedder=embedder, llm=llm, settings=Settings()) as engine:
                yield engine
        finally:
            llm.close()
        if not script.asked:
            raise RuntimeError("the scripted model was never asked")


def latest(novel: Novel) -> list[Verdict]:
    """What the last ten scenes would hold: the plainest way, as a measure of the others."""
    found = []
    for check in novel.checks:
        if check.part == "memories":
            before = [scene for scene in novel.scenes if scene.at < check.at][-LATEST:]
            ranks = [n for n, s in enumerate(reversed(before), 1) if check.text in s.text]
            holds = bool(ranks) == (check.say == "must")
            found.append(Verdict(check, holds, ranks[0] if ranks else 0, False))
    return found


def _sizes(contexts: Sequence[SceneMemoryContext], spent: float) -> dict[str, float]:
    def mean(values: Iterable[float]) -> float:
        return round(sum(values) / len(contexts), 2)

    return {
        "memories": mean(len(c.relevant_memories) for c in contexts),
        "states": mean(len(c.entity_states) for c in contexts),
        "timeline": mean(len(c.events) for c in contexts),
        "threads": mean(len(c.open_threads) for c in contexts),
        "tokens": mean(count_tokens(_shown(c)) for c in contexts),
        "ms": round(spent / len(contexts) * 1000, 1),
    }


def _shown(context: SceneMemoryContext) -> str:
    told: list[Any] = [
        *(f"{s.name}: {s.facts}" for s in context.entity_states),
        *(m.text for m in context.relevant_memories),
        *(e.text for e in context.events),
        *(t.text for t in context.open_threads),
    ]
    return "\n".join(told)
