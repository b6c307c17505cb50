"""From a request to a desk. The key is looked at before anything is read: whoever has none costs
the server next to nothing. Every path asks for one, but for those that are listed as open; a new
route is closed unless somebody opens it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TypeAlias

from fastapi import Header, Request
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.access.caller import Caller
from recollect.access.desk import Desk
from recollect.access.reception import Reception
from recollect.access.repeats import derived_id
from recollect.doors.http.problems import of_error
from recollect.errors import RecollectError, Unauthorised

DOOR = "http"
OPEN = ("/health/live", "/health/ready", "/version", "/docs", "/openapi.json")
# The page's files, and doors that ask for the key in their own way.
OPEN_BELOW = ("/page/", "/ws/", "/mcp")


class Doorkeeper:
    def __init__(self, app: ASGIApp, *, reception: Reception) -> None:
        self._app = app
        self._reception = reception

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not _is_open(scope["path"]):
            try:
                caller = self._caller(Headers(scope=scope).get("authorization"))
            except RecollectError as e:
                await of_error(e)(scope, receive, send)
                return
            scope.setdefault("state", {})["caller"] = caller
        await self._app(scope, receive, send)

    def _caller(self, authorization: str | None) -> Caller:
        caller = self._reception.caller(key_in(authorization), door=DOOR)
        self._reception.allow(caller)
        return caller


def key_in(authorization: str | None) -> str | None:
    if authorization is None:
        return None
    scheme, _, key = authorization.partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise Unauthorised("send the key as 'Authorization: Bearer rk_...'")
    return key.strip()


def _is_open(path: str) -> bool:
    return path == "/" or path in OPEN or path.startswith(OPEN_BELOW)


IdempotencyKey: TypeAlias = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="Sent again with the same key, a write is not done again: the answer is that "
        "of the first. Kept for a day.",
    ),
]


def reception_of(request: Request) -> Reception:
    reception = request.app.state.reception
    assert isinstance(reception, Reception)
    return reception


def caller_of(request: Request) -> Caller:
    caller = request.state.caller
    assert isinstance(caller, Caller)
    return caller


@contextmanager
def at_desk(request: Request) -> Iterator[Desk]:
    """The caller's desk; it notes what is done there, and what is refused."""
    with reception_of(request).desk(caller_of(request)) as desk:
        yield desk


def write(
    request: Request,
    do: Callable[[Desk], Any],
    *,
    key: str | None,
    asked: object,
    repeatable: bool = False,
    status: int = 200,
) -> JSONResponse:
    """Do something once, and answer. `asked` is all that makes two requests the same;
    `repeatable`: doing it twice is doing it once."""
    with at_desk(request) as desk:
        if key is None:
            return JSONResponse(do(desk), status)
        fingerprint = hashlib.sha256(f"{_action(request)}\x1f{asked!r}".encode()).hexdigest()
        answer, replayed = reception_of(request).idempotent(
            caller_of(request), key, fingerprint, lambda: do(desk), repeatable=repeatable
        )
        headers = {"Idempotency-Replayed": "true"} if replayed else None
        return JSONResponse(answer, status, headers)


def own_id(request: Request, key: str | None) -> str | None:
    """An id that the same request gets again, so that it can be repeated after a crash."""
    return None if key is None else derived_id(caller_of(request), key)


def _action(request: Request) -> str:
    route = request.scope.get("route")
    return f"{request.method} {getattr(route, 'path', request.url.path)}"
