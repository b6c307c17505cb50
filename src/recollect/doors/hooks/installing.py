"""Putting hooks, the skill and rules into an agent's settings, and taking out what is ours.

A step says what a file should read with us and without us, as text; nothing is written before
every step of an agent has been thought through. What others wrote stays as it is, character by
character. A file that was there is copied once, as NAME.before-recollect.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from recollect.doors.hooks import json_text
from recollect.doors.hooks.events import Event
from recollect.errors import InvalidInput

BACKUP = ".before-recollect"


class Place(NamedTuple):
    home: Path
    project: Path | None = None  # None: for the user, in every project


class Installable(Protocol):
    """An agent whose settings we know."""

    name: str
    title: str

    def steps(self, place: Place, *, removing: bool = False) -> list[Step]: ...
    def advice(self, place: Place) -> list[str]:
        """What a person has to do or know afterwards."""
        ...


class Step(Protocol):
    @property
    def path(self) -> Path: ...
    def with_us(self, text: str | None) -> str:
        """The file with us in it; `text` is what it reads now, None if there is none."""
        ...

    def without_us(self, text: str) -> str | None:
        """The file without us; None if nothing is left that anybody wrote."""
        ...


def command(event: Event, harness: str, *, shared: bool) -> str:
    """How the agent calls us. For a file that others share, by name; else by the whole path, for an
    agent that is started from a desktop has another PATH."""
    return f"{program(shared=shared)} hook {event.value} --harness {harness}"


def program(*, shared: bool) -> str:
    if shared and shutil.which("recollect"):
        return "recollect"
    beside = Path(sys.executable).with_name("recollect" + (".exe" if os.name == "nt" else ""))
    if beside.is_file():
        return _quoted(str(beside))
    found = shutil.which("recollect")
    return _quoted(found) if found else f"{_quoted(sys.executable)} -m recollect.doors.cli.main"


def _quoted(path: str) -> str:
    return f'"{path}"' if os.name == "nt" else shlex.quote(path)


def is_ours(text: object, harness: str) -> bool:
    return (
        isinstance(text, str)
        and "recollect" in text
        and re.search(rf"\bhook (start|prompt|stop) --harness {harness}\b", text) is not None
    )


@dataclass(frozen=True, slots=True)
class HooksFile:
    """A JSON file with `hooks`, by event: groups of commands, or commands (`flat`, for Cursor)."""

    path: Path
    harness: str
    events: Mapping[Event, str]
    timeouts: Mapping[Event, int]
    flat: bool = False
    shared: bool = False

    def with_us(self, text: str | None) -> str:
        text = text if text is not None and text.strip() else "{}\n"
        if self.flat and "version" not in _object(text):
            text = json_text.put(text, ["version"], 1)
        for event, name in self.events.items():
            item = self._item(event)
            ours = [value for _, value in self._ours(text, name)]
            if ours == [item]:
                continue
            text = json_text.append(self._cleared(text, name), ["hooks", name], item)
        return text

    def without_us(self, text: str) -> str | None:
        for name in _object(text).get("hooks", {}):
            if any(True for _ in self._ours(text, name)):
                text = self._cleared(text, name)
                if not _object(text)["hooks"][name]:
                    text = json_text.remove(text, ["hooks", name])
        if _object(text).get("hooks") == {}:
            text = json_text.remove(text, ["hooks"])
        left = _object(text)
        if self.flat and left == {"version": 1}:
            left = {}
        return text if left else None

    def _item(self, event: Event) -> dict[str, Any]:
        told = command(event, self.harness, shared=self.shared)
        if self.flat:
            return {"command": told, "timeout": self.timeouts[event]}
        hook = {"type": "command", "command": told, "timeout": self.timeouts[event]}
        return {"hooks": [hook]}

    def _ours(self, text: str, name: str) -> list[tuple[int, Any]]:
        """Items that hold nothing but us, the last first."""
        items = json_text.paths_of(json_text.parse(text), ["hooks", name])
        return [(i, item) for i, item in items if self._holds_us(item) == "only"]

    def _holds_us(self, item: Any) -> str:
        if not isinstance(item, dict):
            return ""
        if self.flat:
            return "only" if is_ours(item.get("command"), self.harness) else ""
        hooks = item.get("hooks")
        mine = [self._is_hook(hook) for hook in hooks] if isinstance(hooks, list) else []
        return "" if not any(mine) else "only" if all(mine) else "among others"

    def _is_hook(self, hook: Any) -> bool:
        return isinstance(hook, dict) and is_ours(hook.get("command"), self.harness)

    def _cleared(self, text: str, name: str) -> str:
        where = ["hooks", name]
        for i, item in list(json_text.paths_of(json_text.parse(text), where)):
            holds = self._holds_us(item)
            if holds == "only":
                text = json_text.remove(text, [*where, i])
            elif holds:
                for j, hook in reversed(list(enumerate(item["hooks"]))):
                    if self._is_hook(hook):
                        text = json_text.remove(text, [*where, i, "hooks", j])
        return text


def _object(text: str) -> dict[str, Any]:
    value = json_text.parse(text).value
    if not isinstance(value, dict) or not isinstance(value.get("hooks", {}), dict):
        raise InvalidInput("it holds no object of hooks")
    return value


# Codex keeps hooks in TOML as well. We add a block of our own at the end; the rest is not touched.

_BEGIN, _END = "# >>> recollect: added by 'recollect install' >>>", "# <<< recollect <<<"


@dataclass(frozen=True, slots=True)
class TomlHooks:
    path: Path
    harness: str
    events: Mapping[Event, str]
    timeouts: Mapping[Event, int]
    shared: bool = False

    def with_us(self, text: str | None) -> str:
        before = self._cut(text or "")
        newline = "\r\n" if "\r\n" in before else "\n"
        lines = [_BEGIN]
        for event, name in self.events.items():
            told = json.dumps(command(event, self.harness, shared=self.shared))
            lines += [
                f"[[hooks.{name}]]",
                f"[[hooks.{name}.hooks]]",
                'type = "command"',
                f"command = {told}",  # a JSON string is a TOML string
                f"timeout = {self.timeouts[event]}",
            ]
        block = newline.join([*lines, _END, ""])
        gap = "" if not before else newline if before.endswith("\n") else newline * 2
        after = before + gap + block
        self._check(before, after)
        return after

    def without_us(self, text: str) -> str | None:
        left = self._cut(text)
        return left if left.strip() else None

    @staticmethod
    def _cut(text: str) -> str:
        pattern = rf"(?:\r?\n)?^{re.escape(_BEGIN)}.*?^{re.escape(_END)}(?:\r?\n)?"
        return re.sub(pattern, "", text, flags=re.DOTALL | re.MULTILINE)

    def _check(self, before: str, after: str) -> None:
        """Nothing but our hooks may have come, and all of them."""
        former, now = _toml(before), _toml(after)
        for name in self.events.values():
            groups = now["hooks"][name]
            if groups[:-1] != former.get("hooks", {}).get(name, []):
                raise InvalidInput("its hooks would not stay as they are")


def _toml(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as e:
        raise InvalidInput(f"it is not TOML that can be added to ({e})") from None


def read_toml(path: Path) -> dict[str, Any]:
    """What a file says; nothing if it is not there or cannot be read."""
    try:
        return _toml(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError, InvalidInput):
        return {}


def keeps_hooks(path: Path) -> bool:
    """Does a person keep hooks here? What Codex itself notes of trust is none."""
    hooks = read_toml(path).get("hooks")
    return isinstance(hooks, dict) and bool(hooks.keys() - {"state"})


# Files that are wholly ours. The last line seals what we wrote: a file that a person changed since
# is theirs.


@dataclass(frozen=True, slots=True)
class OwnFile:
    path: Path
    content: str
    comment: tuple[str, str] = ("<!-- ", " -->")

    def with_us(self, text: str | None) -> str:
        """A file that a person wrote or changed is theirs and stays."""
        return self._sealed() if text is None or self.is_ours(text) else text

    def without_us(self, text: str) -> str | None:
        return None if self.is_ours(text) else text

    def _sealed(self) -> str:
        opening, closing = self.comment
        return f"{self.content}{opening}recollect {_seal(self.content)}{closing}\n"

    def is_ours(self, text: str) -> bool:
        content, _, last = text.rstrip("\n").rpartition("\n")
        return f"recollect {_seal(content + chr(10))}" in last


def _seal(content: str) -> str:
    return sha256(content.encode()).hexdigest()[:16]


def packaged(name: str) -> str:
    return (files("recollect.doors.hooks") / name).read_text("utf-8")


def skill_step(skills: Path) -> OwnFile:
    return OwnFile(skills / "recollect" / "SKILL.md", packaged("skills/recollect/SKILL.md"))


def rules_step(path: Path) -> OwnFile:
    return OwnFile(path, packaged("templates/rules.mdc"))
