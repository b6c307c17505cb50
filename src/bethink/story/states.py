"""States: what holds of an entity as of a scene, merged from everything recorded until then.

A record is a partial update: facts that it does not name stay. A later scene changes a fact; the
same scene told in two ways is a contradiction: what was told last counts, and both are kept with
their sources until a later scene settles it. Empty text ends a fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from bethink.checks import shown
from bethink.errors import InvalidInput
from bethink.shelf import Shelf, Where
from bethink.story.models import (
    Cast,
    Character,
    Claim,
    Contradiction,
    EntityStateSnapshot,
    Source,
    StateChange,
)
from bethink.story.naming import Names, id_for
from bethink.story.shelf import STATE, Point, point_of
from bethink.vocabulary import Memory

_MAX_FACT_CHARS = 2_000


def checked_facts(facts: object) -> dict[str, str]:
    if not isinstance(facts, Mapping) or not facts:
        raise InvalidInput('facts are an object like {"left arm": "injured"}, with at least one')
    checked: dict[str, str] = {}
    for key, value in facts.items():
        id_for(key)
        told = _as_text(value)
        if not isinstance(told, str) or len(told) > _MAX_FACT_CHARS:
            raise InvalidInput(
                f"{key}: a fact is text of at most {_MAX_FACT_CHARS:,} characters; write what "
                "happened into the scene instead"
            )
        if told.strip() and not any(map(_is_seen, told)):
            raise InvalidInput(f"{key}: {shown(told)} has nothing that can be read")
        checked[str(key).strip()] = told.strip()
    return checked


def _is_seen(character: str) -> bool:
    return character.isprintable() and not character.isspace()


def _as_text(value: object) -> object:
    """As JSON is written by hand: null ends a fact, numbers and truth values are read as text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int | float) else value


def check_known(shelf: Shelf, names: Names, asked: Iterable[str]) -> None:
    """Raise InvalidInput for a name that is neither in the cast nor had a state before: a slip of
    the pen would make a new character. A story without a cast takes any name that is not nearly
    one of those before."""
    unknown = [name for name in asked if names.resolve(name) is None]
    if not unknown:
        return
    before = {
        names.now(one): str(memory.metadata.get("name") or one)
        for memory in shelf.of_kind(STATE)
        for one in memory.entities[:1]
    }
    others = [Character(name=name) for name in before.values() if names.resolve(name) is None]
    everybody = Names(Cast(characters=[*names.cast.characters, *_each_once(others, names)]))
    for name in unknown:
        near = everybody.nearly(name)
        if names.canonical(name) in before or (near is None and not names.cast.characters):
            continue
        meant = f"; did you mean {near!r}?" if near is not None else "."
        raise InvalidInput(
            f"{name!r} is nobody of the cast{meant} Nothing was recorded. Add the name to the "
            "cast, or record it as somebody new (allow_new, --allow-new)"
        )


def _each_once(others: Iterable[Character], names: Names) -> list[Character]:
    taken = {id_for(one.id) for one in names.cast.characters}
    return list({one.id: one for one in others if id_for(one.id) not in taken}.values())


def state_record(
    shelf: Shelf,
    names: Names,
    entity: str,
    where: Point,
    facts: Mapping[str, str],
    *,
    source: str,
    told_with: str = "",
) -> dict[str, Any]:
    """The memory that says so."""
    entity_id = names.canonical(entity)
    facts = checked_facts(facts)
    name = names.name_of(entity_id) if names.character(entity_id) else entity.strip()
    ended = [key for key, value in facts.items() if not value]
    said = [f"{key}: {value}" for key, value in facts.items() if value]
    said += [f"{key}: –" for key in ended]
    parts = (where, entity_id, source, told_with, *(f"{k}={facts[k]}" for k in sorted(facts)))
    return {
        "id": shelf.id(STATE, *parts),
        "text": f"{name} ({where}): {'; '.join(said)}",
        "kind": STATE,
        "entities": [entity_id],
        "source": source,
        "metadata": {
            **where.metadata,
            "entity": entity_id,
            "name": name,
            "facts": facts,
            **({"told_with": told_with} if told_with else {}),
        },
    }


def as_last_word(shelf: Shelf, record: dict[str, Any]) -> dict[str, Any]:
    """The record under an id of its own, where it was told before and other words since: bitter,
    then amused, then bitter after all."""
    metadata = record["metadata"]
    told = shelf.of_kind(STATE, {"entities": record["entities"][0], "metadata.at": metadata["at"]})
    if all(memory.id != record["id"] for memory in told):
        return record
    last = {id_for(key): value for memory in told for key, value in _facts(memory)}
    if all(last.get(id_for(key)) == value for key, value in metadata["facts"].items()):
        return record
    return {**record, "id": shelf.id(STATE, record["id"], "after", told[-1].id)}


class _Held(NamedTuple):
    key: str  # as it was written last
    claims: tuple[Claim, ...]  # of one scene; the last counts

    @property
    def value(self) -> str:
        return self.claims[-1].value

    def is_of(self, place: Point) -> bool:
        source = self.claims[-1].source
        return (source.chapter, source.scene) == place


def merged(entity_id: str, name: str, records: Iterable[Memory]) -> EntityStateSnapshot | None:
    """The state after these records, whichever order they were told in."""
    placed = [(place, memory) for memory in records if (place := point_of(memory)) is not None]
    placed.sort(key=lambda one: one[0])  # stable: within a scene, in the order told
    if not placed:
        return None
    held: dict[str, _Held] = {}
    changes: list[StateChange] = []
    for place, memory in placed:
        source = Source(
            memory_id=memory.id, chapter=place.chapter, scene=place.scene, source=memory.source
        )
        for key, value in _facts(memory):
            known = held.get(id_for(key))
            claim = Claim(value=value, source=source)
            if known is not None and known.value == value:
                continue
            if known is not None and known.is_of(place):
                held[id_for(key)] = _Held(key, (*known.claims, claim))
            else:
                held[id_for(key)] = _Held(key, (claim,))
            changes.append(
                StateChange(
                    key=key,
                    before=known.value if known is not None else None,
                    after=value,
                    chapter=place.chapter,
                    scene=place.scene,
                )
            )
    last = changes[-1]
    return EntityStateSnapshot(
        entity_id=entity_id,
        name=name,
        chapter_index=last.chapter,
        scene_index=last.scene,
        facts={one.key: one.value for one in held.values() if one.value},
        changes=changes,
        sources={one.key: one.claims[-1].source for one in held.values() if one.value},
        contradictions=[
            Contradiction(key=one.key, claims=list(one.claims))
            for one in held.values()
            if len(one.claims) > 1
        ],
    )


def _facts(memory: Memory) -> list[tuple[str, str]]:
    facts = memory.metadata.get("facts")
    if not isinstance(facts, Mapping):
        return []  # somebody else's memory of this kind
    return [(k, v) for k, v in facts.items() if isinstance(k, str) and isinstance(v, str)]


class States:
    def __init__(self, shelf: Shelf, names: Names) -> None:
        self._shelf = shelf
        self._names = names

    def of(self, entity: str, where: Where) -> EntityStateSnapshot | None:
        entity_id = self._names.canonical(entity)
        keys = self._names.keys(entity_id)
        found = self._shelf.of_kind(STATE, {"entities": {"in": keys}, **where})
        return merged(entity_id, self._name(entity_id, found), found)

    def all(self, where: Where) -> dict[str, EntityStateSnapshot]:
        """Every entity that anything was recorded of."""
        states = {
            entity_id: merged(entity_id, self._name(entity_id, found), found)
            for entity_id, found in self._records(where).items()
        }
        return {entity_id: state for entity_id, state in states.items() if state is not None}

    def by_scene(
        self, told: Mapping[tuple[Point, str], list[str]], where: Where
    ) -> list[EntityStateSnapshot]:
        """Of each scene and entity, given the events of it there: what held at the end of the
        scene, and what changed in it."""
        records = self._records(where)
        found: list[EntityStateSnapshot] = []
        for (place, entity_id), events in told.items():
            every = records.get(entity_id, [])
            until_then = [m for m in every if (at := point_of(m)) is not None and at <= place]
            name = self._name(entity_id, every) if entity_id else ""
            state = merged(entity_id, name, until_then)
            found.append(
                EntityStateSnapshot(
                    entity_id=entity_id,
                    name=name,
                    chapter_index=place.chapter,
                    scene_index=place.scene,
                    facts=state.facts if state else {},
                    changes=[c for c in state.changes if (c.chapter, c.scene) == place]
                    if state
                    else [],
                    sources=state.sources if state else {},
                    contradictions=state.contradictions if state else [],
                    events=events,
                )
            )
        return found

    def _records(self, where: Where) -> dict[str, list[Memory]]:
        records: dict[str, list[Memory]] = {}
        for memory in self._shelf.of_kind(STATE, where):
            for written in memory.entities[:1]:
                records.setdefault(self._names.now(written), []).append(memory)
        return records

    def _name(self, entity_id: str, records: Iterable[Memory]) -> str:
        """As in the cast; of one who is not in it, as it was told."""
        if self._names.character(entity_id) is not None:
            return self._names.name_of(entity_id)
        told = [memory.metadata.get("name") for memory in records]
        return next((name for name in told if isinstance(name, str)), entity_id)
