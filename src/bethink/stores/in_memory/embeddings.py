"""Whose vectors the passages have: one embedder answers, another may be on its way to."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.errors import FingerprintMismatch
from bethink.stores.in_memory.held import Held
from bethink.stores.protocol import Embedding
from bethink.stores.sound_vectors import check_maker, sound_question, sound_rows
from bethink.vocabulary import Entry, Vector, Vectors


class Embeddings:
    def __init__(self) -> None:
        self._known: dict[str, Embedding] = {}
        self.active: str | None = None  # the fingerprint of the one that answers

    def embedding(self) -> Embedding | None:
        return None if self.active is None else self._known[self.active]

    def all(self) -> tuple[Embedding, ...]:
        """The one that answers first."""
        return tuple(sorted(self._known.values(), key=lambda e: e.fingerprint != self.active))

    # What comes in is checked first

    def check(self, entry: Entry, fingerprint: str | None) -> None:
        if entry.vectors is None:
            return
        index = check_maker(fingerprint, self.embedding())
        sound_rows(entry.vectors, rows=len(entry.passages), dimension=index.dimension)

    def question(self, vector: Vector, fingerprint: str) -> tuple[float, ...]:
        if fingerprint != self.active:
            raise FingerprintMismatch(
                f"the question was embedded by {fingerprint}, the index is by "
                f"{self.active}; run 'bethink reindex'"
            )
        dimension = self._known[fingerprint].dimension
        return tuple(map(float, sound_question(vector, dimension=dimension)))

    # From one embedder to another

    def declare(self, embedding: Embedding) -> Embedding:
        if self.active is None:
            self._known[embedding.fingerprint] = embedding
            self.active = embedding.fingerprint
        return self._known[self.active]

    def build(self, embedding: Embedding, held: Sequence[Held]) -> None:
        for fingerprint in list(self._known):
            if fingerprint not in (self.active, embedding.fingerprint):
                self._drop(fingerprint, held)
        self._known.setdefault(embedding.fingerprint, embedding)
        if self.active is None:
            self.active = embedding.fingerprint

    def clear(self, held: Sequence[Held]) -> None:
        active = self.embedding()
        for fingerprint in list(self._known):
            self._drop(fingerprint, held)
        if active is not None:
            self._known[active.fingerprint] = active

    def waiting(self, fingerprint: str, held: Sequence[Held]) -> list[Held]:
        if fingerprint not in self._known:
            return []
        return [h for h in held if fingerprint not in h.vectors]

    def fill(
        self, fingerprint: str, handles: Sequence[int], vectors: Vectors, held: Sequence[Held]
    ) -> int:
        if fingerprint not in self._known:
            raise FingerprintMismatch(f"there is no index by {fingerprint}; run 'bethink reindex'")
        dimension = self._known[fingerprint].dimension
        checked = sound_rows(vectors, rows=len(handles), dimension=dimension)
        by_handle = {h.handle: h for h in held}
        kept = 0
        for handle, vector in zip(handles, checked, strict=True):
            passage = by_handle.get(handle)
            if passage is not None and fingerprint not in passage.vectors:
                passage.vectors[fingerprint] = tuple(map(float, vector))
                kept += 1
        return kept

    def switch(self, fingerprint: str, held: Sequence[Held]) -> bool:
        if fingerprint not in self._known or self.waiting(fingerprint, held):
            return False
        former, self.active = self.active, fingerprint
        if former is not None and former != fingerprint:
            self._drop(former, held)
        return True

    def _drop(self, fingerprint: str, held: Sequence[Held]) -> None:
        del self._known[fingerprint]
        for passage in held:
            passage.vectors.pop(fingerprint, None)
