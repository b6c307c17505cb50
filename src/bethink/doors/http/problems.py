"""Errors as problem details (RFC 9457), in the same plain words that every door uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Scope

from bethink.doors.abroad import said_abroad
from bethink.doors.http.replies import reply
from bethink.errors import (
    BethinkError,
    Conflict,
    EmbedderError,
    Forbidden,
    InvalidInput,
    MissingExtra,
    NotFound,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    TooManyRequests,
    Unauthorised,
    UnknownSpace,
)

MEDIA_TYPE = "application/problem+json"
# The first that fits. What is not listed is ours to mend: 500.
_STATUS: tuple[tuple[type[BethinkError], int], ...] = (
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
    408: "It did not arrive",
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
) -> Response:
    body = {
        "type": f"urn:bethink:{code}",
        "title": _TITLES.get(status, "It could not be done"),
        "status": status,
        "detail": detail,
        "code": code,
        **more,
    }
    return reply(body, status, headers=headers, media_type=MEDIA_TYPE)


def status_of(error: BethinkError) -> int:
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def of_error(error: BethinkError, scope: Scope) -> Response:
    headers: dict[str, str] = {}
    if isinstance(error, TooManyRequests):
        headers["Retry-After"] = str(max(1, round(error.seconds + 0.5)))
    if isinstance(error, Unauthorised):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, StoreBusy | StoreUnavailable):
        headers["Retry-After"] = "1"
    if isinstance(error, StoreError) and scope.get("method") in ("GET", "HEAD"):
        error.unsure = False
    detail = said_abroad(error, scope.get("state", {}).get("request_id", ""))
    return problem(status_of(error), detail, code=error.code, headers=headers)


def add_problems(app: FastAPI) -> None:
    """Every error leaves as a problem; of what nobody expected, `guard` tells nothing but its
    number."""

    async def ours(request: Request, error: Exception) -> Response:
        assert isinstance(error, BethinkError)
        return of_error(error, request.scope)

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        faults = [_fault(fault) for fault in error.errors()]
        detail = "; ".join(f"{fault['where']}: {fault['what']}" for fault in faults[:5])
        return problem(422, detail, code="invalid_input", faults=faults)

    async def plain(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        path = request.scope.get("raw_path", b"").decode("latin-1") or request.url.path
        detail, code = {
            400: ("the body cannot be read; send JSON in UTF-8", "invalid_input"),
            404: (f"there is nothing at {path}; /docs lists what there is", "not_found"),
            405: (f"{request.method} is not for {path}; /docs says what is", "method_not_allowed"),
        }.get(error.status_code, (str(error.detail), "http_error"))
        return problem(error.status_code, detail, code=code, headers=error.headers)

    app.add_exception_handler(BethinkError, ours)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, plain)


def _fault(fault: Mapping[str, Any]) -> dict[str, str]:
    """Where it is (`body.tags.0`, `query.limit`), and what is wrong there, in our words."""
    kind, where = fault["type"], ".".join(map(str, fault["loc"]))
    what = str(fault["msg"])
    if kind == "json_invalid":
        what = f"no JSON: {fault.get('ctx', {}).get('error', 'it cannot be read')}"
    elif kind == "missing":
        what = "it is needed" if where != "body" else "a body is needed: a JSON object"
    elif kind == "extra_forbidden":
        what = "there is no such field"
    elif kind in ("model_attributes_type", "model_type", "dict_type"):
        what = "expected a JSON object; is Content-Type application/json?"
    return {"where": where, "what": what}
