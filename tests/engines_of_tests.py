"""Engines on both of our stores: what an engine does must not depend on where it keeps things."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bethink import Engine, Memory
from bethink.settings import Settings

STORES = ("memory", "sqlite")


def engine_on(store: str, folder: Path, **options: Any) -> Engine:
    options = {"settings": Settings(), **options}
    if store == "memory":
        return Engine.in_memory(**options)
    return Engine(folder / "m.db", **options)


def existing(engine: Engine, memory_id: str) -> Memory:
    memory = engine.get(memory_id)
    assert memory is not None
    return memory
