"""Hooks in TOML, where Codex keeps them as well.

Ours are added at the end, between two marks; nothing else is touched. They are found again by what
they call and not by the marks, which may be gone. What is left must say what the rest said before;
if it would not, the file is left alone and a person is asked.

The lines are edited as text. tomlkit cannot be used for that: it merges an array of tables that
stands in several places of a file (theirs `[[hooks.Stop]]` above, ours below), so reading and
writing alone moves tables of the user (0.15).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from bethink.doors.hooks import calls
from bethink.doors.hooks.calls import Call, Calls
from bethink.doors.hooks.events import Event
from bethink.doors.hooks.installing import read_text
from bethink.errors import InvalidInput

_BEGIN, _END = "# >>> bethink: added by 'bethink install' >>>", "# <<< bethink <<<"


class _Section(NamedTuple):
    """The lines from a header to the next header or mark."""

    name: str  # `hooks.Stop.hooks`; empty for what is no header of a list
    start: int
    end: int


class _Hook(NamedTuple):
    group: _Section | None
    own: _Section
    event: str  # as Codex calls it
    call: Call


@dataclass(frozen=True, slots=True)
class TomlHooks:
    path: Path
    harness: str
    events: Mapping[Event, str]
    timeouts: Mapping[Event, int]
    calls: Calls
    is_shared: ClassVar[bool] = True

    def with_us(self, text: str | None) -> str:
        text = text or ""
        lines = _lines(text)
        hooks = list(self._hooks(lines))
        stand = {event: [h for h in hooks if h.event == n] for event, n in self.events.items()}
        stand = {e: [h for h in found if h.call.event == e] for e, found in stand.items()}
        told = {
            event: self.calls.renewed(found[0].call)
            if found
            else self.calls.new(event, self.harness)
            for event, found in stand.items()
        }
        if all(len(found) == 1 for found in stand.values()):
            for event, found in stand.items():
                if told[event] != found[0].call.text:
                    _call(lines, found[0].own, told[event])
            after = "".join(lines)
        else:
            after = self._added(self.without_us(text, None), told)
        self._check(text, after)
        return after

    def without_us(self, text: str, former: str | None) -> str:
        if _BEGIN not in text and not self._may_hold_us(text):
            return text
        said = self._rest(_toml(text))
        lines = _lines(text)
        hooks = list(self._hooks(lines))
        gone = {i for hook in hooks for i in _told(lines, hook.own)}
        for group in {hook.group for hook in hooks if hook.group is not None}:
            members = [s for s in _members(lines, group) if s.start not in gone]
            if not members:  # a group without a hook says nothing
                gone |= set(_told(lines, group))
        gone |= _marks(lines)
        left = "".join(line for i, line in enumerate(lines) if i not in gone)
        if former is not None and left in (former + "\n", former + "\r\n"):
            left = former  # it did not end its last line
        if self._rest(_toml(left)) != said or self._may_hold_us(left):
            raise InvalidInput(
                "it cannot be told which lines of it are ours; take out by hand those that call "
                f"'bethink hook … --harness {self.harness}'"
            )
        return left

    def is_made_from(self, former: str | None, text: str) -> bool:
        hooks = {hook.call.event: hook.call.text for hook in self._hooks(_lines(text))}
        told = {event: hooks.get(event.value, "") for event in self.events}
        return self._added(former or "", told) == text

    def calls_in(self, text: str) -> list[Call]:
        return [hook.call for hook in self._hooks(_lines(text))]

    def remark(self, text: str | None) -> str:
        return ""

    def is_kept_by_others(self, text: str | None) -> bool:
        """Does a person keep hooks here? What Codex itself notes of trust is none."""
        try:
            hooks = self._rest(_toml(text or "")).get("hooks")
        except InvalidInput:
            return False
        return isinstance(hooks, dict) and bool(hooks.keys() - {"state"})

    def _added(self, before: str, told: Mapping[Event, str]) -> str:
        newline = "\r\n" if "\r\n" in before else "\n"
        lines = [_BEGIN]
        for event, name in self.events.items():
            lines += [
                f"[[hooks.{name}]]",
                f"[[hooks.{name}.hooks]]",
                'type = "command"',
                f"command = {_quoted(told[event])}",
                f"timeout = {self.timeouts[event]}",
            ]
        block = newline.join([*lines, _END, ""])
        gap = "" if not before else newline if before.endswith("\n") else newline * 2
        return before + gap + block

    def _hooks(self, lines: list[str]) -> Iterator[_Hook]:
        group: _Section | None = None
        for section in _sections(lines):
            name = re.fullmatch(r"hooks\.([\w-]+)(\.hooks)?", section.name)
            if name is None:
                group = None
                continue
            if not name[2]:
                group = section
                continue
            call = self._call_of(lines, section)
            if call is not None:
                yield _Hook(group, section, name[1], call)

    def _call_of(self, lines: list[str], section: _Section) -> Call | None:
        try:
            told = _toml("".join(lines[section.start + 1 : section.end]))
        except InvalidInput:
            return None
        return calls.read(told.get("command"), self.harness)

    def _may_hold_us(self, text: str) -> bool:
        """Also where ours stand in another way than we write them, in a list on one line, say."""
        try:
            found = _commands(_toml(text).get("hooks"))
        except InvalidInput:
            return "bethink" in text and f"--harness {self.harness}" in text
        return any(calls.read(command, self.harness) for command in found)

    def _rest(self, told: dict[str, Any]) -> dict[str, Any]:
        """What the file says beside our hooks."""
        hooks = told.get("hooks")
        if not isinstance(hooks, dict):
            return told
        left: dict[str, Any] = {}
        for name, groups in hooks.items():
            if not isinstance(groups, list):
                left[name] = groups
                continue
            kept = [self._without_ours(group) for group in groups]
            if any(group is not None for group in kept) or not groups:
                left[name] = [group for group in kept if group is not None]
        rest = {key: value for key, value in told.items() if key != "hooks"}
        return {**rest, "hooks": left} if left or not hooks else rest

    def _without_ours(self, group: Any) -> Any:
        hooks = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(hooks, list):
            return group
        kept = [
            hook
            for hook in hooks
            if not isinstance(hook, dict) or calls.read(hook.get("command"), self.harness) is None
        ]
        return None if hooks and not kept else {**group, "hooks": kept}

    def _check(self, before: str, after: str) -> None:
        """Nothing but our hooks may have come, and all of them."""
        told = _toml(after)
        if self._rest(_toml(before)) != self._rest(told):
            raise InvalidInput("its hooks would not stay as they are")
        for event, name in self.events.items():
            found = [calls.read(c, self.harness) for c in _commands(told["hooks"][name])]
            if [call.event for call in found if call is not None].count(event) != 1:
                raise InvalidInput("its hooks are kept in a way that ours cannot be added to")


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _sections(lines: list[str]) -> Iterator[_Section]:
    name, start = "", 0
    for i, line in enumerate(lines):
        marks = line.strip() in (_BEGIN, _END)
        if not marks and not line.lstrip().startswith("["):
            continue
        yield _Section(name, start, i)
        found = re.match(r"\s*\[\[\s*([\w.-]+)\s*\]\]\s*(#.*)?$", line)
        name, start = found[1] if found and not marks else "", i
    yield _Section(name, start, len(lines))


def _members(lines: list[str], group: _Section) -> Iterator[_Section]:
    """The hooks of a group: the sections below its name that come before any other."""
    for section in _sections(lines):
        if section.start <= group.start:
            continue
        if lines[section.start].strip() in (_BEGIN, _END):
            continue
        if not section.name.startswith(group.name + "."):
            return
        yield section


def _marks(lines: list[str]) -> set[int]:
    """The last pair of them, with the empty line before; one of them may be gone."""
    bare = [line.strip() for line in lines]
    if _BEGIN not in bare:
        return set()
    begin = len(bare) - 1 - bare[::-1].index(_BEGIN)
    marks = {begin} if begin == 0 or bare[begin - 1] else {begin - 1, begin}
    return marks | ({bare.index(_END, begin)} if _END in bare[begin:] else set())


def _told(lines: list[str], section: _Section) -> Iterator[int]:
    """The lines of a section that say something; comments and empty lines are a person's."""
    for i in range(section.start, section.end):
        if lines[i].strip() and not lines[i].lstrip().startswith("#"):
            yield i


def _call(lines: list[str], section: _Section, told: str) -> None:
    for i in range(section.start + 1, section.end):
        found = re.match(r"(\s*command\s*=\s*)[^\r\n]*", lines[i])
        if found:
            lines[i] = f"{found[1]}{_quoted(told)}{lines[i][found.end() :]}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # as TOML has it, too


def _commands(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("command"), str):
            yield value["command"]
        value = list(value.values())
    for item in value if isinstance(value, list) else []:
        yield from _commands(item)


def _toml(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as e:
        raise InvalidInput(f"it is not TOML that can be added to ({e})") from None


def read_toml(path: Path) -> dict[str, Any]:
    """What a file says; nothing if it is not there or is no TOML. Raises SettingsError."""
    try:
        return _toml(read_text(path) or "")
    except InvalidInput:
        return {}
