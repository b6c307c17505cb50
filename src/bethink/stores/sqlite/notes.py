"""Notes of the engine: short texts by key, among what the store knows of itself."""

from __future__ import annotations

from collections.abc import Mapping

import apsw

_OURS = "note/"  # before the keys of notes; the store's own have none


def notes(reader: apsw.Connection, prefix: str) -> dict[str, str]:
    wanted = _OURS + prefix
    rows = reader.execute(
        "SELECT key, value FROM meta WHERE key >= ? AND substr(key, 1, ?) = ? ORDER BY key",
        (wanted, len(wanted), wanted),
    )
    return {key[len(_OURS) :]: value for key, value in rows}


def write_notes(writer: apsw.Connection, notes: Mapping[str, str | None]) -> None:
    for key, value in notes.items():
        if value is None:
            writer.execute("DELETE FROM meta WHERE key = ?", (_OURS + key,))
        else:
            writer.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_OURS + key, value))
