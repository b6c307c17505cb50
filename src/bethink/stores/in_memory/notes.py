"""Notes of the engine: short texts by key."""

from __future__ import annotations

import threading
from collections.abc import Mapping


class Notes:
    def __init__(self) -> None:
        self._writing = threading.Lock()
        self._notes: dict[str, str] = {}

    def notes(self, prefix: str = "") -> dict[str, str]:
        return {k: v for k, v in sorted(self._notes.items()) if k.startswith(prefix)}

    def write_note(self, key: str, value: str | None) -> None:
        self.write_notes({key: value})

    def write_notes(self, told: Mapping[str, str | None]) -> None:
        with self._writing:
            self._write(told)

    def exchange_notes(
        self, seen: Mapping[str, str | None], told: Mapping[str, str | None]
    ) -> bool:
        with self._writing:
            if any(self._notes.get(key) != value for key, value in seen.items()):
                return False
            self._write(told)
            return True

    def _write(self, told: Mapping[str, str | None]) -> None:
        """A new one each time: whoever reads has a whole one."""
        held = {**self._notes, **told}
        self._notes = {key: value for key, value in held.items() if value is not None}
