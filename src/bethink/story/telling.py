"""What a scene leaves behind: its parts with who is in them, its events, states and threads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bethink.checks import check_encodable
from bethink.errors import InvalidInput
from bethink.shelf import Shelf
from bethink.story.finding import occurs
from bethink.story.models import ScenePlan, StoryEvent
from bethink.story.naming import Names
from bethink.story.reading import read_model
from bethink.story.shelf import EVENT, SCENE, STATE, THREAD, Point, point_of
from bethink.story.splitting import first_sentence, parts_of
from bethink.vocabulary import Memory

# Metadata: who was named by whoever told it; with which scene it was told; that an event was made
# by us, of the plan's summary or of the text's first sentence (which the scene itself holds).
GIVEN, TOLD_WITH, MADE_OF = "given", "told_with", "made_of"
# Metadata of a scene: words of its text, and whom they mean there: {"the widow": "Tamsin"}.
MENTIONS = "mentions"
FURTHER = "plan"  # the fields of its plan that are the author's own
SENTENCE = "sentence"

Mentions = Mapping[str, str]


def found_with(text: str, names: Names, mentions: Mentions) -> list[str]:
    """Return who is named in a text, by the cast or by the words that the teller linked."""
    linked = [who for words, who in mentions.items() if occurs(words, text)]
    return list(dict.fromkeys([*names.found_in(text), *map(names.canonical_or_itself, linked)]))


def who_is_where(
    parts: Sequence[str], given: Iterable[str], names: Names, place: str, mentions: Mentions
) -> list[list[str]]:
    """Who is in each part. A name holds for the part after it too ("she turned …"). Somebody
    whom the text never names is in all parts: of the plan, of the states and events told with the
    scene (`given`), and a place of the cast."""
    found = [found_with(part, names, mentions) for part in parts]
    everywhere = list(dict.fromkeys(one for part in found for one in part))
    planned = dict.fromkeys([*map(names.canonical_or_itself, given), *names.found_in(place)])
    unnamed = [one for one in planned if one not in everywhere]
    who: list[list[str]] = []
    for number, mine in enumerate(found):
        before = found[number - 1] if number else []
        who.append(list(dict.fromkeys([*mine, *before, *unnamed])) or everywhere)
    return who


def check_text(text: object, where: Point) -> None:
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput(f"scene {where} has no text; there is nothing to add")
    check_encodable(text, name="text")


def scene_records(
    shelf: Shelf,
    names: Names,
    where: Point,
    text: str,
    plan: ScenePlan,
    tags: Iterable[str],
    *,
    mentions: Mentions,
    concerned: Iterable[str],
) -> list[dict[str, Any]]:
    """`concerned`: the entities of the states and events of this scene."""
    parts = parts_of(text)
    given = [*plan.characters, *concerned]
    who = who_is_where(parts, given, names, plan.location, mentions)
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
                **({MENTIONS: dict(mentions)} if mentions else {}),
                **({FURTHER: plan.further} if plan.further else {}),
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
    mentions: Mentions,
) -> list[dict[str, Any]]:
    return [
        _event(shelf, names, where, number, event_from(told), plan, mentions)
        for number, told in enumerate(events)
    ]


def event_from(told: object) -> StoryEvent:
    return read_model(StoryEvent, {"text": told} if isinstance(told, str) else told, "an event")


def _event(
    shelf: Shelf,
    names: Names,
    where: Point,
    number: int,
    event: StoryEvent,
    plan: ScenePlan,
    mentions: Mentions,
) -> dict[str, Any]:
    given = event.participants
    found = names.canonicals(given) if given else found_with(event.text, names, mentions)
    return {
        "id": shelf.id(EVENT, where, number),
        "text": event.text.strip(),
        "kind": EVENT,
        "tags": list(plan.tags),
        "entities": found,
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
    shelf: Shelf, names: Names, where: Point, text: str, plan: ScenePlan, mentions: Mentions
) -> dict[str, Any]:
    """A scene of which nobody told what happens still has its place in time."""
    told = plan.summary.strip() or plan.title.strip()
    made = StoryEvent(text=told or first_sentence(text), participants=[])
    record = _event(shelf, names, where, 0, made, plan, mentions)
    said = f"{told}\n{text}\n{plan.location}"
    who = [*names.canonicals(plan.characters), *found_with(said, names, mentions)]
    record["entities"] = list(dict.fromkeys(who))
    record["metadata"][GIVEN] = list(plan.characters)
    record["metadata"][MADE_OF] = "plan" if told else SENTENCE
    return record


def retagged(shelf: Shelf, names: Names) -> list[dict[str, Any]]:
    """Who is named in everything told before, by the cast as it is now."""
    events = shelf.of_kind(EVENT)
    scenes = _by_place(shelf.of_kind(SCENE))
    concerned = _by_place([*events, *shelf.of_kind(STATE)])
    changed: list[dict[str, Any]] = []
    for memory in [*events, *shelf.of_kind(THREAD)]:
        at = _at(memory)
        parts = [] if at is None else scenes.get(at, [])
        changed.append({"id": memory.id, "entities": _who(memory, parts, names)})
    entities = {one["id"]: one["entities"] for one in changed}
    for at, parts in scenes.items():
        beside = [one for m in concerned.get(at, []) for one in entities.get(m.id, m.entities)]
        changed += _retagged_scene(parts, beside, names)
    return changed


def retagged_scene(shelf: Shelf, names: Names, where: Point) -> list[dict[str, Any]]:
    """Who is in a scene, with the states and events that are kept of it by now."""
    kept = shelf.every({"metadata.at": where.at, "kind": {"in": [SCENE, EVENT, STATE]}})
    beside = [one for memory in kept if memory.kind != SCENE for one in memory.entities]
    return _retagged_scene([memory for memory in kept if memory.kind == SCENE], beside, names)


def _retagged_scene(
    parts: list[Memory], concerned: Iterable[str], names: Names
) -> list[dict[str, Any]]:
    if not parts:
        return []
    parts.sort(key=part_of)
    given = map(names.now, [*_given(parts[0]), *concerned])
    texts = [memory.text for memory in parts]
    who = who_is_where(texts, given, names, _place(parts[0]), mentions_of(parts[0]))
    return [{"id": m.id, "entities": found} for m, found in zip(parts, who, strict=True)]


def _who(memory: Memory, parts: Sequence[Memory], names: Names) -> list[str]:
    """Who takes part in an event, or whom a thread concerns. `parts`: of its scene."""
    given = _given(memory)
    mentions = mentions_of(parts[0]) if parts else {}
    if memory.metadata.get(MADE_OF):
        texts = [memory.text, *(part.text for part in parts), _place(memory)]
        given += found_with("\n".join(texts), names, mentions)
    elif not given:
        given = found_with(memory.text, names, mentions)
    return list(dict.fromkeys(map(names.now, given)))


def _by_place(memories: Iterable[Memory]) -> dict[int, list[Memory]]:
    placed: dict[int, list[Memory]] = {}
    for memory in memories:
        if (at := _at(memory)) is not None:
            placed.setdefault(at, []).append(memory)
    return placed


def _at(memory: Memory) -> int | None:
    where = point_of(memory)
    return None if where is None else where.at


def mentions_of(part: Memory) -> Mentions:
    told = part.metadata.get(MENTIONS)
    if not isinstance(told, Mapping):
        return {}
    return {words: who for words, who in told.items() if isinstance(who, str)}


def part_of(memory: Memory) -> int:
    told = memory.metadata.get("part")
    return told if isinstance(told, int) else 0


def _place(memory: Memory) -> str:
    told = memory.metadata.get("place")
    return told if isinstance(told, str) else ""


def _given(memory: Memory) -> list[str]:
    told = memory.metadata.get(GIVEN)
    return [one for one in told if isinstance(one, str)] if isinstance(told, list) else []
