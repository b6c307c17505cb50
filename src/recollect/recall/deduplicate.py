"""Say nothing twice: one passage for each memory, one memory for each content."""

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
class Deduplicate:
    name: ClassVar[str] = "deduplicate"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        kept: list[Candidate] = []
        dropped: list[Dropped] = []
        memories: set[str] = set()
        signatures: dict[str, str] = {}
        for candidate in draft.candidates:
            if candidate.memory_id in memories:
                dropped.append(
                    Dropped(
                        *candidate.key, f"another passage of {candidate.memory_id} stands higher"
                    )
                )
                continue
            sign = signature(candidate.text)
            first = signatures.setdefault(sign, candidate.memory_id)
            if first != candidate.memory_id:
                dropped.append(Dropped(*candidate.key, f"says the same as {first}"))
                continue
            memories.add(candidate.memory_id)
            kept.append(candidate)
        return replace(draft, candidates=tuple(kept), dropped=tuple(dropped))
