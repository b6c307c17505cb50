"""A move that is not finished: what whoever opens its target must know."""

from __future__ import annotations

from typing import Final

from recollect.stores.protocol import Store

NOTE: Final = "move"  # of the target, from the beginning until the proof
UNFINISHED: Final = (
    "a move to this store was begun and is not finished, so that not everything is here"
)
FINISH: Final = "run the same 'recollect move' again; it goes on where it stopped"


def is_unfinished(store: Store) -> bool:
    return NOTE in store.notes(NOTE)
