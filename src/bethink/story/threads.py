"""Threads: what the story has left open, as seen from a scene."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bethink.errors import InvalidInput, NotFound
from bethink.shelf import Shelf, Where
from bethink.story.models import ScenePoint, Thread
from bethink.story.naming import Names
from bethink.story.shelf import THREAD, Point, point_of
from bethink.story.telling import found_with
from bethink.vocabulary import Memory


def thread_record(
    shelf: Shelf,
    names: Names,
    text: str,
    where: Point,
    entities: list[str] | None,
    *,
    told_with: str = "",
    mentions: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput("a thread needs a text: the question that the story leaves open")
    text = text.strip()
    memory_id = shelf.id(THREAD, where, " ".join(text.casefold().split()))
    held = shelf.get(memory_id)
    closed = held.metadata.get("closed") if held is not None else None
    given = [] if entities is None else entities
    return {
        "id": memory_id,
        "text": text,
        "kind": THREAD,
        "entities": names.canonicals(given) if given else found_with(text, names, mentions or {}),
        "metadata": {
            **where.metadata,
            **({"given": given} if given else {}),
            **({"told_with": told_with} if told_with else {}),
            **({"closed": closed} if closed else {}),  # told again, it does not open again
        },
    }


def close(shelf: Shelf, thread_id: str, where: Point, resolution: str) -> Memory:
    memory = shelf.get(thread_id)
    if memory is None or memory.kind != THREAD:
        raise NotFound(f"there is no thread {thread_id!r}; 'bethink story threads' shows the ids")
    opened = point_of(memory)
    if opened is not None and where < opened:
        raise InvalidInput(
            f"the thread was opened in {opened} and cannot be closed before that, in {where}"
        )
    closed = {**where.metadata, "resolution": resolution.strip()}
    shelf.put([{"id": memory.id, "metadata": {**memory.metadata, "closed": closed}}])
    found = shelf.get(thread_id)
    assert found is not None
    return found


def thread_of(memory: Memory, names: Names, seen_from: Point | None) -> Thread | None:
    """The thread as it stands at the end of a scene; None if it was opened later."""
    opened = point_of(memory)
    if opened is None or (seen_from is not None and opened > seen_from):
        return None
    told = memory.metadata.get("closed")
    closed = told if isinstance(told, Mapping) else {}
    shut = None
    if isinstance(closed.get("chapter"), int) and isinstance(closed.get("scene"), int):
        shut = Point(closed["chapter"], closed["scene"])
        if seen_from is not None and shut > seen_from:
            shut = None  # nobody there knows it yet
    return Thread(
        id=memory.id,
        text=memory.text,
        opened_at=ScenePoint(chapter=opened.chapter, scene=opened.scene),
        entities=[names.now(one) for one in memory.entities],
        closed_at=None if shut is None else ScenePoint(chapter=shut.chapter, scene=shut.scene),
        resolution=str(closed.get("resolution") or "") if shut is not None else "",
    )


def threads(
    shelf: Shelf, names: Names, where: Where, seen_from: Point | None, *, closed: bool
) -> list[Thread]:
    found = [thread_of(memory, names, seen_from) for memory in shelf.of_kind(THREAD, where)]
    kept = [t for t in found if t is not None and (closed or t.closed_at is None)]
    return sorted(kept, key=lambda t: (t.opened_at.chapter, t.opened_at.scene))
