"""Errors as problem details (RFC 9457), in the same plain words that every door uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from recollect.errors import (
    Conflict,
    EmbedderError,
    Forbidden,
    InvalidInput,
    MissingExtra,
    NotFound,
    RecollectError,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
    TooManyRequests,
    Unauthorised,
    UnknownSpace,
)

MEDIA_TYPE = "application/problem+json"
# The first that fits. What is not listed is ours to mend: 500.
_STATUS: tuple[tuple[type[RecollectError], int], ...] = (
    (Unauthorised, 401),
    (Forbidden, 403),
    (NotFound, 404),
    (UnknownSpace, 404),
    (Conflict, 409),
    (InvalidInput, 422),
    (TooManyRequests, 429),
    (MissingExtra, 501),
    (StoreBusy, 503),
    (StoreFull, 507),
    (StoreReadOnly, 503),
    (StoreError, 503),
    (EmbedderError, 503),
)
_TITLES = {
    400: "This is no request that can be read",
    401: "A key is needed",
    403: "This key may not do that",
    404: "There is no such thing",
    405: "This is not done that way",
    409: "It contradicts what is there",
    413: "Too much at once",
    415: "Not in this form",
    421: "This server is not called that",
    422: "Something in the request is wrong",
    429: "Too many requests",
    500: "Something went wrong here",
    501: "An optional part is missing on the server",
    503: "The store cannot do its work now",
    504: "It took too long",
    507: "No room is left",
}


def problem(
    status: int,
    detail: str,
    *,
    code: str,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> JSONResponse:
    body = {
        "type": f"urn:recollect:{code}",
        "title": _TITLES.get(status, "It could not be done"),
        "status": status,
        "detail": detail,
        "code": code,
        **more,
    }
    return JSONResponse(body, status, dict(headers or {}), MEDIA_TYPE)


def status_of(error: RecollectError) -> int:
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def of_error(error: RecollectError) -> JSONResponse:
    headers: dict[str, str] = {}
    if isinstance(error, TooManyRequests):
        headers["Retry-After"] = str(max(1, round(error.seconds + 0.5)))
    if isinstance(error, Unauthorised):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, StoreBusy):
        headers["Retry-After"] = "1"
    return problem(status_of(error), str(error), code=error.code, headers=headers)


def add_problems(app: FastAPI) -> None:
    """Every error leaves as a problem; of what nobody expected, nothing but its number."""

    async def ours(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RecollectError)
        return of_error(error)

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        faults = [
            {"where": ".".join(map(str, fault["loc"])), "what": fault["msg"]}
            for fault in error.errors()
        ]
        detail = "; ".join(f"{fault['where']}: {fault['what']}" for fault in faults[:5])
        return problem(422, detail, code="invalid_input", faults=faults)

    async def plain(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        detail = {
            404: f"there is nothing at {request.url.path}; /docs lists what there is",
            405: f"{request.method} is not for {request.url.path}; /docs says what is",
        }.get(error.status_code, str(error.detail))
        code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "http_error")
        return problem(error.status_code, detail, code=code, headers=error.headers)

    app.add_exception_handler(RecollectError, ours)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, plain)
