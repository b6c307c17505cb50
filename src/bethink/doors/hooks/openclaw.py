"""OpenClaw: a small plugin that calls us, and the skill.

OpenClaw runs plugins of its own kind instead of commands, so what `bethink hook` prints for it is
ours to choose: JSON with the context. A plugin that reads what was said must be allowed to in
`openclaw.json`; that entry is ours, the rest of the file is not touched.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bethink.doors.hooks.events import Event, Said, Signal, directory_of, plain_text, text_of
from bethink.errors import InvalidInput

if TYPE_CHECKING:
    from bethink.doors.hooks.installing import Out, Place, Step

PLUGIN = "bethink"


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

    def steps(self, place: Place, *, removing: bool = False) -> list[Step | Out]:
        from bethink.doors.hooks.installing import packaged, skill_step
        from bethink.doors.hooks.openclaw_files import Allowed, Script, Whole

        if place.project is not None:
            raise InvalidInput(
                "OpenClaw keeps its plugins for the user, not for a project; leave out --project"
            )
        folder = home(place)
        plugin = folder / "extensions" / PLUGIN
        return [
            Script(plugin / "index.mjs", packaged("templates/openclaw.mjs"), place.calls),
            Whole(plugin / "package.json", packaged("templates/openclaw.package.json")),
            Whole(plugin / "openclaw.plugin.json", packaged("templates/openclaw.plugin.json")),
            skill_step(folder / "skills"),
            Allowed(folder / "openclaw.json"),
        ]

    def advice(self, place: Place) -> list[str]:
        return ["restart the OpenClaw gateway; 'openclaw plugins list' then shows bethink"]


def home(place: Place) -> Path:
    return Path(os.environ.get("OPENCLAW_STATE_DIR") or place.home / ".openclaw")


HARNESS = OpenClaw()
