"""Composites whose engines misbehave: told, asked, and closed at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from bethink.stores.composite import Bounds, CompositeStore
from bethink.stores.in_memory import InMemoryStore
from bethink.stores.protocol import FoundPartly, Shortfall, Store
from bethink.stores.store_retriever import StoreRetriever
from bethink.testing import ToyEmbedder, make_entry, make_memory
from bethink.text.tokenise import query_terms
from bethink.vocabulary import Found

TOY = ToyEmbedder()
QUICK = Bounds(patience=0.1, catching_up=0.1, following=0.2)
# A busy machine must not decide what is found: nobody is given up.
PATIENT = Bounds(patience=30.0, catching_up=30.0, following=30.0)


def tell(store: Store, text: str, memory_id: str, **fields: Any) -> None:
    store.declare(TOY.embedding)
    store.put(
        [make_entry(make_memory(text, memory_id, **fields), TOY)], fingerprint=TOY.fingerprint
    )


def words(store: Store, text: str, *spaces: str, limit: int = 10) -> list[Found]:
    return store.search_words(
        query_terms(text), spaces=spaces or ("global",), where=None, limit=limit
    )


def meaning(store: Store, text: str, *spaces: str, limit: int = 10) -> list[Found]:
    return store.search_meaning(
        TOY.embed([text])[0],
        fingerprint=TOY.fingerprint,
        spaces=spaces or ("global",),
        where=None,
        limit=limit,
    )


def shortfalls(found: Sequence[Found]) -> tuple[Shortfall, ...]:
    return found.shortfalls if isinstance(found, FoundPartly) else ()


def ids(found: Sequence[Found]) -> list[str]:
    return [one.memory_id for one in found]


@pytest.fixture
def closing() -> Iterator[Callable[[CompositeStore], CompositeStore]]:
    stores: list[CompositeStore] = []

    def close_later(store: CompositeStore) -> CompositeStore:
        stores.append(store)
        return store

    yield close_later
    for store in stores:
        store.close()


Closing = Callable[[CompositeStore], CompositeStore]


def composite(*retrievers: StoreRetriever, truth: Store | None = None, **options: Any) -> Any:
    return CompositeStore(truth or InMemoryStore(), retrievers, **{"bounds": QUICK, **options})
