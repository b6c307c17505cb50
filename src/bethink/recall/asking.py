"""The door for questions: every option checked, defaults from the settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bethink.checks import check_space, shown
from bethink.clock import parse_moment, to_micros
from bethink.errors import InvalidInput
from bethink.filters import All, Filter, ValidAt, parse_filter
from bethink.settings import RANGES, Settings
from bethink.vocabulary import Query, SpaceNames, Vector

if TYPE_CHECKING:
    from bethink.recall.presets import Preset

_AS_THEY_COME = Settings()
_MAX_QUERY_CHARS = 2_000_000  # beyond this it is no question; up to it the start is used


def make_query(
    text: str,
    settings: Settings,
    *,
    now: datetime,
    preset: Preset | None = None,
    spaces: SpaceNames | None = None,
    limit: int | None = None,
    budget: int | None = None,
    where: Mapping[str, Any] | Filter | None = None,
    as_of: datetime | str | None = None,
    words: bool = True,
    meaning: bool = True,
    vector: Vector | None = None,
    deadline: float | None = None,
    meaning_threshold: float | None = None,
    words_threshold: float | None = None,
    floor: float | None = None,
    unverified_share: float | None = None,
    withheld: Filter | None = None,
) -> Query:
    """The arguments are those of `Engine.recall`; `withheld` holds for whatever is not withheld
    from all questions."""
    if not isinstance(text, str):
        raise InvalidInput(f"the question must be text, got {type(text).__name__}")
    if not text.strip():
        raise InvalidInput("the question is empty; ask for something")
    if len(text) > _MAX_QUERY_CHARS:
        raise InvalidInput(
            f"the question has {len(text):,} characters; at most {_MAX_QUERY_CHARS:,} are read"
        )
    if floor and preset is not None and all(s.name != "cut" for s in preset.stages):
        raise InvalidInput(
            f"the preset {preset.name!r} does not judge relevance, so a floor has no effect; "
            "leave the floor out, or use the preset 'balanced'"
        )
    moment = now if as_of is None else parse_moment(as_of, name="as_of")
    valid = ValidAt(to_micros(moment))
    conditions = tuple(one for one in (withheld, condition_of(where)) if one is not None)
    return Query(
        text=text.encode("utf-8", "replace").decode(),
        spaces=space_names(spaces, settings),
        limit=whole("limit", _bound("limit", limit, preset, settings)),
        budget=whole("budget", _bound("budget", budget, preset, settings)),
        where=All((valid, *conditions)) if conditions else valid,
        as_of=moment,
        looking_back=as_of is not None,
        words=words,
        meaning=meaning,
        vector=vector,
        deadline=number("deadline", settings.deadline if deadline is None else deadline),
        meaning_threshold=_threshold("meaning_threshold", meaning_threshold, settings),
        words_threshold=_threshold("words_threshold", words_threshold, settings),
        floor=_threshold("floor", floor, settings),
        unverified_share=number(
            "unverified_share", _bound("unverified_share", unverified_share, preset, settings)
        ),
    )


def space_names(spaces: SpaceNames | None, settings: Settings) -> tuple[str, ...]:
    if spaces is None:
        spaces = settings.space
    if not isinstance(spaces, str | Iterable):
        raise InvalidInput(f"spaces: expected a name or a list of names, got {shown(spaces)}")
    names = (spaces,) if isinstance(spaces, str) else tuple(spaces)
    if not names:
        raise InvalidInput("name at least one space to look in")
    return tuple(dict.fromkeys(map(check_space, names)))


def condition_of(where: Mapping[str, Any] | Filter | None) -> Filter | None:
    return where if isinstance(where, Filter) else parse_filter(where)


def _bound(name: str, value: object, preset: Preset | None, settings: Settings) -> object:
    """The caller's, else the one in the settings; the preset's where they are as they come."""
    if value is not None:
        return value
    value, own = getattr(settings, name), getattr(preset, name, None)
    return own if own is not None and value == getattr(_AS_THEY_COME, name) else value


def whole(name: str, value: object) -> int:
    least, most = RANGES[name]
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(
            f"{name}: expected a whole number from {least:,} to {most:,}, got {shown(value)}"
        )
    return value


_UNITS = {
    "deadline": "seconds",
    "meaning_threshold": "a cosine",
    "words_threshold": "a share of the question's words",
    "floor": "a relevance",
    "unverified_share": "a share of the hits",
}


def number(name: str, value: object) -> float:
    least, most = RANGES[name]
    # not a number (NaN) is in no range
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise InvalidInput(
            f"{name}: expected {_UNITS[name]} from {least} to {most:,}, got {shown(value)}"
        )
    return float(value)


def _threshold(name: str, value: float | None, settings: Settings) -> float | None:
    """None where neither the caller nor the settings name one: then nothing is cut."""
    chosen = getattr(settings, name) if value is None else value
    return None if chosen is None else number(name, chosen)
