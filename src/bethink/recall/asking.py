"""The door for questions: every option checked, defaults from the settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from bethink.checks import check_space, shown
from bethink.clock import end_of_day, parse_moment, to_micros
from bethink.errors import InvalidInput
from bethink.filters import All, Filter, ValidAt, parse_filter
from bethink.settings import RANGES, Settings
from bethink.vocabulary import Query, SpaceNames, Vector, Weights

if TYPE_CHECKING:
    from bethink.recall.presets import Preset

_AS_THEY_COME = Settings()
# The order that a caller can ask for by name. 0.7 and 0.3: the weights of the preset `skill`.
WEIGHTS: Mapping[str, Weights] = {
    "meaning_first": Weights(0.7, 0.3),
    "words_first": Weights(0.3, 0.7),
    "equal": Weights(0.5, 0.5),
}
# Other names under which every interface takes an option: those of the knowledge base's parameters.
ALIASES: Mapping[str, str] = {
    "query": "question",
    "query_text": "question",
    "vector_threshold": "meaning_threshold",
    "keyword_threshold": "words_threshold",
    "match_count": "limit",
}
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
    as_of: datetime | date | str | None = None,
    words: bool = True,
    meaning: bool = True,
    vector: Vector | None = None,
    deadline: float | None = None,
    meaning_threshold: float | None = None,
    words_threshold: float | None = None,
    floor: float | None = None,
    unverified_share: float | None = None,
    weights: str | Mapping[str, Any] | Weights | None = None,
    enable_query_expansion: bool | None = None,
    candidates: int | None = None,
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
    _check_preset(preset, weights=weights, expand=enable_query_expansion)
    moment = now if as_of is None else _moment(as_of, settings, now)
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
        weights=None if weights is None else weights_of(weights),
        enable_query_expansion=_expands(enable_query_expansion, settings),
        candidates=None if candidates is None else whole("candidates", candidates),
    )


def _moment(as_of: datetime | date | str, settings: Settings, now: datetime) -> datetime:
    """A day means its end: what held on 2026-05-01 includes what was told on it."""
    day = end_of_day(as_of, settings.zone, now)
    if day is not None:
        return day
    assert isinstance(as_of, datetime | str) or not isinstance(as_of, date)
    return parse_moment(as_of, name="as_of")


def _check_preset(preset: Preset | None, *, weights: object, expand: object) -> None:
    """Raise InvalidInput for an option that the preset would ignore."""
    if preset is None:
        return
    stages = {stage.name for stage in preset.stages}
    if weights is not None and "weights" not in stages:
        raise InvalidInput(
            f"weights: the preset {preset.name!r} orders its hits by a rule of its own; leave "
            "weights out, or use the preset 'balanced' or 'knowledge'"
        )
    if expand is True and "expand" not in stages:
        raise InvalidInput(
            f"enable_query_expansion: the preset {preset.name!r} does not ask in other words; "
            "leave enable_query_expansion out, or use the preset 'knowledge'"
        )


def _expands(asked: object, settings: Settings) -> bool:
    if asked is not None and not isinstance(asked, bool):
        raise InvalidInput(f"enable_query_expansion: expected true or false, got {shown(asked)}")
    return settings.enable_query_expansion if asked is None else asked


def weights_of(value: object) -> Weights:
    """Weights by name ("meaning_first", "words_first", "equal") or as two numbers."""
    known = ", ".join(WEIGHTS)
    expected = f'expected {known}, or two numbers like {{"meaning": 0.7, "words": 0.3}}'
    if isinstance(value, str):
        named = WEIGHTS.get(value.strip().casefold().replace(" ", "_").replace("-", "_"))
        if named is not None:
            return named
    told = value._asdict() if isinstance(value, Weights) else value
    if not isinstance(told, Mapping) or set(told) != set(Weights._fields):
        raise InvalidInput(f"weights: {expected}, got {shown(value)}")
    numbers = [told[name] for name in Weights._fields]
    for one in numbers:
        if isinstance(one, bool) or not isinstance(one, int | float) or not 0 <= one <= 1:
            raise InvalidInput(f"weights: expected numbers from 0 to 1, got {shown(one)}")
    if not any(numbers):
        raise InvalidInput("weights: both are 0, so nothing would decide the order; raise one")
    return Weights(*map(float, numbers))


def renamed(
    given: Mapping[str, Any], names: Collection[str], aliases: Mapping[str, str] = ALIASES
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the options under the given names, and for each that came under an alias, which one.

    Raises InvalidInput if an option comes under two names.
    """
    told: dict[str, Any] = {}
    came_as: dict[str, str] = {}
    for said, value in given.items():
        meant = aliases.get(said, said)
        name = meant if said not in names and meant in names else said
        if name in told:
            raise InvalidInput(f"{said}: the same as {came_as.get(name, name)}; give one of them")
        told[name] = value
        if name != said:
            came_as[name] = said
    return told, came_as


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
