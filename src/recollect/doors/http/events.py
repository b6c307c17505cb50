"""Events: replayed from an id, and live, as Server-Sent Events or over a WebSocket.

A browser cannot set headers on a WebSocket, and a key in an address would stand in every log. So
the first message brings it: {"key": "rk_…", "after": 0, "kinds": ["tier_change"]}. Programs may
send the header and leave it out there.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from recollect.access.caller import Caller
from recollect.access.desk import Desk, event_record
from recollect.access.reception import Reception
from recollect.doors.http.callers import DOOR, at_desk, caller_of, key_in, reception_of
from recollect.errors import InvalidInput, RecollectError, TooManyRequests, Unauthorised

router = APIRouter(tags=["events"])
Kinds = Annotated[list[str] | None, Query(description="may be repeated")]
_GREETING_SECONDS = 10.0
_MOST_GREETING = 10_000  # characters
# Close codes of our own (4000 to 4999); the reason is in plain words.
_BAD_GREETING, _NO_KEY, _TOO_MANY, _GOING = 4400, 4401, 4429, 1001


@router.get("/v1/events", summary="Replay")
def replay(request: Request, after: int = 0, kind: Kinds = None, limit: int = 100) -> JSONResponse:
    """Events after an id, oldest first; `last` is what to ask for next."""
    with at_desk(request) as desk:
        return JSONResponse(desk.events(after=after, kinds=kind, limit=limit))


@router.get("/v1/events/stream", summary="Live", response_class=EventSourceResponse)
async def stream(
    request: Request,
    after: Annotated[int | None, Query(description="replay from this id; else from now on")] = None,
    kind: Kinds = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> AsyncIterator[ServerSentEvent]:
    """Server-Sent Events. After a break, browsers send `Last-Event-ID` and miss nothing."""
    if last_event_id is not None and last_event_id.isdecimal():
        after = int(last_event_id)
    async with _open_desk(reception_of(request), caller_of(request)) as desk:
        follower = await run_in_threadpool(desk.follow, after=after, kinds=kind)
        async with follower:
            async for event in follower:
                yield ServerSentEvent(data=event_record(event), event=event.kind, id=str(event.id))


@router.websocket("/ws/events")
async def live(socket: WebSocket) -> None:
    """Each event is one message; nothing is expected back."""
    await socket.accept()
    reception: Reception = socket.app.state.reception
    try:
        greeting = await asyncio.wait_for(_greeting(socket), _GREETING_SECONDS)
        caller = await run_in_threadpool(_caller, reception, greeting, socket)
        async with AsyncExitStack() as stack:
            desk = await stack.enter_async_context(_open_desk(reception, caller))
            follower = await run_in_threadpool(
                desk.follow, after=greeting.get("after"), kinds=greeting.get("kinds")
            )
            await stack.enter_async_context(follower)
            listening = asyncio.create_task(_until_gone(socket))
            telling = asyncio.create_task(_tell(socket, follower))
            done, waiting = await asyncio.wait(
                {listening, telling}, return_when=asyncio.FIRST_COMPLETED
            )
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            for task in done:
                task.result()
        await socket.close(_GOING, "the server is going down")
    except TimeoutError:
        await socket.close(_BAD_GREETING, "no first message came")
    except (WebSocketDisconnect, RuntimeError):
        return  # the other side went away
    except RecollectError as e:
        await socket.close(_code_of(e), str(e)[:120])


async def _greeting(socket: WebSocket) -> dict[str, Any]:
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text = message.get("text")
    if text is None or len(text) > _MOST_GREETING:
        raise InvalidInput("the first message is a short JSON object")
    try:
        greeting = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput("the first message is no JSON") from None
    if not isinstance(greeting, dict) or greeting.keys() - {"key", "after", "kinds"}:
        raise InvalidInput('expected {"key": …, "after": …, "kinds": […]}, each may be left out')
    return greeting


def _caller(reception: Reception, greeting: dict[str, Any], socket: WebSocket) -> Caller:
    key = greeting.get("key") or key_in(socket.headers.get("authorization"))
    if key is not None and not isinstance(key, str):
        raise Unauthorised("a key is text")
    caller = reception.caller(key, door=DOOR)
    reception.allow(caller)
    return caller


@asynccontextmanager
async def _open_desk(reception: Reception, caller: Caller) -> AsyncIterator[Desk]:
    """Opening a tenant's store takes a moment, in which others must not wait."""
    opened = reception.desk(caller)
    desk = await run_in_threadpool(opened.__enter__)
    try:
        yield desk
    finally:
        await run_in_threadpool(opened.__exit__, None, None, None)


async def _tell(socket: WebSocket, follower: AsyncIterator[Any]) -> None:
    async for event in follower:
        await socket.send_text(json.dumps(event_record(event), ensure_ascii=False))


async def _until_gone(socket: WebSocket) -> None:
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))


def _code_of(error: RecollectError) -> int:
    if isinstance(error, Unauthorised):
        return _NO_KEY
    return _TOO_MANY if isinstance(error, TooManyRequests) else _BAD_GREETING
