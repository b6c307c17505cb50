"""Streams of events go on for as long as somebody listens; a server that goes down must not wait
for them. Then each is ended as if its listener had gone, but properly: the listener sees an end and
comes again. Whatever else is under way (an export, a write) is finished."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_STREAM = "text/event-stream"


class Endings:
    """Told once, by whoever runs the server."""

    def __init__(self) -> None:
        self.going = asyncio.Event()

    def begin(self) -> None:
        self.going.set()


class EndingStreams:
    def __init__(self, app: ASGIApp, *, endings: Endings) -> None:
        self._app = app
        self._going = endings.going

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        arrived = streams = ended = False

        async def told(message: Message) -> None:
            nonlocal streams, ended
            if message["type"] == "http.response.start":
                kind = Headers(raw=message.get("headers", [])).get("content-type", "")
                streams = kind.startswith(_STREAM)
            elif message["type"] == "http.response.body":
                ended = not message.get("more_body", False)
            await send(message)

        async def heard() -> Message:
            nonlocal arrived
            if not arrived:
                message = await receive()
                arrived = not message.get("more_body", False)
                return message
            # What listens now waits for its client to go: it may be a stream, or become one.
            listening = asyncio.ensure_future(receive())
            going = asyncio.ensure_future(self._going.wait())
            try:
                await asyncio.wait({listening, going}, return_when=asyncio.FIRST_COMPLETED)
                return {"type": "http.disconnect"} if streams else await listening
            finally:
                going.cancel()
                listening.cancel()

        await self._app(scope, heard, told)
        if streams and not ended:  # others that send streams see the end coming, too, and just stop
            await send({"type": "http.response.body", "body": b"", "more_body": False})
