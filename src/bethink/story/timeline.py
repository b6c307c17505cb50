"""What happened when, in the story's own time: by chapter and scene."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.shelf import Shelf, Where
from bethink.story.models import EntityStateSnapshot, TimelineEntry
from bethink.story.naming import Names
from bethink.story.shelf import EVENT, STATE, Point, point_of, until
from bethink.story.states import States
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


def snapshots(
    shelf: Shelf, names: Names, end: Point, *, window: int, entity: str | None
) -> list[EntityStateSnapshot]:
    """A snapshot for each scene and each entity of which something was recorded in it, or which
    took part in what happened. An event that names nobody is in a snapshot with no entity."""
    entries = timeline(
        shelf,
        names,
        end.chapter,
        until(end),
        window=window,
        allow_future=False,
        kinds=(EVENT, STATE),
    )
    told: dict[tuple[Point, str], list[str]] = {}
    for entry in entries:
        for one in entry.participants or [""]:
            events = told.setdefault((Point(entry.chapter, entry.scene), one), [])
            events += [entry.text] if entry.content_type == EVENT else []
    wanted = None if entity is None else names.canonical(entity)
    kept = {key: events for key, events in told.items() if wanted in (None, key[1])}
    return States(shelf, names).by_scene(kept, until(end))
