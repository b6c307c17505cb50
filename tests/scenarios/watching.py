"""Events as two kinds of clients get them while others work: everything that came, as text."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import httpx
from anyio.from_thread import BlockingPortal
from websockets.asyncio.client import connect

_PATIENCE = 60.0  # seconds, for what must come; a shared machine is slow


class Watched:
    def __init__(self) -> None:
        self.messages: list[str] = []

    @property
    def text(self) -> str:
        return "\n".join(self.messages)

    def wait_for(self, event_id: int) -> None:
        """Until this one came."""
        end = time.monotonic() + _PATIENCE
        while not any(_id_of(message) >= event_id for message in reversed(self.messages)):
            assert time.monotonic() < end, f"event {event_id} did not come"
            time.sleep(0.01)


def _id_of(message: str) -> int:
    number = json.loads(message)["id"]
    assert isinstance(number, int)
    return number


@contextmanager
def watching(portal: BlockingPortal, messages: AsyncIterator[str]) -> Iterator[Watched]:
    watched = Watched()

    async def watch() -> None:
        async for message in messages:
            watched.messages.append(message)

    task = portal.start_task_soon(watch)
    try:
        yield watched
        assert not task.done(), task.exception()
    finally:
        task.cancel()


async def over_a_socket(address: str, key: str) -> AsyncIterator[str]:
    """/ws/events, from the first event on."""
    async with connect(f"{address.replace('http', 'ws', 1)}/ws/events", proxy=None) as socket:
        await socket.send(json.dumps({"key": key, "after": 0}))
        async for message in socket:
            assert isinstance(message, str)
            yield message


async def sent_by_the_server(address: str, key: str) -> AsyncIterator[str]:
    """Server-Sent Events, from the first event on."""
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx.AsyncClient(base_url=address, headers=headers, timeout=None) as client,
        client.stream("GET", "/v1/events/stream", params={"after": 0}) as answer,
    ):
        assert answer.status_code == 200
        async for line in answer.aiter_lines():
            if line.startswith("data:"):
                yield line.removeprefix("data:")
