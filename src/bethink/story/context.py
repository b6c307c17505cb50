"""The context of a scene. Each part is asked on its own and within the deadline: what fails is
named in `missing`, and the others answer all the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from bethink.errors import BethinkError, InvalidInput, said_to_anybody
from bethink.recall.draft import Deadline
from bethink.shelf import Shelf
from bethink.story.fitting import BEFORE
from bethink.story.models import (
    EntityStateSnapshot,
    SceneMemoryContext,
    ScenePlan,
    StoryMemoryChunk,
    Thread,
    TimelineContext,
)
from bethink.story.naming import Names, id_for
from bethink.story.planning import Planned, by_model, by_rules, in_the_scene, plan_text
from bethink.story.searching import (
    PER_PHRASE,
    Found,
    Where,
    content,
    found_by,
    merged,
    not_from,
    of_entities,
    story_memory,
    strongly_found,
    through_scenes,
)
from bethink.story.shelf import EVENT, SCENE, Point, before, point_of
from bethink.story.states import States
from bethink.story.telling import part_of
from bethink.story.threads import threads
from bethink.story.timeline import timeline
from bethink.text.tokenise import telling_terms
from bethink.vocabulary import Memory, Status
from bethink.within import Late, within

if TYPE_CHECKING:
    from bethink.llms.protocol import LLM

T = TypeVar("T")

TOP_K = 10
WINDOW = 3  # chapters
_FEW = 3  # memories of the scene's own entities; with fewer, what is weakly found fills up
_KEEP = 0.05  # the share of the best score that a memory of nobody in the scene needs
_OF_OTHERS = 0.5  # measured: with more, unrelated scenes push into the first three
_MODEL_SHARE = 0.5  # of the time that is left: the searches need the rest


def not_begun(project: str) -> str:
    return f"project: there is no {project!r}; nothing was ever told of it. Is the name right?"


def without_store(
    project: str, plan: ScenePlan, names: Names, others: Sequence[str], here: Point, why: str
) -> SceneMemoryContext:
    """The context where the store cannot be opened: who is in the scene and what to look for, by
    the plan and the cast that are given, so that the scene can still be written."""
    scene = in_the_scene(plan, others, names)
    return SceneMemoryContext(
        project_id=project,
        chapter_index=here.chapter,
        scene_index=here.scene,
        retrieval_timestamp=datetime.now(UTC),
        status=Status.DEGRADED.value,
        missing=[f"store: {why}", *(f"characters: {note}" for note in scene.notes)],
        phrases=by_rules(plan, scene.entities, names, ""),
    )


class _Before:
    """The scene before this one: its last part, and what it was about."""

    def __init__(self, parts: Sequence[Memory] = (), gist: str = "") -> None:
        self.last = parts[-1] if parts else None
        self.gist = gist


class ContextMaker:
    def __init__(
        self, shelf: Shelf, here: Point, *, deadline: float, allow_future: bool = False
    ) -> None:
        self._shelf = shelf
        self._here = here
        self._deadline = Deadline.after(deadline)
        self._allow_future = allow_future
        self._missing: list[str] = []
        self._notes: list[str] = []
        self._parts = self._failed = 0

    def make(
        self, plan: ScenePlan, names: Callable[[], Names], given: Names, others: Sequence[str]
    ) -> SceneMemoryContext:
        if not self._part("project", self._shelf.is_begun, True):
            self._notes.append(not_begun(self._shelf.space))
        who_is_who = self._part("cast", names, given)
        scene = in_the_scene(plan, others, who_is_who)
        self._missing += [f"characters: {note}" for note in scene.notes]
        past = self._part("timeline", lambda: self._timeline(who_is_who), None)
        previous = self._part("previous scene", self._previous, _Before())
        planned = self._planned(plan, scene.entities, who_is_who, previous.gist)
        entities = planned.entities
        states = self._part(
            "entity states", lambda: self._states(who_is_who, entities), list[EntityStateSnapshot]()
        )
        open_threads = self._part(
            "threads", lambda: self._threads(who_is_who, plan, entities), list[Thread]()
        )
        memories = self._memories(planned, plan, who_is_who, previous)
        return SceneMemoryContext(
            project_id=self._shelf.space,
            chapter_index=self._here.chapter,
            scene_index=self._here.scene,
            entity_states=states,
            relevant_memories=memories,
            timeline_context=past,
            open_threads=open_threads,
            retrieval_timestamp=self._shelf.engine.now(),
            status=self._status(
                bool(states or memories or open_threads or (past and past["events"]))
            ).value,
            missing=list(dict.fromkeys(self._missing)),
            notes=list(dict.fromkeys(self._notes)),
            phrases=planned.phrases,
        )

    def _part(self, what: str, do: Callable[[], T], otherwise: T) -> T:
        """One part of the answer. Whatever goes wrong in it stays in it."""
        self._parts += 1
        try:
            return within(self._deadline.left(), do)
        except Exception as e:  # also somebody's store or embedder: the scene must be written
            self._missing.append(f"{what}: {said_to_anybody(e)}")
        self._failed += 1
        return otherwise

    def _status(self, found: bool) -> Status:
        if self._parts and self._failed == self._parts:
            return Status.UNAVAILABLE
        if self._missing:
            return Status.DEGRADED
        return Status.ANSWERED if found else Status.EMPTY

    # Who and what

    def _planned(
        self, plan: ScenePlan, entities: list[str], names: Names, previous: str
    ) -> Planned:
        rules = Planned(entities, by_rules(plan, entities, names, previous))
        try:
            llm = self._shelf.engine.llm
            if llm is None:
                self._notes.append("language model: none is set; the phrases are made by rules")
                return rules
            planned = self._asked(llm, plan, entities, names, previous)
        except BethinkError as e:
            self._missing.append(f"language model: {e}; the phrases are made by rules")
            return rules
        self._notes += planned.notes
        return planned

    def _asked(
        self, llm: LLM, plan: ScenePlan, entities: list[str], names: Names, previous: str
    ) -> Planned:
        seconds = self._deadline.left() * _MODEL_SHARE
        try:
            return within(
                seconds,
                lambda: by_model(llm, plan, entities, names, previous, seconds=seconds),
            )
        except Late as e:
            raise Late(f"{llm.name}: {e}") from None

    # What holds, what happened, what is open

    @property
    def _past(self) -> Where:
        return {} if self._allow_future else before(self._here)

    def _states(self, names: Names, entities: Sequence[str]) -> list[EntityStateSnapshot]:
        """Of everybody in the scene, and of what is in their hands: whatever has one of them for a
        fact, as a sword its holder."""
        states = States(self._shelf, names).all(self._past)
        mine = [states[one] for one in entities if one in states]
        called = {id_for(key) for one in entities for key in names.keys(one)}
        theirs = [
            state
            for entity, state in states.items()
            if entity not in entities and any(_names(v, called) for v in state.facts.values())
        ]
        return mine + theirs

    def _timeline(self, names: Names) -> TimelineContext | None:
        chapter = self._here.chapter
        events = timeline(
            self._shelf, names, chapter, self._past, window=WINDOW, allow_future=self._allow_future
        )
        last = chapter + WINDOW if self._allow_future else chapter
        return TimelineContext(
            from_chapter_index=max(chapter - WINDOW, 0), to_chapter_index=last, events=events
        )

    def _threads(self, names: Names, plan: ScenePlan, entities: Sequence[str]) -> list[Thread]:
        seen_from = None if self._allow_future else Point(self._here.chapter, self._here.scene - 1)
        found = threads(self._shelf, names, self._past, seen_from, closed=False)
        told = set(telling_terms(plan_text(plan)))
        return [
            thread
            for thread in found
            if set(thread.entities) & set(entities)
            or (not thread.entities and told & set(telling_terms(thread.text)))
        ]

    def _previous(self) -> _Before:
        lately = {"metadata.at": {"<": self._here.at, ">=": Point(self._here.chapter - 1, 0).at}}
        scenes = self._shelf.of_kind(SCENE, lately) or self._shelf.of_kind(
            SCENE, before(self._here)
        )
        if not scenes:
            return _Before()
        last = max((place.at for m in scenes if (place := point_of(m)) is not None), default=-1)
        parts = [m for m in scenes if m.metadata.get("at") == last]
        events = self._shelf.of_kind(EVENT, {"metadata.at": last})
        return _Before(sorted(parts, key=part_of), " ".join(event.text for event in events[-3:]))

    # What was told

    def _memories(
        self, planned: Planned, plan: ScenePlan, names: Names, previous: _Before
    ) -> list[StoryMemoryChunk]:
        time = {"metadata.at": {"!=": self._here.at}} if self._allow_future else None
        always = [content(None), time or not_from(self._here.at)]
        closely = [*always, _of_the_scene(planned.entities, plan, names)]
        mine = merged(self._searched(planned.phrases, closely), names)
        known = {memory.id for memory in mine}
        anybody = self._searched(planned.phrases, always)
        strong = strongly_found(anybody)
        others = [
            _of_others(memory, strongly=memory.id in strong)
            for memory in merged(anybody, names)
            if memory.id not in known and (memory.id in strong or len(mine) < _FEW)
        ]
        near = through_scenes(sorted([*mine, *others], key=lambda memory: -memory.score))
        best = max((memory.score for memory in near), default=0.0)
        there = set(names.canonicals(planned.entities))
        near = [m for m in near if m.score >= _KEEP * best or there.intersection(m.entities)]
        return _with_previous(near, previous.last, names)

    def _searched(self, phrases: Sequence[str], where: Sequence[Where]) -> list[Found]:
        found: list[Found] = []
        for phrase in phrases:
            one = self._part("memories", partial(self._search, phrase, where), Found(phrase, ()))
            self._missing += [f"memories: {fault}" for fault in one.faults]
            self._failed += one.unavailable
            found.append(one)
        return found

    def _search(self, phrase: str, where: Sequence[Where]) -> Found:
        left = max(self._deadline.left(), 0.001)
        # What one phrase barely finds, another phrase or an event may speak for: cut afterwards.
        return found_by(self._shelf, phrase, where, limit=PER_PHRASE, deadline=left, floor=0.0)


def _of_the_scene(entities: Sequence[str], plan: ScenePlan, names: Names) -> Where:
    """Of somebody in the scene, of its place, or of nobody in particular."""
    ways: list[Where] = [{"entities": {"exists": False}}]
    if entities:
        ways.append(of_entities(names, entities))
    if plan.location:
        ways.append({"metadata.place": plan.location})
    return {"or": ways}


def _of_others(memory: StoryMemoryChunk, *, strongly: bool) -> StoryMemoryChunk:
    """What concerns nobody in the scene. A phrase that finds it strongly keeps its score: a
    scene may matter whoever is in it. Else it counts for less than what concerns somebody here."""
    score = memory.score if strongly else round(memory.score * _OF_OTHERS, 6)
    return memory.model_copy(update={"reason": f"{memory.reason} (of others)", "score": score})


def _with_previous(
    memories: list[StoryMemoryChunk], last: Memory | None, names: Names
) -> list[StoryMemoryChunk]:
    """The best few; the end of the scene before is always among them."""
    if last is None:
        return memories[:TOP_K]
    there = [memory for memory in memories if memory.id == last.id]
    others = [memory for memory in memories if memory.id != last.id][: TOP_K - 1]
    reason = f"{BEFORE}; {there[0].reason}" if there else BEFORE
    score = there[0].score if there else 0.0
    found = story_memory(last, names, score=score, reason=reason)
    return sorted([*others, found], key=lambda memory: -memory.score)


def _names(value: str, called: set[str]) -> bool:
    try:
        return id_for(value) in called
    except InvalidInput:  # no name: too long, or nothing that can be read
        return False
