"""What the reference says of its generations: everything that a question could notice, as text."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b

from bethink.stores.in_memory.changes import Contents
from bethink.stores.in_memory.tiers import InMemoryWorkingMemory


class Generations:
    def __init__(self, contents: Callable[[], Contents], working: InMemoryWorkingMemory) -> None:
        self.identity = os.urandom(12).hex()
        self._contents = contents
        self._working = working

    def generation(self, spaces: Sequence[str]) -> str:
        held = self._contents()
        active = held.embeddings[0].fingerprint if held.embeddings else None
        recent = [one.number for one in self._working.held() if one.memory.space in spaces]
        noticed: list[object] = [spaces, active, recent]
        for memory, passages in held.memories.values():  # in the order told
            if memory.space in spaces:
                vectors = [(h.handle, active in h.vectors) for h in passages]
                noticed.append((replace(memory, access_count=0), vectors))
        return blake2b(repr(noticed).encode("utf-8", "replace"), digest_size=16).hexdigest()

    def changes_by_itself(self, spaces: Sequence[str], after: datetime) -> datetime | None:
        told = [m for m, _ in self._contents().memories.values() if m.space in spaces]
        moments = [moment for one in told for moment in (one.valid_from, one.valid_to)]
        moments += [o.expires_at for o in self._working.held() if o.memory.space in spaces]
        return min((m for m in moments if m is not None and m > after), default=None)
