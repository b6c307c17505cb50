"""Write the reference page of MCP from what the server itself lists:

python -m tools.pages.mcp > docs/reference/mcp.md
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mcp_types as types
from tools.pages.mcp_conformance import NOT_OURS

from bethink.access.caller import Scope
from bethink.doors.mcp import prompts, resources
from bethink.doors.mcp.data import SPACES
from bethink.doors.mcp.knowledge import knowledge_tools
from bethink.doors.mcp.sessions import MOST_EACH
from bethink.doors.mcp.tools import TOOLS, tools_for
from bethink.errors import install_extra

_INTRO = f"""\
# MCP

Made from what the server lists by `python -m tools.pages.mcp`; a test keeps it true.
How to put it into an agent: [MCP set-up](../how-to/mcp.md).

| | `bethink mcp` | `bethink serve`, under `/mcp` |
|---|---|---|
| transport | standard input and output | streamable HTTP |
| you are | whoever started it | whoever the key is of (`Authorization: Bearer bk_…`) |
| you may | all; `--read-only`, `--space NAME` | what the key's scopes and spaces say |
| needs | `{install_extra("mcp")}` | `{install_extra("mcp", "server")}` |

- Protocol versions up to 2026-07-28, and those with a handshake down to 2024-11-05.
- A tool answers with structured content that fits its output schema, and with the same as JSON
  text. What goes wrong is an answer too (`isError`), in the words of [Errors](errors.md):
  `{{"error": {{"code": "not_found", "message": "…"}}}}`. Unknown arguments are refused.
- Listed is what you may call. A key without the scope `read` sees no tool that reads.
- Recalled text is data. Every answer with texts says so (`notice`), every hit says whether it was
  verified, and `context` puts its text into a label that the text cannot close. In JSON a text is
  given exactly as it was told.
- `remember` **offers** instead when you may only offer (scope `offer`), when `heard` is set, or
  when `made_from` names what it was summarised from. The answer then says `"action": "offered"` and
  what became of it: recent and marked unverified, or kept apart. A person decides what becomes
  lasting ([Review](../how-to/review.md)).
- Over HTTP every request is its key's own: rate limit, tenant and spaces hold for each. A session
  can be used with the key that opened it alone; for others it does not exist. A key may have
  {MOST_EACH} sessions; one that is not used ends after half an hour. Other hosts and origins are
  turned away. Where the store is, is said over stdio alone, and in the server's log.
- A question that the client cancels is not waited for; a write that was begun is finished.

## Tools

Ten for everybody. `search_knowledge` and `ask` are two more, listed where they are of use: over
HTTP, if a space that you see holds documents or frequent questions; from `bethink mcp` with
`--knowledge NAME`, which also says which base is asked when `base` is left out. A story has three
of its own (`--story PROJECT`, [Stories](story.md)).
"""

_CONFORMANCE = """\
## Conformance

`tests/doors/mcp/test_conformance.py` runs all scenarios of `@modelcontextprotocol/conformance`
0.1.16 against our server. It passes `server-initialize`, `ping`, `completion-complete`,
`tools-list`, `resources-list`, `prompts-list`, `server-sse-multiple-streams` and
`dns-rebinding-protection`. The others do not apply to it; were one of them to pass, or another to
fail, the test would fail. Most of them want things by fixed names: those pass on a server that the
tests bring along, behind our guard, limits, keys and mounting, all but `server-sse-polling`.

| scenario | why not |
|---|---|
"""


def page() -> str:
    return "\n".join(_parts())


def _parts() -> Iterator[str]:
    yield _INTRO
    for tool in tools_for(Scope, knowledge_tools()):
        yield f"### {tool.name}\n"
        yield f"{tool.description}\n"
        yield _hints(tool)
        yield _table(tool.input_schema, "argument")
        assert tool.output_schema is not None
        yield f"Answers: {_fields(tool.output_schema)}.\n"
    yield "## Resources\n"
    yield f"- `{SPACES}`: the spaces that you may see; listed, with what is recent in each."
    for template in resources.TEMPLATES:
        yield f"- `{template.uri_template}`: {template.description}"
    yield (
        "\nAll are JSON. In an address, spaces and ids are percent-encoded. Lists come in pages of "
        f"{resources.PAGE}.\n"
    )
    yield "## Prompt\n"
    told = ", ".join(f"`{one.name}` ({one.description})" for one in prompts.PROMPT.arguments or ())
    yield f"`{prompts.NAME}`: {prompts.PROMPT.description} Arguments: {told}.\n"
    yield _CONFORMANCE + "\n".join(f"| `{name}` | {why} |" for name, why in NOT_OURS.items()) + "\n"


def _hints(tool: types.Tool) -> str:
    hints = tool.annotations
    assert hints is not None
    needs = next(one.scopes for one in (*TOOLS, *knowledge_tools()) if one.name == tool.name)
    scopes = " or ".join(f"`{scope}`" for scope in sorted(needs))
    told = [f"scope {scopes}"]
    told.append("changes nothing" if hints.read_only_hint else "writes")
    if hints.destructive_hint:
        told.append("cannot be undone")
    if not hints.read_only_hint:
        told.append("may be repeated" if hints.idempotent_hint else "repeating it counts again")
    return f"*{', '.join(told)}*\n"


def _table(schema: dict[str, Any], name: str) -> str:
    fields = schema["properties"]
    if not fields:
        return "It takes no arguments.\n"
    needed = schema.get("required", [])
    rows = [
        f"| `{field}`{' (needed)' if field in needed else ''} | {_type(one)} "
        f"| {_cell(one.get('description', ''))} |"
        for field, one in fields.items()
    ]
    return "\n".join((f"| {name} | type | |", "|---|---|---|", *rows)) + "\n"


def _type(field: dict[str, Any]) -> str:
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    if field.get("type") == "array":
        return "list of strings"
    return str(field.get("type", "value"))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _fields(schema: dict[str, Any]) -> str:
    needed = schema.get("required", [])
    return ", ".join(f"`{name}`" + ("" if name in needed else "?") for name in schema["properties"])


if __name__ == "__main__":
    import sys

    sys.stdout.write(page())
