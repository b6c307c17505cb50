"""Story memory as functions that a language model may call while it writes.

    tools = StoryTools(story, chapter=12, scene=3)
    reply = model(messages, tools=tools.definitions())     # OpenAI's form of a function
    answer = tools.call(name, arguments)                   # JSON in, JSON out, never raises

Bound to a scene, they tell nothing from that scene on, whatever is asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from bethink.checks import shown
from bethink.errors import BethinkError, InvalidInput
from bethink.story.reading import either_name
from bethink.story.shelf import CAST, EVENT, SCENE, STATE, THREAD, Point, point

if TYPE_CHECKING:
    from bethink.story.models import EntityStateSnapshot, StoryMemoryChunk
    from bethink.story.story import Story

SEARCH, STATE_OF, TIMELINE = (
    "search_story_memory_tool",
    "get_entity_state_tool",
    "get_recent_timeline_tool",
)
_LAST_SCENE = 99_999
_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
_PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    SEARCH: {
        "query": {"type": "string", "description": "what to look for, in the story's language"},
        "entities": {**_TEXTS, "description": "only what concerns one of these characters"},
        "content_type": {
            "type": "string",
            "description": f"only this: {SCENE}, {EVENT}, {STATE}, {THREAD}, {CAST}, or another "
            "kind; left out: scenes, events and notes",
        },
        "tags": {**_TEXTS, "description": "only what has one of these tags"},
        "top_k": {"type": "integer", "minimum": 1, "maximum": 50, "description": "10 if left out"},
    },
    STATE_OF: {
        "entity_id": {"type": "string", "description": "an id, a name, an alias or a title"},
        "chapter_index": {"type": "integer", "minimum": 0},
        "scene_index": {"type": "integer", "minimum": 0},
    },
    TIMELINE: {
        "chapter_index": {"type": "integer", "minimum": 0, "description": "the last chapter"},
        "window": {"type": "integer", "minimum": 0, "description": "chapters before it; 3"},
        "entity_id": {"type": "string", "description": "only what concerns this character"},
    },
}
_REQUIRED = {SEARCH: ["query"], STATE_OF: ["entity_id"], TIMELINE: []}
_PURPOSES = {
    SEARCH: "Search what was told of the story so far. Answers passages with chapter and scene, "
    "best first; an empty list where there is nothing.",
    STATE_OF: "What holds of a character or object as of a scene: wounds, whereabouts, what it "
    "holds or knows, with what changed when. null where nothing was recorded.",
    TIMELINE: "The last few chapters, in the order of the story: for each scene and character what "
    "held at its end, what changed in it, and what happened.",
}


class StoryTools:
    """The three, for one story; as of a scene, if one is named."""

    @either_name
    def __init__(
        self, story: Story, *, chapter: int | None = None, scene: int | None = None
    ) -> None:
        self._story = story
        self._end: Point | None = None
        if chapter is not None:
            self._end = point(chapter, 0 if scene is None else scene)

    def search_story_memory_tool(
        self,
        query: str,
        entities: Sequence[str] | None = None,
        content_type: str | None = None,
        tags: Sequence[str] | None = None,
        top_k: int = 10,
    ) -> list[StoryMemoryChunk]:
        return self._story.search(
            query,
            entities=entities,
            content_type=content_type,
            tags=tags,
            top_k=top_k,
            before=self._end,
        )

    def get_entity_state_tool(
        self, entity_id: str, chapter_index: int | None = None, scene_index: int | None = None
    ) -> EntityStateSnapshot | None:
        """At the end of that scene; None if nothing was recorded."""
        at = self._at_most(chapter_index, scene_index)
        if at is None:
            return None
        return self._story.state_of(entity_id, chapter=at.chapter, scene=at.scene)

    def get_recent_timeline_tool(
        self, chapter_index: int | None = None, window: int = 3, entity_id: str | None = None
    ) -> list[EntityStateSnapshot]:
        """States and events of so many chapters up to that one, a snapshot for each scene and
        entity, in the order of the story."""
        at = self._at_most(chapter_index, None)
        if at is None:
            return []
        return self._story.snapshots(at.chapter, at.scene, window=window, entity=entity_id)

    def _at_most(self, chapter: int | None, scene: int | None) -> Point | None:
        """The scene that is asked for, or the last before the one that is written; None: there is
        nothing before it."""
        asked = Point(_LAST_SCENE, _LAST_SCENE)
        if chapter is not None:
            asked = point(chapter, _LAST_SCENE if scene is None else scene)
        elif scene is not None:
            raise InvalidInput("scene_index: name its chapter_index too")
        if self._end is None:
            return asked if chapter is not None else self._story.last_scene()
        last = _just_before(self._end)
        return None if last is None else min(asked, last)

    # For a model

    def functions(self) -> dict[str, Callable[..., Any]]:
        return {
            SEARCH: self.search_story_memory_tool,
            STATE_OF: self.get_entity_state_tool,
            TIMELINE: self.get_recent_timeline_tool,
        }

    @staticmethod
    def definitions() -> list[dict[str, Any]]:
        """As `tools` of a chat completion; `function.parameters` is plain JSON Schema."""
        return [
            {
                "type": "function",
                "function": {
                    "name": name,
                    "description": _PURPOSES[name],
                    "parameters": {
                        "type": "object",
                        "properties": dict(properties),
                        "required": _REQUIRED[name],
                        "additionalProperties": False,
                    },
                },
            }
            for name, properties in _PARAMETERS.items()
        ]

    def call(self, name: str, arguments: str | Mapping[str, Any] | None) -> str:
        """What a model asked for, as JSON. What is wrong with the call is told to the model, so
        that it can try again."""
        try:
            answer = self.answer(name, arguments)
        except BethinkError as e:
            answer = {"error": str(e)}
        return json.dumps(answer, ensure_ascii=False)

    def answer(self, name: str, arguments: str | Mapping[str, Any] | None) -> Any:
        """The same as values of JSON; what is wrong with the call is raised."""
        function = self.functions().get(name)
        if function is None:
            raise InvalidInput(f"there is no tool {name!r}; known: {', '.join(_PARAMETERS)}")
        return _plain(function(**_arguments(name, arguments)))


def _just_before(end: Point) -> Point | None:
    if end.scene > 0:
        return Point(end.chapter, end.scene - 1)
    return Point(end.chapter - 1, _LAST_SCENE) if end.chapter > 0 else None


def _arguments(name: str, given: str | Mapping[str, Any] | None) -> dict[str, Any]:
    if isinstance(given, str):
        try:
            given = json.loads(given or "{}")
        except (ValueError, RecursionError) as e:
            raise InvalidInput(f"the arguments are not JSON ({e}); send an object") from None
    if given is not None and not isinstance(given, Mapping):
        raise InvalidInput(f"the arguments are an object, got {shown(given)}")
    told = {key: value for key, value in (given or {}).items() if value is not None}
    known = _PARAMETERS[name]
    for key, value in told.items():
        if key not in known:
            raise InvalidInput(f"{name} has no {shown(key)}; it has {', '.join(known)}")
        if not _fits(value, known[key]["type"]):
            raise InvalidInput(f"{key}: expected {known[key]['type']}, got {shown(value)}")
    for key in _REQUIRED[name]:
        if key not in told:
            raise InvalidInput(f"{name} needs {key}")
    return told


def _fits(value: object, kind: str) -> bool:
    if kind == "array":
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str)


def _plain(answer: object) -> Any:
    if isinstance(answer, BaseModel):
        return answer.model_dump(mode="json")
    return [_plain(one) for one in answer] if isinstance(answer, list) else answer
