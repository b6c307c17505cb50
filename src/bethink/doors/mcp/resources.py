"""Memories by address, for clients that show resources. Listed are the spaces and what is recent in
each; a memory is reached by the template, for a list of all would be read whole by many clients."""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING, Any

import mcp_types as types

from bethink.doors.mcp import arguments, verbs
from bethink.doors.mcp.data import SCHEME, SPACES, address, place_in
from bethink.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from bethink.access.desk import Desk

PAGE = 50
_JSON = "application/json"

TEMPLATES = [
    types.ResourceTemplate(
        name="recent",
        title="Recent in a space",
        uri_template=f"{SCHEME}{{space}}/recent",
        description="The newest memories of one space.",
        mime_type=_JSON,
    ),
    types.ResourceTemplate(
        name="memory",
        title="A memory",
        uri_template=f"{SCHEME}{{space}}/{{id}}",
        description="One memory, whole.",
        mime_type=_JSON,
    ),
]
_OF_SPACES = types.Resource(
    uri=SPACES,
    name="spaces",
    title="Spaces",
    description="The spaces that you may see, and how much is in each.",
    mime_type=_JSON,
)


def page(desk: Desk, cursor: str | None) -> types.ListResourcesResult:
    """The spaces by name, a page at a time."""
    names = sorted(space["name"] for space in desk.spaces())
    after = None if cursor is None else _opened(cursor)
    left = [name for name in names if after is None or name > after]
    here, rest = left[:PAGE], left[PAGE:]
    first = [_OF_SPACES] if after is None else []
    return types.ListResourcesResult(
        resources=[*first, *(_recent(name) for name in here)],
        next_cursor=_sealed(here[-1]) if rest else None,
    )


def read(desk: Desk, uri: str) -> types.ReadResourceResult:
    text = json.dumps(_found(desk, uri), ensure_ascii=False)
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type=_JSON, text=text)]
    )


def _found(desk: Desk, uri: str) -> Any:
    if uri == SPACES:
        return {"spaces": desk.spaces()}
    place = place_in(uri)
    if place is None:
        raise NotFound(f"there is nothing at {uri!r}; {SPACES} lists the spaces")
    space, memory_id = place
    if memory_id is None:
        return {
            "space": space,
            **verbs.recent(desk, arguments.read(arguments.Recent, {"spaces": [space]})),
        }
    memory = desk.get(memory_id)
    if memory["space"] != space:
        raise NotFound(f"no memory in {space!r} has the id {memory_id!r}")
    return verbs.whole(memory)


def _recent(space: str) -> types.Resource:
    return types.Resource(
        uri=address(space),
        name=f"{space}/recent",
        title=f"Recent in {space}",
        description="The newest memories of this space.",
        mime_type=_JSON,
    )


def _sealed(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode()


def _opened(cursor: str) -> str:
    try:
        return base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeError):
        raise InvalidInput("this is no cursor of this list; start again without one") from None
