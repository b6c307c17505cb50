"""A story in Python, and the records that the other doors give."""

from __future__ import annotations

from typing import Any

from bethink import Engine
from bethink.story import Story
from tests.scenarios.scenario import Json


class StoryInPython:
    _engine: Engine

    def _story(self, project: str) -> Story:
        return Story(self._engine, project)

    def _set_story_cast(self, project: str, characters: Any) -> Json:
        self._story(project).set_cast({"characters": characters})
        return self._story_cast(project)

    def _story_cast(self, project: str) -> Json:
        return self._story(project).cast().model_dump(mode="json")

    def _add_story_scene(self, project: str, **told: Any) -> Json:
        return self._story(project).add_scene(**told).model_dump(mode="json")

    def _add_story_chapter(self, project: str, **told: Any) -> Json:
        return _each(self._story(project).add_chapter(**told))

    def _record_story_state(self, project: str, **told: Any) -> Json:
        self._story(project).record_state(**told)
        return {}

    def _story_state(self, project: str, entity: str, chapter: int, scene: int) -> Json:
        found = self._story(project).state_of(entity, chapter=chapter, scene=scene)
        return {"state": None if found is None else found.model_dump(mode="json")}

    def _story_states(self, project: str, chapter: int, scene: int) -> Json:
        return _each(self._story(project).states(chapter, scene))

    def _story_timeline(self, project: str, **asked: Any) -> Json:
        return _each(self._story(project).timeline(**asked))

    def _open_story_thread(self, project: str, **told: Any) -> Json:
        return {"id": self._story(project).open_thread(**told)}

    def _close_story_thread(self, project: str, **told: Any) -> Json:
        return {"id": self._story(project).close_thread(told.pop("id"), **told).id}

    def _story_threads(self, project: str, **asked: Any) -> Json:
        return _each(self._story(project).threads(**asked))

    def _search_story(self, project: str, **asked: Any) -> Json:
        return _each(self._story(project).search(**asked))

    def _scene_context(self, project: str, plan: Any, characters: Any = None, **asked: Any) -> Json:
        context = self._story(project).scene_context(plan, characters, **asked)
        return context.model_dump(mode="json")

    def _remove_from_story(self, project: str, chapter: int, scene: Any = None) -> Json:
        return {"memories": self._story(project).remove(chapter, scene)}

    def _move_in_story(self, project: str, **asked: Any) -> Json:
        return {"memories": self._story(project).move(**asked)}


def _each(models: Any) -> Json:
    return [one.model_dump(mode="json") for one in models]
