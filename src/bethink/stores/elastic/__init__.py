"""Elasticsearch as a retriever by words and by meaning (`bethink[elastic]`), and OpenSearch by
words (`bethink[opensearch]`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "ElasticRetriever",
]

if TYPE_CHECKING:
    from bethink.stores.elastic.retriever import ElasticRetriever
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.stores.elastic.retriever": "ElasticRetriever",
        },
    )
