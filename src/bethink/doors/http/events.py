"""Events: replayed from an id, and live, as Server-Sent Events or over a WebSocket (`live`)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Header, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from bethink.doors.http.answers import Events
from bethink.doors.http.callers import at_desk, caller_of
from bethink.doors.http.replies import as_json, reply
from bethink.doors.http.routing import routes
from bethink.doors.http.watching import Watchers
from bethink.errors import InvalidInput, Unauthorised
from bethink.events.kinds import event_record
from bethink.vocabulary import Event

router = routes("events", prefix="/v1")
Kinds = Annotated[
    list[str] | None, Query(description="may be repeated", examples=[["tier_change"]])
]


@router.get("/events", summary="Replay", response_model=Events)
def replay(request: Request, after: int = 0, kind: Kinds = None, limit: int = 100) -> Response:
    """Events after an id, oldest first; `last` is what to ask for next."""
    with at_desk(request) as desk:
        return reply(desk.events(after=after, kinds=kind, limit=limit))


async def _watched(
    request: Request,
    after: Annotated[int | None, Query(description="replay from this id; else from now on")] = None,
    kind: Kinds = None,
    last_event_id: Annotated[
        str | None, Header(description="sent by browsers after a break; it goes before `after`")
    ] = None,
) -> AsyncIterator[AsyncIterator[Event]]:
    """Opened before the answer begins, so that what is wrong is still said as a problem."""
    if last_event_id is not None:
        if not (last_event_id.isascii() and last_event_id.isdecimal()) or len(last_event_id) > 18:
            raise InvalidInput("Last-Event-ID: expected the id of an event")
        after = int(last_event_id)
    watchers: Watchers = request.app.state.watchers
    async with watchers.watching(caller_of(request), after=after, kinds=kind) as events:
        yield events


@router.get(
    "/events/stream",
    summary="Live",
    response_class=EventSourceResponse,
    response_model=None,
    responses={200: {"description": "Server-Sent Events, each with its id and kind"}},
)
async def stream(
    events: Annotated[AsyncIterator[Event], Depends(_watched)],
) -> AsyncIterator[ServerSentEvent]:
    """Server-Sent Events. After a break, browsers send `Last-Event-ID` and miss nothing. Where a
    WebSocket serves better: `/ws/events`."""
    try:
        async for event in events:
            yield ServerSentEvent(
                raw_data=as_json(event_record(event)).decode(), event=event.kind, id=str(event.id)
            )
    except Unauthorised:
        return  # the key was revoked meanwhile; who comes again is told so
