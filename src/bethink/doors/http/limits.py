"""How much a request may bring and how long it may take. Pure ASGI: streams pass untouched, and an
ordinary request pays for one timer.

A request that takes too long is answered, and what it began goes on: a thread that writes is not
torn away in the middle. Once an answer has begun, it may last (events, exports).
"""

from __future__ import annotations

import asyncio
import logging

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bethink.doors.http.problems import problem

MOST_BYTES = 8 * 1024 * 1024  # an import of some thousand memories
MOST_DOCUMENT_BYTES = 32 * 1024 * 1024  # a book with pictures
MOST_SECONDS = 60.0
_KNOWLEDGE, _DOCUMENTS = "/v1/knowledge/", "/documents"
_log = logging.getLogger("bethink.server")


class Limits:
    def __init__(
        self, app: ASGIApp, *, most_bytes: int, most_document_bytes: int, most_seconds: float
    ) -> None:
        self._app = app
        self._most_bytes = most_bytes
        self._most_document_bytes = most_document_bytes
        self._most_seconds = most_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        document = path.startswith(_KNOWLEDGE) and _DOCUMENTS in path
        most = self._most_document_bytes if document else self._most_bytes
        size = Headers(scope=scope).get("content-length", "0")
        if not (size.isascii() and size.isdecimal()):
            await problem(400, "Content-Length is no number", code="invalid_input")(
                scope, receive, send
            )
        elif len(size) > 18 or int(size) > most:
            await _too_large(most)(scope, receive, send)
        else:
            request = _Limited(scope, receive, send, most, self._most_seconds)
            await request.run(self._app)


class _Limited:
    """One request. Whoever answers first, the route or a limit, is the one that answers."""

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, most_bytes: int, most_seconds: float
    ) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._most_bytes, self._most_seconds = most_bytes, most_seconds
        self._bytes = 0
        self._arrived = False  # the whole body is here
        self._awaited = False  # somebody waits for the rest of it
        self._began = False  # to answer
        self._refusal: Response | None = None
        self._refusing: asyncio.Task[None] | None = None

    async def run(self, app: ASGIApp) -> None:
        timer = asyncio.get_running_loop().call_later(self._most_seconds, self._late)
        self._timer = timer
        try:
            await app(self._scope, self._counted, self._told)
        except (_NotWanted, ClientDisconnect):
            if self._refusal is None:
                raise
        except Exception:
            if self._refusal is None:
                raise
            _log.exception("a request failed after it was answered that it took too long")
        finally:
            timer.cancel()
            if self._refusing is not None:
                await self._refusing
        if self._refusal is not None and self._refusing is None:
            await self._refusal(self._scope, self._receive, self._send)

    async def _counted(self) -> Message:
        if self._refusal is not None:
            return {"type": "http.disconnect"}
        self._awaited = not self._arrived
        message = await self._receive()
        self._awaited = False
        if message["type"] == "http.request":
            self._bytes += len(message.get("body", b""))
            self._arrived = not message.get("more_body", False)
            if self._bytes > self._most_bytes:  # a body that came without its length
                self._refusal = _too_large(self._most_bytes)
                raise _NotWanted
        return message

    async def _told(self, message: Message) -> None:
        if self._refusal is not None:
            raise _NotWanted
        self._began = True
        self._timer.cancel()
        await self._send(message)

    def _late(self) -> None:
        if self._began or self._refusal is not None:
            return
        self._refusal = _too_late(self._most_seconds, awaited=self._awaited)
        self._refusing = asyncio.create_task(self._refuse(self._refusal))

    async def _refuse(self, refusal: Response) -> None:
        await refusal(self._scope, self._receive, self._send)


class _NotWanted(OSError):
    """The request was answered already: as if its client had gone."""


def _too_large(most: int) -> Response:
    return problem(
        413, f"the body is larger than {most:,} bytes; send it in parts", code="too_large"
    )


def _too_late(seconds: float, *, awaited: bool) -> Response:
    """Of a body that nobody has asked for yet, nothing is known: it may well be here."""
    if awaited:
        return problem(
            408,
            f"the body did not arrive within {seconds:g} seconds; send it again",
            code="timeout",
        )
    return problem(
        504,
        f"it took longer than {seconds:g} seconds. A write that was begun is finished all the "
        "same: send it again with the same Idempotency-Key to hear how it went, or look first",
        code="timeout",
    )
