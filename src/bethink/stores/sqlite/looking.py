"""A look at a file that changes nothing in it, whatever its age."""

from __future__ import annotations

from pathlib import Path

from bethink.stores.sqlite import schema
from bethink.stores.sqlite.connection import plain_errors
from bethink.stores.sqlite.database import Database


def schema_found(path: Path) -> tuple[int, int]:
    """The schema of a file, and the newest that is known."""
    with plain_errors(path):
        database = Database(path, read_only=True)
        try:
            with database.connection() as reader:
                return schema.version_of(reader), len(schema.MIGRATIONS)
        finally:
            database.close()
