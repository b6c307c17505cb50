"""mem0: what `get_all`, `search`, an export of the platform or OpenMemory's backup gives, saved as
JSON or JSON lines.

A memory's text is `memory` (OpenMemory: `content`). Whose it is stands beside it as `user_id`,
`agent_id` and `run_id`; the user, or else the agent, decides the space.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bethink.formats.chat import role_named
from bethink.formats.json_values import objects
from bethink.formats.taking import (
    Failed,
    Items,
    LeftOut,
    Taken,
    labels,
    moment,
    said_by,
    times,
    told,
)

NAME = "mem0"
WHAT = "memories of mem0"

_OWNERS = ("user_id", "agent_id", "app_id", "app", "run_id")
_PLACED = {
    "id", "memory", "data", "content", "hash", "metadata", "categories", "category_ids", "score",
    "created_at", "updated_at", "user_id", "role", "expiration_date", "event", "deleted_at",
    "archived_at",
}  # fmt: skip


def looks_like(item: dict[str, Any]) -> bool:
    if isinstance(item.get("memory"), str):
        return True
    backup = isinstance(item.get("content"), str) and "role" not in item
    return backup and ("state" in item or "categories" in item or "category_ids" in item)


def read(path: Path, name: str) -> Items:
    names: dict[str, str] = {}  # OpenMemory's categories, by their ids
    whole_user = ""
    for found in objects(path):
        if isinstance(found, Failed):
            yield found
            continue
        item = found.value
        if "memory" not in item and "content" not in item and "categories" in item:
            names |= _category_names(item["categories"])
            user = item.get("user")
            whole_user = str(user.get("user_id") or "") if isinstance(user, dict) else ""
            continue
        yield _memory(item, found.place, names, whole_user)


def _category_names(value: object) -> dict[str, str]:
    if not isinstance(value, list):
        return {}
    return {
        str(c["id"]): str(c["name"])
        for c in value
        if isinstance(c, dict) and "id" in c and c.get("name")
    }


def _memory(
    item: dict[str, Any], place: str, names: dict[str, str], whole_user: str
) -> Taken | Failed | LeftOut:
    text = item.get("memory") or item.get("content") or item.get("data")
    if item.get("state") == "deleted" or item.get("event") == "DELETE":
        return LeftOut("memory that was deleted there")
    if not isinstance(text, str):
        return Failed(place, "has no 'memory' with a text")
    own = item.get("metadata")
    said = said_by(
        speaker=item.get("actor_id"),
        role=role_named(item.get("role")),
        conversation=item.get("run_id"),
    )
    metadata: dict[str, Any] = {**said, **own} if isinstance(own, dict) else dict(said)
    extra = {key: value for key, value in item.items() if key not in _PLACED}
    owner = whole_user or next((str(item[n]) for n in _OWNERS if item.get(n)), "")
    mem0 = told({**extra, "id": item.get("id"), "user_id": item.get("user_id")})
    tags = labels(item.get("categories"))
    tags += [names[i] for i in labels(item.get("category_ids")) if i in names]
    created = times(item.get("created_at"), item.get("updated_at"))
    until = moment(item.get("expiration_date")) or moment(item.get("archived_at"))
    fields = told(
        {
            "text": text,
            "tags": list(dict.fromkeys(tags)),
            "source": "mem0",
            "provenance": told(
                {"format": NAME, "place": place, "role": item.get("role"),
                 "actor": item.get("actor_id")}
            ),
            "metadata": {**metadata, "mem0": mem0} if mem0 else metadata,
            "valid_to": until,
            **created,
        }
    )  # fmt: skip
    identifier = item.get("id")
    key = (str(identifier),) if identifier else (owner, text)
    return Taken(fields, place, key, owner)
