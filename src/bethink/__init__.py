"""Bethink: a memory for AI agents. Tell it things; ask; get what matters now, with reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.engine import Engine, EngineStatus
from bethink.errors import BethinkError
from bethink.vocabulary import (
    Action,
    Check,
    Event,
    Hit,
    Memory,
    Passage,
    Query,
    Receipt,
    Recollection,
    Revision,
    SpaceInfo,
    Status,
    Step,
    Trace,
)

if TYPE_CHECKING:
    from bethink.workflow.node import MemoryRetrievalNode

    __version__: str

__all__ = [
    "Action",
    "BethinkError",
    "Check",
    "Engine",
    "EngineStatus",
    "Event",
    "Hit",
    "Memory",
    "MemoryRetrievalNode",
    "Passage",
    "Query",
    "Receipt",
    "Recollection",
    "Revision",
    "SpaceInfo",
    "Status",
    "Step",
    "Trace",
    "__version__",
]


def __getattr__(name: str) -> object:
    if name == "MemoryRetrievalNode":  # only a workflow needs it
        from bethink.workflow.node import MemoryRetrievalNode

        return MemoryRetrievalNode
    if name == "__version__":  # reading the package's data costs 30 ms: only when asked
        from importlib.metadata import version

        return version("bethink")
    raise AttributeError(f"module 'bethink' has no attribute {name!r}")
