"""What story memory takes and gives, as Pydantic models: JSON in, JSON out.

An entity is whoever or whatever has a state: a person, a sword, a town. All of them are in the
cast, so that a name in the text, a name in a plan and a name in a question mean the same one.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, TypeAlias

from bethink.errors import MissingExtra

try:
    from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
    from typing_extensions import TypedDict
except ModuleNotFoundError:  # pragma: no cover  (a test runs this in a process without it)
    raise MissingExtra("story memory", "story") from None


def _told(value: object) -> object:
    """Facts are text; a number or a truth value that somebody writes in JSON becomes its text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int | float) else value


Fact = Annotated[str, BeforeValidator(_told)]
Index = Annotated[int, Field(ge=0, lt=100_000)]  # of a chapter, or of a scene in its chapter


def _named(value: object) -> object:
    """The name, where a plan lists whole characters."""
    if isinstance(value, list):
        return [one["name"] if isinstance(one, dict) and "name" in one else one for one in value]
    return value


class _Open(BaseModel):
    """What people write, with fields of their own: these are kept, searched for and shown to a
    language model."""

    model_config = ConfigDict(extra="allow")

    @property
    def further(self) -> dict[str, Any]:
        """The fields that are not ours."""
        return dict(self.model_extra or {})


def texts_in(value: object) -> list[str]:
    """Every text in a value of JSON; numbers and truth values are none."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for one in value.values() for text in texts_in(one)]
    return [text for one in value for text in texts_in(one)] if isinstance(value, list) else []


class Character(_Open):
    """Somebody or something with a name of its own. `titles` count in a text only where they name
    one character of the cast; `aliases` always."""

    id: str = ""  # left out: made of the name
    name: str = Field(min_length=1)
    aliases: list[str] = []
    titles: list[str] = []
    description: str = ""
    kind: str = "character"  # or object, place, group: whatever helps the author

    @model_validator(mode="after")
    def _names_are_not_lost(self) -> Character:
        """A name under a field that is nearly one of ours would never be found."""
        for slip, meant in (("alias", "aliases"), ("title", "titles")):
            if slip in self.further:
                raise ValueError(f"{slip}: did you mean {meant!r}, a list?")
        return self

    def model_post_init(self, context: Any, /) -> None:
        if not self.id:
            from bethink.story.naming import id_for

            self.id = id_for(self.name)


class Cast(_Open):
    characters: list[Character] = []


CharactersConfig: TypeAlias = Cast  # as programs that write novels call it


class ScenePlan(_Open):
    """What a scene is going to be. Nothing in it is required; the more, the better the search."""

    title: str = ""
    summary: str = ""
    location: str = ""
    # who is in it: ids, names, aliases or titles
    characters: Annotated[list[str], BeforeValidator(_named)] = []
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


class EntityStateSnapshot(BaseModel):
    """What holds of an entity as of a scene. `chapter_index` and `scene_index` are of its last
    change; in a timeline, of the scene that the snapshot is of."""

    entity_id: str
    name: str
    chapter_index: int
    scene_index: int
    facts: dict[str, str]
    changes: list[StateChange] = []  # all until then, oldest first; in a timeline, of the scene
    sources: dict[str, Source] = {}  # of each fact that holds
    contradictions: list[Contradiction] = []
    events: list[str] = []  # in a timeline: what the entity took part in, in this scene

    @property
    def chapter(self) -> int:
        return self.chapter_index

    @property
    def scene(self) -> int:
        return self.scene_index


class StoryMemoryChunk(BaseModel):
    """Something told before that matters now. Chapter and scene are None for what is not of a
    scene: a note about the world."""

    id: str
    text: str
    score: float
    chapter_index: int | None
    scene_index: int | None
    content_type: str
    entities: list[str] = []
    tags: list[str] = []
    time: str = ""  # the story's own, as the plan told it: 三年前
    reason: str = ""  # why it is here

    @property
    def chapter(self) -> int | None:
        return self.chapter_index

    @property
    def scene(self) -> int | None:
        return self.scene_index


class TimelineEntry(BaseModel):
    chapter: int
    scene: int
    text: str
    participants: list[str] = []  # entity ids
    place: str = ""
    time: str = ""  # the story's own, as the plan told it: what is told here may be long ago
    content_type: str = "event"  # or entity_state


class TimelineContext(TypedDict):
    """What happened lately, and from which chapters that is."""

    from_chapter_index: int
    to_chapter_index: int
    events: list[TimelineEntry]  # in the order of the story


class Thread(BaseModel):
    """A question that the story has raised. Closed later than the scene that is asked for, it is
    open there."""

    id: str
    text: str
    opened_at: ScenePoint
    entities: list[str] = []
    closed_at: ScenePoint | None = None
    resolution: str = ""


class StoryEvent(BaseModel):
    """Something that happens in a scene, as told with it. A field that it does not have is refused
    as a slip of the pen."""

    model_config = ConfigDict(extra="forbid")

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
    entity_states: list[EntityStateSnapshot] = []
    relevant_memories: list[StoryMemoryChunk] = []
    timeline_context: TimelineContext | None = None  # None: it could not be read
    open_threads: list[Thread] = []
    retrieval_timestamp: datetime
    status: str = "answered"  # as of a recollection: answered, empty, degraded, unavailable
    missing: list[str] = []
    notes: list[str] = []  # what the author may want to know; nothing is missing for it
    phrases: list[str] = []  # what was searched for

    @property
    def events(self) -> list[TimelineEntry]:
        """The events of the timeline."""
        return [] if self.timeline_context is None else self.timeline_context["events"]
