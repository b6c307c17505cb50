"""How the server is doing, and what only its keepers may do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from recollect.doors.http.bodies import Reindexing, Setting
from recollect.doors.http.callers import IdempotencyKey, at_desk, reception_of, write
from recollect.doors.http.metrics import Metrics
from recollect.doors.http.problems import problem
from recollect.errors import InvalidInput, RecollectError

router = APIRouter(tags=["care"])
_NDJSON = "application/x-ndjson"


@router.get("/health/live", summary="Alive")
def live() -> JSONResponse:
    """The process answers."""
    return JSONResponse({"status": "alive"})


@router.get("/health/ready", summary="Ready")
def ready(request: Request) -> Response:
    """The store can be read; without that, nothing else works."""
    try:
        reception_of(request).look()
    except RecollectError as e:
        return problem(503, f"not ready: {e}", code=e.code)
    return JSONResponse({"status": "ready"})


@router.get("/version", summary="Version")
def version() -> JSONResponse:
    import recollect

    return JSONResponse({"name": "recollect", "version": recollect.__version__})


@router.get("/metrics", summary="Metrics", response_class=PlainTextResponse)
def metrics(request: Request) -> Response:
    """For Prometheus. A key is needed, where keys are."""
    with at_desk(request) as desk:
        desk.status()
    numbers = request.app.state.metrics
    assert isinstance(numbers, Metrics)
    return numbers.page()


@router.get("/v1/status", summary="Status")
def status(request: Request) -> JSONResponse:
    """How much there is, which embedder, and what waits."""
    with at_desk(request) as desk:
        return JSONResponse(desk.status())


@router.get("/v1/spaces", summary="Spaces")
def spaces(request: Request) -> JSONResponse:
    with at_desk(request) as desk:
        return JSONResponse({"spaces": desk.spaces()})


@router.delete("/v1/spaces/{space:path}", summary="Forget a space")
def forget_space(request: Request, space: str, key: IdempotencyKey = None) -> JSONResponse:
    """Erase a space with all that it holds."""
    return write(request, lambda desk: desk.forget_space(space), key=key, asked=space)


@router.get("/v1/presets", summary="Presets")
def presets(request: Request) -> JSONResponse:
    with at_desk(request) as desk:
        return JSONResponse({"presets": desk.presets()})


@router.get("/v1/settings", summary="Settings")
def settings(request: Request, space: str | None = None) -> JSONResponse:
    """What holds for you, or for one space, and where it is set."""
    with at_desk(request) as desk:
        return JSONResponse(desk.settings(space))


@router.put("/v1/settings", summary="Set")
def set_setting(request: Request, body: Setting, key: IdempotencyKey = None) -> JSONResponse:
    return write(
        request,
        lambda desk: desk.set_setting(body.name, body.value, space=body.space),
        key=key,
        asked=body.given(),
        repeatable=True,
    )


@router.get("/v1/doctor", summary="Doctor")
def doctor(request: Request) -> JSONResponse:
    """Every part checked thoroughly; each fault with its fix."""
    with at_desk(request) as desk:
        return JSONResponse({"checks": desk.doctor()})


@router.post("/v1/reindex", summary="Reindex")
def reindex(request: Request, body: Reindexing, key: IdempotencyKey = None) -> JSONResponse:
    """Fill in missing vectors, or change over to another embedder."""
    return write(
        request,
        lambda desk: desk.reindex(force=body.force),
        key=key,
        asked=body.given(),
        repeatable=True,
    )


@router.get("/v1/export", summary="Export", response_class=StreamingResponse)
def export(
    request: Request,
    space: Annotated[list[str] | None, Query(description="may be repeated")] = None,
) -> StreamingResponse:
    """Every memory with its history, one JSON object a line."""
    with at_desk(request) as desk:
        records = desk.export(spaces=space)
        first = next(records, None)  # what is wrong is said before the answer begins

    def lines() -> Iterator[bytes]:
        with at_desk(request):  # keeps the store open for as long as it is read
            for record in (first, *()) if first is not None else ():
                yield _line(record)
            for record in records:
                yield _line(record)

    return StreamingResponse(lines(), media_type=_NDJSON)


@router.post("/v1/import", summary="Import")
def import_many(
    request: Request,
    body: Annotated[bytes, Body(media_type=_NDJSON)],
    key: IdempotencyKey = None,
) -> JSONResponse:
    """Take back what an export gave: ids, times, counters and history stay as they were."""
    records = [_record(number, line) for number, line in enumerate(body.splitlines(), 1) if line]
    return write(
        request,
        lambda desk: {"fates": desk.import_many(records)},
        key=key,
        asked=body,
        repeatable=True,
    )


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def _record(number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as e:
        raise InvalidInput(f"line {number} is not JSON ({e})") from None
    if not isinstance(record, dict):
        raise InvalidInput(f"line {number}: expected an object")
    return record
