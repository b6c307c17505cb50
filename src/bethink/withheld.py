"""What is kept and that no question finds: documents that were disabled, and other memories.

Each is a note of the store, so it moves with the store, holds in every process and through every
door, and two who disable at once do not undo each other. Listing still shows what is withheld.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bethink.filters import Filter, Not, PartOf
from bethink.stores.protocol import Store

NOTES = "withheld/"  # withheld/ID: its space


class Withheld:
    def __init__(self, store: Store) -> None:
        self._store = store

    def out_of_reach(self, spaces: Sequence[str], *, seen: Store | None = None) -> Filter | None:
        """What keeps it out of the answers from these spaces; None where nothing is withheld.
        `seen` is what a question sees of the store."""
        notes = (seen or self._store).notes(NOTES)
        if not notes:
            return None
        ids = tuple(key[len(NOTES) :] for key, space in notes.items() if space in spaces)
        return Not(PartOf(ids)) if ids else None

    def every(self) -> dict[str, str]:
        """Of all spaces: the ids, each with its space."""
        return {key[len(NOTES) :]: space for key, space in self._store.notes(NOTES).items()}

    def ids(self, space: str) -> frozenset[str]:
        notes = self._store.notes(NOTES)
        return frozenset(key[len(NOTES) :] for key, where in notes.items() if where == space)

    def add(self, ids: Iterable[str], *, space: str) -> None:
        """Let no question find these, nor their parts (`ID.…`)."""
        self._write(dict.fromkeys(ids, space))

    def remove(self, ids: Iterable[str]) -> None:
        """Let them be found again."""
        self._write(dict.fromkeys(ids))

    def _write(self, spaces: Mapping[str, str | None]) -> None:
        """All or none, and nothing where there is nothing to do."""
        if spaces:
            self._store.write_notes({NOTES + one: space for one, space in spaces.items()})

    def forget_space(self, space: str) -> None:
        self.remove(self.ids(space))
