"""`bethink story` and `bethink scene`: texts, plans and casts are files there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.scenarios.scenario import Json

# The command, and what it is told to do.
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "set_story_cast": ("story", "cast"),
    "story_cast": ("story", "cast"),
    "add_story_scene": ("story", "add"),
    "add_story_chapter": ("story", "add"),
    "record_story_state": ("story", "state"),
    "story_state": ("story", "state"),
    "story_states": ("story", "state"),
    "story_timeline": ("story", "timeline"),
    "open_story_thread": ("story", "threads"),
    "close_story_thread": ("story", "threads"),
    "story_threads": ("story", "threads"),
    "remove_from_story": ("story", "remove"),
    "move_in_story": ("story", "move"),
    "scene_context": ("scene",),
}
OPTIONS = {
    "project": "--project",
    "chapter": "--chapter",
    "scene": "--scene",
    "tags": "--tag",
    "events": "--event",
    "threads": "--thread",
    "plan": "--plan",
    "states": "--states",
    "characters": "--characters",
    "facts": "--set",
    "source": "--source",
    "id": "--close",
    "resolution": "--resolution",
    "window": "--window",
    "to_chapter": "--to",
    "to_scene": "--to",
    "budget": "--budget",
    "closed": "--closed",
    "allow_future": "--allow-future",
}
PLAIN = ("entity", "text", "characters")  # without a name; of a text and a cast, their file
_FILES = frozenset({"plan", "states", "characters"})
_MANY = frozenset({"add_story_chapter", "story_states", "story_timeline", "story_threads"})


def options(verb: str, given: Mapping[str, Json], folder: Path) -> tuple[list[str], list[str]]:
    """Those with a name, and the others."""
    left = dict(given)
    plain = [left.pop("entity")] if "entity" in left else []
    named: list[str] = []
    if verb == "set_story_cast":
        plain.append(_written(folder / "cast.json", json.dumps(left.pop("characters"))))
    if verb == "open_story_thread":
        named += ["--open", left.pop("text")]
    elif "text" in left:
        plain.append(_written(folder / "scene.md", left.pop("text")))
    if "to_chapter" in left:
        to = [left.pop(name) for name in ("to_chapter", "to_scene") if name in left]
        named += ["--to", ".".join(map(str, to))]
    for name, value in left.items():
        option = OPTIONS[name]
        if name in _FILES:
            named += [option, _written(folder / f"{name}.json", json.dumps(value))]
        elif name == "facts":
            named += [part for key, fact in value.items() for part in (option, f"{key}={fact}")]
        elif isinstance(value, bool):
            named += [option] if value else []
        else:
            every = value if isinstance(value, list) else [value]
            named += [part for one in every for part in (option, str(one))]
    return named, plain


def _written(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return str(path)


def in_one_form(verb: str, given: Mapping[str, Json], out: str) -> Json:
    """The answer as the other doors give it."""
    lines = [json.loads(line) for line in out.splitlines()]
    if verb in _MANY:
        return lines
    if verb == "open_story_thread":  # all that are open are shown
        return {"id": next(one["id"] for one in lines if one["text"] == given["text"])}
    (answer,) = lines
    if verb == "record_story_state":  # the whole state is shown
        assert given["facts"].items() <= answer["facts"].items(), answer
        return {}
    if verb == "story_state":
        return {"state": answer}
    return {"id": answer["id"]} if verb == "close_story_thread" else answer
