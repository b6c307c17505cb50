"""Say nothing twice: one passage for each memory, one memory for each content.

The first needs no text, so it comes before anything is fetched: a long memory with many passages
among the candidates must not take the places of others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from recollect.recall.draft import Draft, Kit
from recollect.text.fold import fold
from recollect.vocabulary import Candidate, Dropped


def signature(text: str) -> str:
    """The same for texts that differ only in case, width, script variant or white space."""
    return " ".join(fold(text).split())


@dataclass(frozen=True, slots=True)
class OnePerMemory:
    name: ClassVar[str] = "one_per_memory"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        kept: dict[str, Candidate] = {}
        dropped: list[Dropped] = []
        for candidate in draft.candidates:
            if kept.setdefault(candidate.memory_id, candidate) is not candidate:
                reason = f"another passage of {candidate.memory_id} stands higher"
                dropped.append(Dropped(*candidate.key, reason))
        return replace(draft, candidates=tuple(kept.values()), dropped=tuple(dropped))


@dataclass(frozen=True, slots=True)
class Deduplicate:
    name: ClassVar[str] = "deduplicate"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        kept: dict[str, Candidate] = {}
        dropped: list[Dropped] = []
        for candidate in draft.candidates:
            first = kept.setdefault(signature(candidate.text), candidate)
            if first is not candidate:
                dropped.append(Dropped(*candidate.key, f"says the same as {first.memory_id}"))
        return replace(draft, candidates=tuple(kept.values()), dropped=tuple(dropped))
