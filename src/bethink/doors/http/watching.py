"""Those who watch events. Each is served as fast as it reads, and sent away when its key no longer
holds. How they are when the server goes down: `endings`, and uvicorn for WebSockets."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from starlette.concurrency import run_in_threadpool

from bethink.access.caller import Caller
from bethink.access.desk import Desk
from bethink.access.reception import Reception
from bethink.errors import TooManyRequests, Unauthorised
from bethink.vocabulary import Event

if TYPE_CHECKING:
    from bethink.doors.http.metrics import Metrics
    from bethink.events.following_async import AsyncFollower

LOOK_SECONDS = 5.0  # how long after a key was revoked its last watcher may still be told
MOST_FOR_A_KEY = 64
_AGAIN_SECONDS = 10.0


class Watchers:
    """All of them. Used from the event loop only."""

    def __init__(
        self, reception: Reception, metrics: Metrics, *, look_seconds: float = LOOK_SECONDS
    ) -> None:
        self._reception = reception
        self._metrics = metrics
        self._look_seconds = look_seconds
        self._of_key: Counter[str] = Counter()

    @asynccontextmanager
    async def watching(
        self,
        caller: Caller,
        *,
        after: int | None,
        kinds: Collection[str] | None,
    ) -> AsyncIterator[AsyncIterator[Event]]:
        """What is wrong with the request is raised here, before anything is sent."""
        if self._of_key[caller.key_id] >= MOST_FOR_A_KEY:
            raise TooManyRequests(_AGAIN_SECONDS)
        self._of_key[caller.key_id] += 1
        self._metrics.watchers.inc()
        try:
            async with AsyncExitStack() as stack:
                desk = await stack.enter_async_context(self._desk(caller))
                follower = await run_in_threadpool(desk.follow, after=after, kinds=kinds)
                await stack.enter_async_context(follower)
                yield self._told(follower, caller)
        finally:
            self._metrics.watchers.dec()
            self._of_key[caller.key_id] -= 1

    async def _told(self, follower: AsyncFollower, caller: Caller) -> AsyncIterator[Event]:
        looked = time.monotonic()
        while True:
            try:
                event = await asyncio.wait_for(anext(follower), self._look_seconds)
            except TimeoutError:
                event = None
            except StopAsyncIteration:
                return
            if time.monotonic() - looked >= self._look_seconds:
                if not await run_in_threadpool(self._reception.still_in, caller):
                    raise Unauthorised("the key does not hold any more; come again with another")
                looked = time.monotonic()
            if event is not None:
                self._metrics.sent(event.kind)
                yield event

    @asynccontextmanager
    async def _desk(self, caller: Caller) -> AsyncIterator[Desk]:
        """Opening a tenant's store takes a moment, in which others must not wait."""
        opened = self._reception.desk(caller)
        desk = await run_in_threadpool(opened.__enter__)
        try:
            yield desk
        finally:
            with anyio.CancelScope(shield=True):
                await run_in_threadpool(opened.__exit__, None, None, None)
