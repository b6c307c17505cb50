"""The block of YAML at the head of a note, read with bounds.

A few hundred bytes of YAML can name gigabytes (aliases of aliases), and a few hundred brackets
exhaust the stack of a reader that recurses. So it is read event by event: no alias, no deep
nesting, nothing constructed but text, numbers, lists and mappings. Every plain value keeps its
text: a version `1.10` that was written as a tag must not become the number 1.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from bethink.errors import NotebookFileRefused

MAX_CHARS = 64_000
MAX_DEPTH = 16


class Scalar(NamedTuple):
    text: str
    plain: bool  # not quoted: may mean a number or true/false


Value = Any  # Scalar, or a list or dict (by text) of values


class FrontMatter(NamedTuple):
    fields: dict[str, Value]
    lines: int  # that it takes, both fences with it; 0: there is none


_NONE = FrontMatter({}, 0)


def front_matter(lines: list[str], path: PurePosixPath) -> FrontMatter:
    """The front matter at the head of these lines.

    A rule (`---`) with prose below is no front matter. What has fields but is not quite YAML
    ("title: Fix: the port") is read line by line: that is how its author meant it.
    """
    if not lines or lines[0].rstrip() != "---":
        return _NONE
    end = next((at for at in range(1, len(lines)) if lines[at].rstrip() in ("---", "...")), 0)
    inside = lines[1:end]
    first = next((line for line in inside if line.strip() and line[0] != "#"), "")
    if not end or (first and not _is_field(first)):
        return _NONE
    if sum(map(len, inside)) > MAX_CHARS:
        raise NotebookFileRefused(
            path, f"its front matter has more than {MAX_CHARS:,} characters; move text below it"
        )
    fields = _read("\n".join(inside) + "\n", path)
    if fields is None:
        fields = _line_by_line(inside)
        if first and not fields:
            return _NONE
    return FrontMatter(fields, end + 1)


def _is_field(line: str) -> bool:
    key, colon, value = line.partition(":")
    return (
        bool(colon and key.strip())
        and not value[:1].strip()
        and len(key) <= 128
        and (key[0].isalnum() or key[0] in "\"'_")
    ) or line.startswith("{")


def _read(text: str, path: PurePosixPath) -> dict[str, Value] | None:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        read = _build(yaml.parse(text, Loader=loader), path)
    except (yaml.YAMLError, ValueError):  # ValueError: what no encoder takes, half characters
        return None
    return read if isinstance(read, dict) else None


def _build(events: Iterator[Any], path: PurePosixPath) -> Value:
    """The value that the events describe."""
    from yaml import events as kinds

    open_values: list[tuple[Value, list[str]]] = []  # each with the key that waits for its value
    root: Value = None

    def put(value: Value) -> None:
        nonlocal root
        if not open_values:
            root = value
            return
        holder, key = open_values[-1]
        if isinstance(holder, list):
            holder.append(value)
        elif key:
            holder[key.pop()] = value
        else:
            key.append(value.text if isinstance(value, Scalar) else "?")

    for event in events:
        if isinstance(event, kinds.AliasEvent):
            raise NotebookFileRefused(
                path, f"its front matter uses an alias (*{event.anchor}); write the value out"
            )
        if isinstance(event, kinds.ScalarEvent):
            put(Scalar(event.value, bool(event.implicit[0])))
        elif isinstance(event, kinds.CollectionStartEvent):
            if len(open_values) >= MAX_DEPTH:
                raise NotebookFileRefused(
                    path, f"its front matter is nested deeper than {MAX_DEPTH} levels; flatten it"
                )
            value: Value = [] if isinstance(event, kinds.SequenceStartEvent) else {}
            put(value)
            open_values.append((value, []))
        elif isinstance(event, kinds.CollectionEndEvent):
            open_values.pop()
    return root


def _line_by_line(lines: list[str]) -> dict[str, Value]:
    fields: dict[str, Value] = {}
    key = ""
    for line in lines:
        if _is_field(line) and not line.startswith("{"):
            key, _, value = line.partition(":")
            key = key.strip().strip("\"'")
            fields[key] = Scalar(value.strip(), True)
        elif key and line.lstrip().startswith("- "):
            held = fields[key]
            items = held if isinstance(held, list) else []
            fields[key] = [*items, Scalar(line.lstrip()[2:].strip(), True)]
    return fields
