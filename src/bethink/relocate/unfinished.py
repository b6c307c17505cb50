"""A move that is not finished: what whoever opens its target, or asks it, must know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from bethink.recall.draft import Draft, Kit
from bethink.recall.presets import Preset
from bethink.stores.protocol import MOVE_NOTE, SeesMoves, Store
from bethink.vocabulary import Status

NOTE: Final = MOVE_NOTE
UNFINISHED: Final = (
    "a move to this store was begun and is not finished, so that not everything is here"
)
FINISH: Final = "run the same 'bethink move' again; it goes on where it stopped"
WRITTEN: Final = (
    f"{UNFINISHED}: what is told or changed here keeps the move from finishing, and what is "
    "forgotten here comes back with it. Write to the source, or finish the move first"
)


def is_unfinished(store: Store) -> bool:
    return NOTE in store.notes(NOTE)


@dataclass(frozen=True, slots=True)
class HeldInPart:
    """The first stage of a question to such a store: whatever is found, more may come."""

    name: ClassVar[str] = "held_in_part"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        return draft.fault(Status.STALE, f"{UNFINISHED}: {FINISH}")


def warned(preset: Preset, store: Store) -> Preset:
    """The same stages, after a warning where not everything is there yet."""
    if not is_unfinished(store):
        return preset
    return preset._replace(stages=(HeldInPart(), *preset.stages))


def warning(store: Store) -> str:
    """For whoever has just written there; empty, as a rule. No trip: the write has looked."""
    half = store.half_moved() if isinstance(store, SeesMoves) else is_unfinished(store)
    return WRITTEN if half else ""
