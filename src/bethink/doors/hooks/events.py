"""What an agent tells us, in our words; the same for every agent."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast


class Event(StrEnum):
    START = "start"  # a session begins
    PROMPT = "prompt"  # the user sends something
    STOP = "stop"  # the agent has answered


class Said(NamedTuple):
    """Something that the user wrote, as far as an agent's records tell it apart from the rest."""

    text: str
    at: str = ""  # ISO 8601, where the record has it


class Signal(NamedTuple):
    event: Event
    directory: Path  # where the agent works; decides the project
    session: str = ""
    prompt: str = ""
    transcript: Path | None = None
    said: tuple[Said, ...] = ()  # where an agent hands over messages instead of a file
    again: bool = False  # this session has had its primer: it goes on where it was


class Harness(Protocol):
    """An agent that can run hooks. `installing.Installable` is how they come into its settings."""

    name: str
    title: str
    captures_prompts: bool  # True where the end of a turn does not tell what the user wrote

    def signal(self, event: Event, told: Mapping[str, Any]) -> Signal: ...
    def answer(self, event: Event, context: str) -> str:
        """What the hook prints; `context` may be empty."""
        ...

    def said(self, record: Mapping[str, Any]) -> Said | None:
        """The user's own words in one record of a transcript."""
        ...


HARNESSES = ("claude", "cursor", "codex", "openclaw")


def harness_named(name: str) -> Harness:
    """Only the one that is asked for is loaded. Raises KeyError."""
    if name not in HARNESSES:
        raise KeyError(name)
    return cast(Harness, import_module(f"bethink.doors.hooks.{name}").HARNESS)


def text_of(told: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that is text."""
    for name in names:
        value = told.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def directory_of(told: Mapping[str, Any]) -> Path:
    """Where the agent works; an agent that does not say it starts its hooks there."""
    named = text_of(told, "cwd", "workspace_dir")
    roots = told.get("workspace_roots")
    if not named and isinstance(roots, list) and roots and isinstance(roots[0], str):
        named = roots[0]
    folder = Path(named) if named else Path.cwd()
    return folder if folder.is_dir() else Path.cwd()


def transcript_of(told: Mapping[str, Any]) -> Path | None:
    named = text_of(told, "transcript_path")
    return Path(named) if named else None


def plain_text(content: object, *, kinds: tuple[str, ...] = ("text",)) -> str:
    """A message's own text: all of it, or its text blocks. What a tool gave is nobody's words; what
    a person typed while it ran may stand beside it."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(
        block["text"]
        for block in content
        if isinstance(block, dict)
        and block.get("type") in kinds
        and isinstance(block.get("text"), str)
    )
