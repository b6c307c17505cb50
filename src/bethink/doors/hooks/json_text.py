"""Small changes to the text of a JSON file that keep all the rest: order, layout, comments.

People keep settings in their own way; a file that is parsed and written anew is no longer theirs.
Comments and commas at the end are read too, and all of JSON5 where the agent reads that
(`json5=True`). What is read in another way than a strict reader would (a key twice) is refused.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from bethink.errors import InvalidInput

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


@cache
def _scalar_of_json5() -> re.Pattern[str]:
    return re.compile(
        r""""(?:[^"\\\r\n]|\\(?:\r\n|[\s\S]))*"|'(?:[^'\\\r\n]|\\(?:\r\n|[\s\S]))*'"""
        r"|[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|Infinity|NaN)(?![\w$.])"
        r"|true\b|false\b|null\b"
    )


@cache
def _name_of_json5() -> re.Pattern[str]:
    return re.compile(r"[^\W\d][\w$]*|\$[\w$]*")


def parse(text: str, *, json5: bool = False) -> Node:
    """Raises InvalidInput with the place."""
    at = _skip(text, 0)
    node = _value(text, at, 0, json5)
    if _skip(text, node.end) != len(text):
        raise _wrong(text, _skip(text, node.end))
    return node


def _skip(text: str, at: int) -> int:
    found = _blank().match(text, at)
    return found.end() if found else at


def _wrong(text: str, at: int) -> InvalidInput:
    line = text.count("\n", 0, at) + 1
    return InvalidInput(f"line {line}: this is not JSON as programs read it")


def _value(text: str, at: int, depth: int, json5: bool) -> Node:
    if depth > _DEPTH:
        raise InvalidInput("it is nested too deeply")
    if text[at : at + 1] in ("{", "["):
        return _container(text, at, depth, json5)
    found = (_scalar_of_json5() if json5 else _scalar()).match(text, at)
    if found is None:
        raise _wrong(text, at)
    try:
        read = _read_json5 if json5 else json.loads
        return Node(at, found.end(), read(found.group()))
    except ValueError:
        raise _wrong(text, at) from None


def _read_json5(word: str) -> Any:
    if word[0] in "\"'":
        return re.sub(r"\\(\r\n|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\s\S])", _unescaped, word[1:-1])
    if word in ("true", "false", "null"):
        return json.loads(word)
    if "x" in word.lower():
        return int(word, 16)
    if word.endswith("NaN"):
        return math.nan  # always the same one: it equals nothing else
    return int(word) if word.lstrip("+-").isdigit() else float(word)


def _unescaped(found: re.Match[str]) -> str:
    mark = found.group(1)
    if mark[0] in "xu" and len(mark) > 1:
        return chr(int(mark[1:], 16))
    if mark in ("\r\n", "\n", "\r", "\u2028", "\u2029"):  # the string goes on in the next line
        return ""
    return {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}.get(
        mark, mark
    )


def _key(text: str, at: int, depth: int, json5: bool) -> Node:
    name = _name_of_json5().match(text, at) if json5 else None
    return Node(at, name.end(), name.group()) if name else _value(text, at, depth, json5)


def _container(text: str, start: int, depth: int, json5: bool) -> Node:
    is_object = text[start] == "{"
    close = "}" if is_object else "]"
    node = Node(start)
    at = _skip(text, start + 1)
    while text[at : at + 1] != close:
        label = at
        if is_object:
            key = _key(text, at, depth + 1, json5)
            at = _skip(text, key.end)
            if not isinstance(key.value, str) or text[at : at + 1] != ":" or key.value in node.keys:
                raise _wrong(text, at)
            node.keys.append(key.value)
            at = _skip(text, at + 1)
        child = _value(text, at, depth + 1, json5)
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


def has(text: str, path: Path, *, json5: bool = False) -> bool:
    return at_path(parse(text, json5=json5), path) is not None


def is_blank(text: str, path: Path, *, json5: bool = False) -> bool:
    """Is there an object or a list in which nobody wrote anything, not even a comment?"""
    found = at_path(parse(text, json5=json5), path)
    if found is None or not isinstance(found.value, dict | list):
        return False
    return not text[found.start + 1 : found.end - 1].strip()


def put(text: str, path: Path, value: Any, *, json5: bool = False) -> str:
    """Set what stands at the path; what leads there is made where it is missing."""
    root = parse(text, json5=json5)
    for length, step in enumerate(path):
        holder = at_path(root, path[:length])
        assert holder is not None
        if isinstance(step, int):
            continue
        if not holder.is_object:
            raise InvalidInput(f"'{'.'.join(map(str, path[:length]))}' is no object")
        if holder.child(step) is None:
            for outer in reversed(path[length + 1 :]):
                value = {str(outer): value}
            return _insert(text, holder, length + 1, value, key=step)
    found = at_path(root, path)
    assert found is not None
    return text[: found.start] + _written(text, value, _depth_of(text, found)) + text[found.end :]


def append(text: str, path: Path, value: Any, *, json5: bool = False) -> str:
    """Add to the list at the path; it is made where it is missing."""
    found = at_path(parse(text, json5=json5), path)
    if found is None:
        return put(text, path, [value], json5=json5)
    if not isinstance(found.value, list):
        raise InvalidInput(f"'{'.'.join(map(str, path))}' is no list")
    return _insert(text, found, len(path) + 1, value)


def remove(text: str, path: Path, *, json5: bool = False) -> str:
    """Take out what stands at the path, with its comma and nothing else."""
    root = parse(text, json5=json5)
    holder, node = at_path(root, path[:-1]), at_path(root, path)
    assert holder is not None and node is not None
    place = next(i for i, child in enumerate(holder.children) if child.start == node.start)
    del holder.value[path[-1]]
    remarked = node.comma >= 0 and text[node.end : node.comma].strip()
    for cut in (_cut_alone,) if remarked else (_cut_with_space, _cut_alone):
        left = cut(text, holder, place)
        try:
            if parse(left, json5=json5).value == root.value:
                return left
        except InvalidInput:  # a comment to the end of its line swallowed what came after
            continue
    raise InvalidInput(f"'{'.'.join(map(str, path))}' cannot be taken out of what stands around it")


def _cut_with_space(text: str, holder: Node, place: int) -> str:
    """So that nothing shows where it stood."""
    children, node = holder.children, holder.children[place]
    start, end = node.label, node.comma + 1 if node.comma >= 0 else node.end
    if place + 1 < len(children):  # up to what follows, if nothing but space is between
        after = re.compile(r"[ \t]*\r?\n?[ \t]*").match(text, end)
        return text[:start] + text[after.end() if after else end :]
    start = len(text[:start].rstrip())
    if place == 0:
        tail = text[end : holder.end - 1]
        wanted = tail.strip() or start > holder.start + 1  # a comment: what follows it stays apart
        return text[:start] + (tail if wanted else "") + text[holder.end - 1 :]
    comma = children[place - 1].comma
    if node.comma >= 0:  # the list ended with a comma: it still does
        return text[: max(start, comma + 1)] + text[end:]
    return text[:comma] + text[comma + 1 : start] + text[end:]


def _cut_alone(text: str, holder: Node, place: int) -> str:
    """All space and every comment around it stays."""
    node = holder.children[place]
    left = text[: node.label] + text[node.end :]
    if node.comma >= 0:
        comma = node.comma - (node.end - node.label)
    elif place:
        comma = holder.children[place - 1].comma
    else:
        return left
    return left[:comma] + left[comma + 1 :]


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
