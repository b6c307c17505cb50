"""Codex: how its hooks speak, and where its settings are.

Its hooks speak as Claude Code's do. They are kept in `hooks.json`, or in `config.toml` where a
person keeps others there already: Codex warns of two places, so we
leave the other one. It runs no hook that was not
trusted; trusting is for the person to do, so we say how and leave it alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bethink.doors.hooks.claude import EVENTS, TIMEOUTS, ClaudeCode
from bethink.doors.hooks.events import Said, plain_text, text_of

if TYPE_CHECKING:
    from bethink.doors.hooks.installing import Out, Place, Step


class Codex(ClaudeCode):
    name = "codex"
    title = "Codex"

    def said(self, record: Mapping[str, Any]) -> Said | None:
        """What a person sent is an event of its own (in two forms, by version); `response_item`s of
        the same role also hold the environment, AGENTS.md and the like."""
        payload = record.get("payload")
        if record.get("type") != "event_msg" or not isinstance(payload, dict):
            return None
        at = text_of(record, "timestamp")
        if payload.get("type") == "user_message":
            return Said(plain_text(payload.get("message")), at)
        item = payload.get("item") if payload.get("type") == "item_completed" else None
        if isinstance(item, dict) and item.get("type") == "UserMessage":
            return Said(plain_text(item.get("content")), at)
        return None

    def steps(self, place: Place, *, removing: bool = False) -> list[Step | Out]:
        from bethink.doors.hooks.installing import HooksFile, Out, read_text, skill_step
        from bethink.doors.hooks.toml_hooks import TomlHooks

        folder = home(place)
        skills = (folder if place.project is None else place.project / ".agents") / "skills"
        inline = TomlHooks(folder / "config.toml", self.name, EVENTS, TIMEOUTS, place.calls)
        own = HooksFile(folder / "hooks.json", self.name, EVENTS, TIMEOUTS, place.calls)
        skill = skill_step(skills)
        if removing:
            return [inline, own, skill]
        if inline.is_kept_by_others(read_text(inline.path)):
            return [inline, Out(own), skill]
        return [own, Out(inline), skill]

    def advice(self, place: Place) -> list[str]:
        told = [
            "Codex runs no hook before you trust it: start codex, type /hooks, look at the three "
            "of bethink and trust them"
        ]
        if place.project is not None:
            told.append("Codex reads a project's hooks only if you trust the project")
        if _switched_off(home(place) / "config.toml"):
            told.append("your config.toml switches hooks off under [features]; they stay off")
        return told


def home(place: Place) -> Path:
    if place.project is not None:
        return place.project / ".codex"
    return Path(os.environ.get("CODEX_HOME") or place.home / ".codex")


def _switched_off(config: Path) -> bool:
    from bethink.doors.hooks.toml_hooks import read_toml

    features = read_toml(config).get("features")
    if not isinstance(features, dict):
        return False
    return features.get("hooks", features.get("codex_hooks")) is False


HARNESS = Codex()
