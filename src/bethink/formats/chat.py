"""Conversations: messages with a role, as agents and chat programs write them.

Read are lines or lists of `{"role", "content"}` (also in `{"messages": […]}`), transcripts of
Claude Code (`{"type", "message", "uuid", "timestamp"}`), and the exports of ChatGPT (`mapping`) and
Claude (`chat_messages`). What a person or the model said becomes a memory; what tools, systems and
thinking said is left out: it is long, and it is not what one wants to be reminded of.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bethink.formats.json_values import objects
from bethink.formats.taking import Again, Failed, Item, Items, LeftOut, Taken, moment, said_by, told

NAME = "chat"
WHAT = "messages of conversations"

_ROLES = {
    "user": "user", "human": "user", "humanmessage": "user", "humanmessagechunk": "user",
    "assistant": "assistant", "ai": "assistant", "model": "assistant", "bot": "assistant",
    "aimessage": "assistant", "aimessagechunk": "assistant",
    "system": "system", "developer": "system", "systemmessage": "system",
    "tool": "tool", "function": "tool", "toolmessage": "tool", "functionmessage": "tool",
    "remove": "tool",
}  # fmt: skip
_TIMES = ("timestamp", "created_at", "create_time", "time", "date", "ts", "createdAt")
_NAMES = ("name", "speaker")
_CONVERSATIONS = ("session_id", "sessionId", "conversation_id", "thread_id", "chat_id", "channel")


def looks_like(item: dict[str, Any]) -> bool:
    if _several(item) is not None:
        return True
    if "role" in item and "content" in item:
        return True
    if isinstance(item.get("message"), dict) and item.get("type") in ("user", "assistant"):
        return True
    return isinstance(item.get("sessionId"), str) and "type" in item


def read(path: Path, name: str) -> Items:
    """`name` is what a conversation is called that does not say it itself."""
    again = Again()
    for found in objects(path):
        if isinstance(found, Failed):
            yield found
            continue
        item = found.value
        several = _several(item)
        if several is None:
            yield message(item, found.place, again, conversation=name, about={})
        else:
            yield from conversation(item, several, found.place, name)


def _several(item: dict[str, Any]) -> list[Any] | None:
    """The messages of a whole conversation."""
    for name in ("messages", "chat_messages"):
        if isinstance(item.get(name), list):
            found: list[Any] = item[name]
            return found
    if isinstance(item.get("mapping"), dict):
        return [
            node["message"] for node in _in_order(item["mapping"])
            if isinstance(node.get("message"), dict)
        ]  # fmt: skip
    return None


def _in_order(mapping: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The nodes of a conversation that may branch, parents first. Without recursion, and each once:
    the file may lie about its shape."""
    nodes = {name: node for name, node in mapping.items() if isinstance(node, dict)}
    waiting = [name for name, node in nodes.items() if node.get("parent") not in nodes][::-1]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in nodes:
            continue
        seen.add(name)
        yield nodes[name]
        children = nodes[name].get("children")
        if isinstance(children, list):
            waiting += [child for child in reversed(children) if isinstance(child, str)]


def conversation(item: dict[str, Any], several: list[Any], place: str, fallback: str) -> Items:
    """Every message of one conversation."""
    again = Again()
    name = _first(item, (*_CONVERSATIONS, "id", "uuid")) or f"{fallback} {_first(item, _TIMES)}"
    title = _first(item, ("title", "name"))
    about = {
        "title": title,
        "user": item.get("user_id") if isinstance(item.get("user_id"), str) else "",
    }
    for number, told_one in enumerate(several, start=1):
        at = f"{place} message {number}"
        if isinstance(told_one, dict):
            yield message(told_one, at, again, conversation=str(name), about=about)
        else:
            yield Failed(at, f"expected an object, got {type(told_one).__name__}")


def message(
    item: dict[str, Any], place: str, again: Again, *, conversation: str, about: dict[str, Any]
) -> Item:
    """One message, whichever of the forms it has."""
    inner = item.get("message")
    if not isinstance(inner, dict):
        inner = item.get("kwargs") if item.get("lc") else None  # a message as LangChain writes it
    body: dict[str, Any] = inner if isinstance(inner, dict) else item
    role = _role(item, body)
    if role is None:
        kind = item.get("type")
        if isinstance(kind, str) and ("sessionId" in item or "uuid" in item or kind == "summary"):
            return LeftOut("line of a transcript that is no message")
        return Failed(place, "is no message: it has no 'role'")
    if role in ("system", "tool"):
        return LeftOut(f"message of a {role}")
    if item.get("isMeta") or item.get("isSidechain") or item.get("isCompactSummary"):
        return LeftOut("message that the program wrote to itself")
    text = _text(body.get("content", body.get("text", item.get("text"))))
    if text is None:
        return Failed(place, "has no text in its 'content'")
    if not text.strip():
        return LeftOut("message without text (pictures, calls of tools, results)")
    when = next((m for n in _TIMES if (m := moment(item.get(n) or body.get(n)))), None)
    place_name = str(_first(item, _CONVERSATIONS) or conversation)
    identifier = _first(item, ("uuid", "id")) or _first(body, ("id",))
    own = {
        n: item[n] for n in ("user_id", "agent_id", "name", "model") if isinstance(item.get(n), str)
    }
    fields = told(
        {
            "text": text,
            "kind": "message",
            "section": str(about.get("title") or "")[:512],
            "source": place_name[:2048],
            "occurred_at": when,
            "created_at": when,
            "provenance": told(
                {"format": NAME, "role": role, "conversation": place_name, "place": place,
                 "project": item.get("cwd"), "model": body.get("model")}
            ),
            "metadata": told(
                {**own, "message_id": identifier,
                 **said_by(speaker=_name(item, body), role=role, conversation=place_name)}
            ),
        }
    )  # fmt: skip
    if identifier:
        # several lines of a transcript may share the id of one answer of the model
        key = again.key(place_name, str(identifier), role, text)
    else:
        key = again.key(place_name, role, "" if when is None else when.isoformat(), text)
    return Taken(fields, place, key, str(own.get("user_id") or about.get("user") or ""))


def _role(item: dict[str, Any], body: dict[str, Any]) -> str | None:
    author = body.get("author")
    name = item.get("id")
    candidates = (
        body.get("role"),
        author.get("role") if isinstance(author, dict) else author,
        item.get("sender"),
        name[-1] if item.get("lc") and isinstance(name, list) and name else None,
        body.get("type"),
        item.get("type"),
    )
    return next(filter(None, map(role_named, candidates)), None)


def role_named(value: object) -> str | None:
    """The role that a program calls so; None: that is no role."""
    return _ROLES.get(value.lower()) if isinstance(value, str) else None


def _name(item: dict[str, Any], body: dict[str, Any]) -> str:
    """The speaker's name, where a message has one."""
    author = body.get("author")
    return (
        _first(body, _NAMES)
        or _first(item, _NAMES)
        or (_first(author, ("name",)) if isinstance(author, dict) else "")
    )


def _text(content: object) -> str | None:
    """The words of a message; pictures, thinking and tools are none."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):  # ChatGPT: {"content_type": "text", "parts": [...]}
        kind = content.get("content_type", content.get("type", "text"))
        if kind not in ("text", "multimodal_text"):
            return ""
        return _text(content.get("parts", content.get("text", "")))
    if isinstance(content, list):
        parts = [
            part if isinstance(part, str) else part["text"]
            for part in content
            if isinstance(part, str)
            or (
                isinstance(part, dict)
                and part.get("type", "text") in ("text", "input_text", "output_text")
                and isinstance(part.get("text"), str)
            )
        ]
        return "\n\n".join(part for part in parts if part)
    return None


def _first(item: dict[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value = item.get(name)
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
            return str(value)
    return ""
