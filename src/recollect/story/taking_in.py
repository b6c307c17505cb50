"""Taking a scene in: everything of it is made and checked first, then written together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from recollect.errors import RecollectError
from recollect.shelf import Shelf
from recollect.story.extracting import Extracted, extracted
from recollect.story.models import SceneAdded, ScenePlan
from recollect.story.naming import Names
from recollect.story.shelf import EVENT, SCENE, STATE, THREAD, Point
from recollect.story.states import state_record
from recollect.story.telling import (
    MADE_OF,
    TOLD_WITH,
    event_records,
    own_event,
    scene_records,
)
from recollect.story.threads import thread_record
from recollect.vocabulary import Memory
from recollect.within import within


class SceneIn(NamedTuple):
    where: Point
    text: str
    plan: ScenePlan
    states: Mapping[str, Mapping[str, Any]] | None
    events: Sequence[Any] | None
    threads: Sequence[str] | None
    tags: tuple[str, ...]


def take_in(
    shelf: Shelf, names: Names, told: SceneIn, *, extract: bool, deadline: float
) -> SceneAdded:
    notes: list[str] = []
    scenes = scene_records(shelf, names, told.where, told.text, told.plan, told.tags)
    if extract:
        told, notes = _completed(shelf, names, told, deadline)
    before = shelf.every({f"metadata.{TOLD_WITH}": str(told.where)})
    events = _events(shelf, names, told, before)
    where, with_it = told.where, str(told.where)
    states = [
        state_record(shelf, names, entity, where, facts, source="", told_with=with_it)
        for entity, facts in (told.states or {}).items()
    ]
    opened = [
        thread_record(shelf, names, text, where, None, told_with=with_it)
        for text in told.threads or ()
    ]
    records = [*scenes, *(events or ()), *states, *opened]
    notes += shelf.put(list({record["id"]: record for record in records}.values()))
    replaced = {SCENE}
    for kind, given in ((EVENT, events), (STATE, told.states), (THREAD, told.threads)):
        if given is not None:
            replaced.add(kind)
    written = {record["id"] for record in records}
    shelf.drop([m.id for m in before if m.kind in replaced and m.id not in written])
    return SceneAdded(
        project_id=shelf.space,
        chapter=where.chapter,
        scene=where.scene,
        entities=list(dict.fromkeys(one for part in scenes for one in part["entities"])),
        memory_ids=[part["id"] for part in scenes],
        events=len(events or ()),
        states=len(states),
        threads=[thread["id"] for thread in opened],
        notes=notes,
    )


def _events(
    shelf: Shelf, names: Names, told: SceneIn, before: Sequence[Memory]
) -> list[dict[str, Any]] | None:
    """None: those that were told before stay."""
    if told.events is not None:
        return event_records(shelf, names, told.where, told.events, told.plan)
    if any(m.kind == EVENT and MADE_OF not in m.metadata for m in before):
        return None
    return [own_event(shelf, names, told.where, told.text, told.plan)]


def _completed(
    shelf: Shelf, names: Names, told: SceneIn, deadline: float
) -> tuple[SceneIn, list[str]]:
    """With what the language model finds, wherever nobody told it."""
    try:
        llm = shelf.engine.llm
        if llm is None:
            return told, ["nothing was extracted: no language model is set"]
        found: Extracted = within(
            deadline, lambda: extracted(llm, told.text, names, seconds=deadline)
        )
    except RecollectError as e:
        return told, [f"nothing was extracted: {e}"]
    return told._replace(
        events=told.events if told.events is not None else found.events or None,
        states=told.states if told.states is not None else found.states,
        threads=told.threads if told.threads is not None else found.threads,
    ), found.notes


def leave_out(
    shelf: Shelf, chapter: int, *, beyond: int | None = None, only: Point | None = None
) -> int:
    """Forget what was told with one scene of a chapter, or with those beyond a number."""
    told: Mapping[str, Any] = {"metadata.scene": {">": beyond}}
    if only is not None:
        told = {"metadata.scene": only.scene}
    found = shelf.every(
        {"metadata.chapter": chapter, f"metadata.{TOLD_WITH}": {"exists": True}, **told}
    )
    shelf.drop([memory.id for memory in found])
    return len(found)
