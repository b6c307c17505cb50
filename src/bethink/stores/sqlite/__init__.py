"""The embedded store: one SQLite file, for many processes at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "SQLiteStore",
]

if TYPE_CHECKING:
    from bethink.stores.sqlite.store import SQLiteStore
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.stores.sqlite.store": "SQLiteStore",
        },
    )
