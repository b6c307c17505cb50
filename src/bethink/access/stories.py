"""Stories at a desk: a project is a space, and the wall holds around it as around any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bethink.access.caller import Scope
from bethink.access.wall import Record, Records, Wall, verb
from bethink.errors import InvalidInput

if TYPE_CHECKING:
    from pydantic import BaseModel

    from bethink.story import Story

_TELLABLE = ("plan", "states", "events", "threads", "tags", "mentions", "allow_new", "extract",
             "deadline")  # fmt: skip
_MOST_SECONDS = 30.0  # a request is not kept for longer, whatever its deadline


class Stories(Wall):
    # Telling

    @verb(Scope.WRITE, audited="set_story_cast")
    def set_story_cast(self, project: str, cast: Any) -> Record:
        story = self._story(project)
        notes = story.set_cast(cast)
        return {"project_id": story.project, "notes": notes if self._reads else []}

    @verb(Scope.WRITE, audited="add_story_scene")
    def add_story_scene(
        self, project: str, chapter: int, scene: int, text: str, **told: Any
    ) -> Record:
        for name in told:
            if name not in _TELLABLE:
                raise InvalidInput(f"there is no {name!r}; known: {', '.join(_TELLABLE)}")
        told["deadline"] = _bounded(told.get("deadline"))
        added = self._story(project).add_scene(chapter, scene, text, **told)
        return self._told_back(added)

    @verb(Scope.WRITE, audited="add_story_chapter")
    def add_story_chapter(
        self, project: str, chapter: int, text: str, *, extract: bool = False
    ) -> Records:
        added = self._story(project).add_chapter(chapter, text, extract=extract)
        return [self._told_back(one) for one in added]

    @verb(Scope.WRITE, audited="remove_from_story")
    def remove_from_story(self, project: str, chapter: int, scene: int | None = None) -> Record:
        return {"memories": self._story(project).remove(chapter, scene)}

    @verb(Scope.WRITE, audited="move_in_story")
    def move_in_story(
        self,
        project: str,
        chapter: int,
        scene: int | None,
        to_chapter: int,
        to_scene: int | None,
    ) -> Record:
        moved = self._story(project).move(chapter, scene, to_chapter=to_chapter, to_scene=to_scene)
        return {"memories": moved}

    @verb(Scope.WRITE, audited="record_story_state")
    def record_story_state(
        self,
        project: str,
        entity: str,
        chapter: int,
        scene: int,
        facts: Mapping[str, Any],
        *,
        source: str = "",
        allow_new: bool = False,
    ) -> Record:
        story = self._story(project)
        recorded = story.record_state(
            entity, chapter, scene, facts, source=source, allow_new=allow_new
        )
        return {"id": recorded, "notes": story.doubts([entity]) if self._reads else []}

    @verb(Scope.WRITE, audited="open_story_thread")
    def open_story_thread(
        self,
        project: str,
        text: str,
        chapter: int,
        scene: int,
        *,
        entities: Sequence[str] | None = None,
    ) -> Record:
        return {
            "id": self._story(project).open_thread(text, chapter, scene, entities=entities),
        }

    @verb(Scope.WRITE, audited="close_story_thread")
    def close_story_thread(
        self, project: str, thread_id: str, chapter: int, scene: int, *, resolution: str = ""
    ) -> Record:
        closed = self._story(project).close_thread(thread_id, chapter, scene, resolution=resolution)
        return {"id": closed.id}

    # Looking

    @verb(Scope.READ)
    def story_cast(self, project: str) -> Record:
        return _plain(self._story(project).cast())

    @verb(Scope.READ)
    def story_state(self, project: str, entity: str, chapter: int, scene: int) -> Record:
        story = self._story(project)
        found = story.state_of(entity, chapter=chapter, scene=scene)
        if found is None:
            return {"state": None, "notes": story.doubts([entity])}
        return {"state": _plain(found), "notes": []}

    @verb(Scope.READ)
    def story_states(self, project: str, chapter: int, scene: int) -> Record:
        found = self._story(project).states(chapter, scene)
        return {"states": [_plain(one) for one in found]}

    @verb(Scope.READ)
    def story_timeline(
        self, project: str, chapter: int, scene: int | None = None, **options: Any
    ) -> Record:
        found = self._story(project).timeline(chapter, scene, **options)
        return {"timeline": [_plain(one) for one in found]}

    @verb(Scope.READ)
    def story_threads(
        self,
        project: str,
        chapter: int | None = None,
        scene: int | None = None,
        *,
        entities: Sequence[str] | None = None,
        closed: bool = False,
    ) -> Record:
        found = self._story(project).threads(chapter, scene, entities=entities, closed=closed)
        return {"threads": [_plain(one) for one in found]}

    @verb(Scope.READ, beside=True)
    def search_story(
        self,
        project: str,
        query: str,
        *,
        entities: Sequence[str] | None = None,
        content_type: str | None = None,
        tags: Sequence[str] | None = None,
        top_k: int = 10,
        before: tuple[int, int] | None = None,
    ) -> Record:
        found = self._story(project).search(
            query,
            entities=entities,
            content_type=content_type,
            tags=tags,
            top_k=top_k,
            before=before,
        )
        return {"memories": [_plain(one) for one in found]}

    @verb(Scope.READ, beside=True)
    def scene_context(
        self,
        project: str,
        plan: Any,
        characters: Any,
        chapter: int,
        scene: int,
        *,
        budget: int | None = None,
        deadline: float | None = None,
        allow_future: bool = False,
    ) -> Record:
        return _plain(
            self._story(project).scene_context(
                plan,
                characters,
                chapter,
                scene,
                budget=budget,
                deadline=_bounded(deadline),
                allow_future=allow_future,
            )
        )

    @verb(Scope.READ)
    def story_tool(
        self,
        project: str,
        name: str,
        arguments: Mapping[str, Any],
        *,
        chapter: int | None = None,
        scene: int | None = None,
    ) -> Record:
        """What a model asks for while it writes a scene: nothing from that scene on."""
        from bethink.story import StoryTools

        tools = StoryTools(self._story(project), chapter=chapter, scene=scene)
        return {"result": tools.answer(name, arguments)}

    # What is the caller's

    @property
    def _reads(self) -> bool:
        return Scope.READ in self.caller.scopes

    def _story(self, project: str) -> Story:
        from bethink.story import Story

        if not isinstance(project, str) or not project:
            raise InvalidInput("which story? name its project")
        return Story(self._engine, self._space(project))

    def _told_back(self, added: BaseModel) -> Record:
        """Who was found in a text tells who is in the cast: that is for those who may read."""
        record = _plain(added)
        return record if self._reads else {**record, "entities": [], "notes": []}


def _plain(model: BaseModel) -> Record:
    return model.model_dump(mode="json")


def _bounded(seconds: Any) -> Any:
    """As much time as is asked for, and no more than a request is given."""
    return min(seconds, _MOST_SECONDS) if isinstance(seconds, int | float) else seconds
