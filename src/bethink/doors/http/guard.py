"""Who is turned away before anything is read: requests under a name that is not ours, and pages of
other sites. Pure ASGI, so that streams pass through untouched.

A page on the web can make a browser send requests to a server on this machine under a name of its
own (DNS rebinding). Such a request carries that name as its Host, and its own Origin. A page that
another program on this machine serves has a loopback name too, but another port: it is another
site all the same.
"""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bethink.doors.http.problems import problem
from bethink.doors.http.serving import LOOPBACK

_ANY = "*"
_log = logging.getLogger("bethink.server")


class Guard:
    def __init__(self, app: ASGIApp, *, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(Headers(scope=scope))
        if refusal is not None:
            await _refuse(refusal, scope, receive, send)
            return
        request_id = uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        await self._named(scope, receive, send, request_id)

    def _refusal(self, headers: Headers) -> Response | None:
        host = headers.get("host", "").lower()
        if _ANY not in self._hosts and _name_in(host) not in self._hosts:
            return problem(
                421,
                "this server does not answer to that name; start it with --allow-host NAME",
                code="wrong_host",
            )
        origin = headers.get("origin")
        if origin is not None and not self._is_ours(origin.lower(), host):
            return problem(
                403,
                "a page of another site may not ask this server; open the server's own page, or "
                "start it with --allow-host NAME",
                code="wrong_origin",
            )
        return None

    def _is_ours(self, origin: str, host: str) -> bool:
        """The page that we serve ourselves; or one of a name that was allowed, where a proxy stands
        in between and tells us another Host."""
        scheme, _, place = origin.partition("://")
        if scheme not in ("http", "https"):
            return False
        name = _name_in(place)
        return place == host or (name in self._hosts and name not in LOOPBACK)

    async def _named(self, scope: Scope, receive: Receive, send: Send, request_id: str) -> None:
        """With an id, by which the log can be asked; and what nobody expected as a problem."""
        began = False

        async def named(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = request_id
                headers.setdefault("x-content-type-options", "nosniff")
                headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            await self._app(scope, receive, named)
        except Exception:
            if scope["type"] != "http" or began:
                raise
            _log.exception("request %s failed", request_id)
            answer = problem(
                500,
                f"something went wrong on the server; its log tells more under {request_id}",
                code="internal_error",
                request_id=request_id,
            )
            await answer(scope, receive, named)


def _name_in(place: str) -> str:
    """`name:port` without the port; nothing where it is no such thing."""
    found = re.fullmatch(r"(\[[0-9a-f:.]+\]|[^\s:/@\[\]]+)(:[0-9]{1,5})?", place)
    return found[1] if found else ""


async def _refuse(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": "not from here"})
    else:
        await answer(scope, receive, send)
