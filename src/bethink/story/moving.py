"""Scenes that go, and scenes that move: everything that was told of them goes and moves along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from bethink.errors import InvalidInput, NotFound
from bethink.shelf import Shelf, Where
from bethink.story.shelf import EVENT, SCENE, STATE, THREAD, Point, point_of
from bethink.story.telling import TOLD_WITH
from bethink.vocabulary import Memory

_KINDS = (SCENE, EVENT, STATE, THREAD)


def remove(shelf: Shelf, chapter: int, scene: int | None) -> int:
    """Forget a scene or a chapter, also what was recorded by hand there; a thread that was closed
    there is open again. How many memories went."""
    gone = shelf.every(_of(chapter, scene))
    ids = {memory.id for memory in gone}
    reopened = [memory for memory in _closed_in(shelf, chapter, scene) if memory.id not in ids]
    shelf.put([{"id": m.id, "metadata": _but_closed(m)} for m in reopened])
    shelf.drop(ids)
    return len(gone)


class Way(NamedTuple):
    """From a scene, or from a chapter with all its scenes, to another place."""

    chapter: int
    scene: int | None
    to_chapter: int
    to_scene: int | None

    def takes(self, place: Point) -> bool:
        return place.chapter == self.chapter and self.scene in (None, place.scene)

    def goes(self, place: Point) -> Point:
        return Point(self.to_chapter, place.scene if self.to_scene is None else self.to_scene)


def move(shelf: Shelf, way: Way) -> int:
    """Put a scene or a chapter elsewhere, where nothing is yet. How many memories went along. Done
    again after it was cut short, it is completed."""
    if way[:2] == way[2:]:
        raise InvalidInput(f"{_said(*way[:2])} is there already")
    found = shelf.every(_of(way.chapter, way.scene))
    if not found:
        raise NotFound(f"nothing was told of {_said(*way[:2])}; there is nothing to move")
    moved = [_moved(shelf, memory, old, way) for memory in found if (old := point_of(memory))]
    mine = {record["id"] for record in moved}
    if any(memory.id not in mine for memory in shelf.every(_of(way.to_chapter, way.to_scene))):
        raise InvalidInput(
            f"something was told of {_said(*way[2:])} already; move or remove that first"
        )
    ids = {memory.id for memory in found}
    closed = [m for m in _closed_in(shelf, way.chapter, way.scene) if m.id not in ids]
    shelf.put([*moved, *({"id": m.id, "metadata": _closed_at(m.metadata, way)} for m in closed)])
    shelf.drop(ids)
    return len(found)


def _of(chapter: int, scene: int | None) -> Where:
    where: dict[str, Any] = {"kind": {"in": list(_KINDS)}, "metadata.chapter": chapter}
    return where if scene is None else {**where, "metadata.scene": scene}


def _said(chapter: int, scene: int | None) -> str:
    return f"chapter {chapter}" if scene is None else f"scene {chapter}.{scene}"


def _moved(shelf: Shelf, memory: Memory, old: Point, way: Way) -> dict[str, Any]:
    """The memory at its new place, under a new id: what is told of the old place from now on has
    the old one."""
    new = way.goes(old)
    metadata = {**_closed_at(memory.metadata, way), **new.metadata}
    if TOLD_WITH in metadata:
        metadata[TOLD_WITH] = str(new)
    text = memory.text
    if memory.kind == STATE:
        text = text.replace(f" ({old}): ", f" ({new}): ", 1)
    return {
        "id": shelf.id(memory.kind, "moved", memory.id, new),
        "text": text,
        "kind": memory.kind,
        "section": memory.section,
        "tags": list(memory.tags),
        "entities": list(memory.entities),
        "source": memory.source,
        "metadata": metadata,
    }


def _closed_at(metadata: Mapping[str, Any], way: Way) -> dict[str, Any]:
    """With the scene that closes a thread at its new place, if it is one of those that move."""
    closed, place = metadata.get("closed"), _closing(metadata)
    if not isinstance(closed, Mapping) or place is None or not way.takes(place):
        return dict(metadata)
    return {**metadata, "closed": {**closed, **way.goes(place).metadata}}


def _but_closed(memory: Memory) -> dict[str, Any]:
    return {name: value for name, value in memory.metadata.items() if name != "closed"}


def _closing(metadata: Mapping[str, Any]) -> Point | None:
    closed = metadata.get("closed")
    if not isinstance(closed, Mapping):
        return None
    chapter, scene = closed.get("chapter"), closed.get("scene")
    return Point(chapter, scene) if isinstance(chapter, int) and isinstance(scene, int) else None


def _closed_in(shelf: Shelf, chapter: int, scene: int | None) -> Iterable[Memory]:
    for memory in shelf.of_kind(THREAD):
        place = _closing(memory.metadata)
        if place is not None and place.chapter == chapter and scene in (None, place.scene):
            yield memory
