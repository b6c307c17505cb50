"""What became of every file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Fate = Literal["added", "replaced", "unchanged", "removed", "failed"]
FATES: tuple[Fate, ...] = ("added", "replaced", "unchanged", "removed", "failed")


class Outcome(NamedTuple):
    """One file. `id` is its document's, where there is one."""

    address: str
    fate: Fate
    id: str = ""
    sections: int = 0
    why: str = ""  # failed: the reason
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    outcomes: Sequence[Outcome]
    seconds: float
    notes: tuple[str, ...] = ()

    def of(self, fate: Fate) -> list[Outcome]:
        return [one for one in self.outcomes if one.fate == fate]

    @property
    def failed(self) -> list[Outcome]:
        return self.of("failed")

    @property
    def counts(self) -> dict[str, int]:
        return {fate: len(self.of(fate)) for fate in FATES}

    def as_record(self) -> dict[str, Any]:
        """As JSON-ready values."""
        files = [
            {name: value for name, value in one._asdict().items() if value or name == "address"}
            for one in self.outcomes
        ]
        return {
            **self.counts,
            "files": [{**one, "notes": list(one.get("notes", ()))} for one in files],
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
        }

    to_dict = as_record
