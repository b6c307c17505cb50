"""What OpenClaw needs of us: a plugin, and an entry in `openclaw.json` that allows it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bethink.doors.hooks import json_text
from bethink.doors.hooks.calls import Call, Calls, split
from bethink.doors.hooks.events import Event
from bethink.doors.hooks.installing import NOT_OURS, OwnFile
from bethink.doors.hooks.openclaw import PLUGIN
from bethink.errors import InvalidInput

ENTRY = {"enabled": True, "hooks": {"allowConversationAccess": True, "allowPromptInjection": True}}
_WHERE = ["plugins", "entries", PLUGIN]


@dataclass(frozen=True, slots=True)
class Script:
    """The plugin. It starts us without a shell, so the program and its options are lists."""

    path: Path
    template: str
    calls: Calls
    is_shared: ClassVar[bool] = False

    def with_us(self, text: str | None) -> str:
        return self._file(text).with_us(text)

    def without_us(self, text: str, former: str | None) -> str:
        return text

    def is_made_from(self, former: str | None, text: str) -> bool:
        return self._file(None).is_made_from(former, text)

    def calls_in(self, text: str) -> list[Call]:
        program = tuple(_listed(text, "PROGRAM"))
        return [Call("", (0, 0), program, event.value) for event in Event] if program else []

    def remark(self, text: str | None) -> str:
        return self._file(None).remark(text)

    def _file(self, text: str | None) -> OwnFile:
        told = _listed(text or "", "OPTIONS")
        stood = dict(zip(told[::2], told[1::2], strict=False))
        options = {**stood, **{f"--{name}": value for name, value in self.calls.options}}
        content = self.template.replace("@PROGRAM@", _written(split(self.calls.program)))
        content = content.replace(
            "@OPTIONS@", _written([w for pair in options.items() for w in pair])
        )
        return OwnFile(self.path, content, ("// ", ""))


def _listed(text: str, name: str) -> list[str]:
    found = re.search(rf"^const {name} = (\[.*\]);$", text, re.MULTILINE)
    try:
        words = json.loads(found[1]) if found else []
    except ValueError:  # somebody wrote it in another way
        return []
    return [word for word in words if isinstance(word, str)]


def _written(words: Sequence[str]) -> str:
    return json.dumps(list(words), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Whole:
    """A file that holds no comment to seal it with: ours while it reads as we wrote it.

    When its content changes, what it read before has to be named in `formerly`.
    """

    path: Path
    content: str
    formerly: tuple[str, ...] = ()
    is_shared: ClassVar[bool] = False

    def with_us(self, text: str | None) -> str:
        return self.content if text is None or self._is_ours(text) else text

    def without_us(self, text: str, former: str | None) -> str:
        return text

    def is_made_from(self, former: str | None, text: str) -> bool:
        return former is None and self._is_ours(text)

    def calls_in(self, text: str) -> list[Call]:
        return []

    def remark(self, text: str | None) -> str:
        return "" if text is None or self._is_ours(text) else NOT_OURS

    def _is_ours(self, text: str) -> bool:
        return text in (self.content, *self.formerly)


@dataclass(frozen=True, slots=True)
class Allowed:
    """Our entry among the plugins in `openclaw.json`, which is JSON5."""

    path: Path
    is_shared: ClassVar[bool] = True

    def with_us(self, text: str | None) -> str:
        text = text if text is not None and text.strip() else "{}\n"
        try:
            if _at(text, _WHERE) is None:
                text = json_text.put(text, _WHERE, ENTRY, json5=True)
            allow = _at(text, ["plugins", "allow"])
            if isinstance(allow, list) and allow and PLUGIN not in allow:  # none: all are allowed
                text = json_text.append(text, ["plugins", "allow"], PLUGIN, json5=True)
        except InvalidInput as e:
            raise InvalidInput(f"{e}. It would need {json.dumps(_nested(_WHERE, ENTRY))}") from None
        return text

    def without_us(self, text: str, former: str | None) -> str:
        """An entry that reads otherwise than ours, or stood there before, is a person's."""
        stood = former if former and former.strip() else "{}"
        if _at(text, _WHERE) != ENTRY or json_text.has(stood, _WHERE, json5=True):
            return text
        text = json_text.remove(text, _WHERE, json5=True)
        for holder in (_WHERE[:2], _WHERE[:1]):
            blank = json_text.is_blank(text, holder, json5=True)
            if blank and not json_text.has(stood, holder, json5=True):
                text = json_text.remove(text, holder, json5=True)
        allow = _at(text, ["plugins", "allow"])
        was = _at(stood, ["plugins", "allow"])
        ours = isinstance(allow, list) and PLUGIN in allow and PLUGIN not in (was or [])
        if ours and len(allow) > 1:  # an empty list would allow everything
            place: int = allow.index(PLUGIN)
            text = json_text.remove(text, ["plugins", "allow", place], json5=True)
        return text

    def is_made_from(self, former: str | None, text: str) -> bool:
        return _at(text, _WHERE) == ENTRY and self.with_us(former) == text != former

    def calls_in(self, text: str) -> list[Call]:
        return []

    def remark(self, text: str | None) -> str:
        if text is None or not text.strip():
            return ""
        entry, deny = _at(text, _WHERE), _at(text, ["plugins", "deny"])
        told = []
        if isinstance(entry, dict) and entry.get("enabled") is False:
            told.append("its entry for bethink is switched off")
        elif entry is not None and not _allows(entry):
            told.append(f"its entry for bethink allows too little: it needs {json.dumps(ENTRY)}")
        if isinstance(deny, list) and PLUGIN in deny:
            told.append("plugins.deny names bethink")
        if _at(text, ["plugins", "enabled"]) is False:
            told.append("plugins are switched off")
        if not told:
            return ""
        return (
            f"{'; '.join(told)}: that is left as it is, and OpenClaw will not run the plugin fully"
        )


def _at(text: str, path: Sequence[str]) -> Any:
    found = json_text.at_path(json_text.parse(text, json5=True), path)
    return None if found is None else found.value


def _allows(entry: Any) -> bool:
    hooks = entry.get("hooks") if isinstance(entry, dict) else None
    needed = ("allowConversationAccess", "allowPromptInjection")
    return isinstance(hooks, dict) and all(hooks.get(name) is True for name in needed)


def _nested(path: Sequence[str], value: Any) -> Any:
    for step in reversed(path):
        value = {step: value}
    return value
