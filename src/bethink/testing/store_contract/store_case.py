"""What every part of the contract uses: a store, and short ways to tell and to ask it."""

from __future__ import annotations

from typing import Any

from bethink.stores.protocol import Store
from bethink.testing.entries import ToyEmbedder, make_entry, make_memory
from bethink.testing.opened_store import OpenedStore
from bethink.testing.programs import same_ranking
from bethink.text.tokenise import query_terms
from bethink.vocabulary import Memory

TOY = ToyEmbedder()
OTHER = ToyEmbedder("other", 8)  # of the same size: only the fingerprint tells them apart
SMALL = ToyEmbedder("small", 6)
CHINESE = "项目"


def ids(found: Any) -> list[str]:
    return [f.memory_id for f in found]


class StoreCase(OpenedStore):
    @staticmethod
    def told(store: Store, *texts: str, space: str = "global") -> list[Memory]:
        """These texts with their vectors, as memories named by their numbers."""
        store.declare(TOY.embedding)
        first = store.count()
        memories = [
            make_memory(text, f"{space}-{number}", space=space)
            for number, text in enumerate(texts, start=first)
        ]
        store.put([make_entry(m, TOY) for m in memories], fingerprint=TOY.fingerprint)
        return memories

    @staticmethod
    def words(store: Store, text: str, *spaces: str, **options: Any) -> Any:
        options = {"where": None, "limit": 10, **options}
        return store.search_words(query_terms(text), spaces=spaces or ("global",), **options)

    @staticmethod
    def meaning(store: Store, text: str, *spaces: str, **options: Any) -> Any:
        options = {"where": None, "limit": 10, "fingerprint": TOY.fingerprint, **options}
        vector = TOY.embed([text])[0]
        return store.search_meaning(vector, spaces=spaces or ("global",), **options)

    def compare(
        self, store: Store, text: str, *keys: tuple[str, int], space: str = "global"
    ) -> Any:
        vector = TOY.embed([text])[0]
        return store.compare(vector, keys, fingerprint=TOY.fingerprint, spaces=[space])

    def same_answers(self, store: Store, text: str, before: tuple[Any, Any]) -> None:
        same_ranking(self.words(store, text), before[0], limit=10)
        same_ranking(self.meaning(store, text), before[1], limit=10)
