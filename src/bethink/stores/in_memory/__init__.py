"""The reference store: plain Python, nothing clever, gone when the process ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "InMemoryStore",
]

if TYPE_CHECKING:
    from bethink.stores.in_memory.store import InMemoryStore
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.stores.in_memory.store": "InMemoryStore",
        },
    )
