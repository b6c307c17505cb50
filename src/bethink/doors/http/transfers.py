"""Out and back in: one JSON object a line, without loss."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Annotated, Any

import anyio
from fastapi import Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from bethink.doors.http.answers_of_care import Imported
from bethink.doors.http.callers import at_desk
from bethink.doors.http.replies import as_json
from bethink.doors.http.routing import routes
from bethink.doors.http.writes import IdempotencyKey, write
from bethink.errors import InvalidInput

router = routes("care", prefix="/v1")
_NDJSON = "application/x-ndjson"
_DAMAGED = "Damaged-Memories"
_CHUNK = 64 * 1024  # bytes, about: each is one hop to a thread
_LINES = {
    "schema": {"type": "string"},
    "example": '{"id": "m1", "text": "小美喜欢深色主题"}\n{"id": "m2", "text": "Mei likes tea"}\n',
}


@router.get(
    "/export",
    summary="Export",
    response_class=Response,
    responses={
        200: {
            "description": "A memory a line",
            "content": {_NDJSON: _LINES},
            "headers": {
                _DAMAGED: {
                    "description": "how many memories are damaged and therefore left out",
                    "schema": {"type": "integer"},
                }
            },
        }
    },
)
def export(
    request: Request,
    space: Annotated[list[str] | None, Query(description="may be repeated")] = None,
) -> Response:
    """Every memory with its history, one JSON object a line, as it is read. The header
    `Damaged-Memories` says how many are damaged and therefore left out; `doctor` names them."""
    with ExitStack() as open_for_now:
        desk = open_for_now.enter_context(at_desk(request))
        damaged: list[str] = []
        chunks = _chunks(desk.export(spaces=space, damaged=damaged))
        first = next(chunks, b"")  # what is wrong is said before the answer begins
        lines = _Lines(first, chunks, open_for_now.pop_all())
        lines.headers[_DAMAGED] = str(len(damaged))
        return lines


@router.post(
    "/import",
    summary="Import",
    response_model=Imported,
    openapi_extra={"requestBody": {"required": True, "content": {_NDJSON: _LINES}}},
)
async def import_many(request: Request, key: IdempotencyKey = None) -> Response:
    """Take back what an export gave: ids, times, counters and history stay as they were."""
    body = await request.body()
    return await run_in_threadpool(_imported, request, body, key)


def _imported(request: Request, body: bytes, key: str | None) -> Response:
    lines = enumerate(body.splitlines(), 1)
    records = [_record(number, line) for number, line in lines if line.strip()]
    return write(
        request,
        lambda desk: {"fates": desk.import_many(records)},
        key=key,
        asked=records,
        repeatable=True,
    )


def _record(number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as e:
        raise InvalidInput(f"line {number} is not JSON ({e})") from None
    if not isinstance(record, dict):
        raise InvalidInput(f"line {number}: expected an object")
    return record


def _chunks(records: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    waiting, size = [], 0
    for record in records:
        line = as_json(record) + b"\n"
        waiting.append(line)
        size += len(line)
        if size >= _CHUNK:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


class _Lines(StreamingResponse):
    """The desk stays open until the last line is sent, or nobody reads any more."""

    def __init__(self, first: bytes, more: Iterator[bytes], opened: ExitStack) -> None:
        super().__init__(_after(first, more), media_type=_NDJSON)
        self._opened = opened

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            with anyio.CancelScope(shield=True):
                await run_in_threadpool(self._opened.close)


def _after(first: bytes, more: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from more
