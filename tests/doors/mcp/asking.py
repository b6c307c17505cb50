"""The official client, on a real process or a real server."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
import mcp_types as types
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from starlette.types import ASGIApp

MODES = ("auto", "legacy")  # the newest protocol, and the one with a handshake
LONG = (
    "The ops team agreed that budget meetings are held on Fridays at ten. "
    "预算会议定在每周五上午十点，由小美主持。"
)


class Said(NamedTuple):
    """What a tool answered."""

    result: types.CallToolResult

    @property
    def data(self) -> Any:
        assert not self.result.is_error, self.text
        return self.result.structured_content

    @property
    def error(self) -> Any:
        assert self.result.is_error, self.text
        assert self.result.structured_content is not None
        return self.result.structured_content["error"]

    @property
    def text(self) -> str:
        (content,) = self.result.content
        assert isinstance(content, types.TextContent)
        return content.text


class Asking:
    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, **arguments: Any) -> Said:
        result = await self.client.call_tool(tool, arguments)
        assert isinstance(result, types.CallToolResult)
        return Said(result)

    async def names(self) -> set[str]:
        return {tool.name for tool in (await self.client.list_tools()).tools}


def command(*options: str) -> list[str]:
    return ["-m", "bethink.doors.cli.main", "mcp", *options]


def environment(store: Path, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        "BETHINK_STORE": str(store),
        "BETHINK_EMBEDDER": "hashing",
        **more,
    }


@asynccontextmanager
async def on_stdio(store: Path, *options: str, mode: Any = "auto") -> AsyncIterator[Asking]:
    parameters = StdioServerParameters(
        command=sys.executable, args=command(*options), env=environment(store)
    )
    async with Client(stdio_client(parameters), mode=mode) as client:
        yield Asking(client)


@asynccontextmanager
async def over_http(url: str, key: str | None = None, mode: Any = "auto") -> AsyncIterator[Asking]:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield Asking(client)


def run(body: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        with anyio.fail_after(120):  # a hang is a failure, and says where
            await body()

    anyio.run(bounded)


@contextmanager
def served(app: ASGIApp) -> Iterator[str]:
    """A real server on a port of its own; the address of its MCP door."""
    config = uvicorn.Config(app, port=0, log_level="warning", access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            thread.join(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        thread.join()
