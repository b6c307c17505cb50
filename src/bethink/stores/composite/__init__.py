"""One truth, and beside it engines that find: words on one, meaning on another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "Bounds",
    "CompositeStore",
]

if TYPE_CHECKING:
    from bethink.stores.composite.searching import Bounds
    from bethink.stores.composite.store import CompositeStore
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.stores.composite.searching": "Bounds",
            "bethink.stores.composite.store": "CompositeStore",
        },
    )
