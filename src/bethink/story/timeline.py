"""What happened when, in the story's own time: by chapter and scene."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.shelf import Shelf, Where
from bethink.story.models import TimelineEntry
from bethink.story.naming import Names
from bethink.story.shelf import EVENT, STATE, point_of
from bethink.vocabulary import Memory


def timeline(
    shelf: Shelf,
    names: Names,
    chapter: int,
    where: Where,
    *,
    window: int,
    allow_future: bool,
    kinds: Sequence[str] = (EVENT,),
) -> list[TimelineEntry]:
    """From so many chapters before this one up to it; with `allow_future`, so many after. `where`
    says which scene is the last, in either case."""
    chapters: dict[str, object] = {">=": chapter - window}
    chapters["<="] = chapter + window if allow_future else chapter
    found = shelf.every({"kind": {"in": list(kinds)}, "metadata.chapter": chapters, **where})
    entries = [entry for memory in found if (entry := _entry(memory, names)) is not None]
    return sorted(entries, key=lambda e: (e.chapter, e.scene, e.content_type == STATE))


def _entry(memory: Memory, names: Names) -> TimelineEntry | None:
    where = point_of(memory)
    if where is None:
        return None
    place, time = memory.metadata.get("place"), memory.metadata.get("time")
    return TimelineEntry(
        chapter=where.chapter,
        scene=where.scene,
        text=memory.text,
        participants=list(dict.fromkeys(names.now(one) for one in memory.entities)),
        place=place if isinstance(place, str) else "",
        time=time if isinstance(time, str) else "",
        content_type=memory.kind,
    )
