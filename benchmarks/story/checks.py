"""What a context holds, against what it must and must not hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from benchmarks.story.novel import At, Check, Novel, Scene

from bethink.story.models import SceneMemoryContext

_SENTENCE_ENDS = re.compile(r"(?<=[.!?。！？])")
_SHORTEST = 12  # characters of a sentence that stands for its scene


class Verdict(NamedTuple):
    check: Check
    holds: bool
    rank: int  # of the memory that must be there, from 1; 0: none
    implied: bool  # a state of something that the plan does not name


def verdicts(
    novel: Novel, at: At, context: SceneMemoryContext, threads: Mapping[str, str]
) -> list[Verdict]:
    """Of every question about this scene. `threads` are the ids that ours got."""
    return [_verdict(novel, check, context, threads) for check in novel.checks if check.at == at]


def _verdict(
    novel: Novel, check: Check, context: SceneMemoryContext, threads: Mapping[str, str]
) -> Verdict:
    places = [n for n, said in enumerate(_said(check, context, threads), 1) if check.text in said]
    return Verdict(
        check,
        bool(places) == (check.say == "must"),
        places[0] if places and check.part == "memories" else 0,
        check.part == "states" and not _named(novel, check.about.split(".")[0], check.at),
    )


def _said(check: Check, context: SceneMemoryContext, threads: Mapping[str, str]) -> Iterator[str]:
    """Everything in the context that could be what is asked for."""
    match check.part:
        case "states":
            entity, fact = check.about.split(".", 1)
            for state in context.entity_states:
                if state.entity_id == entity:
                    yield from (v for k, v in state.facts.items() if fact in ("*", k))
        case "memories":
            yield from (memory.text for memory in context.relevant_memories)
        case "timeline":
            yield from (entry.text for entry in context.events)
        case "threads":
            yield from ("" for one in context.open_threads if one.id == threads[check.about])


def _named(novel: Novel, entity: str, at: At) -> bool:
    who = next(one for one in novel.cast if one["id"] == entity)
    plan = novel.scene(at).planned
    return any(name in plan for name in (who["name"], *who["aliases"], *who["titles"]))


def leaks(novel: Novel, at: At, context: SceneMemoryContext) -> list[str]:
    """Whatever is in the context and was told at this scene or later."""
    dumped = context.model_dump(mode="json")
    found = [
        f"{path} is of {place}"
        for path, place in _places(dumped, "")
        if place >= at and path  # the context itself is of this scene
    ]
    told = json.dumps(dumped, ensure_ascii=False)
    known = "\n".join([novel.scene(at).planned, *(s.text for s in novel.scenes if s.at < at)])
    for scene in novel.scenes:
        if scene.at >= at:
            found += [
                f"of {scene.at}: {said}"
                for said in _sayings(scene)
                if said not in known and json.dumps(said, ensure_ascii=False)[1:-1] in told
            ]
    return found


def _sayings(scene: Scene) -> Iterator[str]:
    """What only this scene says."""
    yield scene.event
    yield from (thread.title for thread in scene.opens)
    for sentence in _SENTENCE_ENDS.split(scene.text):
        if len(sentence.strip()) >= _SHORTEST:
            yield sentence.strip()


def _places(value: Any, path: str) -> Iterator[tuple[str, At]]:
    """Every place in the story that is written in the context, and where in it."""
    if isinstance(value, dict):
        chapter = value.get("chapter", value.get("chapter_index"))
        scene = value.get("scene", value.get("scene_index"))
        if isinstance(chapter, int) and isinstance(scene, int):
            yield path, At(chapter, scene)
        for key, inner in value.items():
            yield from _places(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _places(inner, f"{path}[{number}]")
