"""Cursor: how its hooks speak, and where its settings are.

What `beforeSubmitPrompt` answers is documented to go on or to stop, without context for the model,
and the context of `sessionStart` has been lost by some versions. So a rules file tells the agent to
ask by itself; where Cursor takes the context, it is there as well. `stop` may come without a
transcript, so prompts are looked at as they are sent.
"""

from __future__ import annotations

import json
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

EVENTS = {Event.START: "sessionStart", Event.PROMPT: "beforeSubmitPrompt", Event.STOP: "stop"}
TIMEOUTS = {Event.START: 10, Event.PROMPT: 10, Event.STOP: 30}


class Cursor:
    name = "cursor"
    title = "Cursor"
    captures_prompts = True

    def signal(self, event: Event, told: Mapping[str, Any]) -> Signal:
        return Signal(
            event,
            directory_of(told),
            session=text_of(told, "conversation_id", "session_id"),
            prompt=text_of(told, "prompt"),
            transcript=transcript_of(told),
        )

    def answer(self, event: Event, context: str) -> str:
        record: dict[str, Any] = {"continue": True} if event is Event.PROMPT else {}
        if context:
            record["additional_context"] = context
        return json.dumps(record, ensure_ascii=False)

    def said(self, record: Mapping[str, Any]) -> Said | None:
        """The user's words stand in <user_query>; beside them stands what Cursor adds."""
        if record.get("role") != "user":
            return None
        import re

        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else record.get("content")
        text = plain_text(content)
        queries = re.findall(r"<user_query>(.*?)</user_query>", text, re.DOTALL)
        return Said("\n".join(queries) if queries else text, text_of(record, "timestamp"))

    def steps(self, place: Place, *, removing: bool = False) -> list[Step | Out]:
        from bethink.doors.hooks.installing import HooksFile, rules_step, skill_step

        folder = home(place)
        steps: list[Step | Out] = [
            HooksFile(folder / "hooks.json", self.name, EVENTS, TIMEOUTS, place.calls, flat=True),
            skill_step(folder / "skills"),
        ]
        if place.project is not None:
            steps.append(rules_step(folder / "rules" / "bethink.mdc"))
        return steps

    def advice(self, place: Place) -> list[str]:
        told = ["Cursor reads hooks.json when it is saved; Settings → Hooks shows what it loaded"]
        if place.project is None:
            told.append(
                "Cursor keeps rules files in projects only: run 'bethink install cursor "
                "--project' in those where the agent should look things up by itself"
            )
        return told


def home(place: Place) -> Path:
    return (place.home if place.project is None else place.project) / ".cursor"


HARNESS = Cursor()
