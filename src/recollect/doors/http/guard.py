"""What is turned away before anything is read: wrong hosts and origins, and bodies that are too
large. Pure ASGI, so that streams pass through untouched.

A page on the web can make a browser send requests to a server on this machine under a name of its
own (DNS rebinding). Such a request carries that name as its Host, and its own Origin.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.doors.http.problems import problem

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
MOST_BYTES = 8 * 1024 * 1024
_REQUEST_ID = b"x-request-id"
_log = logging.getLogger("recollect.server")


class Guard:
    def __init__(
        self, app: ASGIApp, *, hosts: Collection[str], most_bytes: int = MOST_BYTES
    ) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._most = most_bytes

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
        await self._guarded(scope, receive, send, request_id)

    def _refusal(self, headers: Headers) -> Response | None:
        if not self._known(headers.get("host", "")):
            return problem(
                421,
                "this server does not answer to that name; start it with --allow-host NAME",
                code="wrong_host",
            )
        origin = headers.get("origin")
        if origin is not None and not self._known(urlsplit(origin).netloc):
            return problem(
                403,
                "a page of another site may not ask this server; open the server's own page, or "
                "start it with --allow-host NAME",
                code="wrong_origin",
            )
        size = headers.get("content-length", "0")
        if not size.isdecimal():
            return problem(400, "Content-Length is no number", code="invalid_input")
        if int(size) > self._most:
            return self._too_large()
        return None

    def _known(self, host: str) -> bool:
        """By name, whatever the port."""
        host = host.lower()
        name = host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
        return "*" in self._hosts or name in self._hosts

    def _too_large(self) -> Response:
        return problem(
            413,
            f"the body is larger than {self._most:,} bytes; send it in parts",
            code="too_large",
        )

    async def _guarded(self, scope: Scope, receive: Receive, send: Send, request_id: str) -> None:
        read = 0
        began = False

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            if message["type"] == "http.request":
                read += len(message.get("body", b""))
                if read > self._most:  # a body that came without its length
                    raise _TooLarge
            return message

        async def named(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                message["headers"] = [
                    *message.get("headers", ()),
                    (_REQUEST_ID, request_id.encode()),
                ]
            await send(message)

        try:
            await self._app(scope, counted, named)
        except _TooLarge:
            await self._too_large()(scope, receive, send)
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


class _TooLarge(Exception):
    pass


async def _refuse(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": "not from here"})
    else:
        await answer(scope, receive, send)
