"""Over HTTP: MCP in the server, with the server's keys.

The key comes with every request, and so do its tenant, spaces and scopes: a session knows nothing.
It belongs to the key that opened it; to others it is not there. Wrong hosts and origins (DNS
rebinding) are turned away by the server's guard, before this.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.authentication import BaseUser
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from bethink.access.caller import Caller
from bethink.access.reception import Reception
from bethink.doors.http.callers import key_in
from bethink.doors.http.problems import of_error, problem
from bethink.doors.mcp.sessions import IDLE_SECONDS, MOST_EACH, Sessions
from bethink.errors import BethinkError, MissingExtra

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from bethink.access.desk import Desk

PATH = "/mcp"
DOOR = "mcp"
_SESSION = "mcp-session-id"
_PATIENCE = 60  # seconds, for who has too many sessions


def mount_mcp(app: Starlette, reception: Reception, *, most_bytes: int) -> None:
    """Answer under /mcp for as long as the application runs. Without the optional part, it says
    which one is missing."""
    try:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from bethink.doors.mcp.knowledge import knowledge_tools
        from bethink.doors.mcp.server import build_server
    except ModuleNotFoundError:
        app.router.routes.append(Route(PATH, _Missing(), include_in_schema=False))
        return
    manager = StreamableHTTPSessionManager(
        build_server(RequestDesks(reception), knowledge_tools()),
        session_idle_timeout=IDLE_SECONDS,
        max_request_body_size=most_bytes,  # the server's own limit, which says what is wrong
    )
    mount(app, reception, manager)


def mount(app: Starlette, reception: Reception, manager: StreamableHTTPSessionManager) -> None:
    around = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[Any]:
        async with around(app) as state, manager.run():
            yield state

    app.router.lifespan_context = lifespan
    app.router.routes.append(Route(PATH, Door(manager, reception), include_in_schema=False))


class RequestDesks:
    def __init__(self, reception: Reception) -> None:
        self._reception = reception

    def caller(self, request: object) -> Caller:
        assert isinstance(request, Request)
        caller = request.state.caller
        assert isinstance(caller, Caller)
        return caller

    @contextmanager
    def desk(self, caller: Caller, *, writes: bool) -> Iterator[Desk]:
        with self._reception.desk(caller) as desk:
            yield desk


class Door:
    """Who it is, before anything is read."""

    def __init__(self, manager: StreamableHTTPSessionManager, reception: Reception) -> None:
        self._manager = manager
        self._reception = reception
        self._sessions = Sessions()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            caller = await run_in_threadpool(self._caller, headers.get("authorization"))
        except BethinkError as e:
            await of_error(e, scope)(scope, receive, send)
            return
        owner = caller.key_id or caller.name
        scope.setdefault("state", {})["caller"] = caller
        scope["user"] = _as_owner(owner)
        session = headers.get(_SESSION)
        if session is None and not self._sessions.room(owner):
            await _too_many()(scope, receive, send)
            return

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                opened = Headers(raw=message.get("headers", [])).get(_SESSION) or session
                if opened and scope["method"] == "DELETE":
                    self._sessions.ended(owner, opened)
                elif opened:
                    self._sessions.heard(owner, opened)
            await send(message)

        await self._manager.handle_request(scope, receive, watched)

    def _caller(self, authorization: str | None) -> Caller:
        caller = self._reception.caller(key_in(authorization), door=DOOR)
        self._reception.allow(caller)
        return caller


def _as_owner(owner: str) -> BaseUser:
    """By this the SDK knows whose session it is; the key itself goes no further."""
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken

    return AuthenticatedUser(AccessToken(token="", client_id=owner, scopes=[]))


def _too_many() -> Response:
    return problem(
        429,
        f"this key has {MOST_EACH} sessions open; end some (DELETE {PATH}), or wait: one that is "
        "not used ends after half an hour",
        code="too_many_sessions",
        headers={"Retry-After": str(_PATIENCE)},
    )


class _Missing:
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await of_error(MissingExtra("MCP", "mcp"), scope)(scope, receive, send)
