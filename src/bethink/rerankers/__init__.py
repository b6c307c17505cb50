"""Rerankers: models that read a question and a text together. `protocol.py` says what one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "CrossEncoder",
    "HttpReranker",
    "Reranker",
    "reranker_named",
]

if TYPE_CHECKING:
    from bethink.rerankers.cross_encoder import CrossEncoder
    from bethink.rerankers.http import HttpReranker
    from bethink.rerankers.loading import reranker_named
    from bethink.rerankers.protocol import Reranker
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.rerankers.cross_encoder": "CrossEncoder",
            "bethink.rerankers.http": "HttpReranker",
            "bethink.rerankers.loading": "reranker_named",
            "bethink.rerankers.protocol": "Reranker",
        },
    )
