"""Settings that belong to the data: for a whole store (a tenant), or for one of its spaces.

    settings of the program → of the store → of the space → arguments of a call

They are kept in the store, so they move with it and hold in every process and through every door.
Where a question looks in several spaces that differ, the strictest holds for all of it: a space
that wants sure answers only is not made to give others by being asked together with one that does
not mind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from bethink.checks import check_space, shown
from bethink.errors import InvalidInput
from bethink.settings import (
    OVERRIDABLE,
    OVERRIDABLE_BY_STORE_ONLY,
    Settings,
    typed,
)
from bethink.stores.protocol import Store

NOTES = "settings/"  # settings/NAME of the store, settings/NAME/SPACE of a space
# Of two values, the stricter. None is no threshold at all; of the floor it is the embedder's own.
_LEAST = frozenset({"limit", "budget", "deadline", "unverified_share", "working_kept",
                    "working_hours", "match_words", "match_meaning",
                    "enable_query_expansion"})  # fmt: skip


class InForce(NamedTuple):
    """The value of a setting, and who says so: settings, store or space."""

    value: Any
    origin: str


class Overrides:
    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._known: tuple[Mapping[str, str], dict[tuple[str, ...], Settings]] = ({}, {})

    def settings_for(self, spaces: Sequence[str] = (), *, seen: Store | None = None) -> Settings:
        """What holds for a question, or an offer, in these spaces. One look at the store, or at
        what a question sees of it."""
        notes = (seen or self._store).notes(NOTES)
        if not notes:
            return self._settings
        known, made = self._known
        if notes != known:
            made = {}
            self._known = (notes, made)
        names = tuple(spaces)
        if names not in made:
            if len(made) > 1_000:  # a program may ask for ever other combinations
                made.clear()
            made[names] = self._made(notes, names)
        return made[names]

    def set(self, name: str, value: object, *, space: str | None = None) -> None:
        """Override a setting for the store or for a space; None takes the override back."""
        import json

        key = _key(name, space)
        text = None if value is None else json.dumps(typed(name, value, _where(space)))
        self._store.write_note(key, text)

    def forget_space(self, space: str) -> None:
        for key in self._store.notes(NOTES):
            if key.removeprefix(NOTES).partition("/")[2] == space:
                self._store.write_note(key, None)

    def in_force(self, space: str | None = None) -> dict[str, InForce]:
        """Every setting that may be overridden here, with who says what it is."""
        notes = self._store.notes(NOTES)
        found: dict[str, InForce] = {}
        for name in sorted(OVERRIDABLE | OVERRIDABLE_BY_STORE_ONLY):
            found[name] = InForce(getattr(self._settings, name), "settings")
            if _key(name, None) in notes:
                found[name] = InForce(_value(name, notes[_key(name, None)]), "store")
            if space is not None and name in OVERRIDABLE and _key(name, space) in notes:
                found[name] = InForce(_value(name, notes[_key(name, space)]), "space")
        return found

    def _made(self, notes: Mapping[str, str], spaces: tuple[str, ...]) -> Settings:
        values: dict[str, Any] = {}
        for name in OVERRIDABLE | OVERRIDABLE_BY_STORE_ONLY:
            general = getattr(self._settings, name)
            if (key := _key(name, None)) in notes:
                general = values[name] = _value(name, notes[key])
            if name not in OVERRIDABLE:
                continue
            keys = [_key(name, space) for space in spaces]
            if any(key in notes for key in keys):
                told = [_value(name, notes[key]) if key in notes else general for key in keys]
                values[name] = _strictest(name, told)
        return replace(self._settings, **values) if values else self._settings


def _strictest(name: str, values: Sequence[Any]) -> Any:
    if name == "promotion":
        return "by-hand" if "by-hand" in values else values[0]
    if name.startswith("promote_") and 0 in values:
        return 0  # no such rule
    pick: Callable[[Sequence[Any]], Any] = min if name in _LEAST else max
    numbers = [value for value in values if value is not None]
    return pick(numbers) if numbers else None


def _key(name: str, space: str | None) -> str:
    known = OVERRIDABLE if space is not None else OVERRIDABLE | OVERRIDABLE_BY_STORE_ONLY
    if name not in known:
        whose = "a space" if space is not None else "a store"
        raise InvalidInput(
            f"{shown(name)} cannot be set for {whose}; these can: {', '.join(sorted(known))}"
        )
    return f"{NOTES}{name}" if space is None else f"{NOTES}{name}/{check_space(space)}"


def _where(space: str | None) -> str:
    return "the store's settings" if space is None else f"the settings of {space!r}"


def _value(name: str, text: str) -> Any:
    import json

    return typed(name, json.loads(text), "the store's settings")
