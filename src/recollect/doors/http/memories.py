"""Memories: tell, look at, change, forget."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse

from recollect.doors.http.bodies import Batch, Question, Reinforcement, Revision, ToRemember
from recollect.doors.http.callers import IdempotencyKey, at_desk, write
from recollect.doors.http.filters import where_of

router = APIRouter(prefix="/v1", tags=["memories"])


@router.post("/memories", status_code=201, summary="Remember")
def remember(request: Request, body: ToRemember, key: IdempotencyKey = None) -> JSONResponse:
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


@router.post("/memories/batch", status_code=201, summary="Remember many")
def remember_many(request: Request, body: Batch, key: IdempotencyKey = None) -> JSONResponse:
    told = [one.given() for one in body.memories]
    return write(
        request,
        lambda desk: {"receipts": desk.remember_many(told)},
        key=key,
        asked=told,
        status=201,
    )


@router.get("/memories", summary="List")
def list_memories(
    request: Request,
    space: Annotated[list[str] | None, Query(description="may be repeated")] = None,
    where: Annotated[str | None, Query(description="a filter, as JSON")] = None,
    newest_first: bool = True,
    cursor: Annotated[str | None, Query(description="from the page before")] = None,
    limit: int = 20,
) -> JSONResponse:
    """Memories as they were told, a page at a time."""
    with at_desk(request) as desk:
        return JSONResponse(
            desk.list(
                spaces=space,
                where=where_of(where),
                newest_first=newest_first,
                cursor=cursor,
                limit=limit,
            )
        )


# An id may hold any visible character, a slash too: routes that end in a word come first.


@router.get("/memories/{memory_id:path}/history", summary="History")
def history(request: Request, memory_id: str) -> JSONResponse:
    """How a memory read before, what it superseded and what superseded it."""
    with at_desk(request) as desk:
        return JSONResponse(desk.history(memory_id))


@router.post("/memories/{memory_id:path}/reinforce", summary="Reinforce")
def reinforce(
    request: Request, memory_id: str, body: Reinforcement, key: IdempotencyKey = None
) -> JSONResponse:
    """Count that something was told again."""
    return write(
        request,
        lambda desk: desk.reinforce(memory_id, body.times),
        key=key,
        asked=(memory_id, body.times),
    )


@router.post("/memories/{memory_id:path}/why-not", summary="Why not")
def why_not(request: Request, memory_id: str, body: Question) -> JSONResponse:
    """At which stage this memory lost when that is asked, and by how much."""
    with at_desk(request) as desk:
        return JSONResponse(desk.why_not(memory_id, body.question, **body.options()))


@router.get("/memories/{memory_id:path}", summary="Get")
def get(request: Request, memory_id: str) -> JSONResponse:
    with at_desk(request) as desk:
        return JSONResponse(desk.get(memory_id))


@router.patch("/memories/{memory_id:path}", summary="Revise")
def revise(
    request: Request, memory_id: str, body: Revision, key: IdempotencyKey = None
) -> JSONResponse:
    """Change a memory; its former form is kept as history."""
    fields = body.given()
    return write(
        request,
        lambda desk: desk.revise(memory_id, fields),
        key=key,
        asked=(memory_id, fields),
    )


@router.delete("/memories/{memory_id:path}", summary="Forget")
def forget(request: Request, memory_id: str, key: IdempotencyKey = None) -> JSONResponse:
    """Erase a memory everywhere: text, history, words, vectors, and what was offered alike."""
    return write(
        request,
        lambda desk: desk.forget(memory_id),
        key=key,
        asked=memory_id,
    )
