"""LangGraph: items of a store (`namespace`, `key`, `value`), as `search` gives them or the server
answers, and states of threads (`values` with `messages`).

LangGraph exports nothing by itself: write one item a line, or the server's answer, into a file
(docs/how-to/move-in-and-out.md shows how).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bethink.formats import chat
from bethink.formats.json_values import objects
from bethink.formats.taking import Failed, Item, Items, Taken, labels, moment, said_by, times, told

NAME = "langgraph"
WHAT = "items of a LangGraph store"

# Where applications put the sentence of an item, the most telling first.
_TEXTS = ("text", "memory", "content", "data", "fact", "summary", "note")


def looks_like(item: dict[str, Any]) -> bool:
    return _is_item(item) or _messages(item) is not None


def _is_item(item: dict[str, Any]) -> bool:
    named = isinstance(item.get("namespace"), list | str) or isinstance(item.get("prefix"), str)
    return named and "key" in item and "value" in item


def _messages(item: dict[str, Any]) -> list[Any] | None:
    """The messages of a thread's state; of a raw checkpoint they are among its channels."""
    checkpoint = item.get("checkpoint")
    for state in (
        item.get("values"),
        item.get("channel_values"),
        checkpoint.get("channel_values") if isinstance(checkpoint, dict) else None,
    ):
        if isinstance(state, dict) and isinstance(state.get("messages"), list):
            found: list[Any] = state["messages"]
            return found
    return None


def read(path: Path, name: str) -> Items:
    for found in objects(path):
        if isinstance(found, Failed):
            yield found
        elif _is_item(found.value):
            yield _item(found.value, found.place)
        elif (messages := _messages(found.value)) is not None:
            about = {"thread_id": _thread(found.value) or name}
            yield from chat.conversation(about, messages, found.place, name)
        else:
            yield Failed(found.place, "is neither an item (namespace, key, value) nor a state")


def _thread(state: dict[str, Any]) -> str:
    """Where a state says which thread it is of."""
    config = state.get("config")
    configurable = config.get("configurable") if isinstance(config, dict) else None
    for holder in (state, state.get("checkpoint"), configurable, state.get("metadata")):
        if isinstance(holder, dict) and isinstance(holder.get("thread_id"), str):
            return str(holder["thread_id"])
    return ""


def _item(item: dict[str, Any], place: str) -> Item:
    space = item.get("namespace", item.get("prefix"))
    # a table of PostgreSQL or SQLite keeps the namespace as one text with dots
    namespace = space.split(".") if isinstance(space, str) else [str(part) for part in space or []]
    value = item["value"]
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = {"text": value}
    if not isinstance(value, dict):
        value = {"text": value}
    text, rest = _sentence(value)
    if not text.strip():
        return Failed(place, "its value holds no text")
    key = str(item["key"])
    said = said_by(
        speaker=value.get("speaker"),
        role=chat.role_named(value.get("role")),
        conversation=value.get("thread_id"),
    )
    fields = told(
        {
            "text": text,
            "tags": labels(value.get("tags")),
            "source": "langgraph:" + "/".join([*namespace, key])[:2000],
            "occurred_at": moment(value.get("occurred_at") or value.get("timestamp")),
            "provenance": told({"format": NAME, "place": place}),
            "metadata": {
                "langgraph": told({"namespace": namespace, "key": key, "value": rest}),
                **said,
            },
            **times(
                item.get("created_at", item.get("createdAt")),
                item.get("updated_at", item.get("updatedAt")),
            ),
        }
    )
    return Taken(fields, place, (*namespace, key), "/".join(part for part in namespace if part))


def _sentence(value: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What an item says, and the rest of its value. LangMem wraps it once more:
    {"kind": "Memory", "content": {"content": "…"}}."""
    for name in _TEXTS:
        inner = value.get(name)
        rest = {key: other for key, other in value.items() if key != name}
        if isinstance(inner, str) and inner.strip():
            return inner, rest
        if isinstance(inner, dict):
            text, within = _sentence_in(inner)
            return text, {**rest, name: within} if within else rest
    return _sentence_in(value)


def _sentence_in(value: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    for name in _TEXTS:
        inner = value.get(name)
        if isinstance(inner, str) and inner.strip():
            return inner, {key: other for key, other in value.items() if key != name}
    # no sentence of its own, like a profile: its fields are what it says
    lines = [f"{name}: {_shown(inner)}" for name, inner in value.items() if inner not in (None, "")]
    return "\n".join(lines), value


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
