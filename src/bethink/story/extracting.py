"""What a language model finds in a scene, checked against the cast. Nothing needs it: whatever it
does wrong, the rules' findings stand, and a note says what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bethink.errors import InvalidInput, LLMError
from bethink.llms.protocol import LLM, complete_json
from bethink.story.models import Character, StoryEvent, texts_in
from bethink.story.naming import Names
from bethink.text.both_ends import both_ends

_MAX_SCENE_CHARS = 16_000
_MOST_LISTED = 200  # characters of the cast that are shown to the model
_MOST_CHARS = 2_000  # of a fact
_MOST = 50  # events, states or threads of one scene

_INSTRUCTIONS = (
    "You keep the continuity of a novel. From one scene, list: the events that matter later (one "
    "sentence each, with who takes part and where); for each character or object what has changed "
    "by the end of the scene, as short facts (left arm: injured; holder: Mei; knows who her father "
    "is: yes). A fact takes the place of the one with the same key, so give each thing that "
    "somebody knows or owns a key of its own. Last, the questions that the scene leaves open. Name "
    "characters by their id in the cast. Say only what the scene says. Keep the scene's language."
)
_TEXTS = {"type": "array", "items": {"type": "string"}}
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "events": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "participants": _TEXTS,
                    "place": {"type": "string"},
                },
                "required": ["text", "participants", "place"],
                "additionalProperties": False,
            },
        },
        "states": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "entity": {"type": "string"},
                    "key": {"type": "string"},
                    "value": {"type": "string"},
                },
                "required": ["entity", "key", "value"],
                "additionalProperties": False,
            },
        },
        "threads": _TEXTS,
    },
    "required": ["events", "states", "threads"],
    "additionalProperties": False,
}


class Extracted(NamedTuple):
    events: list[StoryEvent]
    states: dict[str, dict[str, str]]  # by entity id
    threads: list[str]
    notes: list[str]


def extracted(llm: LLM, text: str, names: Names, *, seconds: float) -> Extracted:
    data = {"cast": listed(names), "scene": both_ends(text, _MAX_SCENE_CHARS)}
    told = complete_json(llm, _INSTRUCTIONS, data, schema=_SCHEMA, seconds=seconds)
    for name in ("events", "states", "threads"):
        if not isinstance(told.get(name), list):
            raise LLMError(f"its answer has no list {name!r}")
    notes: list[str] = []
    events = [e for one in told["events"][:_MOST] if (e := _event(one, names, notes)) is not None]
    states: dict[str, dict[str, str]] = {}
    for one in told["states"][:_MOST]:
        entity = known(one.get("entity") if isinstance(one, Mapping) else None, names, notes)
        if entity is not None and all(isinstance(one.get(part), str) for part in ("key", "value")):
            key, value = one["key"].strip(), one["value"].strip()
            if key and value:
                _add(states.setdefault(entity, {}), key[:100], value[:500])
    threads = [one.strip() for one in told["threads"][:_MOST] if isinstance(one, str)]
    return Extracted(events, states, [one for one in threads if one], list(dict.fromkeys(notes)))


def _add(facts: dict[str, str], key: str, value: str) -> None:
    """Two of one key in one scene, as in "knows": both hold."""
    before = facts.get(key)
    if before is None:
        facts[key] = value
    elif value not in before.split("; "):
        facts[key] = f"{before}; {value}"[:_MOST_CHARS]


def _event(told: object, names: Names, notes: list[str]) -> StoryEvent | None:
    if not isinstance(told, Mapping) or not isinstance(told.get("text"), str):
        return None
    text, who, place = told["text"].strip(), told.get("participants"), told.get("place")
    if not text:
        return None
    found = [known(one, names, notes) for one in who] if isinstance(who, list) else []
    return StoryEvent(
        text=text[:2_000],
        participants=[one for one in found if one is not None],
        place=place.strip()[:200] if isinstance(place, str) else "",
    )


def known(name: object, names: Names, notes: list[str]) -> str | None:
    """Whoever the model means, if that is somebody of the cast: it must not make people up."""
    if not isinstance(name, str) or not name.strip():
        return None
    try:
        entity = names.resolve(name)
    except InvalidInput as e:
        notes.append(f"the language model's {name!r} was left out: {e}")
        return None
    if entity is None:
        notes.append(f"the language model's {name[:80]!r} was left out: nobody of the cast")
    return entity


def listed(names: Names) -> list[dict[str, Any]]:
    """The cast as a model sees it."""
    return [_shown(character) for character in names.cast.characters[:_MOST_LISTED]]


def _shown(character: Character) -> dict[str, Any]:
    return {
        "id": character.id,
        "name": character.name,
        "also": [*character.aliases, *character.titles],
        "description": "; ".join([character.description, *texts_in(character.further)])[:400],
    }
