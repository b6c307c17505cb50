"""Small changes to the text of a JSON file that keep all the rest: order, layout, comments.

People keep settings in their own way; a file that is parsed and written anew is no longer theirs.
Comments and commas at the end are read too. What is read in another way than a strict reader
would (a key twice, single quotes) is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from recollect.errors import InvalidInput

Path = Sequence[str | int]
_DEPTH = 64


@dataclass(slots=True)
class Node:
    """A value and where it stands. `comma` is where the comma after it stands, or -1."""

    start: int
    end: int = -1
    value: Any = None
    comma: int = -1
    label: int = -1  # where its key begins
    children: list[Node] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    def child(self, step: str | int) -> Node | None:
        if isinstance(step, int):
            return self.children[step]
        return self.children[self.keys.index(step)] if step in self.keys else None


@cache
def _blank() -> re.Pattern[str]:
    return re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)


@cache
def _scalar() -> re.Pattern[str]:
    return re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?\d[\d.eE+-]*|true|false|null')


def parse(text: str) -> Node:
    """Raises InvalidInput with the place."""
    at = _skip(text, 0)
    node = _value(text, at, 0)
    if _skip(text, node.end) != len(text):
        raise _wrong(text, _skip(text, node.end))
    return node


def _skip(text: str, at: int) -> int:
    found = _blank().match(text, at)
    return found.end() if found else at


def _wrong(text: str, at: int) -> InvalidInput:
    line = text.count("\n", 0, at) + 1
    return InvalidInput(f"line {line}: this is not JSON as programs read it")


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _DEPTH:
        raise InvalidInput("it is nested too deeply")
    if text[at : at + 1] in ("{", "["):
        return _container(text, at, depth)
    found = _scalar().match(text, at)
    if found is None:
        raise _wrong(text, at)
    try:
        return Node(at, found.end(), json.loads(found.group()))
    except ValueError:
        raise _wrong(text, at) from None


def _container(text: str, start: int, depth: int) -> Node:
    is_object = text[start] == "{"
    close = "}" if is_object else "]"
    node = Node(start)
    at = _skip(text, start + 1)
    while text[at : at + 1] != close:
        label = at
        if is_object:
            key = _value(text, at, depth + 1)
            at = _skip(text, key.end)
            if not isinstance(key.value, str) or text[at : at + 1] != ":" or key.value in node.keys:
                raise _wrong(text, at)
            node.keys.append(key.value)
            at = _skip(text, at + 1)
        child = _value(text, at, depth + 1)
        child.label = label
        node.children.append(child)
        at = _skip(text, child.end)
        if text[at : at + 1] == ",":
            child.comma = at
            at = _skip(text, at + 1)
        elif text[at : at + 1] != close:
            raise _wrong(text, at)
    node.end = at + 1
    values = [child.value for child in node.children]
    node.value = dict(zip(node.keys, values, strict=True)) if is_object else values
    return node


def at_path(node: Node, path: Path) -> Node | None:
    here: Node | None = node
    for step in path:
        if here is None or isinstance(step, int) is here.is_object or not here.children:
            return None
        here = here.child(step)
    return here


def put(text: str, path: Path, value: Any) -> str:
    """Set what stands at the path; what leads there is made where it is missing."""
    root = parse(text)
    for length in range(len(path)):
        holder, step = at_path(root, path[:length]), path[length]
        assert holder is not None
        if not holder.is_object or not isinstance(step, str):
            raise InvalidInput(f"'{'.'.join(map(str, path[:length]))}' is no object")
        if holder.child(step) is None:
            for outer in reversed(path[length + 1 :]):
                value = {str(outer): value}
            return _insert(text, holder, length + 1, value, key=step)
    found = at_path(root, path)
    assert found is not None
    return text[: found.start] + _written(text, value, _depth_of(text, found)) + text[found.end :]


def append(text: str, path: Path, value: Any) -> str:
    """Add to the list at the path; it is made where it is missing."""
    found = at_path(parse(text), path)
    if found is None:
        return put(text, path, [value])
    if not isinstance(found.value, list):
        raise InvalidInput(f"'{'.'.join(map(str, path))}' is no list")
    return _insert(text, found, len(path) + 1, value)


def remove(text: str, path: Path) -> str:
    """Take out what stands at the path, with its comma and nothing else."""
    holder = at_path(parse(text), path[:-1])
    node = at_path(parse(text), path)
    assert holder is not None and node is not None
    children = holder.children
    place = next(i for i, child in enumerate(children) if child.start == node.start)
    start, end = node.label, node.comma + 1 if node.comma >= 0 else node.end
    if place + 1 < len(children):  # up to what follows, if nothing but space is between
        after = re.compile(r"[ \t]*\r?\n?[ \t]*").match(text, end)
        return text[:start] + text[after.end() if after else end :]
    start = len(text[:start].rstrip())
    if place == 0:
        tail = text[end : holder.end - 1]
        return text[:start] + (tail if tail.strip() else "") + text[holder.end - 1 :]
    comma = children[place - 1].comma
    if node.comma >= 0:  # the list ended with a comma: it still does
        return text[: max(start, comma + 1)] + text[end:]
    return text[:comma] + text[comma + 1 : start] + text[end:]


def _insert(text: str, holder: Node, depth: int, value: Any, *, key: str | None = None) -> str:
    """After the last child, laid out as its brothers are."""
    label = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    newline, unit = _layout(text)
    if not holder.children:
        inner = text[holder.start + 1 : holder.end - 1].rstrip()  # maybe a comment
        outer = _indent_at(text, holder.start)
        item = _written(text, value, outer + unit)
        middle = f"{newline}{outer}{unit}{label}{item}{newline}{outer}"
        return text[: holder.start + 1] + inner + middle + text[holder.end - 1 :]
    last = holder.children[-1]
    before = text[holder.start + 1 : holder.children[0].label]
    if "\n" in before or depth == 1:
        indent = _indent_at(text, last.label) if "\n" in before else unit
        item = f"{newline}{indent}{label}{_written(text, value, indent)}"
    else:
        item = f" {label}{json.dumps(value, ensure_ascii=False)}"
    at = last.end if last.comma < 0 else last.comma
    return text[:at] + "," + item + text[at:]


def _written(text: str, value: Any, indent: str) -> str:
    newline, unit = _layout(text)
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    return f"{newline}{indent}".join(lines)


def _layout(text: str) -> tuple[str, str]:
    """The line ends and the step of indentation that this file uses."""
    newline = "\r\n" if "\r\n" in text else "\n"
    found = re.search(r"[{\[][ \t]*\r?\n([ \t]+)\S", text)
    return newline, found.group(1) if found else "  "


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _depth_of(text: str, node: Node) -> str:
    return _indent_at(text, node.label if node.label >= 0 else node.start)


def paths_of(node: Node, path: Path) -> Iterator[tuple[int, Any]]:
    """The items of the list at the path, the last first: so they can be taken out one by one."""
    found = at_path(node, path)
    if found is not None and isinstance(found.value, list):
        yield from reversed(list(enumerate(found.value)))
