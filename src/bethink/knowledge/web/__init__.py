"""The web beside the knowledge base: a provider is asked, its pages are read and ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "JsonSearch",
    "SearXNG",
    "SearchWeb",
    "WebResult",
    "WebSearch",
    "web_stage",
]

if TYPE_CHECKING:
    from bethink.knowledge.web.providers import JsonSearch, SearXNG
    from bethink.knowledge.web.results import WebResult, WebSearch
    from bethink.knowledge.web.stage import SearchWeb, web_stage
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.knowledge.web.providers": "JsonSearch SearXNG",
            "bethink.knowledge.web.results": "WebResult WebSearch",
            "bethink.knowledge.web.stage": "SearchWeb web_stage",
        },
    )
