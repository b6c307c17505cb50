"""A move that is not finished: what whoever opens its target, or asks it, must know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from recollect.recall.draft import Draft, Kit
from recollect.recall.presets import Preset
from recollect.stores.protocol import Store
from recollect.vocabulary import Status

NOTE: Final = "move"  # of the target, from the beginning until the proof
UNFINISHED: Final = (
    "a move to this store was begun and is not finished, so that not everything is here"
)
FINISH: Final = "run the same 'recollect move' again; it goes on where it stopped"


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
