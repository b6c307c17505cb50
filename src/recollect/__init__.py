"""Recollect: a memory for AI agents. Tell it things; ask; get what matters now, with reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.engine import Engine, EngineStatus
from recollect.errors import RecollectError
from recollect.vocabulary import (
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
    from recollect.workflow.node import MemoryRetrievalNode

    __version__: str

__all__ = [
    "Action",
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
    "RecollectError",
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
        from recollect.workflow.node import MemoryRetrievalNode

        return MemoryRetrievalNode
    if name == "__version__":  # reading the package's data costs 30 ms: only when asked
        from importlib.metadata import version

        return version("recollect")
    raise AttributeError(f"module 'recollect' has no attribute {name!r}")
