"""What story memory takes and gives, as Pydantic models: JSON in, JSON out.

An entity is whoever or whatever has a state: a person, a sword, a town. All of them are in the
cast, so that a name in the text, a name in a plan and a name in a question mean the same one.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from bethink.errors import MissingExtra

try:
    from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
except ModuleNotFoundError:  # pragma: no cover  (a test runs this in a process without it)
    raise MissingExtra("story memory", "story") from None


def _told(value: object) -> object:
    """Facts are text; a number or a truth value that somebody writes in JSON becomes its text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int | float) else value


Fact = Annotated[str, BeforeValidator(_told)]
Index = Annotated[int, Field(ge=0, lt=100_000)]  # of a chapter, or of a scene in its chapter


class _Given(BaseModel):
    """What people write: a field that nobody knows is a slip of the pen, and is said."""

    model_config = ConfigDict(extra="forbid")


class Character(_Given):
    """Somebody or something with a name of its own. `titles` count in a text only where they name
    one character of the cast; `aliases` always."""

    id: str = ""  # left out: made of the name
    name: str = Field(min_length=1)
    aliases: list[str] = []
    titles: list[str] = []
    description: str = ""
    kind: str = "character"  # or object, place, group: whatever helps the author

    def model_post_init(self, context: Any, /) -> None:
        if not self.id:
            from bethink.story.naming import id_for

            self.id = id_for(self.name)


class Cast(_Given):
    characters: list[Character] = []


class ScenePlan(_Given):
    """What a scene is going to be. Nothing in it is required; the more, the better the search."""

    title: str = ""
    summary: str = ""
    location: str = ""
    characters: list[str] = []  # who is in it: ids, names, aliases or titles
    beats: list[str] = []
    tags: list[str] = []
    time: str = ""  # the story's own: "the morning after", 三更


class ScenePoint(BaseModel):
    chapter: Index
    scene: Index


class Source(BaseModel):
    """Where something about an entity was said: which memory, and at which scene."""

    memory_id: str
    chapter: int
    scene: int
    source: str = ""  # whoever recorded it said where it is from


class StateChange(BaseModel):
    """One fact that became another: `before` is None where it was not known until then."""

    key: str
    before: str | None
    after: str
    chapter: int
    scene: int


class Claim(BaseModel):
    value: str
    source: Source


class Contradiction(BaseModel):
    """A fact that is told in several ways of the same scene. `claims` are in the order told."""

    key: str
    claims: list[Claim]


class EntityState(BaseModel):
    """What holds of an entity as of a scene. `chapter` and `scene` are of its last change."""

    entity_id: str
    name: str
    chapter: int
    scene: int
    facts: dict[str, str]
    changes: list[StateChange] = []  # all until then, oldest first
    sources: dict[str, Source] = {}  # of each fact that holds
    contradictions: list[Contradiction] = []


class StoryMemory(BaseModel):
    """Something told before that matters now. Chapter and scene are None for what is not of a
    scene: a note about the world."""

    id: str
    text: str
    score: float
    chapter: int | None
    scene: int | None
    content_type: str
    entities: list[str] = []
    tags: list[str] = []
    time: str = ""  # the story's own, as the plan told it: 三年前
    reason: str = ""  # why it is here


class TimelineEntry(BaseModel):
    chapter: int
    scene: int
    text: str
    participants: list[str] = []  # entity ids
    place: str = ""
    time: str = ""  # the story's own, as the plan told it: what is told here may be long ago
    content_type: str = "event"  # or entity_state


class Thread(BaseModel):
    """A question that the story has raised. Closed later than the scene that is asked for, it is
    open there."""

    id: str
    text: str
    opened_at: ScenePoint
    entities: list[str] = []
    closed_at: ScenePoint | None = None
    resolution: str = ""


class StoryEvent(_Given):
    """Something that happens in a scene, as told with it."""

    text: str = Field(min_length=1)
    participants: list[str] = []
    place: str = ""


class SceneAdded(BaseModel):
    """What became of a scene: its memories, and who was found in it."""

    project_id: str
    chapter: int
    scene: int
    entities: list[str]
    memory_ids: list[str]
    events: int = 0
    states: int = 0
    threads: list[str] = []  # ids of those that it opened
    notes: list[str] = []


class SceneMemoryContext(BaseModel):
    """What to know before a scene is written. `missing` says what could not be asked, and why:
    an empty list of memories means nothing was there only if nothing is missing."""

    project_id: str
    chapter_index: int
    scene_index: int
    entity_states: list[EntityState] = []
    relevant_memories: list[StoryMemory] = []
    timeline_context: list[TimelineEntry] = []
    open_threads: list[Thread] = []
    retrieval_timestamp: datetime
    status: str = "answered"  # as of a recollection: answered, empty, degraded, unavailable
    missing: list[str] = []
    phrases: list[str] = []  # what was searched for
