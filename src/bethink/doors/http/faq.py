"""Frequent questions of a knowledge base."""

from __future__ import annotations

import hashlib
from typing import Annotated

from fastapi import Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from bethink.doors.http.answers_of_knowledge import (
    Entries,
    EntryAnswer,
    EntryRemoved,
    EntryTaken,
    FaqImported,
    Switched,
)
from bethink.doors.http.bodies_of_knowledge import ToldEntry
from bethink.doors.http.callers import at_desk
from bethink.doors.http.replies import reply
from bethink.doors.http.routing import routes
from bethink.doors.http.writes import IdempotencyKey, write

router = routes("knowledge", prefix="/v1/knowledge/{base:part}/faq")
_ROWS = {
    "schema": {"type": "string"},
    "example": "question,similar,negative,answers\n"
    "怎么退款？,如何退钱##退款流程,怎么换货,三十天内申请\n",
}


@router.post("", status_code=201, summary="Add an entry", response_model=EntryTaken)
def add(request: Request, base: str, body: ToldEntry, key: IdempotencyKey = None) -> Response:
    """Or change the one that has this id; without an id, the one that has this question."""
    told = body.given()
    return write(
        request,
        lambda desk: desk.add_faq(base, told),
        key=key,
        asked=[base, told],
        repeatable=True,
        status=201,
    )


@router.post(
    "/import",
    summary="Import entries",
    response_model=FaqImported,
    openapi_extra={"requestBody": {"required": True, "content": {"text/csv": _ROWS}}},
)
async def import_many(
    request: Request,
    base: str,
    name: Annotated[str, Query(description="of the file: kept as their source")] = "",
    form: Annotated[
        str, Query(alias="format", description="csv, json or jsonl; auto: by name and content")
    ] = "auto",
    separator: Annotated[str, Query(description="between several in a cell of CSV")] = "##",
    dry_run: Annotated[bool, Query(description="say what would be taken; take none")] = False,
    key: IdempotencyKey = None,
) -> Response:
    """The body is the file: CSV, JSON or JSON lines, in UTF-8 or GB18030. A row that cannot be
    taken is named with the reason; the others are taken. Imported again, nothing is doubled."""
    data = await request.body()
    told = [base, name, form, separator, dry_run, hashlib.sha256(data).hexdigest()]
    return await run_in_threadpool(
        lambda: write(
            request,
            lambda desk: desk.import_faq(
                base, data, name=name, format=form, separator=separator, dry_run=dry_run
            ),
            key=key,
            asked=told,
            repeatable=True,
        )
    )


@router.get("", summary="Entries", response_model=Entries)
def listed(
    request: Request,
    base: str,
    tag: str | None = None,
    cursor: str | None = None,
    limit: int = 100,
) -> Response:
    """In the order told."""
    with at_desk(request) as desk:
        return reply(desk.faqs(base, tag=tag, cursor=cursor, limit=limit))


@router.get("/{entry:name}", summary="An entry", response_model=EntryAnswer)
def one(request: Request, base: str, entry: str) -> Response:
    """By its id, the id that you gave it, or its question."""
    with at_desk(request) as desk:
        return reply(desk.faq(base, entry))


@router.delete("/{entry:name}", summary="Remove an entry", response_model=EntryRemoved)
def remove(request: Request, base: str, entry: str, key: IdempotencyKey = None) -> Response:
    return write(request, lambda desk: desk.remove_faq(base, entry), key=key, asked=[base, entry])


@router.post("/{entry:name}/enable", summary="Enable an entry", response_model=Switched)
def enable(request: Request, base: str, entry: str, key: IdempotencyKey = None) -> Response:
    """Let questions find it again."""
    return write(
        request,
        lambda desk: desk.enable_faq(base, entry),
        key=key,
        asked=[base, entry],
        repeatable=True,
    )


@router.post("/{entry:name}/disable", summary="Disable an entry", response_model=Switched)
def disable(request: Request, base: str, entry: str, key: IdempotencyKey = None) -> Response:
    """Keep it, and let no question find it."""
    return write(
        request,
        lambda desk: desk.disable_faq(base, entry),
        key=key,
        asked=[base, entry],
        repeatable=True,
    )
