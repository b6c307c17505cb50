"""Tools for a model that writes a story: only for who starts the server for one. Everybody else
would pay for them in every conversation."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import Field
from typing_extensions import TypedDict

from bethink.access.caller import Scope
from bethink.doors.mcp.arguments import Arguments, Names
from bethink.doors.mcp.data import DATA
from bethink.doors.mcp.tools import Tool

if TYPE_CHECKING:
    from bethink.access.desk import Desk


class SearchStory(Arguments):
    query: str = Field(description="what to look for, in the story's language")
    entities: Names | None = Field(None, description="only what concerns one of these characters")
    content_type: str | None = Field(None, description="scene, event, entity_state, thread or cast")
    tags: Names | None = Field(None, description="only what has one of these tags")
    top_k: int | None = Field(None, description="how many at most; 10")


class EntityState(Arguments):
    entity_id: str = Field(description="an id, a name, an alias or a title")
    chapter_index: int | None = Field(None, description="as of the end of this chapter")
    scene_index: int | None = Field(None, description="or of this scene in it")


class RecentTimeline(Arguments):
    chapter_index: int | None = Field(None, description="the last chapter")
    window: int | None = Field(None, description="how many chapters before it; 3")
    entity_id: str | None = Field(None, description="only what concerns this character")


class FromStory(TypedDict):
    notice: str
    result: Any


def story_tools(
    project: str,
    chapter: int | None,
    scene: int | None,
    *,
    at: Callable[[], AbstractContextManager[Desk]] | None = None,
) -> tuple[Tool, ...]:
    """Of one story, as of a scene if one is named: nothing from there on is told. `at` is the desk
    to ask at, where the other tools' does not see the story."""

    def asked(name: str, others: Desk, arguments: Arguments) -> FromStory:
        with nullcontext(others) if at is None else at() as desk:
            answer = desk.story_tool(project, name, arguments.given(), chapter=chapter, scene=scene)
        return {"notice": DATA, "result": answer["result"]}

    def tool(name: str, title: str, about: str, takes: type[Arguments]) -> Tool:
        reads = frozenset({Scope.READ})
        return Tool(name, title, about, takes, FromStory, partial(asked, name), reads)

    return (
        tool(
            "search_story_memory_tool",
            "Search the story",
            "Passages of the story so far that match, best first, with chapter and scene.\n"
            "Use it before you write of anything that may have been told: places, promises, "
            "wounds, who said what.",
            SearchStory,
        ),
        tool(
            "get_entity_state_tool",
            "State of a character or object",
            "What holds of a character or object as of a scene, and what changed when; null "
            "where nothing was recorded. Use it for everybody in the scene.",
            EntityState,
        ),
        tool(
            "get_recent_timeline_tool",
            "Timeline",
            "The last chapters in the story's order: for each scene and character what held at its "
            "end, what changed in it, and what happened.",
            RecentTimeline,
        ),
    )
