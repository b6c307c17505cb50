"""Who is turned away before anything is read: requests under a name that is not ours, and pages of
other sites. Pure ASGI, so that streams pass through untouched.

A page on the web can make a browser send requests to a server on this machine under a name of its
own (DNS rebinding). Such a request carries that name as its Host, and its own Origin. A page that
another program on this machine serves has a loopback name too, but another port: it is another
site all the same.
"""

from __future__ import annotations

import ipaddress
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
    def __init__(self, app: ASGIApp, *, hosts: Collection[str], how_to_allow: str) -> None:
        """`hosts` are our names; `how_to_allow` says how to add one, for whoever is refused."""
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._how_to_allow = how_to_allow

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(refusal, scope, receive, send)
            return
        request_id = uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        await self._named(scope, receive, send, request_id)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        name = _name_in(host)
        if not (_ANY in self._hosts or name in self._hosts or _is_test_client(scope, name)):
            return problem(
                421,
                f"this server does not answer to that name; {self._how_to_allow}",
                code="wrong_host",
            )
        origin = headers.get("origin")
        if origin is not None and not self._is_ours(origin.lower(), host):
            return problem(
                403,
                "a page of another site may not ask this server; open the server's own page, or "
                f"allow the name of that site: {self._how_to_allow}",
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


def _is_test_client(scope: Scope, name: str) -> bool:
    """Return True for a call by Starlette's TestClient or httpx's ASGITransport in this process.

    Both put the name of the URL where a server puts the address of its socket, and a client of
    their own. A request that came over a network cannot look like this: a server takes the address
    from the socket, where it is an IP address or the path of a file, whatever the headers say.
    """
    server, client = scope.get("server"), scope.get("client")
    if not server or not client or not name or server[0] != name or _is_ip_address(name):
        return False
    return client[0] == "testclient" or tuple(client) == ("127.0.0.1", 123)


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _name_in(place: str) -> str:
    """`name:port` without the port; nothing where it is no such thing."""
    found = re.fullmatch(r"(\[[0-9a-f:.]+\]|[^\s:/@\[\]]+)(:[0-9]{1,5})?", place)
    return found[1] if found else ""


async def _refuse(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": "not from here"})
    else:
        await answer(scope, receive, send)
