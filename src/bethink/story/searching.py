"""Searching a story: one project, one phrase after another, merged by score across the phrases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from bethink.checks import shown
from bethink.errors import InvalidInput, UnknownSpace
from bethink.shelf import Shelf
from bethink.story.models import StoryMemoryChunk
from bethink.story.naming import Names
from bethink.story.shelf import CAST, EVENT, SCENE, STATE, THREAD, point_of
from bethink.story.telling import MADE_OF, SENTENCE
from bethink.vocabulary import Hit, Memory, Recollection, Status

PRESET = "story"
PER_PHRASE = 20
_BUDGET = 20_000  # tokens: whoever asks cuts by number
_MOST_KEYS = 256
# A memory is worth what its best phrase gives it, and a little more if others find it too.
_BEST, _ALL = 0.7, 0.3
_STRONG = 0.5  # more likely than not, the passage is what the phrase asks for
# What answers "what was told": states and threads are asked for as such, for they change.
_ASKED_FOR_AS_SUCH = [CAST, STATE, THREAD]

Where = Mapping[str, Any]


def content(content_type: str | None) -> Where:
    if content_type is None:
        return {
            "and": [
                {"not": {"kind": {"in": _ASKED_FOR_AS_SUCH}}},
                {"not": {f"metadata.{MADE_OF}": SENTENCE}},  # the scene itself holds it
            ]
        }
    if not isinstance(content_type, str) or not content_type:
        known = ", ".join((SCENE, EVENT, STATE, THREAD, CAST))
        raise InvalidInput(f"content_type: expected {known} or a kind of your own, "
                           f"got {shown(content_type)}")  # fmt: skip
    return {"kind": content_type}


def not_from(at_or_later: int) -> Where:
    """Nothing from this scene on; what belongs to no scene is never from the future."""
    return {"not": {"metadata.at": {">=": at_or_later}}}


def of_entities(names: Names, entities: Iterable[str]) -> Where:
    keys = [key for entity in names.canonicals(entities) for key in names.keys(entity)]
    if len(keys) > _MOST_KEYS:
        raise InvalidInput(
            f"so many entities have {len(keys)} names together; at most {_MOST_KEYS} can be asked "
            "for at once"
        )
    return {"entities": {"in": keys}}


def any_of(tags: Sequence[str]) -> Where:
    return {"tags": {"in": list(tags)}}


class Found(NamedTuple):
    """What one phrase found."""

    phrase: str
    hits: tuple[Hit, ...]
    faults: tuple[str, ...] = ()  # what the search had to do without
    unavailable: bool = False  # nothing could be searched at all


def found_by(
    shelf: Shelf,
    phrase: str,
    where: Sequence[Where],
    *,
    limit: int,
    deadline: float | None,
    floor: float | None = None,
    touch: bool = False,
) -> Found:
    try:
        answer = shelf.engine.recall(
            phrase,
            spaces=shelf.space,
            preset=PRESET,
            where={"and": list(where)},
            limit=limit,
            budget=_BUDGET,
            deadline=deadline,
            floor=floor,
            touch=touch,
        )
    except UnknownSpace:  # the project is not begun
        return Found(phrase, ())
    return Found(phrase, answer.hits, _faults(answer), answer.status is Status.UNAVAILABLE)


def _faults(answer: Recollection) -> tuple[str, ...]:
    if answer.status in (Status.DEGRADED, Status.STALE, Status.UNAVAILABLE):
        return answer.reasons or (answer.status.value,)
    return ()


def merged(found: Sequence[Found], names: Names) -> list[StoryMemoryChunk]:
    """Best first over all phrases; a memory that several find is there once."""
    hits: dict[str, list[tuple[str, Hit]]] = {}
    for one in found:
        for hit in one.hits:
            hits.setdefault(hit.id, []).append((one.phrase, hit))
    memories = [_memory(mine, len(found), names) for mine in hits.values()]
    return sorted(memories, key=lambda m: -m.score)


def strongly_found(found: Sequence[Found]) -> set[str]:
    """Return the ids of the memories that a single phrase finds with a relevance of one half."""
    return {hit.id for one in found for hit in one.hits if (hit.relevance or 0.0) >= _STRONG}


def through_scenes(memories: Sequence[StoryMemoryChunk]) -> list[StoryMemoryChunk]:
    """An event that was found speaks for its scene: the scene's best part takes its score, and it
    takes no place of its own (the timeline has it). Events of scenes not found stay."""
    events: dict[tuple[int | None, int | None], StoryMemoryChunk] = {}
    for memory in memories:  # best first
        if memory.content_type == EVENT:
            events.setdefault((memory.chapter, memory.scene), memory)
    best_parts: dict[tuple[int | None, int | None], StoryMemoryChunk] = {}
    for memory in memories:
        if memory.content_type == SCENE and (memory.chapter, memory.scene) in events:
            best_parts.setdefault((memory.chapter, memory.scene), memory)
    spoken_for = {part.id: _with_event(part, events[place]) for place, part in best_parts.items()}
    kept = [
        spoken_for.get(memory.id, memory)
        for memory in memories
        if memory.content_type != EVENT or (memory.chapter, memory.scene) not in best_parts
    ]
    return sorted(kept, key=lambda m: -m.score)


def _with_event(scene: StoryMemoryChunk, event: StoryMemoryChunk) -> StoryMemoryChunk:
    better, other = (event, scene) if event.score > scene.score else (scene, event)
    score = round(min(1.0, better.score + _ALL * other.score), 6)
    reason = f"{scene.reason}; its event, {event.reason}"
    return scene.model_copy(update={"score": score, "reason": reason})


def _memory(mine: Sequence[tuple[str, Hit]], phrases: int, names: Names) -> StoryMemoryChunk:
    phrase, best = max(mine, key=lambda one: one[1].score)
    total = sum(hit.score for _, hit in mine)
    score = _BEST * best.score + _ALL * total / phrases if phrases > 1 else best.score
    others = f" and {len(mine) - 1} more" if len(mine) > 1 else ""
    ways = ", ".join(best.channels)
    return story_memory(
        best.memory, names, text=best.text, score=score, reason=f"{ways}: {phrase!r}{others}"
    )


def story_memory(
    memory: Memory, names: Names, *, text: str = "", score: float, reason: str
) -> StoryMemoryChunk:
    """Our own parts are handed out whole; of somebody's long note, the passage that was found."""
    place, time = point_of(memory), memory.metadata.get("time")
    whole = memory.text if memory.kind in (SCENE, EVENT, STATE, THREAD) else text
    return StoryMemoryChunk(
        id=memory.id,
        text=whole or memory.text,
        score=round(min(score, 1.0), 6),
        chapter_index=None if place is None else place.chapter,
        scene_index=None if place is None else place.scene,
        content_type=memory.kind,
        entities=list(dict.fromkeys(names.now(one) for one in memory.entities)),
        tags=list(memory.tags),
        time=time if isinstance(time, str) else "",
        reason=reason,
    )
