"""Claude Code: how its hooks speak, and where its settings are.

`Stop` is not made asynchronous: such a hook is never run by `claude -p`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bethink.doors.hooks.events import (
    Event,
    Said,
    Signal,
    directory_of,
    plain_text,
    text_of,
    transcript_of,
)

if TYPE_CHECKING:
    from bethink.doors.hooks.installing import Out, Place, Step

EVENTS = {Event.START: "SessionStart", Event.PROMPT: "UserPromptSubmit", Event.STOP: "Stop"}
TIMEOUTS = {Event.START: 10, Event.PROMPT: 10, Event.STOP: 30}  # beyond our own, as the last resort


class ClaudeCode:
    name = "claude"
    title = "Claude Code"
    captures_prompts = False

    def signal(self, event: Event, told: Mapping[str, Any]) -> Signal:
        return Signal(
            event,
            directory_of(told),
            session=text_of(told, "session_id"),
            prompt=text_of(told, "prompt"),
            transcript=transcript_of(told),
            again=told.get("source") == "resume",
        )

    def answer(self, event: Event, context: str) -> str:
        if not context:
            return ""
        output = {"hookEventName": EVENTS[event], "additionalContext": context}
        return json.dumps({"hookSpecificOutput": output}, ensure_ascii=False)

    def said(self, record: Mapping[str, Any]) -> Said | None:
        """Tool results, hook output, summaries and what sub-agents were told have marks."""
        if record.get("type") != "user" or "toolUseResult" in record:
            return None
        if any(record.get(mark) for mark in ("isMeta", "isSidechain", "isCompactSummary")):
            return None
        message = record.get("message")
        if not isinstance(message, dict) or message.get("role") != "user":
            return None
        return Said(plain_text(message.get("content")), text_of(record, "timestamp"))

    def steps(self, place: Place, *, removing: bool = False) -> list[Step | Out]:
        from bethink.doors.hooks.installing import HooksFile, skill_step

        folder = home(place)
        return [
            HooksFile(folder / "settings.json", self.name, EVENTS, TIMEOUTS, place.calls),
            skill_step(folder / "skills"),
        ]

    def advice(self, place: Place) -> list[str]:
        return ["Claude Code reads its hooks when it starts: begin a new session"]


def home(place: Place) -> Path:
    if place.project is not None:
        return place.project / ".claude"
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or place.home / ".claude")


HARNESS = ClaudeCode()
