"""Qdrant as a retriever by meaning (`bethink[qdrant]`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "QdrantRetriever",
]

if TYPE_CHECKING:
    from bethink.stores.qdrant.retriever import QdrantRetriever
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.stores.qdrant.retriever": "QdrantRetriever",
        },
        extras={"bethink.stores.qdrant.retriever": "qdrant"},
    )
