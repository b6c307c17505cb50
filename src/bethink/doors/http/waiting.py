"""Requests that wait for others (a language model, the web) or take minutes (a reindex). They have
threads of their own: forty that wait for a model would else keep everybody from everything, since a
server has forty threads for all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import Any

import anyio.to_thread
from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

AT_ONCE = 16  # the others wait, on no thread

Endpoint = Callable[..., Response]


def may_wait(
    when: Callable[[Any], bool] = lambda body: True,
) -> Callable[[Endpoint], Callable[..., Awaitable[Response]]]:
    """For an endpoint; `when` says of its body whether this request does."""

    def made(endpoint: Endpoint) -> Callable[..., Awaitable[Response]]:
        @wraps(endpoint)
        async def aside(**given: Any) -> Response:
            request, do = given["request"], partial(endpoint, **given)
            if not when(given.get("body")):
                return await run_in_threadpool(do)
            return await anyio.to_thread.run_sync(do, limiter=_room_of(request))

        return aside

    return made


def _room_of(request: Request) -> anyio.CapacityLimiter:
    room = request.app.state.waiting
    assert isinstance(room, anyio.CapacityLimiter)
    return room
