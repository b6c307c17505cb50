"""A story's memory: scenes go in, the context of the next scene comes out.

    story = Story(engine, "river")
    story.set_cast(Cast(characters=[Character(name="Lin Wan", aliases=["林婉"])]))
    story.add_scene(1, 1, text, states={"Lin Wan": {"left arm": "injured"}})
    context = story.scene_context(plan, None, chapter=1, scene=2)

Everything is a memory in the project's space, so that what holds for memories holds here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from recollect.story.models import (
    Cast,
    Character,
    EntityState,
    SceneAdded,
    SceneMemoryContext,
    ScenePlan,
    StoryEvent,
    StoryMemory,
    Thread,
    TimelineEntry,
)

if TYPE_CHECKING:
    from recollect.engine import Engine

Characters: TypeAlias = Cast | Sequence[Character] | Sequence[str] | None


class Story:
    def __init__(self, engine: Engine, project: str) -> None:
        """`project` is the space that holds the story. Nothing is read from any other."""
        raise NotImplementedError

    def set_cast(self, cast: Cast) -> list[str]:
        """Who is in the story, instead of the cast before; notes on names that name nobody."""
        raise NotImplementedError

    def cast(self) -> Cast:
        raise NotImplementedError

    def add_scene(
        self,
        chapter: int,
        scene: int,
        text: str,
        *,
        plan: ScenePlan | None = None,
        states: Mapping[str, Mapping[str, str]] | None = None,
        events: Iterable[StoryEvent | str] | None = None,
        threads: Iterable[str] | None = None,
        tags: Iterable[str] = (),
        extract: bool = False,
        deadline: float | None = None,
    ) -> SceneAdded:
        """Take in a scene; told again, it replaces what was told of it. `states` are what holds
        at its end, by entity; `events` what happens in it; `threads` what it leaves open. Where no
        events are told, the plan's summary (or the first sentence) is its event. `extract` asks
        the language model for events, states and threads, within the deadline."""
        raise NotImplementedError

    def add_chapter(self, chapter: int, text: str, *, extract: bool = False) -> list[SceneAdded]:
        """Take in a chapter, cut into scenes at its headings and breaks; scenes count from 1."""
        raise NotImplementedError

    def record_state(
        self,
        entity: str,
        chapter: int,
        scene: int,
        facts: Mapping[str, str],
        *,
        source: str = "",
    ) -> str:
        """What holds of an entity from this scene on; other facts stay. The memory's id."""
        raise NotImplementedError

    def state_of(self, entity: str, *, chapter: int, scene: int) -> EntityState | None:
        """What holds at the end of this scene; None if nothing was recorded until then."""
        raise NotImplementedError

    def timeline(
        self, chapter: int, scene: int | None = None, *, window: int = 3, allow_future: bool = False
    ) -> list[TimelineEntry]:
        """What happened up to and in this scene (or chapter), from so many chapters before;
        `allow_future`: and so many after."""
        raise NotImplementedError

    def open_thread(
        self, text: str, chapter: int, scene: int, *, entities: Iterable[str] | None = None
    ) -> str:
        """Its id. Entities are found in the text where none are given."""
        raise NotImplementedError

    def close_thread(
        self, thread_id: str, chapter: int, scene: int, *, resolution: str = ""
    ) -> Thread:
        raise NotImplementedError

    def threads(
        self,
        chapter: int | None = None,
        scene: int | None = None,
        *,
        entities: Iterable[str] | None = None,
        closed: bool = False,
    ) -> list[Thread]:
        """Those open at the end of this scene (of the whole story, if none is named), oldest
        first; `closed`: also those that were closed by then."""
        raise NotImplementedError

    def search(
        self,
        query: str,
        *,
        entities: Iterable[str] | None = None,
        content_type: str | None = None,
        tags: Iterable[str] | None = None,
        top_k: int = 10,
        before: tuple[int, int] | None = None,
    ) -> list[StoryMemory]:
        """What was told of this, best first; `before` a chapter and scene, if they are named."""
        raise NotImplementedError

    def scene_context(
        self,
        plan: ScenePlan,
        characters: Characters,
        chapter: int,
        scene: int,
        *,
        deadline: float | None = None,
        allow_future: bool = False,
    ) -> SceneMemoryContext:
        """What to know before this scene is written: only what lies before it, unless
        `allow_future`. Characters are the cast (joined with the one that is kept), or the names of
        who is in the scene beside those that the plan names. Whatever fails, the rest answers."""
        raise NotImplementedError
