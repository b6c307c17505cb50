"""From a request to a desk. The key is looked at before anything is read: whoever has none costs
the server next to nothing. Every path asks for one, but for those that are listed as open; a new
route is closed unless somebody opens it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from bethink.access.caller import Caller
from bethink.access.desk import Desk
from bethink.access.reception import Reception
from bethink.doors.http.problems import of_error
from bethink.errors import BethinkError, Unauthorised

DOOR = "http"
NUMBERS = "/metrics"
OPEN = ("/health/live", "/health/ready", "/version", "/docs", "/openapi.json")
# The page's files, and doors that ask for the key in their own way.
OPEN_BELOW = ("/page/", "/ws/", "/mcp")


class Doorkeeper:
    def __init__(self, app: ASGIApp, *, reception: Reception) -> None:
        self._app = app
        self._reception = reception

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not is_open(scope["path"]):
            authorization = Headers(scope=scope).get("authorization")
            try:
                # in a thread: now and then it is noted that a key was used, or refused
                caller = await run_in_threadpool(
                    come_in, self._reception, authorization, scope["path"]
                )
            except BethinkError as e:
                await of_error(e, scope)(scope, receive, send)
                return
            scope.setdefault("state", {})["caller"] = caller
        await self._app(scope, receive, send)


def come_in(reception: Reception, authorization: str | None, path: str) -> Caller:
    who = reception.caller_for_numbers if path == NUMBERS else reception.caller
    caller = who(key_in(authorization), door=DOOR)
    reception.allow(caller)
    return caller


def key_in(authorization: str | None) -> str | None:
    if authorization is None:
        return None
    scheme, _, key = authorization.partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise Unauthorised("send the key as 'Authorization: Bearer bk_...'")
    return key.strip()


def is_open(path: str) -> bool:
    return path == "/" or path in OPEN or path.startswith(OPEN_BELOW)


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
