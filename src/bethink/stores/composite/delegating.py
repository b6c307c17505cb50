"""What a composite leaves to the truth: everything but searching, and what follows a write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from bethink.errors import StoreError
from bethink.filters import Filter
from bethink.stores.damage import Damage, damage_of
from bethink.stores.movable import Kept, Movable, Whole
from bethink.stores.protocol import (
    MOVE_NOTE,
    CaresForItself,
    Compared,
    CountsTerms,
    Embedding,
    Frequencies,
    KeepsGenerations,
    Neighbours,
    Page,
    SeesMoves,
    Store,
    TermCounts,
    Unembedded,
)
from bethink.stores.tiers import Tiers
from bethink.vocabulary import Entry, Memory, Passage, Revision, SpaceInfo, Vector


class LeftToTheTruth:
    def __init__(self, truth: Store) -> None:
        self._truth = truth

    @property
    def damage(self) -> Damage:
        return damage_of(self._truth)

    def known(self, entries: Sequence[Entry]) -> list[bool]:
        return self._truth.known(entries)

    def get(
        self, ids: Sequence[str], *, spaces: Sequence[str] | None = None
    ) -> list[Memory | None]:
        return self._truth.get(ids, spaces=spaces)

    def fetch(self, keys: Sequence[tuple[str, int]]) -> list[tuple[Memory, Passage] | None]:
        return self._truth.fetch(keys)

    def open_space(self, space: str) -> None:
        self._truth.open_space(space)

    def scan(
        self,
        *,
        spaces: Sequence[str] | None = None,
        where: Filter | None = None,
        newest_first: bool = False,
        cursor: str | None = None,
        limit: int = 100,
        damaged: list[str] | None = None,
    ) -> Page:
        return self._truth.scan(
            spaces=spaces,
            where=where,
            newest_first=newest_first,
            cursor=cursor,
            limit=limit,
            damaged=damaged,
        )

    def count(self, *, spaces: Sequence[str] | None = None, where: Filter | None = None) -> int:
        return self._truth.count(spaces=spaces, where=where)

    def history(self, memory_id: str) -> list[Revision]:
        return self._truth.history(memory_id)

    def touch(self, *, accessed: Mapping[str, int], reinforced: Mapping[str, int]) -> None:
        self._truth.touch(accessed=accessed, reinforced=reinforced)

    def spaces(self) -> list[SpaceInfo]:
        return self._truth.spaces()

    def pending(self, spaces: Sequence[str]) -> int:
        return self._truth.pending(spaces)

    def frequencies(self, terms: Sequence[str], *, spaces: Sequence[str]) -> Frequencies:
        return self._truth.frequencies(terms, spaces=spaces)

    def count_terms(
        self, terms: Sequence[str], keys: Sequence[tuple[str, int]], *, spaces: Sequence[str]
    ) -> TermCounts:
        if isinstance(self._truth, CountsTerms):
            return self._truth.count_terms(terms, keys, spaces=spaces)
        return TermCounts(self.frequencies(terms, spaces=spaces), [None] * len(keys))

    def compare(
        self,
        vector: Vector,
        keys: Sequence[tuple[str, int]],
        *,
        fingerprint: str,
        spaces: Sequence[str],
    ) -> Compared:
        return self._truth.compare(vector, keys, fingerprint=fingerprint, spaces=spaces)

    def neighbours(self, ids: Sequence[str]) -> list[Neighbours]:
        return self._truth.neighbours(ids)

    def embedding(self) -> Embedding | None:
        return self._truth.embedding()

    def whole(self, ids: Sequence[str]) -> list[Whole | None]:
        return self._movable().whole(ids)

    def exchange_notes(
        self, seen: Mapping[str, str | None], told: Mapping[str, str | None]
    ) -> bool:
        return self._movable().exchange_notes(seen, told)

    def half_moved(self) -> bool:
        if isinstance(self._truth, SeesMoves):
            return self._truth.half_moved()
        return MOVE_NOTE in self._truth.notes(MOVE_NOTE)

    def embeddings(self) -> tuple[Embedding, ...]:
        return self._movable().embeddings()

    def working(self) -> list[Kept]:
        return self._movable().working()

    def identity(self) -> str:
        return self._movable().identity()

    def _movable(self) -> Movable:
        if not isinstance(self._truth, Movable):
            raise StoreError(f"{type(self._truth).__name__} cannot be taken to another store")
        return self._truth

    # Marks of the truth hold for what the engines find, too: an answer of one that is behind or
    # away is called so, and is kept by nobody.

    def generation(self, spaces: Sequence[str]) -> str:
        return self._marked().generation(spaces)

    def changes_by_itself(self, spaces: Sequence[str], *, after: datetime) -> datetime | None:
        return self._marked().changes_by_itself(spaces, after=after)

    def _marked(self) -> KeepsGenerations:
        if not isinstance(self._truth, KeepsGenerations):
            raise StoreError(f"{type(self._truth).__name__} keeps no generations")
        return self._truth

    def unembedded(self, fingerprint: str, *, limit: int) -> list[Unembedded]:
        return self._truth.unembedded(fingerprint, limit=limit)

    def neglected(self) -> list[str]:
        return self._truth.neglected() if isinstance(self._truth, CaresForItself) else []

    def tiers(self) -> Tiers:
        return self._truth.tiers()

    def notes(self, prefix: str = "") -> dict[str, str]:
        return self._truth.notes(prefix)

    def write_note(self, key: str, value: str | None) -> None:
        self._truth.write_note(key, value)

    def write_notes(self, told: Mapping[str, str | None]) -> None:
        self._truth.write_notes(told)
