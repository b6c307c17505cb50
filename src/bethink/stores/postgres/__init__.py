"""The server store: PostgreSQL with pgvector, for many processes and many tenants.

`store.py` is the front, `database.py` how it is reached, `migrations/` the tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "DEFAULT_TENANT",
    "PostgresStore",
]

if TYPE_CHECKING:
    from bethink.stores.postgres.store import DEFAULT_TENANT, PostgresStore
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.stores.postgres.store": "DEFAULT_TENANT PostgresStore",
        },
        extras={"bethink.stores.postgres.store": "postgres"},
    )
