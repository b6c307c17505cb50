"""Our own JSON lines, as `bethink export` writes them: every field, the counters, the history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bethink.formats.json_values import values
from bethink.formats.taking import Failed, Items, Taken
from bethink.remember.ingress import FIELDS
from bethink.remember.transfer import BESIDE

NAME = "bethink"
WHAT = "memories of Bethink"


def looks_like(item: dict[str, Any]) -> bool:
    """Ours have a text, and nothing that we do not know."""
    return isinstance(item.get("text"), str) and item.keys() <= {*FIELDS, *BESIDE}


def read(path: Path, name: str) -> Items:
    for found in values(path):
        if isinstance(found, Failed):
            yield found
        elif not isinstance(found.value, dict):
            yield Failed(found.place, f"expected an object, got {type(found.value).__name__}")
        else:
            yield Taken(found.value, found.place, owner=_space(found.value))


def _space(record: dict[str, Any]) -> str:
    space = record.get("space")
    return space if isinstance(space, str) else ""
