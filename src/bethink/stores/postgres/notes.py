"""Notes of the engine: short texts by key."""

from __future__ import annotations

from collections.abc import Mapping

from bethink.stores.postgres.database import Cursor

OWN = "\x01"  # before the keys of what the store notes for itself, and shows nobody


def notes(cursor: Cursor, prefix: str) -> dict[str, str]:
    rows = cursor.execute(
        "SELECT key, value FROM notes WHERE key >= %s AND starts_with(key, %s) "
        "AND NOT starts_with(key, %s) ORDER BY key",
        (prefix, prefix, OWN),
    )
    return dict(rows.fetchall())


def write_notes(cursor: Cursor, notes: Mapping[str, str | None]) -> None:
    """In the order of their keys: two who write the same ones never wait for each other."""
    for key, value in sorted(notes.items(), key=lambda note: note[0]):
        if value is None:
            cursor.execute("DELETE FROM notes WHERE key = %s", (key,))
        else:
            cursor.execute(
                "INSERT INTO notes (key, value) VALUES (%s, %s) "
                "ON CONFLICT (tenant, key) DO UPDATE SET value = excluded.value",
                (key, value),
            )
