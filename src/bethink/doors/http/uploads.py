"""Files on their way in. Each is in memory until it is kept, and reading one takes a processor, so
few are taken at a time; the others wait before their bodies are read, and wait on no thread that
questions need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio.to_thread
from fastapi import Request

from bethink.access.caller import Caller

MOST = 8  # bodies in memory, of all
MOST_EACH = 4  # of one tenant: nobody takes the room of everybody
_READING = 2  # that are read and written at the same time

T = TypeVar("T")


class Uploads:
    """On the event loop alone. `largest`: the bytes that one may have."""

    def __init__(self, largest: int) -> None:
        self.largest = largest
        self._room = anyio.CapacityLimiter(MOST)
        self._reading = anyio.CapacityLimiter(_READING)
        self._each: defaultdict[str, anyio.CapacityLimiter] = defaultdict(
            lambda: anyio.CapacityLimiter(MOST_EACH)
        )

    @asynccontextmanager
    async def room(self, caller: Caller) -> AsyncIterator[None]:
        async with self._each[caller.tenant], self._room:
            yield

    async def taken(self, do: Callable[[], T]) -> T:
        """What was begun is finished, whoever waits for it."""
        return await anyio.to_thread.run_sync(do, limiter=self._reading)


def uploads_of(request: Request) -> Uploads:
    uploads = request.app.state.uploads
    assert isinstance(uploads, Uploads)
    return uploads
