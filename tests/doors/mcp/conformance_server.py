"""A server with the tools, resources and prompts that the conformance tests call by fixed names:
pictures, sounds, progress, questions to the client. Ours has no use for them, but what carries them
is ours: the guard, the limits, the keys, the mounting."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

Context = ServerRequestContext[Any, Any]

_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    "AAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
_PICTURE = types.ImageContent(data=_PNG, mime_type="image/png")
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_2020_12 = {
    "$schema": _DIALECT,
    "type": "object",
    "$defs": {
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
_DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
_PLAIN = ["option1", "option2", "option3"]
_TITLED = [
    {"const": f"value{n}", "title": f"{word} Option"}
    for n, word in ((1, "First"), (2, "Second"), (3, "Third"))
]
_ENUMS = {
    "untitledSingle": {"type": "string", "enum": _PLAIN},
    "titledSingle": {"type": "string", "oneOf": _TITLED},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _PLAIN}},
    "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
}
_USER = {"username": {"type": "string"}, "email": {"type": "string"}}


def _embedded(uri: str, text: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    return types.EmbeddedResource(
        resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    )


def _said(*content: str | types.ContentBlock) -> types.CallToolResult:
    blocks = [types.TextContent(text=one) if isinstance(one, str) else one for one in content]
    return types.CallToolResult(content=blocks)


async def _simple(context: Context, sent: dict[str, Any]) -> types.CallToolResult:
    return _said("This is a simple text response for testing.")


async def _image(context: Context, sent: dict[str, Any]) -> types.CallToolResult:
    return _said(_PICTURE)


async def _audio(context: Context, sent: dict[str, Any]) -> types.CallToolResult:
    return _said(types.AudioContent(data=_WAV, mime_type="audio/wav"))


async def _resource(context: Context, sent: dict[str, Any]) -> types.CallToolResult:
    return _said(_embedded("test://embedded-resource", "This is an embedded resource content."))


async def _mixed(context: Context, sent: dict[str, Any]) -> types.CallToolResult:
    data = _embedded(
        "test://mixed-content-resource", '{"test":"data","value":123}', "application/json"
    )
    return _said("Multiple content types test:", _PICTURE, data)


async def _logging(context: Context, sent: dict[str, Any]) -> types.CallToolResult:
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        note = types.LoggingMessageNotification(
            params=types.LoggingMessageNotificationParams(level="info", data=line)
        )
        await context.session.send_notification(note, related_request_id=context.request_id)
        await anyio.sleep(0.05)
    return _said("logged")


async def _fails(context: Context, sent: dict[str, Any]) -> types.CallToolResult:
    said = _said("This tool intentionally returns an error for testing")
    return said.model_copy(update={"is_error": True})


async def _progress(context: Context, sent: dict[str, Any]) -> types.CallToolResult:
    for part in (0, 50, 100):
        await context.session.report_progress(part, 100)
        await anyio.sleep(0.05)
    return _said("done")


async def _sampling(context: Context, sent: dict[str, Any]) -> types.CallToolResult:
    asked = types.SamplingMessage(role="user", content=types.TextContent(text=sent["prompt"]))
    request = types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[asked], max_tokens=100)
    )
    beside = ServerMessageMetadata(related_request_id=context.request_id)
    answer = await context.session.send_request(request, types.CreateMessageResult, metadata=beside)
    assert isinstance(answer.content, types.TextContent)
    return _said(f"LLM response: {answer.content.text}")


def _asks(
    message: str, properties: dict[str, Any]
) -> Callable[[Context, dict[str, Any]], Awaitable[types.CallToolResult]]:
    async def ask(context: Context, sent: dict[str, Any]) -> types.CallToolResult:
        form = {"type": "object", "properties": properties, "required": []}
        answer = await context.session.elicit_form(
            sent.get("message", message), form, context.request_id
        )
        return _said(f"Elicitation completed: action={answer.action}, content={answer.content}")

    return ask


async def _reconnects(context: Context, sent: dict[str, Any]) -> types.CallToolResult:
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
    await anyio.sleep(0.1)
    return _said("Reconnection test completed successfully")


TOOLS = {
    "test_simple_text": _simple,
    "test_image_content": _image,
    "test_audio_content": _audio,
    "test_embedded_resource": _resource,
    "test_multiple_content_types": _mixed,
    "test_tool_with_logging": _logging,
    "test_error_handling": _fails,
    "test_tool_with_progress": _progress,
    "test_sampling": _sampling,
    "test_elicitation": _asks("", _USER),
    "test_elicitation_sep1034_defaults": _asks("defaults", _DEFAULTS),
    "test_elicitation_sep1330_enums": _asks("enums", _ENUMS),
    "test_reconnection": _reconnects,
    "json_schema_2020_12_tool": _simple,
}
_PROMPTS: dict[str, list[str]] = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
}


async def list_tools(context: Context, params: object) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[
            types.Tool(
                name=name,
                description=name,
                input_schema=_2020_12 if "2020" in name else {"type": "object"},
            )
            for name in TOOLS
        ]
    )


async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    return await TOOLS[params.name](context, params.arguments or {})


async def list_resources(context: Context, params: object) -> types.ListResourcesResult:
    return types.ListResourcesResult(
        resources=[types.Resource(uri="test://static-text", name="text", description="a text")]
    )


async def read_resource(
    context: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    uri = str(params.uri)
    contents: types.TextResourceContents | types.BlobResourceContents
    if uri == "test://static-binary":
        contents = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=_PNG)
    elif uri == "test://static-text":
        text = "This is the content of the static text resource."
        contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    elif uri.startswith("test://template/"):
        found = uri.split("/")[3]
        text = f'{{"id":"{found}","templateTest":true,"data":"Data for ID: {found}"}}'
        contents = types.TextResourceContents(uri=uri, mime_type="application/json", text=text)
    else:
        raise MCPError(types.INVALID_PARAMS, f"there is nothing at {uri}")
    return types.ReadResourceResult(contents=[contents])


async def list_prompts(context: Context, params: object) -> types.ListPromptsResult:
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=name,
                description=name,
                arguments=[types.PromptArgument(name=one, required=True) for one in arguments],
            )
            for name, arguments in _PROMPTS.items()
        ]
    )


async def get_prompt(
    context: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult:
    given = params.arguments or {}
    content: list[types.ContentBlock]
    match params.name:
        case "test_simple_prompt":
            content = [types.TextContent(text="This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            told = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
            content = [types.TextContent(text=told)]
        case "test_prompt_with_embedded_resource":
            held = _embedded(given["resourceUri"], "Embedded resource content for testing.")
            ask = "Please process the embedded resource above."
            content = [held, types.TextContent(text=ask)]
        case _:
            content = [_PICTURE, types.TextContent(text="Please analyze the image above.")]
    return types.GetPromptResult(
        messages=[types.PromptMessage(role="user", content=one) for one in content]
    )


async def nothing(context: Context, params: object) -> types.EmptyResult:
    return types.EmptyResult()


def build() -> Server[Any]:
    server: Server[Any] = Server(
        "conformance",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
        on_subscribe_resource=nothing,
        on_unsubscribe_resource=nothing,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, nothing)
    return server
