"""Memories: tell, look at, change, forget."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from bethink.doors.http.answers import (
    History,
    Memories,
    MemoryAnswer,
    Receipt,
    Receipts,
    WhyNotAnswer,
)
from bethink.doors.http.bodies import Batch, Question, Reinforcement, Revision, ToRemember
from bethink.doors.http.callers import at_desk
from bethink.doors.http.filters import where_of
from bethink.doors.http.replies import reply
from bethink.doors.http.routing import routes
from bethink.doors.http.writes import IdempotencyKey, write

router = routes("memories", prefix="/v1")


@router.post("/memories", status_code=201, summary="Remember", response_model=Receipt)
def remember(request: Request, body: ToRemember, key: IdempotencyKey = None) -> Response:
    """Remember one thing. The answer means that it is on disk. Told again in the same words, it is
    counted instead of repeated."""
    told = body.given()
    options = {name: told.pop(name) for name in ("supersedes", "merge") if name in told}
    return write(
        request,
        lambda desk: desk.remember(told, **options),
        key=key,
        asked=body.given(),
        status=201,
    )


@router.post("/memories/batch", status_code=201, summary="Remember many", response_model=Receipts)
def remember_many(request: Request, body: Batch, key: IdempotencyKey = None) -> Response:
    """Written together, all or none: what is wrong with one is said before any is written."""
    told = [one.given() for one in body.memories]
    return write(
        request,
        lambda desk: {"receipts": desk.remember_many(told)},
        key=key,
        asked=told,
        status=201,
    )


@router.get("/memories", summary="List", response_model=Memories)
def list_memories(
    request: Request,
    space: Annotated[list[str] | None, Query(description="may be repeated")] = None,
    where: Annotated[str | None, Query(description="a filter, as JSON")] = None,
    newest_first: bool = True,
    cursor: Annotated[str | None, Query(description="from the page before")] = None,
    limit: int = 20,
) -> Response:
    """Memories as they were told, a page at a time."""
    with at_desk(request) as desk:
        return reply(
            desk.list(
                spaces=space,
                where=where_of(where),
                newest_first=newest_first,
                cursor=cursor,
                limit=limit,
            )
        )


# An id may hold any visible character, a slash too: routes that end in a word come first.


@router.get("/memories/{memory_id:name}/history", summary="History", response_model=History)
def history(request: Request, memory_id: str) -> Response:
    """How a memory read before, what it superseded and what superseded it."""
    with at_desk(request) as desk:
        return reply(desk.history(memory_id))


@router.post("/memories/{memory_id:name}/reinforce", summary="Reinforce", response_model=Receipt)
def reinforce(
    request: Request, memory_id: str, body: Reinforcement, key: IdempotencyKey = None
) -> Response:
    """Count that something was told again."""
    return write(
        request,
        lambda desk: desk.reinforce(memory_id, body.times),
        key=key,
        asked=(memory_id, body.times),
    )


@router.post("/memories/{memory_id:name}/why-not", summary="Why not", response_model=WhyNotAnswer)
def why_not(request: Request, memory_id: str, body: Question) -> Response:
    """At which stage this memory lost when that is asked, and by how much."""
    with at_desk(request) as desk:
        return reply(desk.why_not(memory_id, body.question, **body.options()))


@router.get("/memories/{memory_id:name}", summary="Get", response_model=MemoryAnswer)
def get(request: Request, memory_id: str) -> Response:
    """A memory by its id. A slash in an id is sent as `%2F`."""
    with at_desk(request) as desk:
        return reply(desk.get(memory_id))


@router.patch("/memories/{memory_id:name}", summary="Revise", response_model=Receipt)
def revise(
    request: Request, memory_id: str, body: Revision, key: IdempotencyKey = None
) -> Response:
    """Change a memory; its former form is kept as history."""
    fields = body.given()
    return write(
        request,
        lambda desk: desk.revise(memory_id, fields),
        key=key,
        asked=(memory_id, fields),
    )


@router.delete("/memories/{memory_id:name}", summary="Forget", response_model=Receipt)
def forget(request: Request, memory_id: str, key: IdempotencyKey = None) -> Response:
    """Erase a memory everywhere: text, history, words, vectors, and what was offered alike."""
    return write(
        request,
        lambda desk: desk.forget(memory_id),
        key=key,
        asked=memory_id,
    )
