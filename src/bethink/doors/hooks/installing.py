"""Putting hooks, the skill and rules into an agent's settings, and taking out what is ours.

A step says what a file should read with us and without us, as text; nothing is written before
every step of an agent has been thought through. What others wrote stays as it is, character by
character. A file that was there is copied once, as NAME.before-bethink. What we made of that copy
can be made again: a file that reads just so was not touched since, and gets its former text back.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from bethink.doors.hooks import calls, json_text
from bethink.doors.hooks.calls import Call, Calls
from bethink.doors.hooks.events import Event
from bethink.errors import InvalidInput, SettingsError

BACKUP = ".before-bethink"
NOT_OURS = "somebody wrote or changed it, so it was left alone; remove it to have ours"


class Place(NamedTuple):
    home: Path
    project: Path | None = None  # None: for the user, in every project
    calls: Calls = Calls()


class Installable(Protocol):
    """An agent whose settings we know."""

    name: str
    title: str

    def steps(self, place: Place, *, removing: bool = False) -> list[Step | Out]: ...
    def advice(self, place: Place) -> list[str]:
        """What a person has to do or know afterwards."""
        ...


class Step(Protocol):
    @property
    def path(self) -> Path: ...
    @property
    def is_shared(self) -> bool:
        """Do others write here too? Then it is copied before it is changed."""
        ...

    def with_us(self, text: str | None) -> str:
        """The file with us in it; `text` is what it reads now, None if there is none."""
        ...

    def without_us(self, text: str, former: str | None) -> str:
        """The file without us; `former` is what it read before us, where a copy is left."""
        ...

    def is_made_from(self, former: str | None, text: str) -> bool:
        """Is this, to the letter, what installing makes of `former` (None: of no file)?"""
        ...

    def calls_in(self, text: str) -> list[Call]: ...
    def remark(self, text: str | None) -> str:
        """What a person should know who installs into this."""
        ...


@dataclass(frozen=True, slots=True)
class Out:
    """A place where we may have been before, and are no longer to be."""

    step: Step

    @property
    def path(self) -> Path:
        return self.step.path


def read_text(path: Path) -> str | None:
    """None if there is none. Raises SettingsError; a pipe would never end, so it is not opened."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise SettingsError(
                f"{path} is no regular file, so it is left alone; nothing was changed"
            )
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as e:
        raise SettingsError(f"{path} cannot be read ({e}); nothing was changed") from None


class _Found(NamedTuple):
    where: list[str | int]  # to the hook, not to its command
    call: Call


@dataclass(frozen=True, slots=True)
class HooksFile:
    """A JSON file with `hooks`, by event: groups of commands, or commands (`flat`, for Cursor)."""

    path: Path
    harness: str
    events: Mapping[Event, str]
    timeouts: Mapping[Event, int]
    calls: Calls
    flat: bool = False
    is_shared: ClassVar[bool] = True

    def with_us(self, text: str | None) -> str:
        text = self._ready(text)
        for event, name in self.events.items():
            found = [f for f in self._found(text, name) if f.call.event == event]
            if not found:
                text = json_text.append(text, ["hooks", name], self._item(event))
                continue
            for twice in reversed(found[1:]):
                text = self._taken_out(text, twice)
            now = self.calls.renewed(found[0].call)
            if now != found[0].call.text:
                text = json_text.put(text, [*found[0].where, "command"], now)
        return text

    def without_us(self, text: str, former: str | None) -> str:
        stood = former if former and former.strip() else "{}"
        names = [name for name in _hooks(text, must=False) if self._found(text, name)]
        for name in names:
            for found in reversed(self._found(text, name)):
                text = self._taken_out(text, found)
        for empty in [*(["hooks", name] for name in names), *([["hooks"]] if names else [])]:
            if json_text.is_blank(text, empty) and not json_text.has(stood, empty):
                text = json_text.remove(text, empty)
        if self.flat and names and former is not None and not json_text.has(stood, ["version"]):
            version = json_text.at_path(json_text.parse(text), ["version"])
            if version is not None and version.value == 1:
                text = json_text.remove(text, ["version"])
        return text

    def is_made_from(self, former: str | None, text: str) -> bool:
        grown = self._ready(former)
        for name in self.events.values():
            items = json_text.at_path(json_text.parse(text), ["hooks", name])
            listed = items.value if items is not None and isinstance(items.value, list) else []
            ours = [item for item in listed if self._is_only_us(item)]
            if len(ours) != 1:
                return False
            grown = json_text.append(grown, ["hooks", name], ours[0])
        return grown == text

    def calls_in(self, text: str) -> list[Call]:
        names = _hooks(text, must=False)
        return [found.call for name in names for found in self._found(text, name)]

    def remark(self, text: str | None) -> str:
        if not text or _is_strict(text):
            return ""
        return (
            "it holds comments or commas that strict JSON has not: an agent that is strict, as "
            "Claude Code is, ignores the whole file"
        )

    def _ready(self, text: str | None) -> str:
        text = text if text is not None and text.strip() else "{}\n"
        _hooks(text, must=True)
        if self.flat and not json_text.has(text, ["version"]):
            text = json_text.put(text, ["version"], 1)
        return text

    def _item(self, event: Event) -> dict[str, Any]:
        told = self.calls.new(event, self.harness)
        if self.flat:
            return {"command": told, "timeout": self.timeouts[event]}
        hook = {"type": "command", "command": told, "timeout": self.timeouts[event]}
        return {"hooks": [hook]}

    def _found(self, text: str, name: str) -> list[_Found]:
        items = _hooks(text, must=False).get(name)
        found: list[_Found] = []
        for i, item in enumerate(items if isinstance(items, list) else []):
            where: list[str | int] = ["hooks", name, i]
            if self.flat:
                found += [_Found(where, call) for call in self._calls([item])]
                continue
            hooks = item.get("hooks") if isinstance(item, dict) else None
            for j, hook in enumerate(hooks if isinstance(hooks, list) else []):
                found += [_Found([*where, "hooks", j], call) for call in self._calls([hook])]
        return found

    def _calls(self, hooks: list[Any]) -> list[Call]:
        told = [calls.read(h.get("command"), self.harness) for h in hooks if isinstance(h, dict)]
        return [call for call in told if call is not None]

    def _is_only_us(self, item: Any) -> bool:
        hooks = [item] if self.flat else item.get("hooks") if isinstance(item, dict) else None
        return isinstance(hooks, list) and bool(hooks) and len(self._calls(hooks)) == len(hooks)

    def _taken_out(self, text: str, found: _Found) -> str:
        """With its group, if that held nothing else."""
        where = found.where
        if not self.flat:
            group = json_text.at_path(json_text.parse(text), where[:-1])
            if group is not None and len(group.children) == 1:
                where = where[:-2]
        return json_text.remove(text, where)


def _hooks(text: str, *, must: bool) -> dict[str, Any]:
    """The hooks by event. Where they `must` be possible, raises InvalidInput if they are not."""
    value = json_text.parse(text).value
    hooks = value.get("hooks", {}) if isinstance(value, dict) else None
    if must and not isinstance(hooks, dict):
        raise InvalidInput("it holds no object of hooks")
    return hooks if isinstance(hooks, dict) else {}


def _is_strict(text: str) -> bool:
    import json

    try:
        json.loads(text.removeprefix("\ufeff"))
    except ValueError:
        return not text.strip()
    return True


# Files that are wholly ours. The last line seals what we wrote: a file that a person changed since
# is theirs.


@dataclass(frozen=True, slots=True)
class OwnFile:
    path: Path
    content: str
    comment: tuple[str, str] = ("<!-- ", " -->")
    is_shared: ClassVar[bool] = False

    def with_us(self, text: str | None) -> str:
        """A file that a person wrote or changed is theirs and stays."""
        return self._sealed() if text is None or self.is_ours(text) else text

    def without_us(self, text: str, former: str | None) -> str:
        return text

    def is_made_from(self, former: str | None, text: str) -> bool:
        return former is None and self.is_ours(text)

    def calls_in(self, text: str) -> list[Call]:
        return []

    def remark(self, text: str | None) -> str:
        return "" if text is None or self.is_ours(text) else NOT_OURS

    def _sealed(self) -> str:
        opening, closing = self.comment
        return f"{self.content}{opening}bethink {_seal(self.content)}{closing}\n"

    def is_ours(self, text: str) -> bool:
        content, _, last = text.rstrip("\n").rpartition("\n")
        return f"bethink {_seal(content + chr(10))}" in last


def _seal(content: str) -> str:
    return sha256(content.encode()).hexdigest()[:16]


def packaged(name: str) -> str:
    return (files("bethink.doors.hooks") / name).read_text("utf-8")


def skill_step(skills: Path) -> OwnFile:
    return OwnFile(skills / "bethink" / "SKILL.md", packaged("skills/bethink/SKILL.md"))


def rules_step(path: Path) -> OwnFile:
    return OwnFile(path, packaged("templates/rules.mdc"))
