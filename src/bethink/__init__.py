"""Bethink: a memory for AI agents. Tell it things; ask; get what matters now, with reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "LLM",
    "PRESETS",
    "Action",
    "All",
    "Answer",
    "AnyOf",
    "BethinkError",
    "Book",
    "Candidate",
    "Cast",
    "Character",
    "Check",
    "Citation",
    "CompositeStore",
    "Condition",
    "Conflict",
    "Decision",
    "Digest",
    "Dropped",
    "Embedder",
    "EmbedderError",
    "Engine",
    "EngineStatus",
    "EntityStateSnapshot",
    "Event",
    "Exported",
    "Extent",
    "Faq",
    "Filter",
    "FingerprintMismatch",
    "Forbidden",
    "Form",
    "Hit",
    "ImportReport",
    "InMemoryStore",
    "InvalidFilter",
    "InvalidInput",
    "InvalidVector",
    "KnowledgeBase",
    "LLMError",
    "Memory",
    "MemoryRetrievalNode",
    "MemoryState",
    "MissingExtra",
    "Not",
    "NotFound",
    "Notebook",
    "NotebookFileRefused",
    "Offer",
    "Page",
    "Passage",
    "Place",
    "PostgresStore",
    "Preset",
    "Principal",
    "Proposal",
    "Query",
    "Receipt",
    "Recollection",
    "Reranker",
    "RerankerError",
    "Retriever",
    "RetrieverRefused",
    "Revision",
    "RolledBack",
    "Ruling",
    "SQLiteStore",
    "SceneMemoryContext",
    "ScenePlan",
    "SearchParams",
    "SearchResponse",
    "SearchResult",
    "Settings",
    "SettingsError",
    "SpaceInfo",
    "Stage",
    "Status",
    "Step",
    "Store",
    "StoreBusy",
    "StoreCorrupt",
    "StoreError",
    "StoreFull",
    "StoreMissing",
    "StoreReadOnly",
    "StoreTooNew",
    "StoreUnavailable",
    "Story",
    "StoryTools",
    "SyncReport",
    "Tier",
    "TooManyRequests",
    "Trace",
    "Turn",
    "Unauthorised",
    "UnknownSpace",
    "ValidAt",
    "WebError",
    "WhyNot",
    "__version__",
    "create_app",
    "offering_node",
    "parse_filter",
    "retrieval_node",
]

if TYPE_CHECKING:
    from bethink.condition import EngineStatus
    from bethink.doors.http.app import create_app
    from bethink.embedders.protocol import Embedder
    from bethink.engine import Engine
    from bethink.errors import (
        BethinkError,
        Conflict,
        EmbedderError,
        FingerprintMismatch,
        Forbidden,
        InvalidFilter,
        InvalidInput,
        InvalidVector,
        LLMError,
        MissingExtra,
        NotebookFileRefused,
        NotFound,
        RerankerError,
        RetrieverRefused,
        SettingsError,
        StoreBusy,
        StoreCorrupt,
        StoreError,
        StoreFull,
        StoreMissing,
        StoreReadOnly,
        StoreTooNew,
        StoreUnavailable,
        TooManyRequests,
        Unauthorised,
        UnknownSpace,
        WebError,
    )
    from bethink.filters import All, AnyOf, Condition, Filter, Not, ValidAt, parse_filter
    from bethink.formats.export_markdown import Exported
    from bethink.formats.take_in import ImportReport
    from bethink.knowledge.answers import Answer
    from bethink.knowledge.citations import Citation
    from bethink.knowledge.faq_entry import Faq
    from bethink.knowledge.knowledge_base import KnowledgeBase
    from bethink.knowledge.params import SearchParams
    from bethink.knowledge.turns import Turn
    from bethink.llms.protocol import LLM
    from bethink.notebook.books import Book
    from bethink.notebook.forms import Form
    from bethink.notebook.notebook import Notebook
    from bethink.notebook.report import SyncReport
    from bethink.recall.draft import Stage
    from bethink.recall.presets import PRESETS, Preset
    from bethink.recall.why_not import WhyNot
    from bethink.rerankers.protocol import Reranker
    from bethink.search_response import SearchResponse, SearchResult
    from bethink.settings import Settings
    from bethink.stores.composite.store import CompositeStore
    from bethink.stores.in_memory.store import InMemoryStore
    from bethink.stores.postgres.store import PostgresStore
    from bethink.stores.protocol import Page, Store
    from bethink.stores.retrievers import Retriever
    from bethink.stores.sqlite.store import SQLiteStore
    from bethink.story.models import (
        Cast,
        Character,
        EntityStateSnapshot,
        SceneMemoryContext,
        ScenePlan,
    )
    from bethink.story.story import Story
    from bethink.story.tools import StoryTools
    from bethink.tiers.digest import Digest, Proposal
    from bethink.tiers.sources import RolledBack
    from bethink.vocabulary import (
        Action,
        Candidate,
        Check,
        Decision,
        Dropped,
        Event,
        Extent,
        Hit,
        Memory,
        Offer,
        Passage,
        Place,
        Principal,
        Query,
        Receipt,
        Recollection,
        Revision,
        Ruling,
        SpaceInfo,
        Status,
        Step,
        Tier,
        Trace,
    )
    from bethink.workflow.langgraph import MemoryState, offering_node, retrieval_node
    from bethink.workflow.node import MemoryRetrievalNode

    __version__: str
else:
    _get, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.condition": "EngineStatus",
            "bethink.doors.http.app": "create_app",
            "bethink.embedders.protocol": "Embedder",
            "bethink.engine": "Engine",
            "bethink.errors": (
                "BethinkError Conflict EmbedderError FingerprintMismatch Forbidden "
                "InvalidFilter InvalidInput InvalidVector LLMError MissingExtra NotFound "
                "NotebookFileRefused RerankerError RetrieverRefused SettingsError StoreBusy "
                "StoreCorrupt StoreError StoreFull StoreMissing StoreReadOnly StoreTooNew "
                "StoreUnavailable TooManyRequests Unauthorised UnknownSpace WebError"
            ),
            "bethink.filters": "All AnyOf Condition Filter Not ValidAt parse_filter",
            "bethink.formats.export_markdown": "Exported",
            "bethink.formats.take_in": "ImportReport",
            "bethink.knowledge.answers": "Answer",
            "bethink.knowledge.citations": "Citation",
            "bethink.knowledge.faq_entry": "Faq",
            "bethink.knowledge.knowledge_base": "KnowledgeBase",
            "bethink.knowledge.params": "SearchParams",
            "bethink.knowledge.turns": "Turn",
            "bethink.llms.protocol": "LLM",
            "bethink.notebook.books": "Book",
            "bethink.notebook.forms": "Form",
            "bethink.notebook.notebook": "Notebook",
            "bethink.notebook.report": "SyncReport",
            "bethink.recall.draft": "Stage",
            "bethink.recall.presets": "PRESETS Preset",
            "bethink.recall.why_not": "WhyNot",
            "bethink.rerankers.protocol": "Reranker",
            "bethink.search_response": "SearchResponse SearchResult",
            "bethink.settings": "Settings",
            "bethink.stores.composite.store": "CompositeStore",
            "bethink.stores.in_memory.store": "InMemoryStore",
            "bethink.stores.postgres.store": "PostgresStore",
            "bethink.stores.protocol": "Page Store",
            "bethink.stores.retrievers": "Retriever",
            "bethink.stores.sqlite.store": "SQLiteStore",
            "bethink.story.models": (
                "Cast Character EntityStateSnapshot SceneMemoryContext ScenePlan"
            ),
            "bethink.story.story": "Story",
            "bethink.story.tools": "StoryTools",
            "bethink.tiers.digest": "Digest Proposal",
            "bethink.tiers.sources": "RolledBack",
            "bethink.vocabulary": (
                "Action Candidate Check Decision Dropped Event Extent Hit Memory Offer "
                "Passage Place Principal Query Receipt Recollection Revision Ruling SpaceInfo "
                "Status Step Tier Trace"
            ),
            "bethink.workflow.langgraph": "MemoryState offering_node retrieval_node",
            "bethink.workflow.node": "MemoryRetrievalNode",
        },
        extras={
            "bethink.doors.http.app": "server",
            "bethink.stores.postgres.store": "postgres",
            "bethink.story.models": "story",
            "bethink.story.story": "story",
            "bethink.story.tools": "story",
        },
    )

    def __getattr__(name: str) -> object:
        if name == "__version__":  # reading the package's data costs 30 ms: only when asked
            from importlib.metadata import version

            from bethink.errors import DISTRIBUTION

            return version(DISTRIBUTION)
        return _get(name)
