"""Searching what was told, by words and by meaning: every passage is looked at."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.filters import Filter, matches
from bethink.stores.background import mean_and_spread
from bethink.stores.in_memory.held import cosine, frequencies, word_scores
from bethink.stores.in_memory.truth import Truth
from bethink.stores.protocol import Compared, Frequencies
from bethink.vocabulary import Found, Vector


class Searching(Truth):
    def search_words(
        self, terms: Sequence[str], *, spaces: Sequence[str], where: Filter | None, limit: int
    ) -> list[Found]:
        with self._lock:
            found: list[Found] = []
            for space in dict.fromkeys(spaces):
                held = self._held([space])
                for h, score in zip(held, word_scores(terms, held), strict=True):
                    if score > 0 and matches(self._memories[h.memory_id], where):
                        found.append(Found(h.memory_id, h.passage.ordinal, score))
        return sorted(found, key=lambda f: -f.score)[:limit]

    def frequencies(self, terms: Sequence[str], *, spaces: Sequence[str]) -> Frequencies:
        with self._lock:
            held = [h for space in dict.fromkeys(spaces) for h in self._held([space])]
            return frequencies(terms, held)

    def search_meaning(
        self,
        vector: Vector,
        *,
        fingerprint: str,
        spaces: Sequence[str],
        where: Filter | None,
        limit: int,
    ) -> list[Found]:
        with self._lock:
            held = [h for space in dict.fromkeys(spaces) for h in self._held([space])]
            if self._embeddings.active is None:
                return []
            asked = self._embeddings.question(vector, fingerprint)
            found = [
                Found(h.memory_id, h.passage.ordinal, cosine(asked, h.vectors[fingerprint]))
                for h in held
                if fingerprint in h.vectors and matches(self._memories[h.memory_id], where)
            ]
        return sorted(found, key=lambda f: -f.score)[:limit]

    def compare(
        self,
        vector: Vector,
        keys: Sequence[tuple[str, int]],
        *,
        fingerprint: str,
        spaces: Sequence[str],
    ) -> Compared:
        every = len(self._held(None)) or 1
        found = self.search_meaning(
            vector, fingerprint=fingerprint, spaces=spaces, where=None, limit=every
        )
        by_key = {(f.memory_id, f.ordinal): f.score for f in found}
        mean, spread = mean_and_spread([f.score for f in found])
        return Compared([by_key.get(key) for key in keys], mean, spread)
