"""The server: tools, resources and the prompt, on the SDK's low-level `Server`. The one above it
(`MCPServer`) puts words of its own before every error, lists the same to everybody and knows no
pages; this one leaves all of that to us.

Every call runs in a thread, for the engine blocks. A question that nobody waits for any more is
left to itself; a write is waited for, so that it is whole before anything is closed.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

import bethink
from bethink.access.caller import Caller, Scope
from bethink.doors.abroad import said_abroad
from bethink.doors.mcp import arguments, prompts, resources
from bethink.doors.mcp.completions import completed
from bethink.doors.mcp.tools import BY_NAME, Tool, tools_for
from bethink.errors import BethinkError, Forbidden, InvalidInput, NotFound

if TYPE_CHECKING:
    from bethink.access.desk import Desk

_log = logging.getLogger("bethink.mcp")
_UNEXPECTED = "something went wrong here that nobody foresaw; the server's log tells more"
_AT_ONCE = 16  # tools that ask elsewhere
_ASKED_WRONGLY = (InvalidInput, NotFound, Forbidden)

T = TypeVar("T")
Context: TypeAlias = ServerRequestContext[Any, Any]
Paging: TypeAlias = types.PaginatedRequestParams | None


class Desks(Protocol):
    """Who asks, and the desk to ask at."""

    def caller(self, request: object) -> Caller:
        """`request` is the HTTP request that brought the message; None over stdio."""
        ...

    def desk(self, caller: Caller, *, writes: bool) -> AbstractContextManager[Desk]: ...


def build_server(desks: Desks, more: Sequence[Tool] = ()) -> Server[dict[str, Any]]:
    """`more` are tools for a special use, beside those that everybody has."""
    door = _Door(desks, more)
    return Server(
        "bethink",
        version=bethink.__version__,
        title="Bethink",
        description="A memory for AI agents, in Chinese and English.",
        instructions=prompts.INSTRUCTIONS,
        on_list_tools=door.list_tools,
        on_call_tool=door.call_tool,
        on_list_resources=door.list_resources,
        on_list_resource_templates=door.list_templates,
        on_read_resource=door.read_resource,
        on_list_prompts=door.list_prompts,
        on_get_prompt=door.get_prompt,
        on_completion=door.complete,
    )


class _Door:
    def __init__(self, desks: Desks, more: Sequence[Tool]) -> None:
        self._desks = desks
        self._more = tuple(more)
        # threads of their own for what waits for others, so that nobody else does
        self._waiting = anyio.CapacityLimiter(_AT_ONCE)
        self._tools = {**BY_NAME, **{tool.name: tool for tool in more}}

    # Tools

    async def list_tools(self, context: Context, params: Paging) -> types.ListToolsResult:
        had = self._scopes(context)
        more = [tool for tool in self._more if tool.scopes & had]
        if any(tool.fits for tool in more):
            more = await self._plainly(context, lambda desk: _fitting(more, desk))
        return types.ListToolsResult(tools=tools_for(had, more))

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """What goes wrong is an answer too: the model reads it and can do better."""
        tool = self._tools.get(params.name)
        if tool is None:
            known = ", ".join(self._tools)
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name!r}; {known}")
        sent = params.arguments or {}
        try:
            answer = await self._at_desk(
                context,
                lambda desk: _done(tool, sent, desk),
                writes=tool.writes,
                room=self._waiting if tool.open_world else None,
            )
        except BethinkError as e:
            return _failed(e.code, _said(e, context))
        except Exception:
            _log.exception("the tool %s failed", tool.name)
            return _failed("internal_error", _UNEXPECTED)
        return _result(answer)

    # Resources

    async def list_resources(self, context: Context, params: Paging) -> types.ListResourcesResult:
        if Scope.READ not in self._scopes(context):
            return types.ListResourcesResult(resources=[])
        cursor = None if params is None else params.cursor
        return await self._plainly(context, lambda desk: resources.page(desk, cursor))

    async def list_templates(
        self, context: Context, params: Paging
    ) -> types.ListResourceTemplatesResult:
        readable = Scope.READ in self._scopes(context)
        return types.ListResourceTemplatesResult(
            resource_templates=resources.TEMPLATES if readable else []
        )

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        return await self._plainly(context, lambda desk: resources.read(desk, uri))

    # The prompt

    async def list_prompts(self, context: Context, params: Paging) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[prompts.PROMPT])

    async def get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        try:
            return prompts.prompt(params.name, params.arguments or {})
        except BethinkError as e:
            raise _refusal(e, context) from None

    async def complete(
        self, context: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        return await self._plainly(context, lambda desk: completed(desk, params))

    # The desk

    async def _plainly(self, context: Context, do: Callable[[Desk], T]) -> T:
        try:
            return await self._at_desk(context, do)
        except BethinkError as e:
            raise _refusal(e, context) from None
        except Exception:
            _log.exception("a request failed")
            raise MCPError(types.INTERNAL_ERROR, _UNEXPECTED) from None

    def _scopes(self, context: Context) -> frozenset[Scope]:
        return self._desks.caller(context.request).scopes

    async def _at_desk(
        self,
        context: Context,
        do: Callable[[Desk], T],
        *,
        writes: bool = False,
        room: anyio.CapacityLimiter | None = None,
    ) -> T:
        caller = self._desks.caller(context.request)

        def asked() -> T:
            with self._desks.desk(caller, writes=writes) as desk:
                return do(desk)

        return await anyio.to_thread.run_sync(asked, abandon_on_cancel=not writes, limiter=room)


def _fitting(tools: Sequence[Tool], desk: Desk) -> list[Tool]:
    return [tool for tool in tools if tool.fits is None or tool.fits(desk)]


def _done(tool: Tool, sent: Mapping[str, Any], desk: Desk) -> Any:
    return tool.act(desk, arguments.read(tool.takes, sent))


def _result(answer: dict[str, Any]) -> types.CallToolResult:
    text = json.dumps(answer, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(text=text)], structured_content=answer, is_error=False
    )


def _failed(code: str, message: str) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=message)],
        structured_content={"error": {"code": code, "message": message}},
        is_error=True,
    )


def _refusal(error: BethinkError, context: Context) -> MCPError:
    wrongly = isinstance(error, _ASKED_WRONGLY)
    code = types.INVALID_PARAMS if wrongly else types.INTERNAL_ERROR
    return MCPError(code, _said(error, context), {"code": error.code})


def _said(error: BethinkError, context: Context) -> str:
    """All of it over stdio, to whoever started the process."""
    if context.request is None:
        return str(error)
    state = context.request.scope.get("state", {})
    return said_abroad(error, state.get("request_id", ""))
