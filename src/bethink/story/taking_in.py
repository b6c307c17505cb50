"""Taking a scene in: everything of it is made and checked first, then written together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bethink.errors import BethinkError
from bethink.shelf import Shelf
from bethink.story.extracting import Extracted, extracted
from bethink.story.finding import occurs
from bethink.story.models import SceneAdded, ScenePlan
from bethink.story.naming import Names
from bethink.story.retelling import Former, marked, note_on_what_stays
from bethink.story.shelf import EVENT, SCENE, STATE, THREAD, Point, point_of
from bethink.story.states import check_known, state_record
from bethink.story.telling import (
    MADE_OF,
    TOLD_WITH,
    Mentions,
    check_text,
    event_from,
    event_records,
    own_event,
    scene_records,
)
from bethink.story.threads import thread_record
from bethink.vocabulary import Memory
from bethink.within import within


class SceneIn(NamedTuple):
    where: Point
    text: str
    plan: ScenePlan | None  # None: as it was told before
    states: Mapping[str, Mapping[str, Any]] | None
    events: Sequence[Any] | None
    threads: Sequence[str] | None
    tags: tuple[str, ...]
    mentions: Mentions | None = None  # None: as it was told before
    # Kinds that a language model found, and nobody told.
    found: frozenset[str] = frozenset()


def take_in(
    shelf: Shelf,
    names: Names,
    told: SceneIn,
    *,
    extract: bool,
    deadline: float,
    of_a_chapter: bool = False,
    allow_new: bool = False,
) -> SceneAdded:
    """`of_a_chapter`: its number was counted, so that with quite another text it is another
    scene."""
    where, with_it = told.where, str(told.where)
    former = Former(shelf.every({f"metadata.{TOLD_WITH}": with_it}))
    plan = told.plan
    another = isinstance(told.text, str) and former.is_another(told.text)
    if plan is None or (of_a_chapter and not another):
        plan = _kept_plan(former, told)
    check_text(told.text, where)
    mentions = former.mentions() if told.mentions is None else told.mentions
    if not allow_new:
        check_known(shelf, names, [*(told.states or ()), *(told.mentions or {}).values()])
    notes = doubts(names, told, plan)
    failed = False
    if extract:
        told, said, failed = _completed(shelf, names, told, former, deadline)
        notes += said
    # what a model found in the text before goes with it, unless the model cannot be asked now
    outdated = former.extracted() if (another or extract) and not failed else []
    staying = [m for m in former.told if m not in outdated]
    events = _events(shelf, names, told, plan, mentions, staying)
    states = [
        state_record(shelf, names, entity, where, facts, source="", told_with=with_it)
        for entity, facts in (told.states or {}).items()
    ]
    by_hand = shelf.of_kind(STATE, {"metadata.at": where.at})
    beside = [m for m in staying if m.kind == EVENT and events is None]
    beside += [m for m in by_hand if told.states is None or TOLD_WITH not in m.metadata]
    concerned = [
        *(one for record in (*(events or ()), *states) for one in record["entities"]),
        *(names.now(one) for memory in beside for one in memory.entities),
    ]
    scenes = scene_records(
        shelf, names, where, told.text, plan, told.tags, mentions=mentions, concerned=concerned
    )
    notes += _without_a_place(told, mentions)
    opened = [
        thread_record(shelf, names, text, where, None, told_with=with_it, mentions=mentions)
        for text in told.threads or ()
    ]
    records = [
        *scenes,
        *marked(events or (), EVENT in told.found),
        *marked(states, STATE in told.found),
        *marked(opened, THREAD in told.found),
    ]
    notes += shelf.put(list({record["id"]: record for record in records}.values()))
    replaced = {SCENE}
    for kind, given in ((EVENT, events), (STATE, told.states), (THREAD, told.threads)):
        if given is not None:
            replaced.add(kind)
    written = {record["id"] for record in records}
    others = [m for m in former.told if m.id not in written]
    gone = [m for m in others if m.kind in replaced or m in outdated]
    if another:
        notes += note_on_what_stays(where, [m for m in others if m not in gone])
        if outdated and not extract:
            notes.append(f"{where}: what a language model found in the text before is left out")
    shelf.drop([m.id for m in gone])
    return SceneAdded(
        project_id=shelf.space,
        chapter=where.chapter,
        scene=where.scene,
        entities=list(dict.fromkeys(one for part in scenes for one in part["entities"])),
        memory_ids=[part["id"] for part in scenes],
        events=len(events or ()),
        states=len(states),
        threads=[thread["id"] for thread in opened],
        notes=list(dict.fromkeys(notes)),
    )


def _kept_plan(former: Former, told: SceneIn) -> ScenePlan:
    kept = former.plan()
    changed: dict[str, Any] = {"tags": []} if told.tags else {}
    if told.plan is not None and told.plan.title:
        changed["title"] = told.plan.title
        if kept.summary == kept.title:  # the title made the event, and it is another now
            changed["summary"] = ""
    return kept.model_copy(update=changed)


def _events(
    shelf: Shelf,
    names: Names,
    told: SceneIn,
    plan: ScenePlan,
    mentions: Mentions,
    before: Sequence[Memory],
) -> list[dict[str, Any]] | None:
    """None: those that were told before stay."""
    if told.events is not None:
        return event_records(shelf, names, told.where, told.events, plan, mentions)
    if any(m.kind == EVENT and MADE_OF not in m.metadata for m in before):
        return None
    return [own_event(shelf, names, told.where, told.text, plan, mentions)]


def _without_a_place(told: SceneIn, mentions: Mentions) -> list[str]:
    """Notes on linked words that the text does not hold."""
    return [
        f"{words!r} is linked to {who!r}, but does not occur in the text of {told.where}"
        for words, who in mentions.items()
        if not occurs(words, told.text)
    ]


def _completed(
    shelf: Shelf, names: Names, told: SceneIn, former: Former, deadline: float
) -> tuple[SceneIn, list[str], bool]:
    """With what the language model finds, wherever nobody told it, now or before; and whether it
    failed."""
    try:
        llm = shelf.engine.llm
        if llm is None:
            return told, ["nothing was extracted: no language model is set"], True
        found: Extracted = within(
            deadline, lambda: extracted(llm, told.text, names, seconds=deadline)
        )
    except BethinkError as e:
        return told, [f"nothing was extracted: {e}"], True
    by_model: dict[str, Any] = {}
    for kind, name, given in (
        (EVENT, "events", found.events or None),
        (STATE, "states", found.states),
        (THREAD, "threads", found.threads),
    ):
        if getattr(told, name) is None and given is not None and not former.by_hand(kind):
            by_model[name] = given
    kinds = {"events": EVENT, "states": STATE, "threads": THREAD}
    done = told._replace(**by_model, found=frozenset(kinds[name] for name in by_model))
    return done, found.notes, False


def doubts(names: Names, told: SceneIn, plan: ScenePlan) -> list[str]:
    """Names that are nobody's, and nearly somebody's."""
    asked = [*plan.characters, *(told.states or ())]
    for event in told.events or ():
        asked += event_from(event).participants
    return names.doubts(asked)


def leave_out(shelf: Shelf, chapter: int, *, beyond: int) -> list[str]:
    """Forget what was told with the scenes of a chapter beyond a number; a note on what somebody
    recorded by hand of one of them, which stays."""
    found = shelf.every({"metadata.chapter": chapter, "metadata.scene": {">": beyond}})
    gone = [memory for memory in found if TOLD_WITH in memory.metadata]
    shelf.drop([memory.id for memory in gone])
    scenes = {point_of(memory) for memory in gone}
    left = sorted({str(at) for m in found if m not in gone and (at := point_of(m)) in scenes})
    return [
        f"{one} is gone; what was recorded there by hand stays, until you remove it" for one in left
    ]
