"""Stories: what is told of a project, and the context of its next scene."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Query, Request
from pydantic import AliasChoices, Field
from starlette.responses import Response

from bethink.doors.http.answers import Answer
from bethink.doors.http.bodies import Body
from bethink.doors.http.callers import at_desk
from bethink.doors.http.metrics import metrics_of
from bethink.doors.http.replies import reply
from bethink.doors.http.routing import routes
from bethink.doors.http.waiting import may_wait
from bethink.doors.http.writes import IdempotencyKey, write
from bethink.errors import InvalidInput, StoreError, said_to_anybody
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
from bethink.story.story import context_without_store

router = routes("stories", prefix="/v1/story")
_Count = Annotated[int | None, Query(description="counted as you count them")]
_OtherName = Annotated[int | None, Query(description="another name of it")]


# In a request either name will do.
def _chapter(chapter: _Count = None, chapter_index: _OtherName = None) -> int | None:
    return _either("chapter", chapter, chapter_index)


def _scene(scene: _Count = None, scene_index: _OtherName = None) -> int | None:
    return _either("scene", scene, scene_index)


def _either(name: str, one: int | None, other: int | None) -> int | None:
    if one is not None and other is not None and one != other:
        raise InvalidInput(f"{name} and {name}_index are the same; leave one of them out")
    return other if one is None else one


def _needed_chapter(chapter: _Count = None, chapter_index: _OtherName = None) -> int:
    return _given("chapter", _chapter(chapter, chapter_index))


def _needed_scene(scene: _Count = None, scene_index: _OtherName = None) -> int:
    return _given("scene", _scene(scene, scene_index))


def _given(name: str, value: int | None) -> int:
    if value is None:
        raise InvalidInput(f"which {name}? give {name}=N")
    return value


_CHAPTER = Annotated[int, Depends(_needed_chapter)]
_SCENE = Annotated[int, Depends(_needed_scene)]
_MAYBE_CHAPTER = Annotated[int | None, Depends(_chapter)]
_MAYBE_SCENE = Annotated[int | None, Depends(_scene)]
_AnyChapter = Annotated[int, Field(validation_alias=AliasChoices("chapter", "chapter_index"))]
_AnyScene = Annotated[int, Field(validation_alias=AliasChoices("scene", "scene_index"))]


class ToldScene(Body):
    """A scene as it was written, and what it leaves behind. What is left out is as told before;
    where no events are told, the plan's summary is one."""

    chapter: _AnyChapter
    scene: _AnyScene
    text: str = Field(examples=["林婉在码头受了伤。Lin Wan was wounded at the dock."])
    plan: ScenePlan | None = None
    states: dict[str, dict[str, Any]] | None = Field(
        None,
        description="what holds at its end, by entity",
        examples=[{"林婉": {"left arm": "injured"}}],
    )
    events: list[StoryEvent | str] | None = Field(None, examples=[["林婉 loses the sword"]])
    threads: list[str] | None = Field(None, examples=[["谁伤了林婉？"]])
    tags: list[str] = Field([], examples=[["draft"]])
    mentions: dict[str, str] | None = Field(
        None,
        description="words of this text, and whom they mean",
        examples=[{"the widow": "Tamsin", "小姑娘": "阿灵"}],
    )
    allow_new: bool = Field(False, description="states of names that the cast does not know")
    extract: bool = Field(False, description="ask the language model for what is not told")
    deadline: float | None = Field(None, description="seconds for the language model")


class ToldChapter(Body):
    chapter: _AnyChapter
    text: str = Field(description="cut into scenes at headings and breaks")
    extract: bool = False


class ToldState(Body):
    entity: str = Field(examples=["林婉"], description="an id, a name, an alias or a title")
    chapter: _AnyChapter
    scene: _AnyScene
    facts: dict[str, Any] = Field(examples=[{"left arm": "healed"}])
    source: str = ""
    allow_new: bool = Field(False, description="record a name that the cast does not know")


class MovedScene(Body):
    """A scene, or a chapter where no scene is named."""

    chapter: _AnyChapter
    scene: int | None = Field(None, validation_alias=AliasChoices("scene", "scene_index"))
    to_chapter: int = Field(validation_alias=AliasChoices("to_chapter", "to_chapter_index"))
    to_scene: int | None = Field(None, validation_alias=AliasChoices("to_scene", "to_scene_index"))


class ToldThread(Body):
    text: str = Field(examples=["谁伤了林婉？"])
    chapter: _AnyChapter
    scene: _AnyScene
    entities: list[str] | None = Field(None, description="by default those that the text names")


class ClosedThread(Body):
    id: str
    chapter: _AnyChapter
    scene: _AnyScene
    resolution: str = ""


class ForScene(Body):
    """A scene that is going to be written."""

    chapter: _AnyChapter
    scene: _AnyScene
    plan: ScenePlan = Field(default_factory=ScenePlan)
    characters: Cast | list[Character] | list[str] | None = Field(
        None, description="the cast, joined with the one that is kept; or who is in the scene"
    )
    budget: int | None = Field(None, description="tokens of JSON; left out: all that was found")
    deadline: float | None = Field(None, description="seconds")
    allow_future: bool = Field(False, description="also what comes later")


class ForSearch(Body):
    query: str
    entities: list[str] | None = None
    content_type: str | None = None
    tags: list[str] | None = None
    top_k: int = 10
    before: tuple[int, int] | None = Field(None, description="chapter and scene", strict=False)


class CastKept(Answer):
    project_id: str
    notes: list[str] = Field(description="names that cannot tell who is meant")


class ScenesAdded(Answer):
    scenes: list[SceneAdded]


class Recorded(Answer):
    id: str


class StateRecorded(Recorded):
    notes: list[str] = Field(description="a name that is nobody's, and nearly somebody's")


class StateAnswer(Answer):
    state: EntityStateSnapshot | None = Field(description="null: nothing was recorded until then")
    notes: list[str] = Field(description="of a name that is nobody's, and nearly somebody's")


class States(Answer):
    states: list[EntityStateSnapshot]


class Memories(Answer):
    memories: int = Field(description="how many went")


class Timeline(Answer):
    timeline: list[TimelineEntry]


class Threads(Answer):
    threads: list[Thread]


class StoryMemories(Answer):
    memories: list[StoryMemoryChunk]


@router.put("/{project:name}/cast", summary="Who is in the story", response_model=CastKept)
def set_cast(request: Request, project: str, body: Cast, key: IdempotencyKey = None) -> Response:
    """Instead of the cast before. Who is named in what was told before is found again."""
    return write(
        request,
        lambda desk: desk.set_story_cast(project, body),
        key=key,
        asked=[project, body.model_dump()],
        repeatable=True,
    )


@router.get("/{project:name}/cast", summary="The cast", response_model=Cast)
def cast(request: Request, project: str) -> Response:
    with at_desk(request) as desk:
        return reply(desk.story_cast(project))


@router.post(
    "/{project:name}/scenes", status_code=201, summary="Add a scene", response_model=SceneAdded
)
@may_wait(lambda body: body.extract)
def add_scene(
    request: Request, project: str, body: ToldScene, key: IdempotencyKey = None
) -> Response:
    """Told again, a scene replaces what was told of it."""
    told = {name: getattr(body, name) for name in body.model_fields_set}
    return write(
        request,
        lambda desk: desk.add_story_scene(project, **told),
        key=key,
        asked=[project, body.given()],
        repeatable=True,
        status=201,
    )


@router.post(
    "/{project:name}/chapters",
    status_code=201,
    summary="Add a chapter",
    response_model=ScenesAdded,
)
@may_wait(lambda body: body.extract)
def add_chapter(
    request: Request, project: str, body: ToldChapter, key: IdempotencyKey = None
) -> Response:
    """Cut into scenes; told again, it replaces the chapter."""
    return write(
        request,
        lambda desk: {
            "scenes": desk.add_story_chapter(project, body.chapter, body.text, extract=body.extract)
        },
        key=key,
        asked=[project, body.given()],
        repeatable=True,
        status=201,
    )


@router.delete("/{project:name}/scenes", summary="Remove a scene", response_model=Memories)
def remove(
    request: Request,
    project: str,
    chapter: _CHAPTER,
    scene: _MAYBE_SCENE,
    key: IdempotencyKey = None,
) -> Response:
    """Or a chapter, where no scene is named: with all that was told or recorded of it. Threads
    that it closed are open again."""
    return write(
        request,
        lambda desk: desk.remove_from_story(project, chapter, scene),
        key=key,
        asked=[project, chapter, scene],
        repeatable=True,
    )


@router.post("/{project:name}/move", summary="Move a scene", response_model=Memories)
def move(request: Request, project: str, body: MovedScene, key: IdempotencyKey = None) -> Response:
    """Or a chapter: to a place of which nothing was told, with all that was told of it."""
    return write(
        request,
        lambda desk: desk.move_in_story(project, **body.model_dump()),
        key=key,
        asked=[project, body.given()],
    )


@router.post("/{project:name}/context", summary="Context", response_model=SceneMemoryContext)
def context(request: Request, project: str, body: ForScene) -> Response:
    """What to know before a scene is written: states, memories, timeline and threads from before
    it. What could not be asked is named in `missing`; the rest answers all the same. A store that
    is damaged or away answers `degraded`."""
    try:
        with at_desk(request) as desk:
            answer = desk.scene_context(
                project,
                body.plan,
                body.characters,
                body.chapter,
                body.scene,
                budget=body.budget,
                deadline=body.deadline,
                allow_future=body.allow_future,
            )
    except StoreError as e:
        place, why = (body.chapter, body.scene), said_to_anybody(e)
        answer = context_without_store(
            project, body.plan, body.characters, *place, why=why
        ).model_dump(mode="json")
    metrics_of(request).recalled(answer["status"])
    return reply(answer)


@router.post("/{project:name}/search", summary="Search a story", response_model=StoryMemories)
def search(request: Request, project: str, body: ForSearch) -> Response:
    with at_desk(request) as desk:
        return reply(desk.search_story(project, body.query, **_but(body.given(), "query")))


def _but(given: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in given.items() if key != name}


@router.get("/{project:name}/state", summary="A state", response_model=StateAnswer)
def state(
    request: Request, project: str, entity: str, chapter: _CHAPTER, scene: _SCENE
) -> Response:
    """What holds of an entity at the end of a scene, whatever name it is asked by."""
    with at_desk(request) as desk:
        return reply(desk.story_state(project, entity, chapter, scene))


@router.get("/{project:name}/states", summary="All states", response_model=States)
def states(request: Request, project: str, chapter: _CHAPTER, scene: _SCENE) -> Response:
    """What holds of everybody at the end of a scene."""
    with at_desk(request) as desk:
        return reply(desk.story_states(project, chapter, scene))


@router.post(
    "/{project:name}/states",
    status_code=201,
    summary="Record a state",
    response_model=StateRecorded,
)
def record_state(
    request: Request, project: str, body: ToldState, key: IdempotencyKey = None
) -> Response:
    """From that scene on; other facts stay, and an empty text ends one."""
    return write(
        request,
        lambda desk: desk.record_story_state(project, **body.model_dump()),
        key=key,
        asked=[project, body.given()],
        repeatable=True,
        status=201,
    )


@router.get("/{project:name}/timeline", summary="Timeline", response_model=Timeline)
def timeline(
    request: Request,
    project: str,
    chapter: _CHAPTER,
    scene: _MAYBE_SCENE,
    window: int = 3,
    states: bool = False,
    allow_future: bool = False,
) -> Response:
    """What happened up to a scene (without one: in the whole chapter too), from so many chapters
    before it."""
    with at_desk(request) as desk:
        return reply(
            desk.story_timeline(
                project, chapter, scene, window=window, states=states, allow_future=allow_future
            )
        )


@router.get("/{project:name}/threads", summary="Threads", response_model=Threads)
def threads(
    request: Request,
    project: str,
    chapter: _MAYBE_CHAPTER,
    scene: _MAYBE_SCENE,
    entity: Annotated[list[str] | None, Query(description="may be repeated")] = None,
    closed: bool = False,
) -> Response:
    """What is open at the end of a scene, or of the story."""
    with at_desk(request) as desk:
        return reply(desk.story_threads(project, chapter, scene, entities=entity, closed=closed))


@router.post(
    "/{project:name}/threads", status_code=201, summary="Open a thread", response_model=Recorded
)
def open_thread(
    request: Request, project: str, body: ToldThread, key: IdempotencyKey = None
) -> Response:
    return write(
        request,
        lambda desk: desk.open_story_thread(project, **body.model_dump()),
        key=key,
        asked=[project, body.given()],
        repeatable=True,
        status=201,
    )


@router.post("/{project:name}/threads/close", summary="Close a thread", response_model=Recorded)
def close_thread(
    request: Request, project: str, body: ClosedThread, key: IdempotencyKey = None
) -> Response:
    return write(
        request,
        lambda desk: desk.close_story_thread(
            project, body.id, body.chapter, body.scene, resolution=body.resolution
        ),
        key=key,
        asked=[project, body.given()],
        repeatable=True,
    )
