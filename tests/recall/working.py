"""Working memory filled by hand, as offering fills it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bethink import Engine
from bethink.vocabulary import TRUST, UNVERIFIED, Memory
from tests.recall.kits import NOW


def heard(name: str, text: str = "", *, trust: str = UNVERIFIED, **fields: Any) -> Memory:
    told = {"space": "global", "created_at": NOW, "updated_at": NOW, **fields}
    return Memory(id=name, text=text or f"step {name} 步骤", provenance={TRUST: trust}, **told)


def add(engine: Engine, *memories: Memory, now: datetime = NOW, keep: int = 50) -> None:
    """One after the other: the last is the newest."""
    working = engine.store.tiers().working
    working.add(memories, now=now, keep=keep, seconds=24 * 3600)


def add_steps(engine: Engine, count: int, *, now: datetime = NOW) -> list[str]:
    """Their ids, newest first."""
    add(engine, *(heard(f"step-{n}", f"step {n} 第{n}步") for n in range(count)), now=now)
    return [f"step-{n}" for n in reversed(range(count))]
