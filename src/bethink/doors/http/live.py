"""Live events over a WebSocket, at /ws/events.

A browser cannot set headers on a WebSocket, and a key in an address would stand in every log. So
the first message brings it, with what is wanted:

    {"key": "bk_…", "after": 0, "kinds": ["tier_change"]}

Each may be left out: programs may send the key as a header; without `after` it begins now; without
`kinds` all are told. Then each event is one message, and nothing more is expected back.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from fastapi import APIRouter, WebSocket
from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocketDisconnect

from bethink.access.caller import Caller
from bethink.access.reception import Reception
from bethink.doors.abroad import said_abroad
from bethink.doors.http.callers import DOOR, key_in
from bethink.doors.http.replies import as_json
from bethink.doors.http.watching import Watchers
from bethink.errors import (
    BethinkError,
    Forbidden,
    InvalidInput,
    StoreError,
    TooManyRequests,
    Unauthorised,
)
from bethink.events.kinds import event_record
from bethink.vocabulary import Event

router = APIRouter()
MOST_BYTES = 64 * 1024  # of a message to us
GREETING_SECONDS = 10.0
_GOING = 1001
# Close codes of our own (4000 to 4999), like the statuses of HTTP; the reason is in plain words.
_CODES: tuple[tuple[type[BethinkError], int], ...] = (
    (Unauthorised, 4401),
    (Forbidden, 4403),
    (TooManyRequests, 4429),
    (StoreError, 4503),
    (InvalidInput, 4400),
)
_REASON_BYTES = 123  # what the protocol has room for
_FORM = 'expected {"key": "bk_...", "after": 0, "kinds": ["tier_change"]}, each may be left out'


class _Greeting(NamedTuple):
    key: str | None = None
    after: int | None = None
    kinds: list[str] | None = None


@router.websocket("/ws/events")
async def live(socket: WebSocket) -> None:
    await socket.accept()
    try:
        await _serve(socket)
    except WebSocketDisconnect:
        return  # the other side went away
    except BethinkError as e:
        await _close(socket, _code_of(e), said_abroad(e))
    else:
        await _close(socket, _GOING, "the server is going down; come again with the last id")


async def _serve(socket: WebSocket) -> None:
    try:
        greeting = await asyncio.wait_for(_greeting(socket), socket.app.state.greeting_seconds)
    except TimeoutError:
        raise InvalidInput(f"no first message came; {_FORM}") from None
    key = greeting.key or key_in(socket.headers.get("authorization"))
    reception: Reception = socket.app.state.reception
    watchers: Watchers = socket.app.state.watchers
    caller = await run_in_threadpool(_caller, reception, key)
    async with watchers.watching(caller, after=greeting.after, kinds=greeting.kinds) as events:
        telling = asyncio.create_task(_tell(socket, events))
        listening = asyncio.create_task(_until_gone(socket))
        try:
            await asyncio.wait({telling, listening}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (telling, listening):
                task.cancel()
            ended = await asyncio.gather(telling, listening, return_exceptions=True)
        for outcome in ended:
            if isinstance(outcome, Exception):
                raise outcome


async def _greeting(socket: WebSocket) -> _Greeting:
    text = _text(await socket.receive())
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput(f"the first message is no JSON; {_FORM}") from None
    if not isinstance(told, dict) or told.keys() - set(_Greeting._fields):
        raise InvalidInput(_FORM)
    greeting = _Greeting(**told)
    if not isinstance(greeting.key, str | None):
        raise InvalidInput(f"key: {_FORM}")
    if greeting.kinds is not None and not (
        isinstance(greeting.kinds, list) and all(isinstance(kind, str) for kind in greeting.kinds)
    ):
        raise InvalidInput(f"kinds: {_FORM}")
    return greeting


def _text(message: Any) -> str:
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text = message.get("text")
    if not isinstance(text, str):
        raise InvalidInput(f"the first message is text; {_FORM}")
    return text


def _caller(reception: Reception, key: str | None) -> Caller:
    caller = reception.caller(key, door=DOOR)
    reception.allow(caller)
    return caller


async def _tell(socket: WebSocket, events: AsyncIterator[Event]) -> None:
    async for event in events:
        await socket.send_text(as_json(event_record(event)).decode())


async def _until_gone(socket: WebSocket) -> None:
    """What is said after the greeting is not listened to."""
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))


async def _close(socket: WebSocket, code: int, reason: str) -> None:
    short = reason.encode()[:_REASON_BYTES].decode(errors="ignore")
    try:
        await socket.close(code, short)
    except WebSocketDisconnect:
        return  # it went first


def _code_of(error: BethinkError) -> int:
    return next((code for kind, code in _CODES if isinstance(error, kind)), 1011)
