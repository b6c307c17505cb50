"""What a scene leaves behind: its parts with who is in them, its events, states and threads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bethink.checks import check_encodable
from bethink.errors import InvalidInput
from bethink.shelf import Shelf
from bethink.story.models import ScenePlan, StoryEvent
from bethink.story.naming import Names
from bethink.story.reading import read_model
from bethink.story.shelf import EVENT, SCENE, THREAD, Point, point_of
from bethink.story.splitting import first_sentence, parts_of
from bethink.vocabulary import Memory

# Metadata: who was named by whoever told it; with which scene it was told; that an event was made
# by us, of the plan's summary or of the text's first sentence (which the scene itself holds).
GIVEN, TOLD_WITH, MADE_OF = "given", "told_with", "made_of"
SENTENCE = "sentence"


def who_is_where(
    parts: Sequence[str], given: Iterable[str], names: Names, place: str
) -> list[list[str]]:
    """Who is in each part. A name holds for the part after it too ("she turned …"); one whom
    the plan names and the text never does, for all of them; so does a place of the cast."""
    found = [names.found_in(part) for part in parts]
    everywhere = list(dict.fromkeys(one for part in found for one in part))
    planned = dict.fromkeys([*names.canonicals(given), *names.found_in(place)])
    unnamed = [one for one in planned if one not in everywhere]
    who: list[list[str]] = []
    for number, mine in enumerate(found):
        before = found[number - 1] if number else []
        who.append(list(dict.fromkeys([*mine, *before, *unnamed])) or everywhere)
    return who


def scene_records(
    shelf: Shelf, names: Names, where: Point, text: str, plan: ScenePlan, tags: Iterable[str]
) -> list[dict[str, Any]]:
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput(f"scene {where} has no text; there is nothing to add")
    check_encodable(text, name="text")
    parts = parts_of(text)
    who = who_is_where(parts, plan.characters, names, plan.location)
    return [
        {
            "id": shelf.id(SCENE, where, number),
            "text": part,
            "kind": SCENE,
            "section": plan.title[:500],
            "tags": list(dict.fromkeys([*plan.tags, *tags])),
            "entities": entities,
            "metadata": {
                **where.metadata,
                "part": number,
                "place": plan.location,
                "time": plan.time,
                GIVEN: plan.characters,
                TOLD_WITH: str(where),
            },
        }
        for number, (part, entities) in enumerate(zip(parts, who, strict=True))
    ]


def event_records(
    shelf: Shelf,
    names: Names,
    where: Point,
    events: Iterable[StoryEvent | str | Mapping[str, Any]],
    plan: ScenePlan,
) -> list[dict[str, Any]]:
    return [
        _event(shelf, names, where, number, event_from(told), plan)
        for number, told in enumerate(events)
    ]


def event_from(told: object) -> StoryEvent:
    return read_model(StoryEvent, {"text": told} if isinstance(told, str) else told, "an event")


def _event(
    shelf: Shelf, names: Names, where: Point, number: int, event: StoryEvent, plan: ScenePlan
) -> dict[str, Any]:
    given = event.participants
    return {
        "id": shelf.id(EVENT, where, number),
        "text": event.text.strip(),
        "kind": EVENT,
        "tags": list(plan.tags),
        "entities": names.canonicals(given) if given else names.found_in(event.text),
        "metadata": {
            **where.metadata,
            "place": event.place or plan.location,
            "time": plan.time,
            "number": number,
            GIVEN: given,
            TOLD_WITH: str(where),
        },
    }


def own_event(
    shelf: Shelf, names: Names, where: Point, text: str, plan: ScenePlan
) -> dict[str, Any]:
    """A scene of which nobody told what happens still has its place in time."""
    told = plan.summary.strip() or plan.title.strip()
    made = StoryEvent(text=told or first_sentence(text), participants=[])
    record = _event(shelf, names, where, 0, made, plan)
    said = f"{told}\n{text}\n{plan.location}"
    who = [*names.canonicals(plan.characters), *names.found_in(said)]
    record["entities"] = list(dict.fromkeys(who))
    record["metadata"][GIVEN] = list(plan.characters)
    record["metadata"][MADE_OF] = "plan" if told else SENTENCE
    return record


def retagged(shelf: Shelf, names: Names) -> list[dict[str, Any]]:
    """Who is named in everything told before, by the cast as it is now."""
    scenes: dict[int, list[Memory]] = {}
    for memory in shelf.of_kind(SCENE):
        if (where := point_of(memory)) is not None:
            scenes.setdefault(where.at, []).append(memory)
    changed: list[dict[str, Any]] = []
    for parts in scenes.values():
        parts.sort(key=part_of)
        who = who_is_where([m.text for m in parts], _given(parts[0]), names, _place(parts[0]))
        changed += [{"id": m.id, "entities": found} for m, found in zip(parts, who, strict=True)]
    for memory in [*shelf.of_kind(EVENT), *shelf.of_kind(THREAD)]:
        given = _given(memory)
        found = names.canonicals(given)
        place = point_of(memory)
        if memory.metadata.get(MADE_OF) and place is not None:
            texts = [memory.text, *(part.text for part in scenes.get(place.at, []))]
            texts.append(_place(memory))
            found = list(dict.fromkeys([*found, *names.found_in("\n".join(texts))]))
        elif not given:
            found = names.found_in(memory.text)
        changed.append({"id": memory.id, "entities": found})
    return changed


def part_of(memory: Memory) -> int:
    told = memory.metadata.get("part")
    return told if isinstance(told, int) else 0


def _place(memory: Memory) -> str:
    told = memory.metadata.get("place")
    return told if isinstance(told, str) else ""


def _given(memory: Memory) -> list[str]:
    told = memory.metadata.get(GIVEN)
    return [one for one in told if isinstance(one, str)] if isinstance(told, list) else []
