"""A story's memory: scenes go in, the context of the next scene comes out.

    story = Story(engine, "river")
    story.set_cast(Cast(characters=[Character(name="Lin Wan", aliases=["林婉"])]))
    story.add_scene(1, 1, text, states={"Lin Wan": {"left arm": "injured"}})
    context = story.scene_context(plan, None, chapter=1, scene=2)

Everything is a memory in the project's space, so that what holds for memories holds here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from bethink.errors import InvalidInput, StoreError
from bethink.lazy_exports import hinting
from bethink.shelf import Shelf, space_of
from bethink.story.casting import keep_cast, kept_names, names_with
from bethink.story.models import (
    Cast,
    Character,
    EntityStateSnapshot,
    SceneAdded,
    SceneMemoryContext,
    ScenePlan,
    StoryEvent,
    StoryMemoryChunk,
    Thread,
    TimelineEntry,
)
from bethink.story.naming import Names
from bethink.story.reading import (
    cast_from,
    either_name,
    is_names,
    mentions_from,
    plan_from,
    states_from,
    texts,
)
from bethink.story.searching import (
    any_of,
    content,
    found_by,
    merged,
    not_from,
    of_entities,
)
from bethink.story.shelf import EVENT, STATE, Point, point, point_of, until
from bethink.story.states import States, as_last_word, check_known, state_record
from bethink.story.taking_in import SceneIn, leave_out, take_in
from bethink.story.telling import retagged_scene
from bethink.story.threads import close, thread_of, thread_record, threads

if TYPE_CHECKING:
    from bethink.engine import Engine

Characters: TypeAlias = Cast | Sequence[Character] | Sequence[str] | None
_LAST_SCENE = 99_999
# What people call the methods before they have read what they are called here.
_CALLED_HERE = {
    **dict.fromkeys(("entities", "characters", "get_cast"), "cast()"),
    **dict.fromkeys(("add_character", "add_characters", "add_cast"), "set_cast([name, ...])"),
    **dict.fromkeys(("scenes", "chapters", "events"), "timeline(chapter)"),
    **dict.fromkeys(("recall", "ask", "query", "find"), "search(text)"),
    **dict.fromkeys(("state", "get_state", "snapshot", "state_at"), "state_of(name)"),
    **dict.fromkeys(("set_state", "update_state"), "record_state(name, chapter, scene, facts)"),
    **dict.fromkeys(("context", "context_for", "next_scene"), "scene_context(plan)"),
    **dict.fromkeys(("delete", "forget", "remove_scene"), "remove(chapter, scene)"),
    **dict.fromkeys(("name", "title"), "project"),
    "remember": "add_scene(chapter, scene, text)",
    "open_threads": "threads()",
    "close": "engine.close()",
}


class Story:
    if not TYPE_CHECKING:  # a type checker would accept any name
        __getattr__ = hinting(_CALLED_HERE)

    @either_name
    def __init__(self, engine: Engine, project: str) -> None:
        """`project` is the space that holds the story. Nothing is read from any other."""
        self.engine = engine
        self._shelf = Shelf(engine, project)

    @property
    def project(self) -> str:
        return self._shelf.space

    @property
    def space(self) -> str:
        """The space that holds it; the same as `project`."""
        return self._shelf.space

    # Who is in it

    def set_cast(
        self, cast: Cast | Sequence[Character | Mapping[str, Any]] | Mapping[str, Any]
    ) -> list[str]:
        """Who is in the story, instead of the cast before; notes on names that name nobody. Who is
        named in what was told before is found again, by the new cast."""
        return keep_cast(self._shelf, cast_from(cast))

    def doubts(self, names: Iterable[str]) -> list[str]:
        """Of names that are nobody's, and nearly somebody's of the cast."""
        return self._names().doubts(texts(names, "names"))

    def cast(self) -> Cast:
        return self._names().cast

    def canonical(self, entity: str) -> str:
        """The id that an entity is written under and found by, whatever it is called."""
        return self._names().canonical(entity)

    def _names(self) -> Names:
        return kept_names(self._shelf)

    # Telling

    @either_name
    def add_scene(
        self,
        chapter: int,
        scene: int,
        text: str,
        *,
        plan: ScenePlan | Mapping[str, Any] | str | None = None,
        states: Mapping[str, Mapping[str, Any]] | None = None,
        events: Iterable[StoryEvent | str | Mapping[str, Any]] | None = None,
        threads: Iterable[str] | None = None,
        tags: Iterable[str] = (),
        mentions: Mapping[str, str] | None = None,
        allow_new: bool = False,
        extract: bool = False,
        deadline: float | None = None,
    ) -> SceneAdded:
        """Take in a scene; told again, it replaces what was told of it. `states` are what holds
        at its end, by entity; `events` what happens in it; `threads` what it leaves open: whatever
        is left out stays as it was told before, and so does the plan. Where no events are told,
        the plan's summary (or the first sentence) is its event. `mentions` links words of this text
        to somebody: {"the widow": "Tamsin", "小姑娘": "阿灵"}. States and links of a name that the
        cast does not know are refused, unless `allow_new`. `extract` asks the language model for
        events, states and threads that nobody told, within the deadline."""
        return take_in(
            self._shelf,
            self._names(),
            SceneIn(
                point(chapter, scene),
                text,
                None if plan is None else plan_from(plan),
                None if states is None else states_from(states),
                None if events is None else list(events),
                None if threads is None else texts(threads, "threads"),
                tuple(texts(tags, "tags")),
                None if mentions is None else mentions_from(mentions),
            ),
            extract=extract,
            deadline=self._deadline(deadline),
            allow_new=allow_new,
        )

    @either_name
    def add_chapter(self, chapter: int, text: str, *, extract: bool = False) -> list[SceneAdded]:
        """Take in a chapter, cut into scenes at its headings and breaks; scenes count from 1. Of a
        chapter that was told before, scenes beyond the last one are left out from now on."""
        from bethink.story.splitting import scenes_of

        scenes = scenes_of(text) if isinstance(text, str) else []
        if not scenes:
            raise InvalidInput(f"chapter {chapter} has no text; there is nothing to add")
        names, deadline = self._names(), self._deadline(None)
        added = [
            take_in(
                self._shelf,
                names,
                SceneIn(
                    point(chapter, number),
                    one.text,
                    ScenePlan(title=one.title),
                    states=None,
                    events=None,
                    threads=None,
                    tags=(),
                ),
                extract=extract,
                deadline=deadline,
                of_a_chapter=True,
            )
            for number, one in enumerate(scenes, start=1)
        ]
        added[-1].notes += leave_out(self._shelf, chapter, beyond=len(scenes))
        return added

    @either_name
    def remove(self, chapter: int, scene: int | None = None) -> int:
        """Forget a scene, or a chapter, with all that was told or recorded of it; threads that were
        closed there are open again. How many memories went."""
        from bethink.story.moving import remove

        return remove(self._shelf, point(chapter, scene or 0).chapter, scene)

    @either_name
    def move(
        self,
        chapter: int,
        scene: int | None = None,
        *,
        to_chapter: int,
        to_scene: int | None = None,
    ) -> int:
        """Put a scene, or a chapter, where nothing is yet, with all that was told or recorded of
        it. How many memories went along."""
        from bethink.story.moving import Way, move

        if (scene is None) != (to_scene is None):
            raise InvalidInput("a scene moves to a scene, and a chapter to a chapter; name both")
        point(chapter, scene or 0)
        point(to_chapter, to_scene or 0)
        return move(self._shelf, Way(chapter, scene, to_chapter, to_scene))

    def last_scene(self) -> Point | None:
        """The furthest that anything was told of."""
        found = self._shelf.every({"metadata.at": {"exists": True}})
        return max((place for m in found if (place := point_of(m)) is not None), default=None)

    # What holds

    @either_name
    def record_state(
        self,
        entity: str,
        chapter: int,
        scene: int,
        facts: Mapping[str, Any],
        *,
        source: str = "",
        allow_new: bool = False,
    ) -> str:
        """What holds of an entity from this scene on; other facts stay, and an empty text ends
        one. A name that the cast does not know is refused, unless `allow_new`. The memory's id."""
        where = point(chapter, scene)
        names = self._names()
        if not allow_new:
            check_known(self._shelf, names, [entity])
        record = state_record(self._shelf, names, entity, where, facts, source=source)
        record = as_last_word(self._shelf, record)
        self._shelf.put([record])
        self._shelf.put(retagged_scene(self._shelf, names, where))  # the scene concerns it, too
        return str(record["id"])

    @either_name
    def state_of(
        self,
        entity: str,
        *,
        chapter: int | None = None,
        scene: int | None = None,
        allow_future: bool = False,
    ) -> EntityStateSnapshot | None:
        """What holds at the end of this scene or chapter, by default of the last; None if nothing
        was recorded until then."""
        where = {} if allow_future else self._until(chapter, scene)
        return States(self._shelf, self._names()).of(entity, where)

    @either_name
    def states(
        self, chapter: int | None = None, scene: int | None = None
    ) -> list[EntityStateSnapshot]:
        """Of everybody, at the end of this scene or chapter, by default of the last."""
        where = self._until(chapter, scene)
        return list(States(self._shelf, self._names()).all(where).values())

    def _until(self, chapter: int | None, scene: int | None) -> Mapping[str, Any]:
        """A filter for what was told up to a scene, or up to the end of a chapter, or at all."""
        if chapter is None:
            if scene is not None:
                raise InvalidInput(f"scene {scene} of which chapter? name both")
            return {}
        return until(point(chapter, _LAST_SCENE if scene is None else scene))

    @either_name
    def timeline(
        self,
        chapter: int | None = None,
        scene: int | None = None,
        *,
        window: int = 3,
        allow_future: bool = False,
        states: bool = False,
    ) -> list[TimelineEntry]:
        """What happened up to and in this scene (or chapter), from so many chapters before;
        `allow_future`: and so many after. Of the whole story, if no chapter is named. With
        `states`, also what was recorded of entities."""
        from bethink.story.timeline import timeline

        if chapter is None:
            self._until(None, scene)
            last = self.last_scene()
            chapter = window = 0 if last is None else last.chapter
        end = point(chapter, _LAST_SCENE if scene is None else scene)
        _check_window(window)
        return timeline(
            self._shelf,
            self._names(),
            chapter,
            {} if allow_future else until(end),
            window=window,
            allow_future=allow_future,
            kinds=(EVENT, STATE) if states else (EVENT,),
        )

    @either_name
    def snapshots(
        self,
        chapter: int,
        scene: int | None = None,
        *,
        window: int = 3,
        entity: str | None = None,
    ) -> list[EntityStateSnapshot]:
        """The same as states: for each scene, of everybody who changed or took part in it, what
        held at its end, what changed in it and what happened."""
        from bethink.story.timeline import snapshots

        _check_window(window)
        end = point(chapter, _LAST_SCENE if scene is None else scene)
        return snapshots(self._shelf, self._names(), end, window=window, entity=entity)

    # What is open

    @either_name
    def open_thread(
        self, text: str, chapter: int, scene: int, *, entities: Iterable[str] | None = None
    ) -> str:
        """Its id. Entities are found in the text where none are given."""
        given = None if entities is None else texts(entities, "entities")
        where = point(chapter, scene)
        record = thread_record(self._shelf, self._names(), text, where, given)
        self._shelf.put([record])
        return str(record["id"])

    @either_name
    def close_thread(
        self, thread_id: str, chapter: int, scene: int, *, resolution: str = ""
    ) -> Thread:
        memory = close(self._shelf, thread_id, point(chapter, scene), resolution)
        found = thread_of(memory, self._names(), None)
        assert found is not None  # it has its scene: it was just closed
        return found

    @either_name
    def threads(
        self,
        chapter: int | None = None,
        scene: int | None = None,
        *,
        entities: Iterable[str] | None = None,
        closed: bool = False,
    ) -> list[Thread]:
        """Those open at the end of this scene or chapter (of the whole story, if none is named),
        oldest first; `closed`: also those that were closed by then. `entities`: that concern one of
        these."""
        seen_from: Point | None = None
        if chapter is not None:
            seen_from = point(chapter, _LAST_SCENE if scene is None else scene)
        names = self._names()
        where = {} if seen_from is None else until(seen_from)
        found = threads(self._shelf, names, where, seen_from, closed=closed)
        if entities is None:
            return found
        wanted = set(names.canonicals(texts(entities, "entities")))
        return [thread for thread in found if wanted & set(thread.entities)]

    # What matters now

    def search(
        self,
        query: str,
        *,
        entities: Iterable[str] | None = None,
        content_type: str | None = None,
        tags: Iterable[str] | None = None,
        top_k: int = 10,
        before: tuple[int, int] | None = None,
    ) -> list[StoryMemoryChunk]:
        """What was told of this, best first; `before` a chapter and scene, if they are named. Of
        one of the entities, and with one of the tags, where there are any."""
        if isinstance(top_k, bool) or not isinstance(top_k, int) or not 1 <= top_k <= 100:
            raise InvalidInput(f"top_k: expected a whole number from 1 to 100, got {top_k!r}")
        names = self._names()
        where = [content(content_type)]
        if wanted := texts(entities or (), "entities"):
            where.append(of_entities(names, wanted))
        if labels := texts(tags or (), "tags"):
            where.append(any_of(labels))
        if before is not None:
            if not isinstance(before, Sequence) or len(before) != 2:
                raise InvalidInput(f"before: expected a chapter and a scene, got {before!r}")
            where.append(not_from(point(*before).at))
        found = found_by(self._shelf, query, where, limit=top_k, deadline=None, touch=True)
        if found.unavailable:
            raise StoreError(f"the story cannot be searched now: {'; '.join(found.faults)}")
        return merged([found], names)

    @either_name
    def scene_context(
        self,
        plan: ScenePlan | Mapping[str, Any] | str,
        characters: Characters | Mapping[str, Any] = None,
        chapter: int | None = None,
        scene: int | None = None,
        *,
        budget: int | None = None,
        deadline: float | None = None,
        allow_future: bool = False,
    ) -> SceneMemoryContext:
        """What to know before this scene is written: only what lies before it, unless
        `allow_future`. By default it is the scene after the last one that was told. A plan may be
        a text: what the scene is about. `budget`: at most so many tokens, as JSON. Characters are
        the cast (joined with the one that is kept), or the names of who is in the scene beside
        those that the plan names. Whatever fails, the rest answers."""
        from bethink.story.context import ContextMaker
        from bethink.story.fitting import checked_budget, fitted

        if chapter is None or scene is None:
            last = self.last_scene()
            chapter = (last.chapter if last else 1) if chapter is None else chapter
            follows = last is not None and last.chapter == chapter
            scene = (last.scene + 1 if last and follows else 1) if scene is None else scene
        here, tokens = point(chapter, scene), checked_budget(budget)
        plan = plan_from(plan)
        given, others = _cast_and_names(characters)
        maker = ContextMaker(
            self._shelf, here, deadline=self._deadline(deadline), allow_future=allow_future
        )
        context = maker.make(plan, names_with(self._shelf, given), Names(given), others)
        return context if tokens is None else fitted(context, tokens, self.engine.count_tokens)

    def _deadline(self, seconds: float | None) -> float:
        if seconds is None:
            return self.engine.settings_for(self.project).deadline
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
            raise InvalidInput(f"deadline: expected seconds above 0, got {seconds!r}")
        return float(seconds)


def _cast_and_names(characters: Characters | Mapping[str, Any]) -> tuple[Cast, list[str]]:
    if is_names(characters):
        return Cast(), [str(one) for one in characters or ()]
    return Cast() if characters is None else cast_from(characters), []


@either_name
def context_without_store(
    project: str,
    plan: ScenePlan | Mapping[str, Any] | str,
    characters: Characters | Mapping[str, Any],
    chapter: int,
    scene: int,
    *,
    why: str,
) -> SceneMemoryContext:
    """What `Story.scene_context` gives where no engine can be opened: `degraded`, with the reason
    in `missing`."""
    from bethink.story.context import without_store

    given, others = _cast_and_names(characters)
    here = point(chapter, scene)
    return without_store(space_of(project), plan_from(plan), Names(given), others, here, why)


def _check_window(window: object) -> None:
    if isinstance(window, bool) or not isinstance(window, int) or window < 0:
        raise InvalidInput(f"window: expected a whole number from 0, got {window!r}")
