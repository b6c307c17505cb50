"""The cast as it is kept: a memory for each character."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bethink.errors import InvalidInput
from bethink.shelf import Shelf
from bethink.story.models import Cast, Character, texts_in
from bethink.story.naming import Names, former_ids
from bethink.story.reading import joined, read_model
from bethink.story.shelf import CAST
from bethink.story.telling import retagged
from bethink.vocabulary import Memory

_MAX_NAMES = 100  # of one character: a filter holds 256 values at most


def kept_names(shelf: Shelf) -> Names:
    kept = shelf.of_kind(CAST)
    kept.sort(key=_order)
    former: dict[str, list[str]] = {}
    characters: list[Character] = []
    for memory in kept:
        character = read_model(Character, memory.metadata.get("character"), f"cast {memory.id}")
        characters.append(character)
        ids = memory.metadata.get("former")
        if isinstance(ids, list):
            former[character.id] = [one for one in ids if isinstance(one, str)]
    return Names(Cast(characters=characters), former)


def _order(memory: Memory) -> int:
    told = memory.metadata.get("order")
    return told if isinstance(told, int) else 0


def names_with(shelf: Shelf, given: Cast) -> Callable[[], Names]:
    """The cast that is kept, joined with the one that is given."""

    def read() -> Names:
        kept = kept_names(shelf)
        if not given.characters:
            return kept
        return Names(joined(kept.cast, given, kept.resolve), kept.former)

    return read


def keep_cast(shelf: Shelf, cast: Cast) -> list[str]:
    before = kept_names(shelf)
    names = Names(cast, former_ids(before, cast))
    for character in cast.characters:
        if len(character.aliases) + len(character.titles) > _MAX_NAMES:
            raise InvalidInput(
                f"{character.name} has more than {_MAX_NAMES} aliases and titles; leave some out"
            )
    records = [_record(shelf, names, one, order) for order, one in enumerate(cast.characters)]
    notes = shelf.put(records)
    gone = {memory.id for memory in shelf.of_kind(CAST)} - {record["id"] for record in records}
    shelf.drop(sorted(gone))
    shelf.put(retagged(shelf, names))
    return [*names.notes(), *notes]


def _record(shelf: Shelf, names: Names, one: Character, order: int) -> dict[str, Any]:
    also = ", ".join([*one.aliases, *one.titles])
    told = one.name + (f" ({also})" if also else "")
    about = "; ".join(filter(None, [one.description, *texts_in(one.further)]))
    return {
        "id": shelf.id(CAST, one.id),
        "text": f"{told}: {about}" if about else told,
        "kind": CAST,
        "entities": [one.id],
        "metadata": {
            "character": one.model_dump(),
            "former": list(names.former.get(one.id, ())),
            "order": order,
        },
    }
