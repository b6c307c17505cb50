"""Plans and casts from JSON: what a file, a request or a program gives, as models; or what is wrong
with it, in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from pydantic import BaseModel, ValidationError

from bethink.checks import shown
from bethink.errors import InvalidInput
from bethink.story.models import Cast, Character, ScenePlan

M = TypeVar("M", bound=BaseModel)
P = ParamSpec("P")
R = TypeVar("R")
_OTHER_NAMES = {"chapter_index": "chapter", "scene_index": "scene", "project_id": "project"}


def either_name(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function take `chapter_index`, `scene_index` and `project_id` as well."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        for other, name in _OTHER_NAMES.items():
            if other in kwargs:
                kwargs[name] = kwargs.pop(other)
        return function(*args, **kwargs)

    return called


def read_model(model: type[M], data: object, what: str) -> M:
    if isinstance(data, model):
        return data
    try:
        return model.model_validate(data)
    except ValidationError as e:
        first = e.errors()[0]
        place = ".".join(map(str, first["loc"]))
        more = f" (and {e.error_count() - 1} more)" if e.error_count() > 1 else ""
        inside = model is Cast and len(first["loc"]) > 1  # of one character
        known = ", ".join((Character if inside else model).model_fields)
        whose = "a character has" if inside else "its fields are"
        raise InvalidInput(
            f"{what}: {place + ': ' if place else ''}{first['msg']}{more}; {whose} {known}"
        ) from None


def plan_from(data: object) -> ScenePlan:
    """A plan, its fields, or a text, which is the plan's summary."""
    if isinstance(data, str):
        return ScenePlan(summary=data)
    return ScenePlan() if data is None else read_model(ScenePlan, data, "the plan")


def cast_from(data: object) -> Cast:
    """A cast, a list of characters, or a list of names."""
    if isinstance(data, Cast):
        return data
    if isinstance(data, Sequence) and not isinstance(data, str):
        data = {"characters": list(data)}
    if isinstance(data, Mapping):
        data = _grouped(data)
    return read_model(Cast, data, "the cast")


def _grouped(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """With the characters of every group ({"protagonist": {…}, "supporting": [{…}]}) in one list;
    the group is the role of those that say none."""
    given = data.get("characters", [])
    if not isinstance(given, list):
        return data
    characters = [_character(one) for one in given]
    left: dict[str, Any] = {}
    for group, value in data.items():
        members = value if isinstance(value, list) else [value]
        if group == "characters" or not members or not all(_is_character(m) for m in members):
            left[group] = value
        else:
            characters += [{"role": group, **one} for one in members]
    return {**left, "characters": characters}


def _is_character(value: object) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("name"), str)


def _character(told: object) -> object:
    if isinstance(told, Character):
        return told.model_copy(deep=True)
    return {"name": told} if isinstance(told, str) else told


def texts(value: object, name: str) -> list[str]:
    """A list of texts; one text alone would be taken for its letters."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
        listed = list(value)
        if all(isinstance(one, str) for one in listed):
            return listed
    raise InvalidInput(f'{name}: expected a list of texts like ["a", "b"], got {shown(value)}')


def states_from(told: object) -> Mapping[str, Any]:
    if isinstance(told, Mapping) and all(isinstance(entity, str) for entity in told):
        return told
    raise InvalidInput(
        f'states: expected an object like {{"林婉": {{"arm": "injured"}}}}, got {shown(told)}'
    )


def mentions_from(told: object) -> dict[str, str]:
    """Words of a text, and whom they mean in it."""
    if isinstance(told, Mapping) and all(
        isinstance(one, str) and one.strip() for pair in told.items() for one in pair
    ):
        return dict(told)
    raise InvalidInput(
        f'mentions: expected an object like {{"the widow": "Tamsin"}}, got {shown(told)}'
    )


def is_names(characters: object) -> bool:
    """A list of names: who is in the scene, rather than who is in the story."""
    return (
        isinstance(characters, Sequence)
        and not isinstance(characters, str)
        and all(isinstance(one, str) for one in characters)
    )


def joined(kept: Cast, given: Cast, resolve: Any) -> Cast:
    """Both casts. One whom the kept cast knows by name keeps the id that was written under."""
    characters = {character.id: character for character in kept.characters}
    for one in given.characters:
        try:
            known = resolve(one.id) or resolve(one.name)
        except InvalidInput:
            known = None
        if known is None:
            characters[one.id] = one
            continue
        before = characters[known]
        names = dict.fromkeys([*one.aliases, before.name, *before.aliases])
        characters[known] = one.model_copy(
            update={
                "id": known,
                "aliases": [name for name in names if name != one.name],
                "titles": list(dict.fromkeys([*one.titles, *before.titles])),
                "description": one.description or before.description,
            }
        )
    return Cast(characters=list(characters.values()))
