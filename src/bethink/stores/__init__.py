"""Stores: where memories are kept. `protocol.py` says what one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "MEANING",
    "WORDS",
    "Bounds",
    "CompositeStore",
    "ElasticRetriever",
    "Embedding",
    "Entry",
    "EventLog",
    "Found",
    "InMemoryStore",
    "MovableStore",
    "Neighbours",
    "OfferPage",
    "Page",
    "PostgresStore",
    "QdrantRetriever",
    "Quarantine",
    "Retriever",
    "SQLiteStore",
    "Store",
    "StoreRetriever",
    "Tiers",
    "Unembedded",
    "WorkingMemory",
    "Written",
]

if TYPE_CHECKING:
    from bethink.stores.composite.searching import Bounds
    from bethink.stores.composite.store import CompositeStore
    from bethink.stores.elastic.retriever import ElasticRetriever
    from bethink.stores.in_memory.store import InMemoryStore
    from bethink.stores.movable import MovableStore
    from bethink.stores.postgres.store import PostgresStore
    from bethink.stores.protocol import Embedding, Neighbours, Page, Store, Unembedded, Written
    from bethink.stores.qdrant.retriever import QdrantRetriever
    from bethink.stores.retrievers import MEANING, WORDS, Retriever
    from bethink.stores.sqlite.store import SQLiteStore
    from bethink.stores.store_retriever import StoreRetriever
    from bethink.stores.tiers import EventLog, OfferPage, Quarantine, Tiers, WorkingMemory
    from bethink.vocabulary import Entry, Found
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.stores.composite.searching": "Bounds",
            "bethink.stores.composite.store": "CompositeStore",
            "bethink.stores.elastic.retriever": "ElasticRetriever",
            "bethink.stores.in_memory.store": "InMemoryStore",
            "bethink.stores.movable": "MovableStore",
            "bethink.stores.postgres.store": "PostgresStore",
            "bethink.stores.protocol": "Embedding Neighbours Page Store Unembedded Written",
            "bethink.stores.qdrant.retriever": "QdrantRetriever",
            "bethink.stores.retrievers": "MEANING WORDS Retriever",
            "bethink.stores.sqlite.store": "SQLiteStore",
            "bethink.stores.store_retriever": "StoreRetriever",
            "bethink.stores.tiers": "EventLog OfferPage Quarantine Tiers WorkingMemory",
            "bethink.vocabulary": "Entry Found",
        },
        extras={
            "bethink.stores.postgres.store": "postgres",
            "bethink.stores.qdrant.retriever": "qdrant",
        },
    )
