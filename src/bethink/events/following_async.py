"""The same for an event loop: no thread is kept waiting, only reading is done by one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from bethink.events.following import Reader, Tail, Wanted, read_on
from bethink.vocabulary import Event


class AsyncFollower(AsyncIterator[Event]):
    """Events as they happen, for an event loop. Close it when you want no more."""

    def __init__(self, tail: Tail, wanted: Wanted, after: int | None) -> None:
        self._tail = tail
        self._reader = Reader(tail, wanted, after)
        self._moved: asyncio.Event | None = None
        self.closed = False

    async def __aenter__(self) -> AsyncFollower:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def __anext__(self) -> Event:
        moved = self._joined()
        while not self.closed:
            event = self._reader.take()  # here, so that a reading that is cancelled loses nothing
            if event is not None:
                return event
            moved.clear()
            if self._reader.behind:
                await asyncio.to_thread(read_on, self._reader, self._tail)
            elif self._tail.closed:
                await self.aclose()
            else:
                await moved.wait()
        raise StopAsyncIteration

    def _joined(self) -> asyncio.Event:
        if self._moved is None:
            self._moved = moved = asyncio.Event()
            loop = asyncio.get_running_loop()

            def wake() -> None:
                with contextlib.suppress(RuntimeError):  # a loop that is closed needs no waking
                    loop.call_soon_threadsafe(moved.set)

            self._tail.join(self, wake)
        return self._moved

    async def aclose(self) -> None:
        self.closed = True
        self._tail.leave(self)
        if self._moved is not None:
            self._moved.set()
