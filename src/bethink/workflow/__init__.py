"""Bethink as a step of a workflow: history goes in before an agent works, its output is offered
afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "Emit",
    "MemoryRetrievalNode",
    "MemoryState",
    "offering_node",
    "retrieval_node",
]

if TYPE_CHECKING:
    from bethink.workflow.langgraph import MemoryState, offering_node, retrieval_node
    from bethink.workflow.node import Emit, MemoryRetrievalNode
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.workflow.langgraph": "MemoryState offering_node retrieval_node",
            "bethink.workflow.node": "Emit MemoryRetrievalNode",
        },
    )
