"""OpenClaw: a small plugin that calls us, and the skill.

OpenClaw runs plugins of its own kind instead of commands, so what `recollect hook` prints for it is
ours to choose: JSON with the context. A plugin that reads what was said must be allowed to in
`openclaw.json`; that entry is ours, the rest of the file is not touched.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.doors.hooks.events import Event, Said, Signal, directory_of, plain_text, text_of
from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.doors.hooks.installing import Place, Step

PLUGIN = "recollect"
_ENTRY = {"enabled": True, "hooks": {"allowConversationAccess": True, "allowPromptInjection": True}}


class OpenClaw:
    name = "openclaw"
    title = "OpenClaw"
    captures_prompts = False

    def signal(self, event: Event, told: Mapping[str, Any]) -> Signal:
        return Signal(
            event,
            directory_of(told),
            session=text_of(told, "session_id"),
            prompt=text_of(told, "prompt"),
            said=tuple(self._messages(told)),
        )

    def _messages(self, told: Mapping[str, Any]) -> Iterator[Said]:
        messages = told.get("messages")
        for record in messages if isinstance(messages, list) else ():
            said = self.said(record) if isinstance(record, dict) else None
            if said is not None:
                yield said

    def answer(self, event: Event, context: str) -> str:
        return json.dumps({"context": context}, ensure_ascii=False) if context else ""

    def said(self, record: Mapping[str, Any]) -> Said | None:
        """Without what OpenClaw puts in under the user's name: its own context, the time."""
        if record.get("role") != "user":
            return None
        import re

        text = plain_text(record.get("content"))
        mark = "OPENCLAW_INTERNAL_CONTEXT>>>"
        text = re.sub(rf"<<<BEGIN_{mark}.*?(?:<<<END_{mark}|\Z)", "", text, flags=re.DOTALL)
        return Said(re.sub(r"^\s*\[\w{3} \d{4}-\d\d-\d\d \d\d:\d\d[^\]]*\]\s*", "", text))

    def steps(self, place: Place, *, removing: bool = False) -> list[Step]:
        from recollect.doors.hooks.installing import OwnFile, packaged, program, skill_step

        if place.project is not None:
            raise InvalidInput(
                "OpenClaw keeps its plugins for the user, not for a project; leave out --project"
            )
        folder = home(place)
        plugin = folder / "extensions" / PLUGIN
        script = packaged("templates/openclaw.mjs").replace(
            "@PROGRAM@", _words(program(shared=False))
        )
        return [
            OwnFile(plugin / "index.mjs", script, ("// ", "")),
            _Whole(plugin / "package.json", packaged("templates/openclaw.package.json")),
            _Whole(plugin / "openclaw.plugin.json", packaged("templates/openclaw.plugin.json")),
            skill_step(folder / "skills"),
            _Allowed(folder / "openclaw.json"),
        ]

    def advice(self, place: Place) -> list[str]:
        return ["restart the OpenClaw gateway; 'openclaw plugins list' then shows recollect"]


def home(place: Place) -> Path:
    return Path(os.environ.get("OPENCLAW_STATE_DIR") or place.home / ".openclaw")


def _words(command: str) -> str:
    """A command as a list for a program that starts no shell."""
    import shlex

    return json.dumps(shlex.split(command, posix=os.name != "nt"))


@dataclass(frozen=True, slots=True)
class _Whole:
    """A file that holds no comment to seal it with: ours while it reads as we wrote it."""

    path: Path
    content: str

    def with_us(self, text: str | None) -> str:
        return self.content

    def without_us(self, text: str) -> str | None:
        return None if text == self.content else text


@dataclass(frozen=True, slots=True)
class _Allowed:
    """Our entry among the plugins in `openclaw.json`."""

    path: Path

    def with_us(self, text: str | None) -> str:
        from recollect.doors.hooks import json_text

        text = text if text is not None and text.strip() else "{}\n"
        where = ["plugins", "entries", PLUGIN]
        root = json_text.parse(text)
        if json_text.at_path(root, where) is None:
            text = json_text.put(text, where, _ENTRY)
        allowed = json_text.at_path(root, ["plugins", "allow"])
        names = allowed.value if allowed is not None else None
        if isinstance(names, list) and names and PLUGIN not in names:  # none: all are allowed
            text = json_text.append(text, ["plugins", "allow"], PLUGIN)
        return text

    def without_us(self, text: str) -> str | None:
        from recollect.doors.hooks import json_text

        where: list[str | int] = ["plugins", "entries", PLUGIN]
        allowed = json_text.at_path(json_text.parse(text), ["plugins", "allow"])
        if allowed is not None and isinstance(allowed.value, list) and PLUGIN in allowed.value:
            text = json_text.remove(text, ["plugins", "allow", allowed.value.index(PLUGIN)])
        while where:
            found = json_text.at_path(json_text.parse(text), where)
            if found is None or (len(where) < 3 and found.value):
                break
            text = json_text.remove(text, where)
            where.pop()
        return text if json_text.parse(text).value else None


HARNESS = OpenClaw()
